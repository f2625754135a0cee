//! What each provider's replies look like, good and bad.

use std::net::SocketAddr;

use serde_json::{Value, json};

use carelock_test_support::fault_server::Step;

/// The key planted in every call and repeated by every server that complains.
pub(crate) const KEY: &str = "zk-planted-0123456789abcdef";

/// The wire formats and the ways of asking for JSON in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flavour {
    /// OpenAI with `json_schema`.
    OpenAi,
    /// Anthropic with `output_config`.
    Anthropic,
    /// Anthropic with a tool.
    Tool,
    /// DeepSeek with `json_object`.
    DeepSeek,
    /// A server of one's own.
    Compatible,
}

/// All of them.
pub(crate) const FLAVOURS: [Flavour; 5] =
    [Flavour::OpenAi, Flavour::Anthropic, Flavour::Tool, Flavour::DeepSeek, Flavour::Compatible];

impl Flavour {
    pub(crate) fn speaks_messages(self) -> bool {
        matches!(self, Self::Anthropic | Self::Tool)
    }

    /// The judge as a user names it.
    pub(crate) fn judge_name(self, address: SocketAddr) -> String {
        match self {
            Self::OpenAi => "openai:gpt-4.1-mini".to_owned(),
            Self::Anthropic => "anthropic:claude-haiku-5-5".to_owned(),
            Self::Tool => "anthropic:claude-sonnet-4-5".to_owned(),
            Self::DeepSeek => "deepseek:deepseek-flash".to_owned(),
            Self::Compatible => format!("http://{address}/v1#local"),
        }
    }

    pub(crate) fn base_url(self, address: SocketAddr) -> Option<String> {
        match self {
            Self::OpenAi => Some(format!("http://{address}/v1")),
            Self::Anthropic | Self::Tool | Self::DeepSeek => Some(format!("http://{address}")),
            Self::Compatible => None,
        }
    }

    /// A reply that says this.
    pub(crate) fn reply(self, text: &str) -> Value {
        if self.speaks_messages() {
            let tool = serde_json::from_str::<Value>(text).ok().filter(|value| self == Self::Tool && value.is_object());
            let block = match tool {
                Some(input) => json!({ "type": "tool_use", "id": "t", "name": "carelock_answer", "input": input }),
                None => json!({ "type": "text", "text": text }),
            };
            return json!({
                "id": "m", "type": "message", "model": "served-model", "content": [block], "stop_reason": "end_turn",
                "usage": { "input_tokens": 400, "cache_read_input_tokens": 600, "output_tokens": 200 },
            });
        }
        let usage = match self {
            Self::DeepSeek => {
                json!({ "prompt_tokens": 1000, "completion_tokens": 200, "prompt_cache_hit_tokens": 600 })
            }
            _ => json!({
                "prompt_tokens": 1000, "completion_tokens": 200, "prompt_tokens_details": { "cached_tokens": 600 },
            }),
        };
        json!({
            "id": "c", "model": "served-model", "system_fingerprint": "fp_1", "usage": usage,
            "choices": [{ "message": { "role": "assistant", "content": text }, "finish_reason": "stop" }],
        })
    }

    /// A proper answer that says this.
    pub(crate) fn says(self, text: &str) -> Step {
        Step::json(200, &self.reply(text).to_string())
    }

    /// An error in the provider's shape; it repeats the key, as some do.
    pub(crate) fn error(self, status: u16, kind: &str, message: &str) -> Step {
        self.error_with(status, kind, message, &[])
    }

    pub(crate) fn error_with(self, status: u16, kind: &str, message: &str, headers: &[(&str, &str)]) -> Step {
        let error = json!({ "type": kind, "code": kind, "message": format!("{message} (key {KEY})") });
        let body =
            if self.speaks_messages() { json!({ "type": "error", "error": error }) } else { json!({ "error": error }) };
        let mut all = vec![("content-type", "application/json")];
        all.extend_from_slice(headers);
        Step::answer(status, &all, &body.to_string())
    }

    /// The model's own refusal.
    pub(crate) fn refusal(self) -> Step {
        let mut reply = self.reply("");
        if self.speaks_messages() {
            reply["stop_reason"] = json!("refusal");
        } else if self == Self::DeepSeek {
            reply["choices"][0]["finish_reason"] = json!("refusal");
        } else {
            reply["choices"][0]["message"] = json!({ "content": null, "refusal": "I can't help with that." });
        }
        Step::json(200, &reply.to_string())
    }

