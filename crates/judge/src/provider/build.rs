//! From an entry of the provider file to what the rest of the crate relies on, with every check on the way.

use carelock_core::problem::{PlainWords, Problem, ensure};
use serde_json::{Map, Value};

use super::address;
use super::file::{ModelEntry, ProviderEntry};
use super::model::{
    Auth, BatchTerms, KeyNeed, MaxTokensField, ModelInfo, ProviderInfo, StructuredOutput, Thinking, Wire,
};
use crate::redact_keys::{looks_like_a_key, redact_keys};

/// The id that stands for every model not listed.
const ANY: &str = "*";

/// Fields of a request that decide what is asked or how the answer is read.
const RESERVED: [&str; 14] = [
    "model",
    "messages",
    "system",
    "stream",
    "n",
    "tools",
    "tool_choice",
    "response_format",
    "output_config",
    "max_tokens",
    "max_completion_tokens",
    "api_key",
    "key",
    "authorization",
];

/// A model nobody described: nothing is sent that a model could refuse.
pub(super) fn unknown(provider: &ProviderInfo) -> ModelInfo {
    ModelInfo {
        provider: provider.name.clone(),
        id: ANY.to_owned(),
        aliases: Vec::new(),
        snapshots: Vec::new(),
        listed: false,
        context: None,
        max_output: None,
        price: None,
        structured: strongest(provider.wire),
        temperature: false,
        seed: false,
        thinking: Thinking::Untouched,
        max_tokens_field: provider.max_tokens_field,
        ends: None,
        retired: None,
        successor: None,
        note: None,
        extra: Map::new(),
    }
}

fn strongest(wire: Wire) -> StructuredOutput {
    match wire {
        Wire::OpenAiChat => StructuredOutput::JsonSchema,
        Wire::AnthropicMessages => StructuredOutput::OutputConfig,
    }
}

/// A provider as its entry describes it.
pub(super) fn provider(entry: &ProviderEntry, at: &str) -> Result<ProviderInfo, Problem> {
    let name = &entry.name;
    check_name(name, at)?;
    let wire = entry.wire.ok_or_else(|| {
        let fix = "add wire = \"openai-chat\" or \"anthropic-messages\"";
        Problem::located(at, format!("provider {name:?} does not say which format it speaks"), fix)
    })?;
    let key = entry.key.unwrap_or(KeyNeed::Optional);
    let key_variables = entry.key_variables.clone().unwrap_or_default();
    check_variables(name, key, &key_variables, at)?;
    check_extra(entry.extra.as_ref(), name, at)?;
    let open =
        entry.concurrency != Some(0) && entry.requests_per_minute != Some(0) && entry.tokens_per_minute != Some(0);
    let what = format!("a limit of provider {name:?} is 0, so no call could be made");
    ensure(open, at, what, "state at least 1")?;
    Ok(ProviderInfo {
        name: name.clone(),
        title: entry.title.clone().unwrap_or_else(|| name.clone()),
        wire,
        base_url: base_url(entry, at)?,
        base_url_variable: entry.base_url_variable.clone(),
        key,
        key_variables,
        auth: entry.auth.unwrap_or(if wire == Wire::AnthropicMessages { Auth::XApiKey } else { Auth::Bearer }),
        api_version: entry.api_version.clone(),
        requests_per_minute: entry.requests_per_minute,
        tokens_per_minute: entry.tokens_per_minute,
        concurrency: entry.concurrency.unwrap_or(4),
        max_tokens_field: entry.max_tokens_field.unwrap_or(MaxTokensField::MaxTokens),
        sends_store: entry.sends_store.unwrap_or(false),
        sends_cache_key: entry.sends_cache_key.unwrap_or(false),
        own_server: entry.own_server.unwrap_or(false),
        plain_http: entry.plain_http.unwrap_or(false),
        batch: batch(entry, at)?,
        extra: entry.extra.clone().unwrap_or_default(),
    })
}

/// Said where a provider takes batches and nobody wrote down what it keeps.
const UNKNOWN_RETENTION: &str =
    "How long the chats and answers of a batch are kept there is not known; ask the provider.";

fn batch(entry: &ProviderEntry, at: &str) -> Result<Option<BatchTerms>, Problem> {
    let name = &entry.name;
    let (requests, bytes) = match (entry.batch_requests, entry.batch_bytes) {
        (Some(requests), Some(bytes)) => (requests, bytes),
        (None, None) => return Ok(None),
        _ => {
            let what = format!("provider {name:?} states only one of batch_requests and batch_bytes");
            return Err(Problem::located(at, what, "state both, or neither where it takes no batches"));
        }
    };
    let what = format!("a limit of provider {name:?} is 0, so no batch could be sent");
    ensure(requests > 0 && bytes > 0, at, what, "state at least 1, or leave both out")?;
    let retention = entry.batch_retention.as_deref().unwrap_or(UNKNOWN_RETENTION).to_owned();
    Ok(Some(BatchTerms { requests, bytes, retention }))
}

