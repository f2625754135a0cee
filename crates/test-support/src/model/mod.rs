//! A server on this machine that speaks as OpenAI and Anthropic do, answers by a script and remembers every call.

pub mod answers;

use std::sync::Arc;

use carelock_core::transcript::Turn;
use carelock_judge::prompt::parse_back;
use serde_json::{Value, json};

use crate::{Gate, Request, StubServer};

/// One call as it came.
#[derive(Clone, Debug)]
pub struct Call {
    /// The request line and the headers.
    pub head: String,
    /// The body.
    pub body: Value,
}

impl Call {
    /// A request as a call; none where its body is no JSON.
    pub fn new(request: &Request) -> Option<Self> {
        Some(Self { head: request.head.clone(), body: serde_json::from_slice(&request.body).ok()? })
    }

    /// Whether it is in Anthropic's words.
    pub fn is_anthropic(&self) -> bool {
        self.head.starts_with("POST /v1/messages")
    }

    /// The instructions.
    pub fn system(&self) -> String {
        if !self.is_anthropic() {
            return self.body["messages"][0]["content"].as_str().expect("instructions").to_owned();
        }
        text(&self.body["system"])
    }

    /// The message that carries the chat.
    pub fn user(&self) -> String {
        let messages = self.body["messages"].as_array().expect("messages");
        text(&messages.iter().find(|message| message["role"] == "user").expect("a message of the user")["content"])
    }

    /// The turns of the chat, read back from the frame.
    pub fn turns(&self) -> Vec<Turn> {
        parse_back(&self.user()).expect("a chat in its frame")
    }

    /// The schema that the answer is held to.
    pub fn schema(&self) -> &Value {
        let places = ["/response_format/json_schema/schema", "/output_config/format/schema", "/tools/0/input_schema"];
        places.iter().find_map(|place| self.body.pointer(place)).expect("a schema")
    }

    /// The checks that are asked.
    pub fn checks(&self) -> Vec<String> {
        self.schema()["properties"]["verdicts"]["properties"].as_object().expect("checks").keys().cloned().collect()
    }
}

/// What a model's server says to a call.
pub struct ModelReply {
    status: u16,
    /// The body.
    pub body: Value,
}

impl ModelReply {
    /// An error as OpenAI writes it.
    pub fn failed(status: u16, kind: &str, message: &str) -> Self {
        Self { status, body: json!({ "error": { "message": message, "type": kind, "code": kind } }) }
    }

    /// A model's words in the shape of the API that was called.
    pub fn said(call: &Call, text: &str) -> Self {
        if call.is_anthropic() {
            let usage = json!({ "input_tokens": 5000, "output_tokens": 1500 });
            let content = json!([{ "type": "text", "text": text }]);
            let body = json!({
                "id": "x", "type": "message", "role": "assistant", "model": "scripted-1", "content": content,
                "stop_reason": "end_turn", "usage": usage,
            });
            return Self { status: 200, body };
        }
        Self::completion(&json!({ "role": "assistant", "content": text }))
    }

    /// A refusal as OpenAI writes it.
    pub fn refusal(words: &str) -> Self {
        Self::completion(&json!({ "role": "assistant", "content": null, "refusal": words }))
    }

    fn completion(message: &Value) -> Self {
        let usage = json!({ "prompt_tokens": 5000, "completion_tokens": 1500, "total_tokens": 6500 });
        let choice = json!({ "index": 0, "finish_reason": "stop", "message": message });
        let body = json!({
            "id": "x", "object": "chat.completion", "model": "scripted-1", "choices": [choice], "usage": usage,
        });
        Self { status: 200, body }
    }
}

/// A text, in one piece or in blocks.
fn text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        blocks => {
            let blocks = blocks.as_array().expect("blocks of text");
            blocks.iter().map(|block| block["text"].as_str().expect("a block of text")).collect()
        }
    }
}

/// The server; it ends when it is stopped or the test's process ends.
pub struct ModelServer(StubServer);

impl ModelServer {
    /// Answers every call by a script.
    pub fn start(script: impl Fn(&Call) -> ModelReply + Send + Sync + 'static) -> Self {
        Self(StubServer::start(move |request| {
            let reply = script(&Call::new(request)?);
            Some((reply.status, reply.body.to_string()))
        }))
    }

    /// Answers every call with [`answers::plain`], once it is let through a gate.
    pub fn behind(gate: Arc<Gate>) -> Self {
        Self::start(move |call| {
            gate.pass();
            answers::by_rote(call)
        })
    }

    /// From now on nobody listens here.
    pub fn stop(&self) {
        self.0.stop();
    }

    /// Its address as the base of an API.
    pub fn base(&self) -> String {
        self.0.base()
    }

    /// The judge that it is.
    pub fn judge(&self) -> String {
        format!("{}#model", self.base())
    }

    /// The calls so far.
    pub fn calls(&self) -> Vec<Call> {
        self.0.requests().iter().filter_map(Call::new).collect()
    }

    /// The calls since it was last asked for them.
    pub fn take_calls(&self) -> Vec<Call> {
        self.0.take_requests().iter().filter_map(Call::new).collect()
    }
}
