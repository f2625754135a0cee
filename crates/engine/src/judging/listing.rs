//! The judges there are and whether they can be asked, as JSON.

use carelock_judge::provider::Listing;
use serde_json::{Map, Value, json};

use super::JudgeKind;
use crate::config::Config;

/// The providers and models of the settings, with whether their keys are there.
#[must_use]
pub fn listing(config: &Config) -> Listing<'_> {
    Listing::new(config.table(), config.today(), |provider| config.key_for(provider).is_some())
}

/// The judges there are: the one that is always there, then those that must be asked.
#[must_use]
pub fn listing_json(config: &Config) -> Value {
    let embedded =
        json!({ "name": JudgeKind::Embedded.to_string(), "available": true, "key": "none", "network": false });
    let mut list = Map::new();
    if let Value::Object(parts) = listing(config).json() {
        for (name, part) in parts {
            if name == "providers" {
                list.insert("embedded".to_owned(), json!([embedded]));
            }
            list.insert(name, part);
        }
    }
    Value::Object(list)
}
