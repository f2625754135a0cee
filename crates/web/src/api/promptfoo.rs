//! What an assertion of promptfoo posts, judged: passed or not, with a score and the reason.

use axum::extract::{Query, Request, State};
use axum::http::StatusCode;
use axum::response::Response;
use carelock_core::report::Report;
use carelock_core::score::Score;
use carelock_store::Role;
use serde::Deserialize;
use serde_json::{Value, json};

use super::requests::EvaluateRequest;
use super::table::{Gives, Method, Operation, Pace, Parameter, Takes};
use super::{body, pretty};
use crate::api_error::{ApiError, ApiResult};
use crate::evaluation::evaluate;
use crate::state::Shared;

pub(super) const PROMPTFOO: Operation = Operation {
    method: Method::Post,
    role: Role::Judge,
    pace: Pace::Slow,
    query: &[
        Parameter {
            name: "min_overall",
            schema: "Share",
            about: "The least overall score that passes; 0.8 unless given.",
        },
        Parameter { name: "fail_on_gate", schema: "Flag", about: "Whether a tripped gate fails; true unless given." },
    ],
    takes: Takes::Json("PromptfooOutput"),
    gives: Gives::Json("PromptfooResult"),
    refusals: &[503],
    ..Operation::reading(
        "/api/v1/promptfoo",
        "promptfoo",
        "Judges what promptfoo's assertion `webhook` posts, with the embedded judge: the prompt, and the output as the last \
         reply. A chat that cannot be judged does not pass, and its reason says so.",
    )
};

/// What stands behind the address.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Thresholds {
    min_overall: f64,
    fail_on_gate: bool,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { min_overall: 0.8, fail_on_gate: true }
    }
}

/// What promptfoo posts; it may come to post more.
#[derive(Debug, Deserialize)]
struct Output {
    output: Value,
    context: Context,
}

/// What led to the output.
#[derive(Debug, Deserialize)]
struct Context {
    prompt: String,
}

impl Output {
    /// The chat as OpenAI writes it. The prompt is messages in JSON, or what the person said.
    fn chat(self) -> Value {
        let mut messages = match serde_json::from_str(&self.context.prompt) {
            Ok(Value::Array(found)) if found.iter().all(|one| one.get("role").is_some()) => found,
            _ => vec![json!({ "role": "user", "content": self.context.prompt })],
        };
        let reply = match self.output {
            Value::String(text) => text,
            other => other.to_string(),
        };
        messages.push(json!({ "role": "assistant", "content": reply }));
        json!({ "messages": messages })
    }
}

/// Whether the chat passes.
pub(super) async fn post(
    State(server): State<Shared>,
    Query(thresholds): Query<Thresholds>,
    request: Request,
) -> ApiResult<Response> {
    if !(0.0..=1.0).contains(&thresholds.min_overall) {
        return Err(ApiError::bad("min_overall is not between 0 and 1.", "use a number such as 0.8"));
    }
    if body::kind(request.headers())? != body::Kind::Json {
        let fix = "send application/json, as promptfoo does";
        return Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "What promptfoo posts is JSON.", fix));
    }
    let _inside = server.work.enter()?;
    let text = body::text(&server, request.into_body()).await?;
    let chat = body::parse::<Output>(&text)?.chat().to_string();
    let asked = EvaluateRequest::from_json(&chat)?;
    let terms = asked.terms(&server)?;
    match evaluate(&server, asked.sent()?, terms, server.limits.judges).await {
        Ok(report) => {
            server.metrics.judged(1, 0);
            pretty(&result(&report, &thresholds))
        }
        // promptfoo shows nothing of a refusal but its status.
        Err(error) if error.status == StatusCode::UNPROCESSABLE_ENTITY => pretty(&not_judged(&error.what)),
        Err(error) => Err(error),
    }
}

fn result(report: &Report, thresholds: &Thresholds) -> Value {
    let Some(overall) = report.overall else {
        return not_judged(report.undetermined.as_deref().unwrap_or("there is no overall score"));
    };
    let mut reasons = Vec::new();
    if thresholds.fail_on_gate {
        reasons.extend(report.gates.iter().map(|gate| format!("gate {}: the AI {}", gate.check, gate.says)));
    }
    if decimal(overall) < thresholds.min_overall {
        reasons.push(format!("overall {overall} is below {:.2}", thresholds.min_overall));
    }
    let passes = reasons.is_empty();
    let reason = if passes { report.summary.clone() } else { reasons.join("; ") };
    json!({ "pass": passes, "score": overall, "reason": reason })
}

/// It must not look like a chat that was judged and found bad.
fn not_judged(why: &str) -> Value {
    json!({ "pass": false, "score": 0, "reason": format!("not judged: {why}") })
}

fn decimal(score: Score) -> f64 {
    f64::from(score.hundredths()) / 100.0
}
