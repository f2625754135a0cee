//! LiteLLM's generic guardrail API: one call for a request, and one or more for its reply, which know each other by a call id.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use bytes::Bytes;
use carelock_core::transcript::Speaker;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::{Verdict, json_response, refuse};
use crate::chat::turns;
use crate::policy::{Fail, Mode};
use crate::reply::Exchange;
use crate::state::Guard;

/// Whose chats these are: LiteLLM does not show its clients' keys.
const OWNER: &[u8] = b"litellm";

/// A call of LiteLLM; fields that are not listed are of no use here.
#[derive(Debug, Deserialize)]
struct Call {
    input_type: String,
    #[serde(default)]
    texts: Option<Vec<String>>,
    #[serde(default)]
    structured_messages: Option<Value>,
    #[serde(default)]
    litellm_call_id: Option<String>,
}

/// Answers a call.
pub(crate) async fn guardrail(State(guard): State<Arc<Guard>>, body: Bytes) -> Response {
    let Ok(call) = serde_json::from_slice::<Call>(&body) else {
        return refuse(StatusCode::BAD_REQUEST, "bad_request", "This is no call of LiteLLM's generic guardrail API.");
    };
    let answer = match call.input_type.as_str() {
        "request" => request(&guard, call).await,
        "response" => response(&guard, call).await,
        _ => return refuse(StatusCode::BAD_REQUEST, "bad_request", "input_type is neither request nor response."),
    };
    json_response(StatusCode::OK, &answer)
}

async fn request(guard: &Arc<Guard>, call: Call) -> Value {
    let texts = call.texts.unwrap_or_default();
    let said = call.structured_messages.as_ref().and_then(turns).filter(|turns| !turns.is_empty());
    let said = said.unwrap_or_else(|| texts.into_iter().map(|text| (Speaker::Human, text)).collect());
    if said.is_empty() {
        return json!({"action": "NONE"});
    }
    match Exchange::begin(guard, "litellm", OWNER, said).await {
        Ok(exchange) => {
            if let Some(call) = call.litellm_call_id {
                guard.calls.add(call, exchange.number.clone());
            }
            json!({"action": "NONE"})
        }
        // What the person says is never blocked; the reply will be, where the policy says so.
        Err(_) => json!({"action": "NONE"}),
    }
}

async fn response(guard: &Arc<Guard>, call: Call) -> Value {
    let Some(text) = call.texts.and_then(|texts| texts.into_iter().next()).filter(|text| !text.trim().is_empty())
    else {
        return json!({"action": "NONE"});
    };
    let known = call.litellm_call_id.as_deref().and_then(|call| guard.calls.find(call));
    let known = known.and_then(|number| Exchange::again(guard, number, OWNER));
    let (verdict, exchange) = match known {
        Some(exchange) => (exchange.check(text, guard.policy.litellm_whole_replies).await, Some(exchange)),
        None => (Verdict::CouldNotJudge("unclear: the request of this reply is not known here".to_owned()), None),
    };
    let (answer, action) = decide(guard, &verdict);
    if let Some(exchange) = exchange {
        exchange.outcome(&verdict, action, call.litellm_call_id.as_deref());
    }
    answer
}

/// What LiteLLM is told to do.
fn decide(guard: &Guard, verdict: &Verdict) -> (Value, &'static str) {
    match verdict {
        Verdict::Gate(gates) if guard.policy.holds() => {
            let replacement = guard.policy.replacement.as_ref().filter(|_| guard.policy.mode == Mode::Replace);
            if let Some(text) = replacement {
                return (json!({"action": "GUARDRAIL_INTERVENED", "texts": [text]}), "replaced");
            }
            let checks: Vec<&str> = gates.iter().filter_map(|gate| gate.check.as_deref()).collect();
            let reason = format!("blocked: the reply trips a gate ({})", checks.join(", "));
            (json!({"action": "BLOCKED", "blocked_reason": reason}), "blocked")
        }
        Verdict::CouldNotJudge(reason) if guard.policy.holds() && guard.policy.fail == Fail::Closed => {
            (json!({"action": "BLOCKED", "blocked_reason": format!("could not judge: {reason}")}), "refused")
        }
        _ => (json!({"action": "NONE"}), "passed_on"),
    }
}
