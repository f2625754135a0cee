//! The provider file as it is written: every field optional, so that one file can change a few fields of another.

use serde::{Deserialize, Deserializer, de::Error as _};
use serde_json::{Map, Value};
use toml::Spanned;

use super::cost::Price;
use super::date::Date;
use super::model::{Auth, KeyNeed, MaxTokensField, StructuredOutput, Thinking, Wire};
use crate::redact_keys::redact_keys;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct File {
    pub(super) schema: Option<Spanned<String>>,
    #[serde(default)]
    pub(super) provider: Vec<Spanned<ProviderEntry>>,
    #[serde(default)]
    pub(super) model: Vec<Spanned<ModelEntry>>,
}

/// An entry of the file: its key fields must be there, every other field is optional.
pub(super) trait Entry {
    /// What tells it from other entries of its kind.
    fn key(&self) -> Vec<String>;

    /// Its name for errors.
    fn named(&self) -> String;

    /// Takes over the fields that another entry of the same key states.
    fn overlay(&mut self, above: Self);
}

/// Declares an entry, and lays every optional field of another one over its own.
macro_rules! entry {
    ($name:ident [$($key:ident),+] as $shape:literal { $($field:ident: $type:ty,)+ }) => {
        #[derive(Clone, Debug, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct $name {
            $(pub(super) $key: String,)+
            $(pub(super) $field: Option<$type>,)+
        }

        impl Entry for $name {
            fn key(&self) -> Vec<String> {
                vec![$(self.$key.clone()),+]
            }

            fn named(&self) -> String {
                format!($shape, $($key = redact_keys(&self.$key)),+)
            }

            fn overlay(&mut self, above: Self) {
                $(if above.$field.is_some() { self.$field = above.$field; })+
            }
        }
    };
}

entry! {
    ProviderEntry [name] as "provider {name:?}" {
        title: String,
        wire: Wire,
        base_url: String,
        base_url_variable: String,
        key: KeyNeed,
        key_variables: Vec<String>,
        auth: Auth,
        api_version: String,
        requests_per_minute: u32,
        tokens_per_minute: u64,
        concurrency: u32,
        max_tokens_field: MaxTokensField,
        sends_store: bool,
        sends_cache_key: bool,
        own_server: bool,
        plain_http: bool,
        batch_requests: usize,
        batch_bytes: usize,
        batch_retention: String,
        extra: Map<String, Value>,
    }
}

entry! {
    ModelEntry [provider, id] as "model {id:?} of {provider:?}" {
        aliases: Vec<String>,
        snapshots: Vec<String>,
        context: u64,
        max_output: u64,
        price: Price,
        structured: StructuredOutput,
        temperature: bool,
        seed: bool,
        thinking: Thinking,
        max_tokens_field: MaxTokensField,
        ends: Day,
        retired: Day,
        successor: String,
        note: String,
        extra: Map<String, Value>,
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
