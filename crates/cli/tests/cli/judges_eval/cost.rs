//! What a run may cost: the cap, the estimate, and what was spent.

use carelock_test_support::model::answers::plain;
use carelock_test_support::model::{ModelReply, ModelServer};
use carelock_test_support::{Outcome, Place};
use serde_json::Value;

use crate::samples::{HOSTED, unscored};

const KEY: (&str, &str) = ("OPENAI_API_KEY", "sk-planted-0123456789abcdef");

fn server() -> ModelServer {
    ModelServer::start(|call| ModelReply::said(call, &plain(call).to_string()))
}

fn run(place: &Place, server: &ModelServer, options: &[&str]) -> Outcome {
    let base = server.base();
    let arguments = ["eval", "chats", "--judge", HOSTED, "--no-second-look", "--format", "json"];
    place.run_with(&[("OPENAI_BASE_URL", &base), KEY], &[&arguments[..], options].concat())
}

#[test]
fn the_cap_stops_before_it_is_reached() {
    for concurrency in ["1", "8"] {
        let place = Place::with_short_chats(8);
        let server = server();
        let outcome = run(&place, &server, &["--max-cost", "0.03", "--concurrency", concurrency]).exits(3);
        let reports = outcome.json();
        let reports = reports.as_array().unwrap();
        assert_eq!(reports.len(), 8);
        let (asked, left): (Vec<&Value>, Vec<&Value>) = reports.iter().partition(|report| unscored(report).is_empty());
        assert_eq!(asked.len(), server.calls().len(), "{concurrency} at once");
        assert!(!asked.is_empty() && !left.is_empty(), "{} asked", asked.len());
        let spent: f64 = asked.iter().map(|report| report["judge"]["cost"].as_f64().unwrap()).sum();
        assert!(spent > 0.0 && spent <= 0.03, "{spent}");
        for report in left {
            let reasons = unscored(report);
            assert_eq!(reasons.len(), 50);
            assert!(reasons[0].starts_with("not asked: the cap on the cost is reached"), "{reasons:?}");
        }
        assert!(outcome.stderr.contains("spent $0.0"), "{outcome}");
        assert_eq!(outcome.stderr.matches("the cap on the cost is reached").count(), 1, "said once: {outcome}");
    }
}

#[test]
fn a_cap_of_nothing_asks_nothing() {
    let place = Place::with_short_chats(2);
    let server = server();
    run(&place, &server, &["--max-cost", "0.000001"]).exits(3);
    assert_eq!(server.calls().len(), 0);
    let wrong = run(&place, &server, &["--max-cost", "much"]).exits(2);
    assert!(wrong.stderr.contains("--max-cost"), "{wrong}");
}

#[test]
fn a_cap_needs_a_price_that_is_known() {
    let place = Place::with_short_chats(2);
    let server = server();
    let judge = server.judge();
    let arguments = ["eval", "chats", "--judge", &judge, "--no-second-look", "--format", "json", "--max-cost", "1"];
    let refused = place.run(&arguments).exits(2);
    assert!(refused.stderr.contains("costs is not known") && refused.stderr.contains("--price"), "{refused}");
    let typo = place.run_with(&[KEY], &["eval", "chats", "--judge", "openai:gpt-7-typo", "--max-cost", "1"]).exits(2);
    assert!(typo.stderr.contains("what openai:gpt-7-typo costs is not known"), "{typo}");
    assert_eq!(server.calls().len(), 0);
    place.run(&[&arguments[..], &["--price", "0"]].concat()).exits(0);
    let capped = place.run(&[&arguments[..], &["--price", "900,900", "--refresh"]].concat()).exits(3);
    assert!(capped.stdout.contains("the cap on the cost is reached"), "{capped}");
}

#[test]
fn a_dry_run_does_not_add_what_is_unknown_up_to_nothing() {
    let place = Place::with_short_chats(1);
    let dry = |options: &[&str]| {
        let arguments = ["eval", "chats", "--judge", "http://127.0.0.1:9/v1#m", "--dry-run"];
        place.run(&[&arguments[..], options].concat()).exits(0).stdout
    };
    let unknown = dry(&[]);
    let time = "time: about 34s where the model writes 50 tokens a second, 2m50s where it writes 10; 1 chat at once\n";
    assert!(unknown.ends_with(time), "{unknown}");
    assert!(unknown.starts_with("1 chat;") && unknown.contains("in all an unknown amount"), "{unknown}");
    assert!(!unknown.contains("$0.00"), "{unknown}");
    let partly = dry(&["--judge", HOSTED]);
    assert!(partly.contains("and what the judge costs whose price is unknown"), "{partly}");
    assert!(dry(&["--price", "1,2"]).contains("in all about $0.0"));
}

#[test]
fn a_dry_run_says_what_it_would_cost_and_sends_nothing() {
    let place = Place::with_short_chats(8);
    let server = server();
    let outcome = run(&place, &server, &["--dry-run"]).exits(0);
    assert!(outcome.stdout.contains(&format!("{HOSTED}: 8 to ask, about ")), "{outcome}");
    assert!(outcome.stdout.contains("in all about $0.0"), "{outcome}");
    assert!(outcome.stdout.contains("nothing was sent"), "{outcome}");
    assert_eq!(server.calls().len(), 0);
    let keyless = place.run(&["eval", "chats", "--judge", HOSTED, "--dry-run"]).exits(0);
    assert_eq!(keyless.stdout, outcome.stdout);
    assert!(!place.path("cache").exists(), "nothing was asked, so nothing is kept");
}

#[test]
fn a_dry_run_counts_only_what_must_be_asked() {
    let place = Place::with_short_chats(3);
    let server = server();
    run(&place, &server, &[]).exits(0);
    let known = run(&place, &server, &["--dry-run"]).exits(0);
    assert!(known.stdout.contains(&format!("{HOSTED}: all answers are known")), "{known}");
    place.write("chats/new.txt", "Human: I feel better.\nAI: That sounds good.\n");
    let new = run(&place, &server, &["--dry-run"]).exits(0);
    assert!(new.stdout.contains("4 chats; ") && new.stdout.contains(&format!("{HOSTED}: 1 to ask")), "{new}");
    let again = run(&place, &server, &["--dry-run", "--refresh"]).exits(0);
    assert!(again.stdout.contains(&format!("{HOSTED}: 4 to ask")), "{again}");
}

#[test]
fn the_estimate_is_not_far_from_what_is_spent() {
    let place = Place::with_short_chats(1);
    let server = server();
    let planned = run(&place, &server, &["--dry-run"]).exits(0).stdout;
    let planned: u64 = planned.split("about ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    run(&place, &server, &[]).exits(0);
    let call = server.calls().remove(0);
    let sent = (call.system().len() + call.user().len()) as u64 / 4;
    assert!(planned.abs_diff(sent) <= 2, "{planned} planned, {sent} sent");
}
