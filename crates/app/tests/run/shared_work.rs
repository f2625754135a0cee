//! Several workers on one run: the work is shared, no chat is judged twice, and a dead worker's chats come back.

use std::time::Duration;

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