    /// A filter that stops the question.
    pub(crate) fn filtered_question(self) -> Step {
        match self {
            Self::OpenAi => self.error(400, "content_filter", "Filtered by the content management policy"),
            Self::Anthropic | Self::Tool => {
                self.error(400, "invalid_request_error", "Prompt blocked by content filtering policy")
            }
            Self::DeepSeek => self.error(400, "invalid_request_error", "Content Exists Risk"),
            Self::Compatible => self.error(400, "content_policy_violation", "no"),
        }
    }

    /// A filter that stops the answer, half of which may be there.
    pub(crate) fn filtered_answer(self, half: &str) -> Step {
        if self.speaks_messages() {
            return self.error(400, "invalid_request_error", "Output blocked by content filtering policy");
        }
        let mut reply = self.reply(half);
        reply["choices"][0]["finish_reason"] = json!("content_filter");
        Step::json(200, &reply.to_string())
    }

    /// An answer cut off by its length.
    pub(crate) fn cut_by_length(self, text: &str) -> Step {
        let mut reply = self.reply(text);
        if self.speaks_messages() {
            reply["stop_reason"] = json!("max_tokens");
        } else {
            reply["choices"][0]["finish_reason"] = json!("length");
        }
        Step::json(200, &reply.to_string())
    }

    /// A question that does not fit; some servers say what does.
    pub(crate) fn overflow(self, limit: Option<u64>) -> Step {
        let Some(limit) = limit else {
            return self.error(400, "invalid_request_error", "the prompt is too long");
        };
        let message = match self {
            Self::Anthropic | Self::Tool => format!("prompt is too long: 900000 tokens > {limit} maximum"),
            _ => format!(
                "This model's maximum context length is {limit} tokens. Your messages resulted in 900000 tokens."
            ),
        };
        match self {
            Self::Compatible => Step::json(
                400,
                &json!({ "error": {
                    "code": 400, "type": "exceed_context_size_error", "n_ctx": limit, "n_prompt_tokens": 900_000,
                    "message": "the request exceeds the available context size",
                } })
                .to_string(),
            ),
            Self::Anthropic | Self::Tool => self.error(400, "invalid_request_error", &message),
            _ => self.error(400, "context_length_exceeded", &message),
        }
    }

    /// The money is spent, as each provider says it.
    pub(crate) fn quota(self) -> Step {
        match self {
            Self::OpenAi => self.error(429, "insufficient_quota", "You exceeded your current quota"),
            Self::Anthropic | Self::Tool => {
                self.error(400, "invalid_request_error", "Your credit balance is too low to access the API")
            }
            Self::DeepSeek => self.error(402, "unknown_error", "Insufficient Balance"),
            Self::Compatible => self.error(402, "insufficient_credits", "top up"),
        }
    }

    /// A server that does not know the mechanism it was asked to use.
    pub(crate) fn unknown_mechanism(self) -> Step {
        match self {
            Self::Anthropic => {
                self.error(400, "invalid_request_error", "output_config: Extra inputs are not permitted")
            }
            Self::Tool => self.error(400, "invalid_request_error", "tool_choice: forcing is not supported"),
            _ => self.error(400, "invalid_request_error", "response_format is not supported"),
        }
    }

    /// The mechanisms tried in turn by a server that knows none of them.
    pub(crate) fn mechanisms(self) -> &'static [&'static str] {
        match self {
            Self::OpenAi => &["json_schema", "json_object", "none"],
            Self::Anthropic => &["output_config", "tool", "none"],
            Self::Tool => &["tool", "none"],
            Self::DeepSeek => &["json_object", "none"],
            Self::Compatible => &["json_schema", "json_object_schema", "json_object", "none"],
        }
    }

    /// An answer with the model's thoughts before it, with a draft in them that must not count.
    pub(crate) fn thinks_first(self, text: &str) -> Step {
        let draft = r#"{"verdicts": {"E1": "fail"}}"#;
        let mut reply = self.reply(text);
        match self {
            Self::Anthropic | Self::Tool => {
                let answer = reply["content"][0].clone();
                reply["content"] = json!([{ "type": "thinking", "thinking": draft, "signature": "s" }, answer]);
            }
            Self::DeepSeek => reply["choices"][0]["message"]["reasoning_content"] = json!(draft),
            Self::OpenAi | Self::Compatible => reply = self.reply(&format!("<think>{draft}</think>\n{text}")),
        }
        Step::json(200, &reply.to_string())
    }

    pub(crate) fn without_usage(self, text: &str) -> Step {
        let mut reply = self.reply(text);
        reply.as_object_mut().expect("an object").remove("usage");
        Step::json(200, &reply.to_string())
    }
}
