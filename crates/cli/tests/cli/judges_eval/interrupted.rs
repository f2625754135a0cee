//! Ctrl-C keeps what is done.

#![cfg(unix)]

use std::sync::Arc;

use carelock_test_support::model::answers::plain;
use carelock_test_support::model::{ModelReply, ModelServer};
use carelock_test_support::{Gate, Place};

#[test]
fn an_interrupted_run_is_not_asked_again_for_what_it_knows() {
    let place = Place::with_short_chats(3);
    let gate = Arc::new(Gate::default());
    let held = Arc::clone(&gate);
    let server = ModelServer::start(move |call| {
        if call.user().contains("day 3.") {
            held.pass();
        }
        ModelReply::said(call, &plain(call).to_string())
    });
    let judge = server.judge();
    let options = ["--judge", &judge, "--concurrency", "1", "--no-second-look", "--lock", "answers.lock"];
    let arguments = [&["eval", "chats", "--format", "json", "-o", "reports.json"], &options[..]].concat();
    let running = place.start(&arguments);
    gate.wait_for(1);
    running.interrupt();
    running.wait().exits(130);
    assert!(!place.path("reports.json").exists());
    server.take_calls();
    // The call that was given up still waits at the gate.
    gate.release(2);
    place.run(&arguments).exits(0);
    assert_eq!(server.calls().len(), 1, "only the chat that had no answer is asked");
    assert_eq!(place.read("answers.lock").lines().count(), 4);
}
