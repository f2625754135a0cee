//! What is known about a provider and a model.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::cost::Price;
use super::date::Date;

/// The format of requests and responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wire {
    /// OpenAI's Chat Completions, which most servers speak.
    #[serde(rename = "openai-chat")]
    OpenAiChat,
    /// Anthropic's Messages.
    AnthropicMessages,
}

/// How an answer is held to its schema. Whatever the server promises, answers are validated on our side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StructuredOutput {
    /// `response_format` with a strict JSON Schema.
    JsonSchema,
    /// `output_config.format` with a JSON Schema.
    OutputConfig,
    /// A tool that the model is made to call.
    Tool,
    /// `response_format` that asks for any JSON object and carries the schema beside it.
    JsonObjectSchema,
    /// `response_format` that asks for any JSON object; the schema stands in the prompt.
    JsonObject,
    /// Nothing but the prompt, which carries the schema.
    None,
}

impl StructuredOutput {
    /// The name in the provider file.
    pub fn name(self) -> &'static str {
        match self {
            Self::JsonSchema => "json_schema",
            Self::OutputConfig => "output_config",
            Self::Tool => "tool",
            Self::JsonObjectSchema => "json_object_schema",
            Self::JsonObject => "json_object",
            Self::None => "none",
        }
    }

    /// Whether a request in this format can carry it.
    pub fn fits(self, wire: Wire) -> bool {
        match self {
            Self::JsonSchema | Self::JsonObjectSchema | Self::JsonObject => wire == Wire::OpenAiChat,
            Self::OutputConfig | Self::Tool => wire == Wire::AnthropicMessages,
            Self::None => true,
        }
    }

    /// What to try when a server does not know this one.
    pub fn weaker(self) -> Option<Self> {
        match self {
            Self::JsonSchema => Some(Self::JsonObjectSchema),
            Self::JsonObjectSchema => Some(Self::JsonObject),
            Self::OutputConfig => Some(Self::Tool),
            Self::JsonObject | Self::Tool => Some(Self::None),
            Self::None => None,
        }
    }
}

/// How thinking is kept short, where a model thinks by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Thinking {
    /// Nothing is sent.
    #[default]
    Untouched,
    /// `"reasoning_effort": "none"`.
    ReasoningEffortNone,
    /// `"thinking": {"type": "disabled"}`.
    ThinkingDisabled,
    /// `"thinking": {"type": "between_tools"}` with low effort, for models that cannot stop thinking.
    BetweenTools,
}

/// The field that limits the length of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensField {
    /// `max_tokens`.
    MaxTokens,
    /// `max_completion_tokens`.
    MaxCompletionTokens,
}

impl MaxTokensField {
    /// The field's name in a request.
    pub fn name(self) -> &'static str {
        match self {
            Self::MaxTokens => "max_tokens",
            Self::MaxCompletionTokens => "max_completion_tokens",
        }
    }
}

/// The header that carries the key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Auth {
    /// `Authorization: Bearer …`.
    Bearer,
    /// `x-api-key: …`.
    XApiKey,
    /// `api-key: …`.
    ApiKey,
    /// No key is sent.
    None,
}

/// Whether a provider wants a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum KeyNeed {
    /// No call succeeds without one.
    Required,
    /// One is sent if it is set.
    Optional,
    /// None is sent.
    None,
}

/// A provider: where and how its models are asked.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ProviderInfo {
    /// The name before the colon: `openai`.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// The format it speaks.
    pub wire: Wire,
    /// Its address without the last part of the path; empty where every judge states its own.
    pub base_url: String,
    /// The environment variable that may state another address.
    pub base_url_variable: Option<String>,
    /// Whether it wants a key.
    pub key: KeyNeed,
    /// The environment variables a key is taken from, the first one set.
    pub key_variables: Vec<String>,
    /// The header that carries the key.
    pub auth: Auth,
    /// The version of the API asked for, where a header states it.
    pub api_version: Option<String>,
    /// Calls a minute to start with.
    pub requests_per_minute: Option<u32>,
    /// Tokens a minute to start with.
    pub tokens_per_minute: Option<u64>,
    /// Calls at a time.
    pub concurrency: u32,
    /// The field that limits the length of an answer.
    pub max_tokens_field: MaxTokensField,
    /// Whether `store: false` is sent, so that the provider keeps nothing it need not.
    pub sends_store: bool,
    /// Whether `prompt_cache_key` is sent, so that calls with the same rubric meet the same cache.
    pub sends_cache_key: bool,
    /// Whether it is a server people run themselves: mechanisms are tried out, and 500 may mean "unknown field".
    pub own_server: bool,
    /// Whether an unencrypted address beyond this machine is allowed in the file.
    pub plain_http: bool,
    /// Its batches, where it takes any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub batch: Option<BatchTerms>,
    /// More fields for the body of every request; not listed, as nobody knows what they hold.
    #[serde(skip)]
    pub extra: Map<String, Value>,
}

/// What a provider says about batches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BatchTerms {
    /// The most requests in one.
    pub requests: usize,
    /// The most bytes in one.
    pub bytes: usize,
    /// What is kept there longer than with direct calls, to be said before anything is sent.
    pub retention: String,
}

/// A model: what it can do and what it costs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelInfo {
    /// The provider's name.
    pub provider: String,
    /// The id that is sent; `*` in the table stands for every model not listed.
    pub id: String,
    /// Our own short names for it; the id is sent instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The provider's names for its versions; sent as they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub snapshots: Vec<String>,
    /// Whether the table lists it by name.
    #[serde(skip)]
    pub listed: bool,
    /// The tokens of prompt and answer together; unknown where it is not stated.
    pub context: Option<u64>,
    /// The longest answer in tokens; unknown where it is not stated.
    pub max_output: Option<u64>,
    /// What it charges; unknown where it is not stated.
    pub price: Option<Price>,
    /// The best way to hold its answers to a schema.
    pub structured: StructuredOutput,
    /// Whether it accepts a temperature.
    pub temperature: bool,
    /// Whether it accepts a seed.
    pub seed: bool,
    /// How its thinking is kept short.
    pub thinking: Thinking,
    /// The field that limits the length of an answer.
    pub max_tokens_field: MaxTokensField,
    /// The day its end is announced for.
    pub ends: Option<Date>,
    /// The day since which the provider does not serve it.
    pub retired: Option<Date>,
    /// The model the provider names in its place.
    pub successor: Option<String>,
    /// What else to know.
    pub note: Option<String>,
    /// More fields for the body of a request; not listed, as nobody knows what they hold.
    #[serde(skip)]
    pub extra: Map<String, Value>,
}

/// Ends within this many days are warned about.
const NEAR_DAYS: i64 = 90;

impl ModelInfo {
    /// Whether the provider has stopped serving it by this day.
    pub fn is_retired(&self, today: Date) -> bool {
        self.retired.is_some_and(|retired| retired <= today)
    }

    /// A warning about an end that is near or past, with the model to take instead.
    pub fn end_warning(&self, today: Date) -> Option<String> {
        let end = self.ends.or(self.retired)?;
        let days = today.days_until(end);
        if days > NEAR_DAYS {
            return None;
        }
        let instead = match &self.successor {
            Some(successor) => format!("; its successor is {}:{successor}", self.provider),
            None => String::new(),
        };
        let when = match days {
            ..0 => format!("was announced to end on {end}"),
            0 => format!("ends today ({end})"),
            1 => format!("ends tomorrow ({end})"),
            _ => format!("ends on {end}, in {days} days"),
        };
        Some(format!("{}:{} {when}{instead}", self.provider, self.id))
    }
}
