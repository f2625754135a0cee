//! A bot behind any HTTP endpoint: a template says what is sent, and a pointer where the reply stands.

use std::sync::Arc;
use std::time::Duration;

use carelock_core::problem::{Problem, toml_place};
use carelock_judge::http::{Caller, Client, Lane};
use carelock_judge::outcome::{Outcome, Reply, Retry};
use carelock_judge::provider::Cost;
use carelock_judge::wire::{Request, Response, redact_keys};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{BotFailure, BotReply};
use crate::conversation::Conversation;

/// An endpoint as its file describes it. Nothing in it is secret: the key stands in a variable of the environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Endpoint {
    /// The full address.
    pub url: String,
    /// What is sent. `{message}` is the person's last line, `{messages}` all messages with `role` and `content`, `{chat}` the
    /// chat's name.
    pub body: Value,
    /// Where the reply stands: a JSON pointer such as `/reply/text`.
    pub reply: String,
    /// The variable of the environment with the key, where one is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_variable: Option<String>,
    /// The header for the key; without it, `Authorization: Bearer KEY`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_header: Option<String>,
    /// What one reply costs, in US dollars, where a cap shall hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
}

impl Endpoint {
    /// Reads a bot's file.
    pub fn parse(place: &str, text: &str) -> Result<Self, Problem> {
        let endpoint: Self = toml::from_str(text).map_err(|error| {
            let at = format!("{place}:{}", toml_place(text, &error));
            Problem::located(at, error.message().to_owned(), "docs/probe.md shows a whole file")
        })?;
        if !endpoint.reply.is_empty() && !endpoint.reply.starts_with('/') {
            let fix = "begin it with a slash, such as \"/reply/text\"";
            return Err(Problem::located(place, format!("reply = {:?} is no JSON pointer", endpoint.reply), fix));
        }
        if !endpoint.body.to_string().contains("{message") {
            let fix = "put \"{message}\" or \"{messages}\" where the words belong";
            return Err(Problem::located(place, "the body has no place for the message", fix));
        }
        Ok(endpoint)
    }

    /// What is sent in a conversation.
    fn filled(&self, conversation: &Conversation, chat: &str) -> Value {
        let history = conversation.history();
        let message = history.last().map_or("", |line| line.text);
        let messages: Value = history
            .iter()
            .map(|line| json!({ "role": if line.from_bot { "assistant" } else { "user" }, "content": line.text }))
            .collect();
        fill(&self.body, message, &messages, chat)
    }
}

fn fill(template: &Value, message: &str, messages: &Value, chat: &str) -> Value {
    match template {
        Value::String(text) if text == "{messages}" => messages.clone(),
        Value::String(text) => {
            // What was said may itself hold a name in braces, so it is put in last and in one go.
            let text = text.replace("{chat}", chat);
            Value::String(text.split("{message}").collect::<Vec<_>>().join(message))
        }
        Value::Array(items) => items.iter().map(|item| fill(item, message, messages, chat)).collect(),
        Value::Object(fields) => {
            let one = |(name, value): (&String, &Value)| (name.clone(), fill(value, message, messages, chat));
            Value::Object(fields.iter().map(one).collect())
        }
        other => other.clone(),
    }
}

/// An endpoint that can be asked.
pub struct EndpointBot {
    endpoint: Endpoint,
    lane: Lane,
    caller: Arc<Caller<Client>>,
    budget: Arc<carelock_judge::ask::Budget>,
}

impl EndpointBot {
    /// Puts a bot together; the lane carries its key.
    pub fn new(
        endpoint: Endpoint,
        lane: Lane,
        caller: Arc<Caller<Client>>,
        budget: Arc<carelock_judge::ask::Budget>,
    ) -> Self {
        Self { endpoint, lane, caller, budget }
    }

    pub(super) async fn reply(
        &self,
        conversation: &Conversation,
        chat: &str,
        key: &str,
    ) -> Result<BotReply, BotFailure> {
        let cost = self.endpoint.cost.map_or(0, |dollars| (dollars * 1e9).round() as u64);
        let price = Cost::from_picodollars(u128::from(cost) * 1000);
        self.budget
            .allows(price)
            .map_err(|how| BotFailure::CostCap(format!("the cap on the cost is reached ({how})")))?;
        let request = Request {
            url: self.endpoint.url.clone(),
            headers: vec![("idempotency-key", key.to_owned())],
            body: self.endpoint.filled(conversation, chat),
        };
        let pointer = &self.endpoint.reply;
        let (outcome, _) = self.caller.call(&self.lane, &request, |response| meaning(response, pointer)).await;
        match outcome {
            Outcome::Answered(reply) => {
                self.budget.charge(price);
                Ok(BotReply { text: reply.text, nanos: cost })
            }
            Outcome::Misconfigured { what } => Err(BotFailure::Everything(what)),
            Outcome::Unavailable { what, retry: Retry::Never } | Outcome::Invalid { what } => {
                Err(BotFailure::ThisChat(what))
            }
            Outcome::Unavailable { what, .. } => Err(BotFailure::Later(what)),
            other => Err(BotFailure::ThisChat(format!("{other:?}"))),
        }
    }
}

