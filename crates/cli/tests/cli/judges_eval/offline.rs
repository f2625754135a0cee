//! The offline proof: what is locked, rated by people or judged by the embedded judge opens no socket to anywhere.

#![cfg(target_os = "linux")]

use carelock_test_support::Place;
use carelock_test_support::model::ModelServer;
use carelock_test_support::model::answers::by_the_sheets;

/// The network calls of a run that must write what it was asked for, as the kernel saw them.
fn network_calls(place: &Place, arguments: &[&str]) -> String {
    let present = std::process::Command::new("strace").arg("-V").output();
    assert!(present.is_ok(), "strace is needed to prove that nothing is sent; .ci/run installs it");
    let tracer = ["strace", "-f", "-qq", "-e", "trace=%network", "-o", "trace.txt"];
    let outcome = place.run_under(&tracer, arguments);
    // With 3 something could not be judged; a report is there all the same.
    assert!(matches!(outcome.code, 0 | 3) && !outcome.stdout.is_empty(), "{outcome}");
    place.read("trace.txt")
}

#[test]
fn locked_reports_and_sheets_open_no_socket() {
    let place = Place::with(&["ordinary"]);
    let server = ModelServer::start(by_the_sheets);
    let judge = server.judge();
    let asking = ["eval", "ordinary.txt", "--judge", &judge, "--lock", "answers.lock", "--format", "json"];
    // First that the proof is one: where a judge is asked, the tracer sees it.
    assert!(network_calls(&place, &asking).contains("AF_INET"), "the tracer sees no call where there was one");
    let locked = network_calls(&place, &[&asking[..], &["--locked"]].concat());
    assert!(!locked.contains("AF_INET"), "{locked}");
    let known = network_calls(&place, &asking);
    assert!(!known.contains("AF_INET"), "{known}");
    let dry = network_calls(&place, &[&asking[..], &["--dry-run"]].concat());
    assert!(!dry.contains("AF_INET"), "{dry}");
    let rated = network_calls(&place, &["eval", "ordinary.txt", "--verdicts", "sheets/ordinary.csv"]);
    assert!(!rated.contains("AF_INET"), "{rated}");
    let printed = network_calls(&place, &["prompt", "ordinary.txt"]);
    assert!(!printed.contains("AF_INET"), "{printed}");
    let embedded = network_calls(&place, &["eval", "ordinary.txt"]);
    assert!(!embedded.contains("AF_INET"), "{embedded}");
}
