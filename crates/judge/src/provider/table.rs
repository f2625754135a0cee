//! The table of providers and models: the shipped file, and what a user's file changes in it.

use carelock_core::problem::Problem;
use indexmap::IndexMap;

use super::build;
use super::file::{File, ModelEntry, ProviderEntry};
use super::model::{ModelInfo, ProviderInfo};
use crate::wire::redact_keys;

/// The name of the file format this version reads.
pub const PROVIDERS_SCHEMA: &str = "carelock/providers/1";

/// The text of the file that ships with Care-Lock.
pub const PROVIDERS_TOML: &str = include_str!("../../providers.toml");

/// What is wrong with a provider file, where, and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct TableError {
    /// Where: "line 12, column 5".
    pub at: String,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub fix: String,
}

carelock_core::shown_as_problem!(TableError);

impl TableError {
    /// The error as front ends show it.
    #[must_use]
    pub fn problem(&self) -> Problem {
        self.told_of("providers")
    }

    /// The same, of a table that is called something else.
    #[must_use]
    pub fn told_of(&self, name: &str) -> Problem {
        Problem::new(self.what.clone()).advice(self.fix.clone()).within(&format!("{name}: {}", self.at))
    }

    pub(super) fn new(at: &str, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { at: at.to_owned(), what: what.into(), fix: fix.into() }
    }
}

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
#[derive(Clone, Debug)]
pub struct Table {
    provider_entries: IndexMap<String, Placed<ProviderEntry>>,
    model_entries: IndexMap<(String, String), Placed<ModelEntry>>,
    providers: IndexMap<String, ProviderInfo>,
    models: Vec<ModelInfo>,
}

impl Table {
    /// The table that ships with Care-Lock.
    pub fn shipped() -> Self {
        match Self::empty().with_overrides(PROVIDERS_TOML) {
            Ok(table) => table,
            Err(error) => unreachable!("the shipped table is valid, a test guards it: {error}"),
        }
    }

    fn empty() -> Self {
        Self {
            provider_entries: IndexMap::new(),
            model_entries: IndexMap::new(),
            providers: IndexMap::new(),
            models: Vec::new(),
        }
    }

    /// The table with another file laid over it: stated fields replace, new entries are added.
    pub fn with_overrides(mut self, text: &str) -> Result<Self, TableError> {
        let file = toml::from_str::<File>(text).map_err(|error| syntax(text, &error))?;
        if let Some(schema) = file.schema.filter(|schema| schema.get_ref() != PROVIDERS_SCHEMA) {
            let what =
                format!("this version reads {PROVIDERS_SCHEMA}, the file says {:?}", redact_keys(schema.get_ref()));
            return Err(TableError::new(
                &place(text, schema.span().start),
                what,
                format!("set schema = {PROVIDERS_SCHEMA:?}"),
            ));
        }
        self.lay_providers(text, file.provider)?;
        self.lay_models(text, file.model)?;
        self.build()?;
        Ok(self)
    }

    fn lay_providers(&mut self, text: &str, entries: Vec<toml::Spanned<ProviderEntry>>) -> Result<(), TableError> {
        let mut seen: Vec<String> = Vec::new();
        for entry in entries {
            let at = place(text, entry.span().start);
            let entry = entry.into_inner();
            if seen.contains(&entry.name) {
                let what = format!("provider {:?} stands here twice", redact_keys(&entry.name));
                return Err(TableError::new(&at, what, "join the two entries"));
            }
            seen.push(entry.name.clone());
            match self.provider_entries.get_mut(&entry.name) {
                Some(below) => {
                    below.entry.overlay(entry);
                    below.at = at;
                }
                None => drop(self.provider_entries.insert(entry.name.clone(), Placed { entry, at })),
            }
        }
        Ok(())
    }

    fn lay_models(&mut self, text: &str, entries: Vec<toml::Spanned<ModelEntry>>) -> Result<(), TableError> {
        let mut seen: Vec<(String, String)> = Vec::new();
        for entry in entries {
            let at = place(text, entry.span().start);
            let entry = entry.into_inner();
            let key = (entry.provider.clone(), entry.id.clone());
            if seen.contains(&key) {
                let what = format!("model {:?} of {:?} stands here twice", redact_keys(&key.1), redact_keys(&key.0));
                return Err(TableError::new(&at, what, "join the two entries"));
            }
            seen.push(key.clone());
            match self.model_entries.get_mut(&key) {
                Some(below) => {
                    below.entry.overlay(entry);
                    below.at = at;
                }
                None => drop(self.model_entries.insert(key, Placed { entry, at })),
            }
        }
        Ok(())
    }

    fn build(&mut self) -> Result<(), TableError> {
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
                return Err(TableError::new(
                    at,
                    what,
                    format!("add a [[provider]], or name one of {}", known.join(", ")),
                ));
            };
            let model = build::model(entry, provider, at)?;
            self.check_names(&model, at)?;
            self.models.push(model);
        }
        Ok(())
    }

    /// A name that two models of a provider share would be a guess.
    fn check_names(&self, model: &ModelInfo, at: &str) -> Result<(), TableError> {
        for other in self.models.iter().filter(|other| other.provider == model.provider) {
            if let Some(name) = names(model).find(|name| names(other).any(|taken| taken == *name)) {
                let what = format!(
                    "{:?} names both {:?} and {:?}",
                    redact_keys(name),
                    redact_keys(&other.id),
                    redact_keys(&model.id)
                );
                return Err(TableError::new(at, what, "take it out of aliases or snapshots of one of them"));
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

fn syntax(text: &str, error: &toml::de::Error) -> TableError {
    let at = place(text, error.span().map_or(0, |span| span.start));
    TableError::new(
        &at,
        redact_keys(error.message()),
        "compare with docs/judges/providers.md; keys belong in the environment, not in this file",
    )
}

fn place(text: &str, offset: usize) -> String {
    let before = text.get(..offset).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |tail| tail.chars().count()) + 1;
    format!("line {line}, column {column}")
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
