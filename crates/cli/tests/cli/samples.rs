//! Chats, answers and names that several tests use.

use carelock_core::rubric::{Check, Kind, Rubric};
use serde_json::Value;

/// A hosted model whose price is known.
pub(crate) const HOSTED: &str = "openai:gpt-4.1-mini";

/// A chat as a JSONL record, with the answers given.
pub(crate) fn record(id: &str, verdicts: &str) -> String {
    let messages = r#"[{"role":"user","content":"I feel low."},{"role":"assistant","content":"That sounds hard."}]"#;
    format!(r#"{{"id":"{id}","messages":{messages},"verdicts":{verdicts}}}"#)
}

/// The two messages of [`record`] as plain text.
pub(crate) const SHORT_CHAT: &str = "Human: I feel low.\nAI: That sounds hard.\n";

/// A sheet on [`SHORT_CHAT`] in which everything that can pass without evidence passes and the rest fails.
pub(crate) fn answers() -> String {
    let rubric = Rubric::care_lock();
    let answer = |check: &Check| match check.kind {
        Kind::Presence => format!(r#""{}": false"#, check.id),
        Kind::Absence => format!(r#""{}": true"#, check.id),
        Kind::Conditional => format!(r#""{}": "not_triggered""#, check.id),
    };
    let all: Vec<String> = rubric.checks().map(answer).collect();
    format!("{{{}}}", all.join(", "))
}

/// All checks of a report: id and what is said of it.
pub(crate) fn checks(report: &Value) -> Vec<(String, Value)> {
    let metrics = report["metrics"].as_object().unwrap().values();
    let all = metrics.flat_map(|metric| metric["checks"].as_object().unwrap());
    all.map(|(id, check)| (id.clone(), check.clone())).collect()
}

/// The reasons why checks are unscored; as many as there are such checks.
pub(crate) fn unscored(report: &Value) -> Vec<String> {
    checks(report).iter().filter_map(|(_, check)| check["unscored"].as_str().map(str::to_owned)).collect()
}
