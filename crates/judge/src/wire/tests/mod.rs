//! Tests of the wire formats: hand-written responses and the outcome each must have.

mod anthropic_cases;
mod compatible_cases;
mod deepseek_cases;
mod fallback_cases;
mod openai_cases;
mod requests;
mod shared_cases;

use std::time::{Duration, UNIX_EPOCH};

use super::*;
use crate::outcome::Retry;
use crate::provider::{JudgeSpec, Table, Terms};

/// A response and what must come of it: status, headers, body, outcome.
type Case = (u16, &'static [(&'static str, &'static str)], &'static str, &'static str);

const NONE: &[(&str, &str)] = &[];

/// Sun, 06 Nov 1994 08:49:37 GMT.
fn now() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(784_111_777)
}

fn judge(name: &str) -> Resolved {
    let terms = Terms::on("2026-11-15".parse().unwrap());
    Table::shipped().resolve(&JudgeSpec::parse(name).unwrap(), &terms).unwrap()
}

fn response(status: u16, headers: &[(&str, &str)], body: &str) -> Response {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    Response { status, headers, body: body.as_bytes().to_vec() }
}

/// An outcome in a few words, so that a table of cases can be read.
fn summary(outcome: &Outcome) -> String {
    let or_dash = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), |value| value.to_string());
    match outcome {
        Outcome::Answered(reply) => match reply.tokens {
            Some(tokens) => format!("answered {} [{}/{}/{}]", reply.text, tokens.input, tokens.cached, tokens.output),
            None => format!("answered {}", reply.text),
        },
        Outcome::Refused { reason } => format!("refused: {reason}"),
        Outcome::Filtered { stage, category } => format!("filtered {stage}: {}", category.as_deref().unwrap_or("-")),
        Outcome::Truncated => "truncated".to_owned(),
        Outcome::TooLong { limit, asked, .. } => format!("too long {}/{}", or_dash(*asked), or_dash(*limit)),
        Outcome::Empty => "empty".to_owned(),
        Outcome::Invalid { .. } => "invalid".to_owned(),
        Outcome::Unavailable { retry: Retry::Later, .. } => "unavailable, later".to_owned(),
        Outcome::Unavailable { retry: Retry::After(seconds), .. } => format!("unavailable, after {seconds}"),
        Outcome::Unavailable { retry: Retry::Never, .. } => "unavailable, never".to_owned(),
        Outcome::Misconfigured { .. } => "misconfigured".to_owned(),
    }
}

/// Runs a table against a judge and shows every case that went wrong at once.
fn check(name: &str, cases: &[Case]) {
    let judge = judge(name);
    let asked = CallTarget::from(&judge);
    let mut wrong = String::new();
    for (status, headers, body, expected) in cases {
        let outcome = to_outcome(&response(*status, headers, body), &asked, now());
        let found = summary(&outcome);
        if found != *expected {
            wrong.push_str(&format!(
                "\n{status} {headers:?} {body}\n  expected {expected}\n  found    {found}\n  {outcome:?}\n"
            ));
        }
    }
    assert!(wrong.is_empty(), "{name}: {wrong}");
}

const EVERY_PROVIDER: [&str; 5] = [
    "openai:gpt-6-luna",
    "anthropic:claude-sonnet-5-5",
    "deepseek:deepseek-flash",
    "ollama:llama3.2",
    "http://127.0.0.1:8080/v1#model",
];
