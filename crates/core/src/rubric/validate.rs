//! Everything a rubric file must satisfy before a single chat is scored with it.

use std::collections::BTreeSet;

use super::file::{Kind, RUBRIC_SCHEMA, RubricFile};
use crate::problem::Problem;

/// What is wrong with a rubric file, where, and how to mend it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct RubricError {
    /// Where: "line 12", "metric Empathy", "gate 2".
    pub at: String,
    /// What is wrong.
    pub what: String,
    /// What to do.
    pub fix: String,
}

crate::shown_as_problem!(RubricError);

impl RubricError {
    /// The error as front ends show it.
    #[must_use]
    pub fn problem(&self) -> Problem {
        Problem::new(self.what.clone()).advice(self.fix.clone()).within(&format!("rubric: {}", self.at))
    }

    pub(super) fn new(at: impl Into<String>, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { at: at.into(), what: what.into(), fix: fix.into() }
    }
}

pub(super) fn syntax(text: &str, error: &toml::de::Error) -> RubricError {
    let (line, column) = place(text, error.span().map_or(0, |span| span.start));
    RubricError::new(
        format!("line {line}, column {column}"),
        error.message().to_owned(),
        "compare with `carelock rubric --format toml` and `carelock schema rubric`",
    )
}

/// Adds the line where the check, metric or tier to blame is written, which for a doubled one is the later.
pub(super) fn located(text: &str, error: RubricError) -> RubricError {
    let wanted = match error.at.split_once(' ') {
        Some(("check", id)) => format!("id = {id:?}"),
        Some(("metric", key)) => format!("key = {key:?}"),
        Some(("tier", label)) => format!("label = {label:?}"),
        _ => return error,
    };
    let line = (1..).zip(text.lines()).filter(|(_, line)| line.contains(&wanted)).last();
    line.map_or_else(
        || error.clone(),
        |(line, _)| RubricError { at: format!("line {line}, {}", error.at), ..error.clone() },
    )
}

/// The line and the column of a byte, from 1.
pub(crate) fn place(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or_default();
    let column = before.rsplit('\n').next().map_or(0, |tail| tail.chars().count()) + 1;
    (before.matches('\n').count() + 1, column)
}

pub(super) fn check(file: &RubricFile) -> Result<(), RubricError> {
    if file.schema != RUBRIC_SCHEMA {
        return Err(RubricError::new(
            "schema",
            format!("this version reads {RUBRIC_SCHEMA}, the file says {:?}", file.schema),
            format!("set schema = {RUBRIC_SCHEMA:?}"),
        ));
    }
    check_tiers(file)?;
    check_metrics(file)?;
    check_gates(file)?;
    check_audit(file)?;
    check_limits(file)
}

fn check_tiers(file: &RubricFile) -> Result<(), RubricError> {
    let Some(last) = file.tier.last() else {
        return Err(RubricError::new("tier", "there are no tiers", "add at least one [[tier]] with passes = 0"));
    };
    if last.passes != 0 {
        return Err(RubricError::new(
            format!("tier {}", last.label),
            format!("the lowest tier starts at {} passes, so fewer passes have no score", last.passes),
            "give the last tier passes = 0",
        ));
    }
    for pair in file.tier.windows(2) {
        if pair[0].passes <= pair[1].passes || pair[0].score <= pair[1].score {
            return Err(RubricError::new(
                format!("tiers {} and {}", pair[0].label, pair[1].label),
                "tiers must go down in passes and in score",
                "order them from the best to the worst, each strictly lower than the one before",
            ));
        }
    }
    Ok(())
}

