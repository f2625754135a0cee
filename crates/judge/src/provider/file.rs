//! The provider file as it is written: every field optional, so that one file can change a few fields of another.

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Map, Value};
use toml::Spanned;

use super::cost::Price;
use super::date::Date;
use super::model::{Auth, KeyNeed, MaxTokensField, StructuredOutput, Thinking, Wire};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) schema: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) provider: Vec<Spanned<ProviderEntry>>,
    #[serde(default)]
    pub(super) model: Vec<Spanned<ModelEntry>>,
}

/// Copies the fields that the second one states over the first one's.
macro_rules! overlay {
    ($below:ident, $above:ident, $($field:ident),+ $(,)?) => {
        $( if $above.$field.is_some() { $below.$field = $above.$field; } )+
    };
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProviderEntry {
    pub(super) name: String,
    pub(super) title: Option<String>,
    pub(super) wire: Option<Wire>,
    pub(super) base_url: Option<String>,
    pub(super) base_url_variable: Option<String>,
    pub(super) key: Option<KeyNeed>,
    pub(super) key_variables: Option<Vec<String>>,
    pub(super) auth: Option<Auth>,
    pub(super) api_version: Option<String>,
    pub(super) requests_per_minute: Option<u32>,
    pub(super) tokens_per_minute: Option<u64>,
    pub(super) concurrency: Option<u32>,
    pub(super) max_tokens_field: Option<MaxTokensField>,
    pub(super) sends_store: Option<bool>,
    pub(super) sends_cache_key: Option<bool>,
    pub(super) own_server: Option<bool>,
    pub(super) plain_http: Option<bool>,
    pub(super) batch_requests: Option<usize>,
    pub(super) batch_bytes: Option<usize>,
    pub(super) batch_retention: Option<String>,
    pub(super) extra: Option<Map<String, Value>>,
}

impl ProviderEntry {
    pub(super) fn overlay(&mut self, above: Self) {
        overlay!(
            self,
            above,
            title,
            wire,
            base_url,
            base_url_variable,
            key,
            key_variables,
            auth,
            api_version,
            requests_per_minute,
            tokens_per_minute,
            concurrency,
            max_tokens_field,
            sends_store,
            sends_cache_key,
            own_server,
            plain_http,
            batch_requests,
            batch_bytes,
            batch_retention,
            extra,
        );
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ModelEntry {
    pub(super) provider: String,
    pub(super) id: String,
    pub(super) aliases: Option<Vec<String>>,
    pub(super) snapshots: Option<Vec<String>>,
    pub(super) context: Option<u64>,
    pub(super) max_output: Option<u64>,
    pub(super) price: Option<Price>,
    pub(super) structured: Option<StructuredOutput>,
    pub(super) temperature: Option<bool>,
    pub(super) seed: Option<bool>,
    pub(super) thinking: Option<Thinking>,
    pub(super) max_tokens_field: Option<MaxTokensField>,
    pub(super) ends: Option<Day>,
    pub(super) retired: Option<Day>,
    pub(super) successor: Option<String>,
    pub(super) note: Option<String>,
    pub(super) extra: Option<Map<String, Value>>,
}

impl ModelEntry {
    pub(super) fn overlay(&mut self, above: Self) {
        overlay!(
            self,
            above,
            aliases,
            snapshots,
            context,
            max_output,
            price,
            structured,
            temperature,
            seed,
            thinking,
            max_tokens_field,
            ends,
            retired,
            successor,
            note,
            extra,
        );
    }
}

/// A day, or `none` to take back what another file says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Day(pub(super) Option<Date>);

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        if text == "none" {
            return Ok(Self(None));
        }
        text.parse().map(|date| Self(Some(date))).map_err(|error| D::Error::custom(format!("{error}, nor \"none\"")))
    }
}
