//! The table of providers and models: the shipped file, and what a user's file changes in it.

use carelock_core::problem::{Problem, ensure, place, toml_place};
use indexmap::IndexMap;

use super::build;
use super::file::{Entry, File, ModelEntry, ProviderEntry};
use super::model::{ModelInfo, ProviderInfo};
use crate::redact_keys::redact_keys;

/// The name of the file format this version reads.
pub const PROVIDERS_SCHEMA: &str = "carelock/providers/1";

/// The text of the file that ships with Care-Lock.
pub const PROVIDERS_TOML: &str = include_str!("../../providers.toml");

/// An entry, and where its last change was written.
#[derive(Clone, Debug)]
struct Placed<T> {
    entry: T,
    at: String,
}

/// Providers and their models.
///
/// ```
/// use carelock_judge::provider::Table;
/// let table = Table::shipped();
/// assert!(table.provider("anthropic").is_some());
/// let mine = table.with_overrides("[[provider]]\nname = \"openai\"\nconcurrency = 2").unwrap();
/// assert_eq!(mine.provider("openai").unwrap().concurrency, 2);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Table {
    provider_entries: IndexMap<Vec<String>, Placed<ProviderEntry>>,
    model_entries: IndexMap<Vec<String>, Placed<ModelEntry>>,
    providers: IndexMap<String, ProviderInfo>,
    models: Vec<ModelInfo>,
}

impl Table {
    /// The table that ships with Care-Lock.
    pub fn shipped() -> Self {
        match Self::default().with_overrides(PROVIDERS_TOML) {
            Ok(table) => table,
            Err(error) => unreachable!("the shipped table is valid, a test guards it: {error}"),
        }
    }

    /// The table with another file laid over it: stated fields replace, new entries are added.
    pub fn with_overrides(mut self, text: &str) -> Result<Self, Problem> {
        let file = toml::from_str::<File>(text).map_err(|error| {
            let fix = "compare with docs/judges/providers.md; keys belong in the environment, not in this file";
            Problem::located(toml_place(text, &error), redact_keys(error.message()), fix)
        })?;
        if let Some(schema) = file.schema.filter(|schema| schema.get_ref() != PROVIDERS_SCHEMA) {
            let what =
                format!("this version reads {PROVIDERS_SCHEMA}, the file says {:?}", redact_keys(schema.get_ref()));
            let fix = format!("set schema = {PROVIDERS_SCHEMA:?}");
            return Err(Problem::located(place(text, schema.span().start), what, fix));
        }
        lay(&mut self.provider_entries, text, file.provider)?;
        lay(&mut self.model_entries, text, file.model)?;
        self.build()?;
        Ok(self)
    }

    fn build(&mut self) -> Result<(), Problem> {
        self.providers.clear();
        for Placed { entry, at } in self.provider_entries.values() {
            self.providers.insert(entry.name.clone(), build::provider(entry, at)?);
        }
        self.models.clear();
        for Placed { entry, at } in self.model_entries.values() {
            let Some(provider) = self.providers.get(&entry.provider) else {
                let what = format!(
                    "model {:?} names the provider {:?}, which is not in the table",
                    redact_keys(&entry.id),
                    redact_keys(&entry.provider)
                );
                let known: Vec<&str> = self.providers.keys().map(String::as_str).collect();
                let fix = format!("add a [[provider]], or name one of {}", known.join(", "));
                return Err(Problem::located(at, what, fix));
            };
            let model = build::model(entry, provider, at)?;
            self.check_names(&model, at)?;
            self.models.push(model);
        }
        Ok(())
    }

    /// A name that two models of a provider share would be a guess.
    fn check_names(&self, model: &ModelInfo, at: &str) -> Result<(), Problem> {
        for other in self.models.iter().filter(|other| other.provider == model.provider) {
            if let Some(name) = names(model).find(|name| names(other).any(|taken| taken == *name)) {
                let what = format!(
                    "{:?} names both {:?} and {:?}",
                    redact_keys(name),
                    redact_keys(&other.id),
                    redact_keys(&model.id)
                );
                return Err(Problem::located(at, what, "take it out of aliases or snapshots of one of them"));
            }
        }
        Ok(())
    }

    /// The providers in the table's order.
    pub fn providers(&self) -> impl Iterator<Item = &ProviderInfo> {
        self.providers.values()
    }

    /// A provider by its name.
    pub fn provider(&self, name: &str) -> Option<&ProviderInfo> {
        self.providers.get(name)
    }

    /// The models of a provider in the table's order; `*` stands for those not listed.
    pub fn models<'a>(&'a self, provider: &'a str) -> impl Iterator<Item = &'a ModelInfo> {
        self.models.iter().filter(move |model| model.provider == provider)
    }

    /// A model of a provider under any of its names, ready to be asked; an unlisted one has the abilities of `*`, or
    /// else the fewest there are.
    pub fn model(&self, provider: &ProviderInfo, name: &str) -> ModelInfo {
        let listed = self.models(&provider.name).filter(|model| model.listed);
        if let Some(found) = listed.into_iter().find(|model| names(model).any(|known| known == name)) {
            let mut model = found.clone();
            // A dated version was chosen with care: it is sent as it was asked for.
            if model.snapshots.iter().any(|snapshot| snapshot == name) {
                name.clone_into(&mut model.id);
            }
            return model;
        }
        let any = self.models(&provider.name).find(|model| !model.listed).cloned();
        let mut model = any.unwrap_or_else(|| build::unknown(provider));
        name.clone_into(&mut model.id);
        model
    }
}

fn names(model: &ModelInfo) -> impl Iterator<Item = &str> {
    std::iter::once(&model.id).chain(&model.aliases).chain(&model.snapshots).map(String::as_str)
}

/// Lays the entries of a file over those there are.
fn lay<E: Entry>(
    entries: &mut IndexMap<Vec<String>, Placed<E>>,
    text: &str,
    above: Vec<toml::Spanned<E>>,
) -> Result<(), Problem> {
    let mut seen = Vec::new();
    for entry in above {
        let at = place(text, entry.span().start);
        let entry = entry.into_inner();
        let key = entry.key();
        ensure(!seen.contains(&key), &at, format!("{} stands here twice", entry.named()), "join the two entries")?;
        match entries.get_mut(&key) {
            Some(below) => {
                below.entry.overlay(entry);
                below.at = at;
            }
            None => drop(entries.insert(key.clone(), Placed { entry, at })),
        }
        seen.push(key);
    }
    Ok(())
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
