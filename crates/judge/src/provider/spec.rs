//! Which judge was asked for, and what the table says about it.

use std::fmt;
use std::str::FromStr;

use carelock_core::problem::{Problem, Setting};

use super::address::{self, AddressError};
use super::date::Date;
use super::model::{ModelInfo, ProviderInfo};
use super::table::Table;
use crate::wire::{looks_like_a_key, redact_keys};

/// The provider of judges that are named by their address.
const COMPATIBLE: &str = "compatible";

/// A judge as it is asked for: `openai:gpt-4.1-mini` or `http://127.0.0.1:8080/v1#model`.
///
/// The provider is always stated, never guessed from the model's name.
///
/// ```
/// use carelock_judge::provider::JudgeSpec;
/// let spec = JudgeSpec::parse("ollama:llama3.2:3b").unwrap();
/// assert_eq!(spec.provider(), Some("ollama"));
/// assert_eq!(spec.model(), "llama3.2:3b");
/// assert_eq!(spec.to_string(), "ollama:llama3.2:3b");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct JudgeSpec {
    place: Place,
    model: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Place {
    Provider(String),
    Address(String),
}

/// Why a judge cannot be asked, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// It has neither of the two shapes.
    Shape(String),
    /// No model is named.
    NoModel(String, &'static str),
    /// The model's name has blanks or control characters.
    ModelName(String),
    /// A key stands where a name belongs; it is not shown.
    Key,
    /// The address cannot be used.
    Address(AddressError),
    /// The provider is not in the table.
    UnknownProvider {
        /// The judge as asked for.
        spec: String,
        /// The name that was not found.
        provider: String,
        /// The names there are.
        known: String,
    },
    /// The provider has no address of its own.
    NoAddress {
        /// The judge as asked for.
        spec: String,
        /// The provider.
        provider: String,
        /// The model.
        model: String,
    },
    /// The provider does not serve this model any more.
    Retired {
        /// The judge as asked for.
        spec: String,
        /// The day it was retired.
        on: Date,
        /// The judge to ask instead.
        successor: Option<String>,
    },
}

impl SpecError {
    /// The error as front ends show it.
    #[must_use]
    pub fn problem(&self) -> Problem {
        match self {
            Self::Shape(field0) => Problem::new(format!("judge {field0:?}: no provider is named"))
                .advice("write provider:model, such as openai:gpt-6-luna, or http://127.0.0.1:8080/v1#model"),
            Self::NoModel(field0, field1) => {
                Problem::new(format!("judge {field0:?}: no model is named")).advice(*field1)
            }
            Self::ModelName(field0) => {
                Problem::new(format!("judge {field0:?}: a model's name has no blanks or control characters"))
                    .advice("write it as the provider does")
            }
            Self::Key => Problem::new("a judge's name holds what looks like a key")
                .advice("put the key into the provider's variable; `carelock judges` names it"),
            Self::Address(field0) => {
                Problem::new(format!("judge: {}", field0.what())).with(field0.remedy(Setting::AllowPlainHttp.into()))
            }
            Self::UnknownProvider { spec, provider, known } => Problem::new(format!(
                "judge {spec:?}: there is no provider {provider:?}"
            ))
            .advice(format!("use one of {known}, or name a server by its address: http://127.0.0.1:8080/v1#model")),
            Self::NoAddress { spec, provider, model } => {
                Problem::new(format!("judge {spec:?}: provider {provider:?} has no address of its own"))
                    .advice(format!("name the judge by its address, such as http://127.0.0.1:8080/v1#{model}"))
            }
            Self::Retired { spec, on, successor } => {
                Problem::new(format!("judge {spec:?}: the provider retired this model on {on}"))
                    .advice(instead(successor.as_deref()))
            }
        }
    }
}

carelock_core::shown_as_problem!(SpecError);

fn instead(successor: Option<&str>) -> String {
    match successor {
        Some(successor) => format!("use its successor, {successor}"),
        None => "`carelock judges` lists models that are served".to_owned(),
    }
}

/// What the resolving of a judge depends on besides the table.
#[derive(Clone, Debug)]
pub struct Terms {
    /// Today.
    pub today: Date,
    /// Whether the chat may be sent unencrypted to another machine.
    pub allow_plain_http: bool,
    /// Another address for the provider, from its variable or a setting.
    pub base_url: Option<String>,
}

impl Terms {
    /// The usual terms on a day: nothing unencrypted leaves the machine.
    pub fn on(today: Date) -> Self {
        Self { today, allow_plain_http: false, base_url: None }
    }
}

