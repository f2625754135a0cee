//! Single messages in the shape of OpenAI's moderation API: a crisis cue in a person's message, or gates that a reply trips.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use carelock_core::transcript::Speaker;
use carelock_engine::session::{Change, ChangeKind, Session};
use serde_json::{Map, Value, json};

use crate::answer::{json_response, refuse};
use crate::pool::Effort;
use crate::proxy;
use crate::state::Guard;

/// Models of this name are ours; all others are the upstream's.
const OURS: &str = "carelock";

/// Judges a message as a reply instead of as the person's.
const REPLY: &str = "carelock-reply";

/// Answers for our own models, and passes everything else on.
pub(crate) async fn moderations(State(guard): State<Arc<Guard>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let Ok(body) = axum::body::to_bytes(body, guard.policy.max_body_mib << 20).await else {
        return refuse(StatusCode::PAYLOAD_TOO_LARGE, "too_large", "The request is larger than the guard takes.");
    };
    let asked: Value = serde_json::from_slice(&body).unwrap_or_default();
    let model = asked["model"].as_str().unwrap_or_default().to_owned();
    if !model.starts_with(OURS) && guard.policy.upstream.is_some() {
        return proxy::pass(State(guard), Request::from_parts(parts, body.into())).await;
    }
    let Some(texts) = inputs(&asked["input"]).filter(|texts| !texts.is_empty()) else {
        return refuse(StatusCode::BAD_REQUEST, "bad_request", "input is neither a text nor a list of texts.");
    };
    let speaker = if model == REPLY { Speaker::Ai } else { Speaker::Human };
    let watcher = Arc::clone(&guard.watcher);
    let size = texts.iter().map(String::len).sum();
    let judged = guard.pool.run(guard.policy.patience(), Effort::Turns(size), move || {
        let judge = |text: &String| {
            let mut session = Session::new("moderation", Arc::clone(&watcher));
            let changes = session.push(speaker, text);
            result(&watcher, &changes)
        };
        texts.iter().map(judge).collect::<Result<Vec<Value>, String>>()
    });
    let judged = judged.await.map_err(|error| error.reason().to_owned()).and_then(|judged| judged);
    match judged {
        Ok(results) => {
            json_response(StatusCode::OK, &json!({"id": "modr-carelock", "model": OURS, "results": results}))
        }
        Err(reason) => refuse(StatusCode::UNPROCESSABLE_ENTITY, "could_not_judge", &format!("Not judged: {reason}.")),
    }
}

fn inputs(input: &Value) -> Option<Vec<String>> {
    match input {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(parts) => {
            parts.iter().map(|part| part.as_str().or_else(|| part["text"].as_str()).map(str::to_owned)).collect()
        }
        _ => None,
    }
}

/// One result: a category for the crisis cue and one for each gate.
fn result(watcher: &carelock_engine::session::Watcher, changes: &[Change]) -> Result<Value, String> {
    if let Some(unread) = changes.iter().find(|change| change.kind == ChangeKind::Unread) {
        return Err(unread.why.clone());
    }
    let rubric = watcher.rubric();
    let gates = (0..rubric.checks().len()).filter(|&place| rubric.is_gate_check(place));
    let mut names: Vec<(String, f64)> = gates.map(|place| (format!("gate/{}", rubric.check(place).id), 0.0)).collect();
    names.push(("crisis".to_owned(), 0.0));
    for change in changes {
        let (name, score) = match change.kind {
            ChangeKind::Cue => ("crisis".to_owned(), if change.sure == Some(true) { 1.0 } else { 0.5 }),
            ChangeKind::Gate => (format!("gate/{}", change.check.as_deref().unwrap_or_default()), 1.0),
            ChangeKind::Unsure => (format!("gate/{}", change.check.as_deref().unwrap_or_default()), 0.5),
            _ => continue,
        };
        if let Some((_, known)) = names.iter_mut().find(|(known, _)| *known == name) {
            *known = score;
        }
    }
    let map = |value: &dyn Fn(f64) -> Value| -> Map<String, Value> {
        names.iter().map(|(name, score)| (name.clone(), value(*score))).collect()
    };
    Ok(json!({
        "flagged": names.iter().any(|(_, score)| *score >= 1.0),
        "categories": map(&|score| json!(score >= 1.0)),
        "category_scores": map(&|score| json!(score)),
        "category_applied_input_types": map(&|_| json!(["text"])),
    }))
}
