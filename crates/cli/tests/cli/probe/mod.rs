//! `carelock probe` and `carelock personas`: simulated users against bots that run beside the test.

mod bots;
mod killed;
mod people;
mod played;

use carelock_test_support::{Outcome, Place, repository};
use serde_json::Value;

/// A demonstration bot as the command that it is.
fn demo(variant: &str) -> String {
    format!("cmd:python3 {} {variant}", repository().join("examples/bots/demo_bot.py").display())
}

/// What a probe showed, as JSON.
fn coverage(place: &Place, name: &str) -> Value {
    serde_json::from_str(&place.read(name)).unwrap()
}

/// Runs a probe of a bot by some personas; the name of its run is `probe`.
fn probe(place: &Place, bot: &str, more: &[&str]) -> Outcome {
    let mut words = vec!["probe", "--bot", bot, "--name", "probe", "--coverage", "coverage.json"];
    words.extend(more);
    place.run(&words)
}
