//! Several workers on one run: the work is shared, no chat is judged twice, and a dead worker's chats come back.

use std::io::Write as _;
use std::time::{Duration, Instant};

use super::answers::plain;
use super::postgres_server::fresh_server;
use super::server::{Reply, Server};
use super::stored::Stored;
use super::support::Place;

fn shares(place: &Place, database: &str, stored: &Stored) {
    const CHATS: usize = 24;
    let server = Server::start(|call| {
        std::thread::sleep(Duration::from_millis(60));
        Reply::said(call, &plain(call).to_string())
    });
    let judge = server.judge();
    let options = ["--db", database, "--concurrency", "2", "--no-cache", "--lease", "10"];
    let begin = ["run", "chats", "--name", "shared", "--judge", &judge, "--no-second-look"];
    let mut first = place.start(&[&begin[..], &options].concat());
    while stored.run("shared").is_none_or(|run| run.dataset.is_none()) {
        std::thread::sleep(Duration::from_millis(10));
    }
    let second = place.run(&[&["run", "--resume", "shared"], &options[..]].concat()).exits(0);
    assert!(first.wait().unwrap().success());
    assert!(second.stdout.contains("chats             24"), "{second}");
    assert_eq!(server.calls().len(), CHATS, "no chat is asked about twice");
    let (answers, results) = stored.answers("shared");
    assert_eq!((answers.len(), results), (CHATS, CHATS));
}

#[test]
fn a_run_that_another_process_has_filled_is_never_removed() {
    let line = r#"{"id":"a","messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}"#;
    for sealed in [true, false] {
        let place = Place::with(&[]);
        let stored = Stored::file(&place.path("carelock.db"));
        let mut first = place.start(&["run", "-", "--name", "n"]);
        let begun = Instant::now();
        while stored.run("n").is_none() {
            assert!(begun.elapsed() < Duration::from_secs(30), "no run was made");
            std::thread::sleep(Duration::from_millis(10));
        }
        stored.fill("n", "a", sealed);
        first.stdin.take().unwrap().write_all(line.as_bytes()).unwrap();
        let output = first.wait_with_output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains("run \"n\" stays: another process has filled it too"), "{said}");
        assert_eq!(said.contains("error: another process has filled this run\n  fix: "), sealed, "{said}");
        assert_eq!(stored.run("n").map(|run| run.chats), Some(1));
    }
}

#[test]
fn two_workers_share_a_run_in_a_file() {
    let place = Place::with_short_chats(24);
    let database = place.path("runs.db").display().to_string();
    shares(&place, &database, &Stored::file(&place.path("runs.db")));
}

#[test]
fn two_workers_share_a_run_on_a_server() {
    let Some(database) = fresh_server() else { return };
    shares(&Place::with_short_chats(24), &database, &Stored::at(&database));
}