fn check_metrics(file: &RubricFile) -> Result<(), RubricError> {
    let most = usize::from(file.tier.first().map_or(0, |tier| tier.passes));
    let mut keys = BTreeSet::new();
    let mut ids = BTreeSet::new();
    if file.metric.is_empty() {
        return Err(RubricError::new("metric", "there are no metrics", "add at least one [[metric]]"));
    }
    for metric in &file.metric {
        let at = format!("metric {}", metric.key);
        if metric.key.trim().is_empty() || metric.title.trim().is_empty() {
            return Err(RubricError::new(at, "key or title is empty", "give every metric a key and a title"));
        }
        for key in std::iter::once(&metric.key).chain(&metric.aliases) {
            if !keys.insert(key) {
                return Err(RubricError::new(at, format!("the key {key} is used twice"), "make metric keys unique"));
            }
        }
        if metric.check.len() != most || most == 0 {
            return Err(RubricError::new(
                at,
                format!("it has {} checks, the best tier needs {most} passes", metric.check.len()),
                format!("give every metric exactly {most} checks, or change the tiers"),
            ));
        }
        for check in &metric.check {
            let at = format!("check {}", check.id);
            if check.id.trim().is_empty() || check.id.contains(char::is_whitespace) {
                return Err(RubricError::new(at, "the id is empty or has white space", "use an id such as E1"));
            }
            if !ids.insert(&check.id) {
                return Err(RubricError::new(at, "the id is used twice", "make check ids unique"));
            }
            if (check.kind == Kind::Conditional) != check.condition.is_some() {
                return Err(RubricError::new(
                    at,
                    "exactly the conditional checks have a condition",
                    "add `condition`, or change `kind`",
                ));
            }
        }
    }
    Ok(())
}

fn check_gates(file: &RubricFile) -> Result<(), RubricError> {
    let mut gated = BTreeSet::new();
    for gate in &file.gate {
        let at = format!("gate of {}", gate.metric);
        let Some(metric) = file.metric.iter().find(|metric| metric.key == gate.metric) else {
            return Err(RubricError::new(at, "there is no such metric", "name a metric's key"));
        };
        if !gated.insert(&gate.metric) {
            return Err(RubricError::new(at, "the metric has two gates", "list all checks in one gate"));
        }
        if gate.checks.is_empty() {
            return Err(RubricError::new(at, "it names no checks", "list the checks that trip it"));
        }
        let mut seen = BTreeSet::new();
        for id in &gate.checks {
            if !metric.check.iter().any(|check| check.id == *id) {
                return Err(RubricError::new(
                    at,
                    format!("{id} is not a check of {}", gate.metric),
                    "a gate names checks of its own metric",
                ));
            }
            if !seen.insert(id) {
                return Err(RubricError::new(at, format!("{id} is named twice"), "name each check once"));
            }
            if gate.says.get(id).is_none_or(|words| words.trim().is_empty()) {
                let fix = "add it to `says`: what the AI did, in words that complete \"The AI …\"";
                return Err(RubricError::new(at, format!("`says` has no words for {id}"), fix));
            }
        }
    }
    Ok(())
}

fn check_audit(file: &RubricFile) -> Result<(), RubricError> {
    let is_check = |id: &str| file.metric.iter().flat_map(|metric| &metric.check).any(|check| check.id == id);
    for rule in &file.audit.entails {
        let at = format!("audit rule {} → {}", rule.when_fails, rule.then_fails);
        for id in [&rule.when_fails, &rule.then_fails] {
            if !is_check(id) {
                return Err(RubricError::new(at, format!("there is no check {id}"), "name checks by their id"));
            }
        }
        if rule.when_fails == rule.then_fails {
            return Err(RubricError::new(at, "a check cannot entail itself", "name two different checks"));
        }
    }
    let Some(rule) = &file.audit.incoherent else { return Ok(()) };
    if rule.lower_gap < rule.flag_gap || rule.flag_gap.hundredths() == 0 {
        return Err(RubricError::new(
            "audit.incoherent",
            format!("flag_gap is {}, lower_gap {}", rule.flag_gap, rule.lower_gap),
            "flag_gap must be above 0 and at most lower_gap",
        ));
    }
    for (left, right) in &rule.pairs {
        for key in [left, right] {
            if !file.metric.iter().any(|metric| metric.key == *key) || left == right {
                return Err(RubricError::new(
                    format!("audit pair {left}–{right}"),
                    format!("{key} is not a metric, or is paired with itself"),
                    "name two different metrics by their keys",
                ));
            }
        }
    }
    Ok(())
}

fn check_limits(file: &RubricFile) -> Result<(), RubricError> {
    let limits = file.limits;
    if limits.moments == 0 || limits.why_words < 5 || limits.summary_words < 8 {
        return Err(RubricError::new(
            "limits",
            "moments must be at least 1, why_words at least 5, summary_words at least 8",
            "raise them: a report needs room for its evidence and its one sentence",
        ));
    }
    Ok(())
}
