//! Tests of redaction: cases by hand, then properties.

mod negative;
mod positive;
mod properties;
mod round_trip;

use carelock_core::transcript::{Speaker, Transcript};

use super::{RedactOptions, Redaction};

/// A person's turn and an AI's turn.
pub(super) fn chat(human: &str, ai: &str) -> Transcript {
    Transcript::new("demo", vec![(Speaker::Human, human.to_owned()), (Speaker::Ai, ai.to_owned())]).unwrap()
}

/// What a person's turn looks like afterwards.
pub(super) fn human(text: &str) -> String {
    let redaction = Redaction::new(&chat(text, "I see."), &RedactOptions::default());
    redaction.redacted().turns()[0].text.clone()
}

/// What an AI's turn looks like afterwards.
pub(super) fn ai(text: &str) -> String {
    let redaction = Redaction::new(&chat("It is a hard week.", text), &RedactOptions::default());
    redaction.redacted().turns()[1].text.clone()
}

/// Checks all cases and tells all that fail at once.
pub(super) fn check(cases: &[(&str, &str)], redact: fn(&str) -> String) {
    let wrong: Vec<String> = cases
        .iter()
        .map(|(text, expected)| (text, expected, redact(text)))
        .filter(|(_, expected, got)| *expected != got)
        .map(|(text, expected, got)| format!("\n  {text}\n    expected {expected}\n    got      {got}"))
        .collect();
    assert!(wrong.is_empty(), "{} of {} cases:{}", wrong.len(), cases.len(), wrong.concat());
}
