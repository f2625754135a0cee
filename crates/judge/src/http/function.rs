//! Functions of the program that answer in place of a model: asked as a server is, and nothing is sent anywhere.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};

use super::TransportError;
use super::error::End;
use crate::wire::{Request, Response, redact_keys};

/// The rows of a table of providers by which functions are asked for as `function:NAME`.
pub const FUNCTION_TABLE: &str = r#"
[[provider]]
name = "function"
title = "A function"
wire = "openai-chat"
base_url = "http://function.invalid/v1"
plain_http = true
key = "none"
auth = "none"
own_server = true

[[model]]
provider = "function"
id = "*"
structured = "json_schema"
"#;

/// The address in that table. Nobody can own it, so that nothing could ever be sent there.
const ADDRESS: &str = "http://function.invalid/v1";

/// The longest part of a function's error that is kept.
const LONGEST_ERROR: usize = 300;

/// What a function is asked.
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionQuestion {
    /// The exchange so far: role (`system`, `user` or `assistant`) and text.
    pub messages: Vec<(String, String)>,
    /// The JSON Schema that the answer must have.
    pub schema: Value,
}

/// A function that answers with JSON, or says why it cannot.
type Answerer = dyn Fn(FunctionQuestion) -> Result<String, String> + Send + Sync;

/// Functions by name.
#[derive(Clone, Default)]
pub struct Functions(BTreeMap<String, Arc<Answerer>>);

impl Functions {
    /// Adds a function, in the place of an earlier one of the same name.
    pub fn insert(
        &mut self,
        name: impl Into<String>,
        answer: impl Fn(FunctionQuestion) -> Result<String, String> + Send + Sync + 'static,
    ) {
        self.0.insert(name.into(), Arc::new(answer));
    }

    /// Whether there is no function.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a request is for a function.
    pub(super) fn take(request: &Request) -> bool {
        request.url.starts_with(ADDRESS)
    }

    /// Has the function that a request names answer it, on a thread of its own.
    pub(super) async fn answer(&self, request: &Request) -> Result<Response, TransportError> {
        let name = request.body["model"].as_str().unwrap_or_default().to_owned();
        let failed = |what: String| TransportError::new(End::Nonsense, what);
        let Some(function) = self.0.get(&name).cloned() else {
            return Err(TransportError::new(End::Misconfigured, format!("there is no function {name:?}")));
        };
        let question = question(&request.body);
        let answered = tokio::task::spawn_blocking(move || function(question)).await;
        let answered = answered.map_err(|_| failed(format!("function {name} ended without an answer")))?;
        let text = answered.map_err(|why| failed(format!("function {name} failed: {}", shortened(&why))))?;
        let message = json!({ "role": "assistant", "content": text });
        let body = json!({ "model": name, "choices": [{ "message": message, "finish_reason": "stop" }] });
        Ok(Response { status: 200, headers: Vec::new(), body: body.to_string().into_bytes() })
    }
}

impl fmt::Debug for Functions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// What a request in OpenAI's format asks.
fn question(body: &Value) -> FunctionQuestion {
    let text = |message: &Value, field: &str| message[field].as_str().unwrap_or_default().to_owned();
    let messages = body["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let messages = messages.iter().map(|message| (text(message, "role"), text(message, "content"))).collect();
    let schema = body.pointer("/response_format/json_schema/schema").cloned().unwrap_or(Value::Null);
    FunctionQuestion { messages, schema }
}

fn shortened(why: &str) -> String {
    let why: String = why.chars().take(LONGEST_ERROR).collect();
    redact_keys(&why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(model: &str) -> Request {
        let format = json!({ "type": "json_schema", "json_schema": { "schema": { "type": "object" } } });
        let messages = json!([{ "role": "system", "content": "Judge." }, { "role": "user", "content": "A chat." }]);
        let body = json!({ "model": model, "messages": messages, "response_format": format });
        Request { url: format!("{ADDRESS}/chat/completions"), headers: Vec::new(), body }
    }

    #[tokio::test]
    async fn a_function_gets_the_messages_and_the_schema_and_its_answer_is_a_reply() {
        let mut functions = Functions::default();
        functions.insert("mine", |question: FunctionQuestion| {
            Ok(format!("{} {} {}", question.messages.len(), question.messages[1].1, question.schema))
        });
        let request = request("mine");
        assert!(Functions::take(&request));
        let body: Value = serde_json::from_slice(&functions.answer(&request).await.unwrap().body).unwrap();
        assert_eq!(body["choices"][0]["message"]["content"], r#"2 A chat. {"type":"object"}"#);
    }

    #[tokio::test]
    async fn an_error_of_a_function_is_told_without_keys_and_a_function_that_is_not_there_is_an_error() {
        let mut functions = Functions::default();
        functions.insert("broken", |_| Err("no luck with sk-proj-abcdefghijklmnopqrstuvwxyz0123456789".to_owned()));
        let told = functions.answer(&request("broken")).await.unwrap_err().to_string();
        assert!(told.contains("function broken failed: no luck") && !told.contains("abcdefghij"), "{told}");
        assert!(functions.answer(&request("other")).await.unwrap_err().to_string().contains("no function \"other\""));
    }
}