/// A judge that can be asked.
#[derive(Clone, Debug, PartialEq)]
pub struct Resolved {
    /// Where and how; its address is never empty.
    pub provider: ProviderInfo,
    /// What it can do; its id is what is sent.
    pub model: ModelInfo,
    /// What the user should know before anything is sent.
    pub warnings: Vec<String>,
}

impl JudgeSpec {
    /// Reads a judge's name.
    pub fn parse(text: &str) -> Result<Self, SpecError> {
        let text = text.trim();
        if text.split([':', '#', '/', '@', '?', '=', '&']).any(looks_like_a_key) {
            return Err(SpecError::Key);
        }
        let is_address = ["http://", "https://"]
            .iter()
            .any(|start| text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)));
        let (place, model) = if is_address {
            let (url, model) = text.split_once('#').unwrap_or((text, ""));
            // Plain http is judged when the terms are known.
            let url = address::check(url, true).map_err(SpecError::Address)?;
            (Place::Address(url), model)
        } else {
            let (provider, model) = text.split_once(':').ok_or_else(|| SpecError::Shape(redact_keys(text)))?;
            if provider.is_empty() {
                return Err(SpecError::Shape(redact_keys(text)));
            }
            (Place::Provider(provider.to_owned()), model)
        };
        if model.is_empty() || model == "*" {
            let fix = if is_address { "add #model to the address" } else { "add the model after the colon" };
            return Err(SpecError::NoModel(redact_keys(text), fix));
        }
        if model.chars().any(|letter| letter.is_whitespace() || letter.is_control()) {
            return Err(SpecError::ModelName(redact_keys(text)));
        }
        Ok(Self { place, model: model.to_owned() })
    }

    /// The provider's name; `None` where the judge is named by an address.
    pub fn provider(&self) -> Option<&str> {
        match &self.place {
            Place::Provider(name) => Some(name),
            Place::Address(_) => None,
        }
    }

    /// The model's name as it was asked for.
    pub fn model(&self) -> &str {
        &self.model
    }
}

impl FromStr for JudgeSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

impl fmt::Display for JudgeSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Provider(name) => write!(f, "{name}:{}", self.model),
            Place::Address(url) => write!(f, "{url}#{}", self.model),
        }
    }
}

impl Table {
    /// Looks a judge up: the provider with its address, the model with its abilities, and what to warn about.
    pub fn resolve(&self, spec: &JudgeSpec, terms: &Terms) -> Result<Resolved, SpecError> {
        let name = spec.provider().unwrap_or(COMPATIBLE);
        let Some(provider) = self.provider(name) else {
            let known = self.providers().map(|provider| provider.name.as_str()).filter(|name| *name != COMPATIBLE);
            return Err(SpecError::UnknownProvider {
                spec: redact_keys(&spec.to_string()),
                provider: redact_keys(name),
                known: known.collect::<Vec<_>>().join(", "),
            });
        };
        let mut provider = provider.clone();
        let stated = match &spec.place {
            Place::Address(url) => Some(url),
            Place::Provider(_) => terms.base_url.as_ref(),
        };
        if let Some(url) = stated {
            provider.base_url = address::check(url, terms.allow_plain_http).map_err(SpecError::Address)?;
        }
        if provider.base_url.is_empty() {
            let (spec, model) = (redact_keys(&spec.to_string()), redact_keys(&spec.model));
            return Err(SpecError::NoAddress { spec, provider: provider.name, model });
        }
        let model = self.model(&provider, &spec.model);
        if let Some(on) = model.retired.filter(|_| model.is_retired(terms.today)) {
            let successor = model.successor.map(|successor| format!("{}:{successor}", provider.name));
            return Err(SpecError::Retired { spec: redact_keys(&spec.to_string()), on, successor });
        }
        let warnings = warnings(&model, terms.today);
        Ok(Resolved { provider, model, warnings })
    }
}

fn warnings(model: &ModelInfo, today: Date) -> Vec<String> {
    let unpriced = model.price.is_none().then(|| {
        let known = if model.listed { "has no price in the table" } else { "is not in the table of models" };
        format!(
            "{}:{} {known}: its cost cannot be counted, and a cap on the cost cannot hold",
            model.provider, model.id
        )
    });
    model.end_warning(today).into_iter().chain(unpriced).collect()
}

#[cfg(test)]
#[path = "spec_tests.rs"]
mod tests;
