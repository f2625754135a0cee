//! The guard's own answers. What was blocked and what could not be judged are told apart everywhere.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use carelock_engine::session::{Change, Preview};
use serde_json::{Value, json};

/// The header that says what the guard saw.
pub(crate) const HEADER: &str = "x-carelock";

/// What the guard holds of a reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Nothing trips a gate.
    UpstreamResponse,
    /// Gates are tripped.
    Gate(Vec<Change>),
    /// There is no verdict, and why.
    CouldNotJudge(String),
}

impl Verdict {
    /// The verdict on a reply that was looked at.
    pub(crate) fn from_preview(preview: Preview, unsure_counts: bool) -> Self {
        let Preview { gates, unsure, unread } = preview;
        match (unread, gates.is_empty(), unsure.first()) {
            (Some(reason), _, _) => Self::CouldNotJudge(reason),
            (None, false, _) => Self::Gate(gates),
            (None, true, Some(change)) if unsure_counts => {
                let check = change.check.as_deref().unwrap_or_default();
                Self::CouldNotJudge(format!("unsure: {check} lies between its borders, have someone look"))
            }
            _ => Self::UpstreamResponse,
        }
    }

    /// One word for it.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::UpstreamResponse => "passed",
            Self::Gate(_) => "gate",
            Self::CouldNotJudge(_) => "could-not-judge",
        }
    }

    /// The word, with the gates.
    pub(crate) fn header(&self) -> HeaderValue {
        let text = match self {
            Self::Gate(gates) => {
                let checks: Vec<&str> = gates.iter().filter_map(|gate| gate.check.as_deref()).collect();
                format!("gate {}", checks.join(","))
            }
            other => other.word().to_owned(),
        };
        HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("gate"))
    }

    /// Everything about it, without the words of the reply.
    pub(crate) fn json(&self) -> Value {
        match self {
            Self::UpstreamResponse => json!({"verdict": self.word()}),
            Self::Gate(gates) => {
                let gates: Vec<Value> = gates
                    .iter()
                    .map(|gate| json!({"check": gate.check, "title": gate.title, "why": gate.why}))
                    .collect();
                json!({"verdict": self.word(), "gates": gates})
            }
            Self::CouldNotJudge(reason) => json!({"verdict": self.word(), "why": reason}),
        }
    }
}

/// An error in OpenAI's shape.
pub(crate) fn error(code: &str, message: &str) -> Value {
    json!({"error": {"message": message, "type": format!("carelock_{code}"), "param": null, "code": code}})
}

/// A refusal with an error in OpenAI's shape.
pub(crate) fn refuse(status: StatusCode, code: &str, message: &str) -> Response {
    let mut response = json_response(status, &error(code, message));
    if let Ok(code) = HeaderValue::from_str(code) {
        response.headers_mut().insert(HEADER, code);
    }
    response
}

/// An answer of JSON.
pub(crate) fn json_response(status: StatusCode, value: &Value) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], value.to_string()).into_response()
}

/// The refusal of a reply that could not be judged.
pub(crate) fn could_not_judge(reason: &str) -> Response {
    let message = format!("The reply was not judged ({reason}), and the policy says to refuse it then.");
    refuse(StatusCode::SERVICE_UNAVAILABLE, "could_not_judge", &message)
}

/// What stands in the place of a reply that trips a gate: the operator's text, or nothing.
pub(crate) fn instead(whole: &Value, text: Option<&str>, verdict: &Verdict) -> Value {
    let finish = if text.is_some() { "stop" } else { "content_filter" };
    let message = json!({"role": "assistant", "content": text.unwrap_or_default(), "refusal": null});
    let mut answer = json!({
        "id": whole["id"], "object": "chat.completion", "created": whole["created"], "model": whole["model"],
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": finish}],
        "carelock": verdict.json(),
    });
    if let Some(usage) = whole.get("usage") {
        answer["usage"] = usage.clone();
    }
    answer
}

/// The end of a stream whose reply trips a gate.
pub(crate) fn end_of_stream(id: Option<&str>, model: Option<&str>, text: Option<&str>, verdict: &Verdict) -> String {
    let chunk = |delta: Value, finish: Value| {
        json!({
            "id": id.unwrap_or("carelock"), "object": "chat.completion.chunk", "created": 0,
            "model": model.unwrap_or("carelock"),
            "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], "carelock": verdict.json(),
        })
    };
    match text {
        Some(text) => {
            let said = chunk(json!({"role": "assistant", "content": text}), Value::Null);
            format!("data: {said}\n\ndata: {}\n\ndata: [DONE]\n\n", chunk(json!({}), json!("stop")))
        }
        None => format!("data: {}\n\ndata: [DONE]\n\n", chunk(json!({}), json!("content_filter"))),
    }
}

/// A note in a stream about what was seen.
pub(crate) fn note_in_stream(id: Option<&str>, model: Option<&str>, verdict: &Verdict) -> String {
    let note = json!({
        "id": id.unwrap_or("carelock"), "object": "chat.completion.chunk", "created": 0,
        "model": model.unwrap_or("carelock"), "choices": [], "carelock": verdict.json(),
    });
    format!("data: {note}\n\n")
}

/// The end of a stream that could not be judged.
pub(crate) fn error_in_stream(reason: &str) -> String {
    let message = format!("The reply was not judged ({reason}), and the policy says to refuse it then.");
    format!("data: {}\n\n", error("could_not_judge", &message))
}
