//! Which judge was asked for, and what the table says about it.

use std::fmt;
use std::str::FromStr;

use carelock_core::problem::{Problem, Setting};

use super::address::{self, AddressError};
use super::date::Date;
use super::model::{ModelInfo, ProviderInfo};
use super::table::Table;
use crate::redact_keys::{looks_like_a_key, redact_keys};

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
    pub fn parse(text: &str) -> Result<Self, Problem> {
        let text = text.trim();
        if text.split([':', '#', '/', '@', '?', '=', '&']).any(looks_like_a_key) {
            return Err(Problem::new("a judge's name holds what looks like a key")
                .advice("put the key into the provider's variable; `carelock judges` names it"));
        }
        let wrong = |what: &str, fix: &str| Problem::located(named(text), what, fix);
        let is_address = ["http://", "https://"]
            .iter()
            .any(|start| text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start)));
        let (place, model) = if is_address {
            let (url, model) = text.split_once('#').unwrap_or((text, ""));
            // Plain http is judged when the terms are known.
            let url = address::check(url, true).map_err(refused)?;
            (Place::Address(url), model)
        } else {
            let fix = "write provider:model, such as openai:gpt-6-luna, or http://127.0.0.1:8080/v1#model";
            let parts = text.split_once(':').filter(|(provider, _)| !provider.is_empty());
            let (provider, model) = parts.ok_or_else(|| wrong("no provider is named", fix))?;
            (Place::Provider(provider.to_owned()), model)
        };
        if model.is_empty() || model == "*" {
            let fix = if is_address { "add #model to the address" } else { "add the model after the colon" };
            return Err(wrong("no model is named", fix));
        }
        if model.chars().any(|letter| letter.is_whitespace() || letter.is_control()) {
            let what = "a model's name has no blanks or control characters";
            return Err(wrong(what, "write it as the provider does"));
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
    type Err = Problem;

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
    pub fn resolve(&self, spec: &JudgeSpec, terms: &Terms) -> Result<Resolved, Problem> {
        let name = spec.provider().unwrap_or(COMPATIBLE);
        let wrong = |what: String, fix: String| Problem::located(named(&spec.to_string()), what, fix);
        let unknown = || {
            let known = self.providers().map(|provider| provider.name.as_str()).filter(|name| *name != COMPATIBLE);
            let known = known.collect::<Vec<_>>().join(", ");
            let fix = format!("use one of {known}, or name a server by its address: http://127.0.0.1:8080/v1#model");
            wrong(format!("there is no provider {:?}", redact_keys(name)), fix)
        };
        let mut provider = self.provider(name).ok_or_else(unknown)?.clone();
        let stated = match &spec.place {
            Place::Address(url) => Some(url),
            Place::Provider(_) => terms.base_url.as_ref(),
        };
        if let Some(url) = stated {
            provider.base_url = address::check(url, terms.allow_plain_http).map_err(refused)?;
        }
        if provider.base_url.is_empty() {
            let model = redact_keys(&spec.model);
            let fix = format!("name the judge by its address, such as http://127.0.0.1:8080/v1#{model}");
            return Err(wrong(format!("provider {:?} has no address of its own", provider.name), fix));
        }
        let model = self.model(&provider, &spec.model);
        if let Some(on) = model.retired.filter(|_| model.is_retired(terms.today)) {
            let fix = match &model.successor {
                Some(successor) => format!("use its successor, {}:{successor}", provider.name),
                None => "`carelock judges` lists models that are served".to_owned(),
            };
            return Err(wrong(format!("the provider retired this model on {on}"), fix));
        }
        let warnings = warnings(&model, terms.today);
        Ok(Resolved { provider, model, warnings })
    }
}

/// A judge as errors name it.
fn named(spec: &str) -> String {
    format!("judge {:?}", redact_keys(spec))
}

/// An address that is not taken.
fn refused(error: AddressError) -> Problem {
    Problem::located("judge", error.what(), error.remedy(Setting::AllowPlainHttp.into()))
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
