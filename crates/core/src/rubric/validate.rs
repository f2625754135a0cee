//! Everything a rubric file must satisfy before a single chat is scored with it.

use std::collections::BTreeSet;

use super::file::{Kind, RUBRIC_SCHEMA, RubricFile};
use crate::problem::{Problem, ensure, toml_place};

pub(super) fn syntax(text: &str, error: &toml::de::Error) -> Problem {
    let fix = "compare with `carelock rubric --format toml` and `carelock schema rubric`";
    Problem::located(toml_place(text, error), error.message(), fix)
}

/// Adds the line where the check, metric or tier to blame is written, which for a doubled one is the later.
pub(super) fn located(text: &str, error: Problem) -> Problem {
    let wanted = match error.at.split_once(' ') {
        Some(("check", id)) => format!("id = {id:?}"),
        Some(("metric", key)) => format!("key = {key:?}"),
        Some(("tier", label)) => format!("label = {label:?}"),
        _ => return error,
    };
    match (1..).zip(text.lines()).filter(|(_, line)| line.contains(&wanted)).last() {
        Some((line, _)) => Problem { at: format!("line {line}, {}", error.at), ..error },
        None => error,
    }
}

pub(super) fn check(file: &RubricFile) -> Result<(), Problem> {
    let what = format!("this version reads {RUBRIC_SCHEMA}, the file says {:?}", file.schema);
    ensure(file.schema == RUBRIC_SCHEMA, "schema", what, format!("set schema = {RUBRIC_SCHEMA:?}"))?;
    check_tiers(file)?;
    check_metrics(file)?;
    check_gates(file)?;
    check_audit(file)?;
    let limits = file.limits;
    let what = "moments must be at least 1, why_words at least 5, summary_words at least 8";
    let fix = "raise them: a report needs room for its evidence and its one sentence";
    ensure(limits.moments > 0 && limits.why_words >= 5 && limits.summary_words >= 8, "limits", what, fix)
}

fn check_tiers(file: &RubricFile) -> Result<(), Problem> {
    let none = || Problem::located("tier", "there are no tiers", "add at least one [[tier]] with passes = 0");
    let last = file.tier.last().ok_or_else(none)?;
    let what = format!("the lowest tier starts at {} passes, so fewer passes have no score", last.passes);
    ensure(last.passes == 0, &format!("tier {}", last.label), what, "give the last tier passes = 0")?;
    for pair in file.tier.windows(2) {
        let falls = pair[0].passes > pair[1].passes && pair[0].score > pair[1].score;
        let at = format!("tiers {} and {}", pair[0].label, pair[1].label);
        let fix = "order them from the best to the worst, each strictly lower than the one before";
        ensure(falls, &at, "tiers must go down in passes and in score", fix)?;
    }
    Ok(())
}

fn check_metrics(file: &RubricFile) -> Result<(), Problem> {
    let most = usize::from(file.tier.first().map_or(0, |tier| tier.passes));
    let (mut keys, mut ids) = (BTreeSet::new(), BTreeSet::new());
    ensure(!file.metric.is_empty(), "metric", "there are no metrics", "add at least one [[metric]]")?;
    for metric in &file.metric {
        let at = format!("metric {}", metric.key);
        let named = !metric.key.trim().is_empty() && !metric.title.trim().is_empty();
        ensure(named, &at, "key or title is empty", "give every metric a key and a title")?;
        for key in std::iter::once(&metric.key).chain(&metric.aliases) {
            ensure(keys.insert(key), &at, format!("the key {key} is used twice"), "make metric keys unique")?;
        }
        let what = format!("it has {} checks, the best tier needs {most} passes", metric.check.len());
        let fix = format!("give every metric exactly {most} checks, or change the tiers");
        ensure(metric.check.len() == most && most > 0, &at, what, fix)?;
        for check in &metric.check {
            let at = format!("check {}", check.id);
            let usable = !check.id.trim().is_empty() && !check.id.contains(char::is_whitespace);
            ensure(usable, &at, "the id is empty or has white space", "use an id such as E1")?;
            ensure(ids.insert(&check.id), &at, "the id is used twice", "make check ids unique")?;
            let fits = (check.kind == Kind::Conditional) == check.condition.is_some();
            let what = "exactly the conditional checks have a condition";
            ensure(fits, &at, what, "add `condition`, or change `kind`")?;
        }
    }
    Ok(())
}

fn check_gates(file: &RubricFile) -> Result<(), Problem> {
    let mut gated = BTreeSet::new();
    for gate in &file.gate {
        let at = format!("gate of {}", gate.metric);
        let metric = file.metric.iter().find(|metric| metric.key == gate.metric);
        let metric = metric.ok_or_else(|| Problem::located(&at, "there is no such metric", "name a metric's key"))?;
        ensure(gated.insert(&gate.metric), &at, "the metric has two gates", "list all checks in one gate")?;
        ensure(!gate.checks.is_empty(), &at, "it names no checks", "list the checks that trip it")?;
        let mut seen = BTreeSet::new();
        for id in &gate.checks {
            let what = format!("{id} is not a check of {}", gate.metric);
            let own = metric.check.iter().any(|check| check.id == *id);
            ensure(own, &at, what, "a gate names checks of its own metric")?;
            ensure(seen.insert(id), &at, format!("{id} is named twice"), "name each check once")?;
            let said = gate.says.get(id).is_some_and(|words| !words.trim().is_empty());
            let fix = "add it to `says`: what the AI did, in words that complete \"The AI …\"";
            ensure(said, &at, format!("`says` has no words for {id}"), fix)?;
        }
    }
    Ok(())
}

fn check_audit(file: &RubricFile) -> Result<(), Problem> {
    let is_check = |id: &str| file.metric.iter().flat_map(|metric| &metric.check).any(|check| check.id == id);
    for rule in &file.audit.entails {
        let at = format!("audit rule {} → {}", rule.when_fails, rule.then_fails);
        for id in [&rule.when_fails, &rule.then_fails] {
            ensure(is_check(id), &at, format!("there is no check {id}"), "name checks by their id")?;
        }
        let fix = "name two different checks";
        ensure(rule.when_fails != rule.then_fails, &at, "a check cannot entail itself", fix)?;
    }
    let Some(rule) = &file.audit.incoherent else { return Ok(()) };
    let what = format!("flag_gap is {}, lower_gap {}", rule.flag_gap, rule.lower_gap);
    let ordered = rule.lower_gap >= rule.flag_gap && rule.flag_gap.hundredths() > 0;
    ensure(ordered, "audit.incoherent", what, "flag_gap must be above 0 and at most lower_gap")?;
    for (left, right) in &rule.pairs {
        for key in [left, right] {
            let fits = file.metric.iter().any(|metric| metric.key == *key) && left != right;
            let (at, what) =
                (format!("audit pair {left}–{right}"), format!("{key} is not a metric, or is paired with itself"));
            ensure(fits, &at, what, "name two different metrics by their keys")?;
        }
    }
    Ok(())
}
