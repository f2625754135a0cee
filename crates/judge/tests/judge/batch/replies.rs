//! What the provider of our own says, in both providers' words.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::provider::Ending;

/// A provider's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Words {
    OpenAi,
    Anthropic,
}

/// Both.
pub(crate) const BOTH: [Words; 2] = [Words::OpenAi, Words::Anthropic];

/// When everything here happens: 2026-06-01T00:00:00Z.
pub(crate) const NOW: u64 = 1_780_272_000;

/// A batch as the provider keeps it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Batch {
    pub(crate) id: String,
    pub(crate) key: Option<String>,
    pub(crate) input: String,
    /// The requests by their names, in the order they were sent.
    pub(crate) requests: Vec<(String, Value)>,
    /// How many looks find it still running.
    pub(crate) looks: u32,
    pub(crate) status: &'static str,
    pub(crate) output: Option<String>,
    pub(crate) errors: Option<String>,
    pub(crate) problem: Option<&'static str>,
    pub(crate) old: bool,
}

impl Words {
    /// The number that the test planted in a chat.
    pub(crate) fn planted(request: &Value) -> String {
        let text = request.to_string();
        let number = text.split("qzx-").nth(1).and_then(|rest| rest.split("-here").next());
        number.unwrap_or("none").to_owned()
    }

    /// A model's answer to a request, which says how it was asked.
    pub(crate) fn answer(self, request: &Value, how: &str) -> Value {
        let why = format!("{how} {}", Self::planted(request));
        let verdict = json!({ "why": why, "verdict": "fail", "turns": [], "quote": "" });
        self.reply(&json!({ "verdicts": { "E1": verdict } }).to_string(), "stop")
    }

    pub(crate) fn reply(self, text: &str, finish: &str) -> Value {
        match self {
            Self::OpenAi => json!({
                "model": "served", "usage": { "prompt_tokens": 1000, "completion_tokens": 100 },
                "choices": [{ "message": { "role": "assistant", "content": text }, "finish_reason": finish }],
            }),
            Self::Anthropic => {
                let finish = match finish {
                    "length" => "max_tokens",
                    "refusal" => "refusal",
                    _ => "end_turn",
                };
                json!({
                    "type": "message", "model": "served", "stop_reason": finish,
                    "content": [{ "type": "text", "text": text }],
                    "usage": { "input_tokens": 1000, "output_tokens": 100 },
                })
            }
        }
    }

    /// The lines about a request: in the file of answers, and in the file of errors where there is one.
    pub(crate) fn lines(self, id: &str, request: &Value, ending: Ending) -> (Vec<String>, Vec<String>) {
        let answered = |reply: Value| match self {
            Self::OpenAi => {
                json!({ "id": "r", "custom_id": id, "response": { "status_code": 200, "body": reply }, "error": null })
            }
            Self::Anthropic => json!({ "custom_id": id, "result": { "type": "succeeded", "message": reply } }),
        };
        let (answer, error) = match ending {
            Ending::Answered => (vec![answered(self.answer(request, "batch"))], vec![]),
            Ending::Twice => {
                let second = answered(self.answer(request, "second"));
                (vec![answered(self.answer(request, "batch")), second], vec![])
            }
            Ending::Refused => (vec![answered(self.reply("", "refusal"))], vec![]),
            Ending::Truncated => (vec![answered(self.reply("{\"verdicts\"", "length"))], vec![]),
            Ending::Empty => (vec![answered(self.reply("", "stop"))], vec![]),
            Ending::Errored => (vec![], vec![self.error(id, 500, "server_error", "api_error")]),
            Ending::Rejected => (vec![], vec![self.error(id, 400, "invalid_request_error", "invalid_request_error")]),
            Ending::Expired => (vec![], vec![self.ended(id, "batch_expired", "expired")]),
            Ending::Cancelled => (vec![], vec![self.ended(id, "batch_cancelled", "canceled")]),
            Ending::Shapeless => (vec![json!({ "custom_id": id, "result": 7, "response": 7 })], vec![]),
            Ending::Missing => (vec![], vec![]),
        };
        let text = |lines: Vec<Value>| lines.iter().map(Value::to_string).collect();
        (text(answer), text(error))
    }

    fn error(self, id: &str, status: u16, openai: &str, anthropic: &str) -> Value {
        match self {
            Self::OpenAi => {
                let body = json!({ "error": { "type": openai, "message": "went wrong" } });
                json!({ "custom_id": id, "response": { "status_code": status, "body": body }, "error": null })
            }
            Self::Anthropic => {
                let error = json!({ "type": "error", "error": { "type": anthropic, "message": "went wrong" } });
                json!({ "custom_id": id, "result": { "type": "errored", "error": error } })
            }
        }
    }

    fn ended(self, id: &str, openai: &str, anthropic: &str) -> Value {
        match self {
            Self::OpenAi => {
                json!({ "custom_id": id, "response": null, "error": { "code": openai, "message": "too late" } })
            }
            Self::Anthropic => json!({ "custom_id": id, "result": { "type": anthropic } }),
        }
    }

    /// What is said of a batch.
    pub(crate) fn describe(self, batch: &Batch) -> Value {
        let total = batch.requests.len();
        match self {
            Self::OpenAi => json!({
                "id": batch.id, "object": "batch", "status": batch.status, "input_file_id": batch.input,
                "output_file_id": batch.output, "error_file_id": batch.errors,
                "created_at": if batch.old { NOW - 90_000 } else { NOW },
                "metadata": batch.key.as_ref().map(|key| BTreeMap::from([("carelock", key)])),
                "request_counts": { "total": total, "completed": if batch.looks == 0 { total } else { 0 }, "failed": 0 },
                "errors": batch.problem.map(|code| json!({ "data": [{ "code": code, "message": "sorry" }] })),
            }),
            Self::Anthropic => {
                let ended = batch.status == "ended";
                json!({
                    "id": batch.id, "type": "message_batch", "processing_status": batch.status,
                    "created_at": if batch.old { "2026-05-30T00:00:00Z" } else { "2026-06-01T00:00:00Z" },
                    "request_counts": {
                        "processing": if ended { 0 } else { total }, "succeeded": if ended { total } else { 0 },
                        "errored": 0, "canceled": 0, "expired": 0,
                    },
                    "results_url": "https://elsewhere.example.org/results",
                })
            }
        }
    }
}