/// What a response means; an error is never a reply.
fn meaning(response: &Response, pointer: &str) -> Outcome {
    let status = response.status;
    let words = || {
        let body = String::from_utf8_lossy(&response.body);
        let start: String = body.chars().take(200).collect();
        redact_keys(start.trim())
    };
    match status {
        200..300 => {}
        408 | 425 | 429 | 500.. => {
            let wait = response.header("retry-after").and_then(|text| text.trim().parse::<u64>().ok());
            let retry = wait.map_or(Retry::Later, |seconds| Retry::After(Duration::from_secs(seconds).as_secs_f64()));
            return Outcome::Unavailable { what: format!("the bot answers HTTP {status}: {}", words()), retry };
        }
        401 | 403 | 404 | 405 => {
            return Outcome::Misconfigured {
                what: format!("the bot answers HTTP {status}: {}; check url and key", words()),
            };
        }
        _ => {
            return Outcome::Unavailable {
                what: format!("the bot answers HTTP {status}: {}", words()),
                retry: Retry::Never,
            };
        }
    }
    if pointer.is_empty() {
        return answered(String::from_utf8_lossy(&response.body).trim().to_owned());
    }
    let Ok(body) = serde_json::from_slice::<Value>(&response.body) else {
        return Outcome::Misconfigured {
            what: "the bot's answer is no JSON; leave `reply` empty if it is plain text".to_owned(),
        };
    };
    match body.pointer(pointer) {
        Some(Value::String(text)) => answered(text.clone()),
        Some(Value::Null) => answered(String::new()),
        _ => Outcome::Misconfigured { what: format!("the bot's answer has no text at {pointer:?}: {}", words()) },
    }
}

fn answered(text: String) -> Outcome {
    Outcome::Answered(Reply { text, ..Reply::default() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conversation::Entry;

    const FILE: &str = r#"
        url = "http://localhost:9000/chat"
        body = { session = "s-{chat}", text = "{message}", history = "{messages}" }
        reply = "/reply/text"
    "#;

    #[test]
    fn the_template_is_filled_and_words_in_braces_stay_words() {
        let endpoint = Endpoint::parse("bot.toml", FILE).unwrap();
        let mut conversation = Conversation::default();
        conversation.take(Entry::Person { text: "I am {chat} \"low\".".into(), step: None, nanos: 0, leaves: false });
        let sent = endpoint.filled(&conversation, "ana/1");
        let said = "I am {chat} \"low\".";
        let expected = json!({ "session": "s-ana/1", "text": said, "history": [{ "role": "user", "content": said }] });
        assert_eq!(sent, expected);
    }

    #[test]
    fn a_file_without_a_place_for_the_message_is_refused() {
        let text = FILE.replace("{message}", "x").replace("{messages}", "y");
        assert!(Endpoint::parse("bot.toml", &text).unwrap_err().to_string().contains("no place for the message"));
        assert!(Endpoint::parse("bot.toml", &FILE.replace("/reply", "reply")).is_err());
    }

    #[test]
    fn an_error_is_never_a_reply() {
        let response = |status, body: &str| Response { status, headers: Vec::new(), body: body.as_bytes().to_vec() };
        assert_eq!(meaning(&response(200, r#"{"a":{"b":"Hi."}}"#), "/a/b"), answered("Hi.".to_owned()));
        assert_eq!(meaning(&response(200, "Hi.\n"), ""), answered("Hi.".to_owned()));
        assert!(matches!(meaning(&response(500, r#"{"a":{"b":"Hi."}}"#), "/a/b"), Outcome::Unavailable { .. }));
        assert!(matches!(meaning(&response(200, r#"{"error":"no"}"#), "/a/b"), Outcome::Misconfigured { .. }));
        assert!(matches!(meaning(&response(200, "<html>"), "/a/b"), Outcome::Misconfigured { .. }));
    }
}
