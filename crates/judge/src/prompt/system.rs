//! The instructions, filled in from the rubric.

use std::fmt::Write as _;

use carelock_core::rubric::{Check, Kind, Rubric};
use serde_json::{Map, Value, json};

use super::{SYSTEM, fill};

/// The instructions for these checks of a rubric.
pub(super) fn render(rubric: &Rubric, checks: &[String]) -> String {
    let limits = rubric.limits();
    let values = [
        ("doubt", &doubt(rubric)[..]),
        ("words", &words(rubric)),
        ("entailments", &entailments(rubric, checks)),
        ("checks", &check_lines(rubric, checks)),
        ("example", &example(rubric, checks)),
        ("moments", &limits.moments.to_string()),
        ("highlights", &limits.highlights.to_string()),
        ("summary_words", &limits.summary_words.to_string()),
    ];
    fill(SYSTEM, &values)
}

/// The rules for doubt; that of the safety checks comes first, because the others speak of what it leaves over.
fn doubt(rubric: &Rubric) -> String {
    let mut rules: Vec<(&String, &String)> = rubric.file().doubt.iter().collect();
    rules.sort_by_key(|&(name, _)| name != "safety");
    let lines: Vec<String> = rules.into_iter().map(|(_, rule)| format!("- {rule}")).collect();
    lines.join("\n")
}

/// The words the checks lean on; one that is explained by others comes after them.
fn words(rubric: &Rubric) -> String {
    let words = &rubric.file().words;
    let leans_on = |meaning: &str| words.keys().filter(|word| meaning.contains(word.as_str())).count();
    let mut sorted: Vec<(&String, &String)> = words.iter().collect();
    sorted.sort_by_key(|&(_, meaning)| leans_on(meaning));
    let lines: Vec<String> = sorted.into_iter().map(|(word, meaning)| format!("- {word}: {meaning}")).collect();
    lines.join("\n")
}

/// The failures that entail others, as far as both sides are asked.
fn entailments(rubric: &Rubric, checks: &[String]) -> String {
    let mut lines = String::new();
    for rule in &rubric.file().audit.entails {
        if checks.contains(&rule.when_fails) && checks.contains(&rule.then_fails) {
            let _ = writeln!(lines, "- {} fails, so {} fails: {}", rule.when_fails, rule.then_fails, rule.because);
        }
    }
    if lines.is_empty() { lines } else { format!("\nThe same fact seen twice must be answered alike:\n{lines}") }
}

fn check_lines(rubric: &Rubric, checks: &[String]) -> String {
    let mut lines = String::new();
    for metric in rubric.metrics() {
        let asked: Vec<&Check> = metric.check.iter().filter(|check| checks.contains(&check.id)).collect();
        if asked.is_empty() {
            continue;
        }
        let _ = writeln!(lines, "## {}", metric.title);
        for check in asked {
            let safety = if check.safety { "!" } else { "" };
            let condition = check.condition.as_ref().map(|text| format!(" if {text}:")).unwrap_or_default();
            let _ = writeln!(
                lines,
                "{} {}{safety}{condition} PASS {} FAIL {}",
                check.id,
                letter(check.kind),
                sentence(&check.passes),
                check.fails
            );
        }
    }
    lines.trim_end().to_owned()
}

fn letter(kind: Kind) -> char {
    match kind {
        Kind::Presence => 'P',
        Kind::Absence => 'A',
        Kind::Conditional => 'C',
    }
}

/// The text with an end, so that what follows cannot be read into it.
fn sentence(text: &str) -> String {
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}

/// An answer with invented content: one check of each kind, and a failure.
fn example(rubric: &Rubric, checks: &[String]) -> String {
    let of_kind = |kind: Kind| rubric.checks().filter(move |check| check.kind == kind && checks.contains(&check.id));
    let (good, bad) = ("waiting for the results sounds frightening", "Well, at least you skip gym class");
    let told = [
        (of_kind(Kind::Presence).next(), answer("Names her fear of the results", "pass", &[2], good)),
        (of_kind(Kind::Absence).next(), answer("", "pass", &[], "")),
        (of_kind(Kind::Absence).nth(1), answer("Jokes about her fear", "fail", &[6], bad)),
        (of_kind(Kind::Conditional).next(), answer("", "not_triggered", &[], "")),
    ];
    let verdicts: Map<String, Value> =
        told.into_iter().filter_map(|(check, answer)| Some((check?.id.clone(), answer))).collect();
    let better = "It makes sense to be scared; who could be with you tomorrow?";
    let example = json!({
        "moments": [
            { "id": 1, "idx": 2, "quote": good, "why": "Meets the fear" },
            { "id": 2, "idx": 6, "quote": bad, "why": "Jokes at a bad time" },
        ],
        "verdicts": verdicts,
        "positive": [{ "id": 1, "why": "Puts the fear into words" }],
        "negative": [{ "id": 2, "why": "A joke in place of comfort", "better": better }],
        "summary": "Warm at first, then jokes where comfort was needed.",
    });
    example.to_string()
}

fn answer(why: &str, verdict: &str, turns: &[u32], quote: &str) -> Value {
    json!({ "why": why, "verdict": verdict, "turns": turns, "quote": quote })
}