/// What begins the name of a judge that no provider serves, or an address.
const TAKEN: [&str; 4] = ["http", "https", "builtin", "cascade"];

fn check_name(name: &str, at: &str) -> Result<(), Problem> {
    let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    let usable = !name.is_empty() && !TAKEN.contains(&name) && name.bytes().all(plain);
    let fix = "use small letters, digits and hyphens; http, https, builtin and cascade are taken";
    ensure(usable, at, format!("{:?} cannot be a provider's name", redact_keys(name)), fix)
}

fn base_url(entry: &ProviderEntry, at: &str) -> Result<String, Problem> {
    match entry.base_url.as_deref() {
        None | Some("") => Ok(String::new()),
        Some(url) => address::check(url, entry.plain_http.unwrap_or(false)).map_err(|error| {
            let what = format!("base_url of provider {:?}: {}", entry.name, error.what());
            Problem::located(at, what, error.remedy("plain_http = true in this entry".into()).worded(&PlainWords))
        }),
    }
}

fn check_variables(name: &str, key: KeyNeed, variables: &[String], at: &str) -> Result<(), Problem> {
    let plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    // The text is not quoted: somebody may have put the key itself here.
    let names = variables.iter().all(|variable| !variable.is_empty() && variable.bytes().all(plain));
    let what = format!("key_variables of provider {name:?} has something that is no variable's name");
    ensure(names, at, what, "write names such as OPENAI_API_KEY; the key itself belongs in the environment")?;
    let what = format!("provider {name:?} needs a key but names no variable to take it from");
    ensure(key != KeyNeed::Required || !variables.is_empty(), at, what, "add key_variables = [\"…\"]")
}

fn check_extra(extra: Option<&Map<String, Value>>, name: &str, at: &str) -> Result<(), Problem> {
    let Some(extra) = extra else { return Ok(()) };
    if let Some(field) = extra.keys().find(|key| RESERVED.contains(&key.to_ascii_lowercase().as_str())) {
        let what =
            format!("extra of {:?} has {:?}, which Care-Lock sets itself", redact_keys(name), redact_keys(field));
        return Err(Problem::located(at, what, "leave it out"));
    }
    let what = format!("extra of {:?} holds what looks like a key", redact_keys(name));
    ensure(!extra.values().any(holds_a_key), at, what, "put the key into one of key_variables")
}

fn holds_a_key(value: &Value) -> bool {
    match value {
        Value::String(text) => text.split_whitespace().any(looks_like_a_key),
        Value::Array(items) => items.iter().any(holds_a_key),
        Value::Object(fields) => fields.values().any(holds_a_key),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// A model as its entry describes it.
pub(super) fn model(entry: &ModelEntry, provider: &ProviderInfo, at: &str) -> Result<ModelInfo, Problem> {
    let id = redact_keys(&entry.id);
    let blank = entry.id.is_empty() || entry.id.chars().any(|letter| letter.is_whitespace() || letter.is_control());
    ensure(!blank, at, format!("{id:?} cannot be a model's id"), "write it without blanks")?;
    check_extra(entry.extra.as_ref(), &entry.id, at)?;
    let structured = entry.structured.unwrap_or_else(|| strongest(provider.wire));
    if !structured.fits(provider.wire) {
        let what = format!(
            "model {id:?} has structured = {:?}, which the format of {:?} does not have",
            structured.name(),
            provider.name
        );
        let fix = format!("{:?} would do", strongest(provider.wire).name());
        return Err(Problem::located(at, what, fix));
    }
    let room = entry.context != Some(0) && entry.max_output != Some(0);
    ensure(room, at, format!("model {id:?} has room for 0 tokens"), "leave the field out if it is not known")?;
    let own = entry.successor.as_deref() == Some(entry.id.as_str());
    ensure(!own, at, format!("model {id:?} is its own successor"), "name another one, or none")?;
    Ok(ModelInfo {
        provider: entry.provider.clone(),
        id: entry.id.clone(),
        aliases: entry.aliases.clone().unwrap_or_default(),
        snapshots: entry.snapshots.clone().unwrap_or_default(),
        listed: entry.id != ANY,
        context: entry.context,
        max_output: entry.max_output,
        price: entry.price,
        structured,
        temperature: entry.temperature.unwrap_or(false),
        seed: entry.seed.unwrap_or(false),
        thinking: entry.thinking.unwrap_or_default(),
        max_tokens_field: entry.max_tokens_field.unwrap_or(provider.max_tokens_field),
        ends: entry.ends.and_then(|day| day.0),
        retired: entry.retired.and_then(|day| day.0),
        successor: entry.successor.clone(),
        note: entry.note.clone(),
        extra: entry.extra.clone().unwrap_or_default(),
    })
}
