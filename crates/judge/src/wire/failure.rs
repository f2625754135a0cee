//! What a failed call means: too long, filtered, out of money, misconfigured, or worth another try.

use std::time::SystemTime;

use serde_json::Value;

use super::error_body::{self, ErrorBody};
use super::retry::{names_a_wait, retry, should_retry};
use super::{CallTarget, Response};
use crate::outcome::{Outcome, Retry};
use crate::provider::KeyNeed;
use crate::redact_keys::redact_keys;

/// Codes and words of errors that mean the money is spent.
const MONEY_CODES: [&str; 9] = [
    "insufficient_quota",
    "billing_error",
    "billing_hard_limit_reached",
    "billing_not_active",
    "insufficient_credits",
    "credit_limit",
    "spend_limit",
    "spending_limit",
    "insufficient_balance",
];
const MONEY_WORDS: [&str; 8] = [
    "credit balance is too low",
    "insufficient balance",
    "exceeded your current quota",
    "spend limit",
    "spending limit",
    "insufficient credits",
    "out of credits",
    "api usage limits",
];

/// Words of errors that mean a content filter stopped the call.
const FILTER_WORDS: [&str; 8] = [
    "content_filter",
    "responsibleaipolicyviolation",
    "content_policy_violation",
    "content management policy",
    "invalid_prompt",
    "content exists risk",
    "content filtering policy",
    "data_inspection_failed",
];

/// Words of errors that mean the question does not fit.
const LENGTH_WORDS: [&str; 14] = [
    "context_length",
    "context length",
    "context window",
    "context size",
    "context_size",
    "context limit",
    "prompt is too long",
    "prompt too long",
    "input is too long",
    "input length",
    "too many tokens",
    "request_too_large",
    "request too large",
    "string_above_max_length",
];

/// The outcome of a call that failed: a status that is no success, or a success whose body is an error.
pub(super) fn outcome(response: &Response, body: Option<&Value>, asked: &CallTarget<'_>, now: SystemTime) -> Outcome {
    let error = body.and_then(error_body::read).unwrap_or_default();
    let status = status_of(response.status, &error);
    let what = describe(response, status, &error, asked);
    let words = error.words();
    if status < 500 && has_any(&words, &FILTER_WORDS) {
        return filtered(&error, &words);
    }
    if is_too_long(status, &words) {
        let message = error.message.to_lowercase();
        return Outcome::TooLong {
            what,
            limit: error.limit.or_else(|| number_after(&message, &LIMIT_PHRASES)),
            asked: error.asked.or_else(|| number_after(&message, &ASKED_PHRASES)),
        };
    }
    if is_money(status, &error, &words, response) {
        return Outcome::Misconfigured {
            what: format!("{what}; the account's money or quota is spent: top it up or raise its limit"),
        };
    }
    by_status(response, status, what, asked, now)
}

fn by_status(response: &Response, status: u16, what: String, asked: &CallTarget<'_>, now: SystemTime) -> Outcome {
    let again = matches!(status, 0 | 408 | 409 | 425 | 429 | 498 | 499 | 500..);
    let told_to = should_retry(response) == Some(true) && !matches!(status, 401 | 403 | 404);
    if again || told_to {
        return Outcome::Unavailable { what, retry: retry(response, now) };
    }
    let advice = match status {
        401 => key_advice(asked),
        403 => format!(
            "this key may not use the model {:?}; check its permissions and region",
            redact_keys(&asked.model.id)
        ),
        404 | 410 => missing_advice(asked),
        407 => "the proxy in between wants a login".to_owned(),
        300..=399 => "the address has moved; state the new one as base_url".to_owned(),
        _ => "the request was not accepted as it is".to_owned(),
    };
    Outcome::Misconfigured { what: format!("{what}; {advice}") }
}

fn key_advice(asked: &CallTarget<'_>) -> String {
    let variables = asked.provider.key_variables.join(" or ");
    match asked.provider.key {
        KeyNeed::None => "the server wants a key; use its address as the judge's name, which takes one".to_owned(),
        KeyNeed::Required | KeyNeed::Optional => format!("the key is missing or wrong: check {variables}"),
    }
}

