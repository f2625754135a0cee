//! The next weaker way to hold an answer to its schema, when a server does not know the one tried.

use std::time::UNIX_EPOCH;

use serde_json::Value;

use super::{CallTarget, Response, error_body, failure};
use crate::outcome::Outcome;
use crate::provider::{StructuredOutput, Thinking};

/// Words by which a server complains about a mechanism.
const MECHANISM_WORDS: [&str; 9] = [
    "response_format",
    "json_schema",
    "json_object",
    "grammar",
    "output_config",
    "structured",
    "schema",
    "tool_choice",
    "tools",
];

/// What to try after a response; `None` where the mechanism is not what the server complains about, or nothing weaker
/// is left. Ask this before retrying: some servers answer 500 to a field they do not know.
pub fn next_mechanism(
    response: &Response,
    mechanism: StructuredOutput,
    asked: &CallTarget<'_>,
) -> Option<StructuredOutput> {
    let body = serde_json::from_slice::<Value>(&response.body).ok();
    // When to retry is not asked here, so any time will do.
    match failure::outcome(response, body.as_ref(), asked, UNIX_EPOCH) {
        Outcome::Misconfigured { .. } | Outcome::Unavailable { .. } => {}
        _ => return None,
    }
    let error = body.as_ref().and_then(error_body::read).unwrap_or_default();
    let complains = MECHANISM_WORDS.iter().any(|word| error.words().contains(word));
    // An own server that knows nothing of schemas may fail without naming them.
    let stumbles = asked.provider.own_server && error.kind == "internal_server_error";
    let rejected = match response.status {
        400 | 404 | 415 | 422 | 501 => complains,
        500 => complains || stumbles,
        _ => false,
    };
    if rejected { weaker(mechanism, asked) } else { None }
}

fn weaker(mechanism: StructuredOutput, asked: &CallTarget<'_>) -> Option<StructuredOutput> {
    let next = mechanism.weaker()?;
    let skip = match next {
        // Only servers people run themselves take a schema beside `json_object`.
        StructuredOutput::JsonObjectSchema => !asked.provider.own_server,
        // Models that always think cannot be made to call a tool.
        StructuredOutput::Tool => asked.model.thinking == Thinking::BetweenTools,
        _ => false,
    };
    if skip { next.weaker() } else { Some(next) }
}
