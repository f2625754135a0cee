//! How a verdict came about, as data.

use carelock_core::verdict::Pass;
use serde::Serialize;

use crate::checks::{Checks, KnownCheck};
use crate::features::Seen;
use crate::verdicts::{Decided, quote};

/// Everything that went into the verdict on one check.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The check.
    pub check: String,
    /// Whether it passes; nothing where it could not be judged.
    pub pass: Option<bool>,
    /// What that rests on: `observed`, `absent`, `not_triggered`, or why it was not judged.
    pub basis: String,
    /// How sure the judge is: `high`, `medium` or `low`.
    pub confidence: String,
    /// The sentences that speak for or against, the strongest first.
    pub sentences: Vec<Considered>,
    /// What was added up, the weightiest first. Positive numbers speak for a failure.
    pub contributions: Vec<Contribution>,
    /// The sum of the contributions, in thousandths. Above zero the check fails.
    pub sum: i64,
    /// What the judge would say in a report.
    pub why: String,
}

/// A sentence that was considered, with the acts recognised in it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Considered {
    /// The turn.
    pub turn: u32,
    /// The words, verbatim.
    pub quote: String,
    /// Acts recognised in it, with their probability in thousandths, the likeliest first.
    pub acts: Vec<(String, u16)>,
}

/// One summand of a verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Contribution {
    /// What was looked at, in words.
    pub what: String,
    /// How strong it was, in thousandths.
    pub value: i64,
    /// What it counts for, in thousandths.
    pub weight: i64,
    /// Value times weight, in thousandths.
    pub adds: i64,
}

/// The most sentences and summands shown.
const SHOWN: usize = 12;

/// From this probability on (thousandths) an act counts as recognised in a sentence.
const RECOGNISED: u16 = 500;

impl Explanation {
    pub(crate) fn unread(check: &str, reason: &str) -> Self {
        Self {
            check: check.to_owned(),
            pass: None,
            basis: format!("unscored: {reason}"),
            confidence: "low".to_owned(),
            sentences: Vec::new(),
            contributions: Vec::new(),
            sum: 0,
            why: reason.to_owned(),
        }
    }
}

/// Puts the explanation of a decided check together.
pub(crate) fn explain(
    id: &str,
    known: &KnownCheck,
    checks: &Checks,
    seen: &Seen<'_>,
    values: &[i64],
    decided: &Decided,
) -> Explanation {
    let mut contributions: Vec<Contribution> = known
        .weights
        .iter()
        .map(|&(place, weight)| Contribution {
            what: checks.features[place].describe(seen.heads),
            value: values[place],
            weight,
            adds: weight * values[place] / 1000,
        })
        .filter(|contribution| contribution.adds != 0)
        .collect();
    contributions.sort_by_key(|contribution| std::cmp::Reverse(contribution.adds.abs()));
    let rest: i64 = contributions.iter().skip(SHOWN).map(|contribution| contribution.adds).sum();
    let count = contributions.len().saturating_sub(SHOWN);
    contributions.truncate(SHOWN);
    let line = |what: String, adds: i64| Contribution { what, value: 1000, weight: adds, adds };
    if count > 0 {
        contributions.push(line(format!("{count} smaller ones together"), rest));
    }
    contributions.push(line("to begin with".to_owned(), known.bias));
    let answer = &decided.answer;
    Explanation {
        check: id.to_owned(),
        pass: Some(answer.pass != Pass::No),
        basis: answer.basis.map_or_else(String::new, |basis| basis.to_string()),
        confidence: answer.confidence.map_or_else(String::new, |confidence| confidence.to_string()),
        sentences: considered(known, seen),
        contributions,
        sum: decided.sum,
        why: answer.why.clone(),
    }
}

/// The sentences in which anything the check looks for is recognised, the likeliest first.
fn considered(known: &KnownCheck, seen: &Seen<'_>) -> Vec<Considered> {
    let wanted: Vec<usize> = known.shows.iter().chain(&known.breaks).chain(&known.asks).copied().collect();
    let mut found: Vec<(u16, Considered)> = Vec::new();
    for sentence in 0..seen.reading.sentences.len() {
        let turn = seen.reading.sentences[sentence].turn;
        let speaker = seen.reading.turns[turn].speaker;
        let mut acts: Vec<(String, u16)> = wanted
            .iter()
            .filter(|&&head| seen.heads.speaker(head) == speaker)
            .map(|&head| (seen.heads.name(head).to_owned(), seen.signs.in_sentence(sentence, head)))
            .filter(|&(_, probability)| probability >= RECOGNISED)
            .collect();
        acts.sort_by_key(|(_, probability)| std::cmp::Reverse(*probability));
        acts.dedup_by(|left, right| left.0 == right.0);
        if let Some(&(_, strongest)) = acts.first() {
            found.push((strongest, Considered { turn: turn as u32 + 1, quote: quote(seen, sentence), acts }));
        }
    }
    found.sort_by_key(|(strongest, _)| std::cmp::Reverse(*strongest));
    found.into_iter().take(SHOWN).map(|(_, considered)| considered).collect()
}