fn missing_advice(asked: &CallTarget<'_>) -> String {
    let model = redact_keys(&asked.model.id);
    match &asked.model.successor {
        Some(successor) => {
            format!("the model {model:?} may have been retired: use {}:{}", asked.provider.name, redact_keys(successor))
        }
        None => format!("there is no model {model:?} there, or the address is wrong"),
    }
}

/// The status that counts: a success with an error inside is as bad as the error says.
fn status_of(outer: u16, error: &ErrorBody) -> u16 {
    if !(200..300).contains(&outer) {
        return outer;
    }
    if let Some(inner) = error.status {
        return inner;
    }
    let name = format!("{} {}", error.kind, error.code).to_lowercase();
    let named = [
        ("rate_limit", 429),
        ("slow_down", 429),
        ("overloaded", 529),
        ("authentication", 401),
        ("invalid_api_key", 401),
        ("permission", 403),
        ("not_found", 404),
        ("billing", 402),
        ("invalid_request", 400),
        ("too_large", 413),
    ];
    named.iter().find(|(word, _)| name.contains(word)).map_or(500, |(_, status)| *status)
}

/// The status that an error body names, where it came without one.
pub(super) fn status_in(body: &Value) -> u16 {
    error_body::read(body).map_or(500, |error| status_of(200, &error))
}

fn describe(response: &Response, status: u16, error: &ErrorBody, asked: &CallTarget<'_>) -> String {
    let title = redact_keys(&asked.provider.title);
    let name = redact_keys(error.name());
    let name = if name.is_empty() { String::new() } else { format!(" ({name})") };
    let within = if status == response.status { "" } else { " within a reply that claims success" };
    let message = redact_keys(&error.message);
    let html = response.header("content-type").is_some_and(|kind| kind.contains("html"));
    match (message.is_empty(), html) {
        (false, _) => format!("{title} answered {status}{name}{within}: {message}"),
        (true, true) => format!("{title} answered {status} with a web page, perhaps from a proxy"),
        (true, false) => format!("{title} answered {status}{name}{within}"),
    }
}

fn filtered(error: &ErrorBody, words: &str) -> Outcome {
    let stage = if words.contains("output blocked") { "answer" } else { "prompt" };
    let category = (!error.categories.is_empty()).then(|| redact_keys(&error.categories.join(", ")));
    Outcome::Filtered { stage, category }
}

fn is_too_long(status: u16, words: &str) -> bool {
    match status {
        413 => true,
        // A call bigger than a whole minute's allowance never fits, however long one waits.
        429 => words.contains("request too large"),
        400 | 422 | 500 => has_any(words, &LENGTH_WORDS),
        _ => false,
    }
}

/// Whether a response says that the money or quota is spent.
pub(super) fn money_is_spent(response: &Response) -> bool {
    let body = serde_json::from_slice::<Value>(&response.body).ok();
    let Some(error) = body.as_ref().and_then(error_body::read) else { return response.status == 402 };
    is_money(status_of(response.status, &error), &error, &error.words(), response)
}

fn is_money(status: u16, error: &ErrorBody, words: &str, response: &Response) -> bool {
    if status == 402 {
        return true;
    }
    let name = format!("{} {}", error.kind, error.code).to_lowercase();
    let retryable = names_a_wait(response) || should_retry(response) == Some(true);
    matches!(status, 400 | 403 | 429) && (has_any(&name, &MONEY_CODES) || (!retryable && has_any(words, &MONEY_WORDS)))
}

fn has_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

const LIMIT_PHRASES: [&str; 7] = [
    "context length is ",
    "context length of ",
    "context window of ",
    "context window is ",
    "available context size (",
    "context size of ",
    "tokens > ",
];
const ASKED_PHRASES: [&str; 6] =
    ["resulted in ", "requested tokens (", "prompt is too long: ", "request (", "you requested ", "request has "];

/// The number that follows the first of these phrases which one follows.
fn number_after(text: &str, phrases: &[&str]) -> Option<u64> {
    phrases.iter().find_map(|phrase| {
        let (_, rest) = text.split_once(phrase)?;
        let digits: String =
            rest.chars().take(12).take_while(|letter| letter.is_ascii_digit() || *letter == ',').collect();
        digits.replace(',', "").parse().ok()
    })
}

/// An outcome for a reply whose provider says it failed on its side.
pub(super) fn hiccup(what: impl Into<String>) -> Outcome {
    Outcome::Unavailable { what: what.into(), retry: Retry::Later }
}
