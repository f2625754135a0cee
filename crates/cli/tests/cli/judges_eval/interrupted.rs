//! Ctrl-C keeps what is done.

#![cfg(unix)]

use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::answers::plain;
use super::server::{Reply, Server};
use super::support::Place;

#[test]
fn an_interrupted_run_is_not_asked_again_for_what_it_knows() {
    let place = Place::with_short_chats(3);
    let patient = Arc::new(AtomicBool::new(false));
    let hurries = Arc::clone(&patient);
    let server = Server::start(move |call| {
        while call.user().contains("day 3.") && !hurries.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(20));
        }
        Reply::said(call, &plain(call).to_string())
    });
    let judge = server.judge();
    let options = ["--judge", &judge, "--concurrency", "1", "--no-second-look", "--lock", "answers.lock"];
    let arguments = [&["eval", "chats", "--format", "json", "-o", "reports.json"], &options[..]].concat();
    let mut running = place.start(&arguments);
    let begun = Instant::now();
    while server.calls().len() < 3 {
        assert!(begun.elapsed() < Duration::from_secs(30), "{} calls", server.calls().len());
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(Command::new("kill").args(["-INT", &running.id().to_string()]).status().unwrap().success());
    assert_eq!(running.wait().unwrap().code(), Some(130));
    assert!(!place.path("reports.json").exists());
    server.take_calls();
    patient.store(true, Ordering::SeqCst);
    place.run(&arguments).exits(0);
    assert_eq!(server.calls().len(), 1, "only the chat that had no answer is asked");
    assert_eq!(place.read("answers.lock").lines().count(), 4);
}
