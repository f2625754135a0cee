//! The judges on offer: the embedded one, those the settings name, and the models of every known provider.

use carelock_core::problem::Remedy;
use carelock_engine::config::Config;
use carelock_engine::error::problem;
use carelock_engine::judging::JudgeKind;
use carelock_judge::provider::{KeyNeed, ProviderInfo};
use carelock_judge::wire::redact_keys;

use super::form::JudgeForm;
use crate::words::PageWords;

/// A judge that can be chosen, or why it cannot.
pub(super) struct Choice {
    pub(super) value: String,
    pub(super) label: String,
    pub(super) price: String,
    pub(super) is_checked: bool,
}

/// Judges of one provider.
pub(super) struct Group {
    pub(super) title: String,
    /// What is missing before they can be asked; empty where nothing is.
    pub(super) missing: String,
    pub(super) choices: Vec<Choice>,
}

/// All judges beside the embedded one.
pub(super) struct Choices {
    pub(super) ready: Vec<Group>,
    pub(super) missing: Vec<Group>,
    pub(super) embedded: bool,
}

impl Choices {
    pub(super) fn new(config: &Config, sent: &JudgeForm) -> Self {
        let is_checked = |value: &str| sent.judges.iter().any(|judge| judge == value);
        let mut choices = Self { ready: Vec::new(), missing: Vec::new(), embedded: is_checked(carelock_builtin::NAME) };
        let (mut named, mut unready) = (Vec::new(), Vec::new());
        for name in &config.settings().judging.judges {
            let Ok(kind) = JudgeKind::parse(name) else { continue };
            let Some(spec) = kind.model() else { continue };
            let value = kind.to_string();
            let label = redact_keys(&value);
            let asked = config.resolve(spec, false).and_then(|resolved| config.auth_for(&resolved).map(drop));
            let choice = Choice { is_checked: is_checked(&value), value, label, price: String::new() };
            match asked {
                Ok(()) => named.push(choice),
                Err(error) => unready.push((choice, first_line(&error))),
            }
        }
        if !named.is_empty() {
            let title = "Named in the settings of this server".to_owned();
            choices.ready.push(Group { title, missing: String::new(), choices: named });
        }
        for (choice, missing) in unready {
            let title = "Named in the settings of this server".to_owned();
            choices.missing.push(Group { title, missing, choices: vec![choice] });
        }
        for provider in config.table().providers() {
            choices.add(config, provider, &is_checked);
        }
        choices
    }

    fn add(&mut self, config: &Config, provider: &ProviderInfo, is_checked: &dyn Fn(&str) -> bool) {
        let today = config.today();
        let models = config.table().models(&provider.name);
        let models = models.filter(|model| model.listed && !model.is_retired(today));
        let choices: Vec<Choice> = models
            .map(|model| {
                let value = format!("{}:{}", provider.name, model.id);
                let price = model.price.map(|price| format!("${} in, ${} out", price.input, price.output));
                let (label, is_checked) = (redact_keys(&model.id), is_checked(&value));
                Choice { value, label, price: price.unwrap_or_default(), is_checked }
            })
            .collect();
        if choices.is_empty() {
            return;
        }
        let title = redact_keys(&provider.title);
        if provider.key == KeyNeed::Required && config.key_for(provider).is_none() {
            let missing = format!("no key: set {}", provider.key_variables.join(" or "));
            self.missing.push(Group { title, missing, choices });
        } else {
            self.ready.push(Group { title, missing: String::new(), choices });
        }
    }

    /// Whether this judge can be chosen.
    pub(super) fn offers(&self, judge: &str) -> bool {
        let mut ready = self.ready.iter().flat_map(|group| &group.choices);
        judge == carelock_builtin::NAME || ready.any(|choice| choice.value == judge)
    }
}

/// Why a judge cannot be asked, on one line.
fn first_line(error: &anyhow::Error) -> String {
    let problem = problem(error);
    match problem.remedy.as_deref() {
        Some(Remedy::SetKey { variables, .. }) => format!("{}: set {}", problem.what(), variables.join(" or ")),
        Some(remedy) => format!("{}: {}", problem.what(), remedy.worded(&PageWords)),
        None => problem.what(),
    }
}
