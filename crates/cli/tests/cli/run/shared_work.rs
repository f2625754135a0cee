//! Several workers on one run: the work is shared, no chat is judged twice, and a dead worker's chats come back.

use std::time::Duration;

use carelock_test_support::model::answers::plain;
use carelock_test_support::model::{ModelReply, ModelServer};
use carelock_test_support::postgres::fresh_blocking;
use carelock_test_support::{Place, wait_until};

use super::stored::Stored;

fn shares(place: &Place, database: &str, stored: &Stored) {
    const CHATS: usize = 24;
    let server = ModelServer::start(|call| {
        std::thread::sleep(Duration::from_millis(60));
        ModelReply::said(call, &plain(call).to_string())
    });
    let judge = server.judge();
    let options = ["--db", database, "--concurrency", "2", "--no-cache", "--lease", "10"];
    let begin = ["run", "chats", "--name", "shared", "--judge", &judge, "--no-second-look"];
    let first = place.start(&[&begin[..], &options].concat());
    wait_until("the run has begun", || stored.run("shared").is_some_and(|run| run.dataset.is_some()));
    let second = place.run(&[&["run", "--resume", "shared"], &options[..]].concat()).exits(0);
    first.wait().exits(0);
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
        wait_until("a run is made", || stored.run("n").is_some());
        stored.fill("n", "a", sealed);
        first.tell(line.as_bytes());
        let said = first.wait().exits(2).stderr;
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
    let Some(database) = fresh_blocking() else { return };
    shares(&Place::with_short_chats(24), &database, &Stored::at(&database));
}
