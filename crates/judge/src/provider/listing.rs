//! The list of providers and models for `carelock judges`: text of at most 100 columns, and JSON.

use serde::Serialize;
use serde_json::{Value, json};

use super::cost::{Price, Rate};
use super::date::Date;
use super::model::{KeyNeed, ModelInfo, ProviderInfo};
use super::table::Table;
use crate::redact_keys::redact_keys;

const COLUMNS: usize = 100;
const MODEL_COLUMNS: usize = 24;

/// Whether a provider's key is there. The key itself is never seen here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyState {
    /// One of its variables is set.
    Set,
    /// None is, and calls will fail.
    Missing,
    /// None is, and none has to be.
    NotNeeded,
}

/// The providers and models of a table on a day.
#[derive(Clone, Debug)]
pub struct Listing<'a> {
    table: &'a Table,
    today: Date,
    keys: Vec<KeyState>,
}

impl<'a> Listing<'a> {
    /// A list; `is_set` says of a provider whether its key is set.
    pub fn new(table: &'a Table, today: Date, is_set: impl Fn(&ProviderInfo) -> bool) -> Self {
        let state = |provider: &ProviderInfo| match (provider.key, provider.key != KeyNeed::None && is_set(provider)) {
            (_, true) => KeyState::Set,
            (KeyNeed::Required, false) => KeyState::Missing,
            (KeyNeed::Optional | KeyNeed::None, false) => KeyState::NotNeeded,
        };
        Self { table, today, keys: table.providers().map(state).collect() }
    }

    /// The list as text.
    pub fn text(&self) -> String {
        let mut lines = Vec::new();
        for (provider, key) in self.table.providers().zip(&self.keys) {
            self.provider_lines(provider, *key, &mut lines);
            lines.push(String::new());
        }
        lines.push("Prices are US dollars for 1,000,000 tokens. A dash: not known.".to_owned());
        let mut text = lines.join("\n");
        text.push('\n');
        text
    }

    fn provider_lines(&self, provider: &ProviderInfo, key: KeyState, lines: &mut Vec<String>) {
        let variables = provider.key_variables.join(" or ");
        let key = match (key, provider.key) {
            (KeyState::Set, _) => format!("key set ({variables})"),
            (KeyState::Missing, _) => format!("key missing: set {variables}"),
            (KeyState::NotNeeded, KeyNeed::None) => "no key needed".to_owned(),
            (KeyState::NotNeeded, _) => format!("key optional ({variables})"),
        };
        let base =
            if provider.base_url.is_empty() { "asked for by address, http://…#model" } else { &provider.base_url };
        wrap(&format!("{} · {} · {key} · {base}", provider.name, redact_keys(&provider.title)), "", lines);
        lines.push(row(
            "model",
            ["context", "answer", "input", "cached", "output"].map(str::to_owned),
            "answers by",
            "end",
        ));
        for model in self.table.models(&provider.name) {
            self.model_lines(model, lines);
        }
    }

    fn model_lines(&self, model: &ModelInfo, lines: &mut Vec<String>) {
        let rate = |pick: fn(&Price) -> Option<Rate>| {
            let rate = model.price.as_ref().and_then(pick);
            rate.map_or_else(|| "-".to_owned(), |rate| rate.to_string())
        };
        let size = |size: Option<u64>| size.map_or_else(|| "-".to_owned(), grouped);
        let numbers = [
            size(model.context),
            size(model.max_output),
            rate(|price| Some(price.input)),
            rate(|price| price.cached),
            rate(|price| Some(price.output)),
        ];
        let retired = model.is_retired(self.today);
        let end = if retired { model.retired } else { model.ends };
        let end = end.map_or_else(String::new, |day| day.to_string());
        let name = if model.listed { redact_keys(&model.id) } else { "any other".to_owned() };
        if name.chars().count() > MODEL_COLUMNS {
            wrap(&name, "  ", lines);
            lines.push(row("", numbers, model.structured.name(), &end));
        } else {
            lines.push(row(&name, numbers, model.structured.name(), &end));
        }
        for remark in self.remarks(model) {
            wrap(&remark, "    ", lines);
        }
    }

    fn remarks(&self, model: &ModelInfo) -> Vec<String> {
        let mut remarks = Vec::new();
        let successor =
            model.successor.as_deref().map(|successor| format!("use {}:{}", model.provider, redact_keys(successor)));
        match (model.is_retired(self.today), model.end_warning(self.today), successor) {
            (true, _, Some(successor)) => remarks.push(format!("retired; {successor}")),
            (true, _, None) => remarks.push("retired".to_owned()),
            (false, Some(warning), _) => remarks.push(warning),
            (false, None, _) => {}
        }
        if let Some(long) = model.price.and_then(|price| price.long) {
            let above = grouped(long.above);
            remarks.push(format!("prompts above {above} tokens: {} input, {} output", long.input, long.output));
        }
        let names: Vec<String> = model.aliases.iter().chain(&model.snapshots).map(|name| redact_keys(name)).collect();
        if !names.is_empty() {
            remarks.push(format!("also {}", names.join(", ")));
        }
        remarks.extend(model.note.as_deref().map(redact_keys));
        remarks
    }

    /// The list as JSON.
    pub fn json(&self) -> Value {
        let providers = self.table.providers().zip(&self.keys).map(|(provider, key)| {
            let models: Vec<Value> = self.table.models(&provider.name).map(|model| self.model_json(model)).collect();
            let mut value = json!(provider);
            value["key_state"] = json!(key);
            value["models"] = Value::Array(models);
            value
        });
        json!({ "schema": "carelock/judges/1", "today": self.today, "providers": providers.collect::<Vec<_>>() })
    }

    fn model_json(&self, model: &ModelInfo) -> Value {
        let mut value = json!(model);
        value["state"] = match (model.is_retired(self.today), model.end_warning(self.today)) {
            (true, _) => json!("retired"),
            (false, Some(_)) => json!("ending"),
            (false, None) => json!("served"),
        };
        value
    }
}

/// A line of the table; numbers too wide for their columns give the columns up.
fn row(model: &str, numbers: [String; 5], structured: &str, end: &str) -> String {
    let [context, answer, input, cached, output] = numbers;
    let line = format!(
        "  {model:<MODEL_COLUMNS$} {context:>10} {answer:>8} {input:>6} {cached:>6} {output:>6}  {structured:<18}  {end:<10}"
    );
    let line = line.trim_end();
    if line.chars().count() <= COLUMNS {
        return line.to_owned();
    }
    let mut lines = Vec::new();
    wrap(&line.split_whitespace().collect::<Vec<_>>().join(" "), "  ", &mut lines);
    lines.join("\n")
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Adds text in lines of at most 100 columns; a word longer than a line is broken.
fn wrap(text: &str, indent: &str, lines: &mut Vec<String>) {
    let wrapped = carelock_core::report::wrap(text, COLUMNS - indent.len());
    lines.extend(wrapped.into_iter().map(|line| format!("{indent}{line}")));
}

#[cfg(test)]
#[path = "listing_tests.rs"]
mod tests;
