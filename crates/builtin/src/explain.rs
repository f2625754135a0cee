//! How a verdict came about, as data: what called for it, what answered it, how sure each was, where the border lies.

use carelock_core::verdict::Pass;
use serde::Serialize;

use crate::features::Seen;
use crate::formulas::{Formula, KnownCheck, Rule};
use crate::gates::Found;
use crate::signals::Signal;
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
    /// The story in sentences: what called for it, what answered it, how sure each was, where the border lies.
    pub story: Vec<String>,
    /// The sentences that speak for or against, the strongest first.
    pub sentences: Vec<Considered>,
    /// What was added up, the weightiest first. Positive numbers speak for a failure, or for what a gate looks for.
    pub contributions: Vec<Contribution>,
    /// How far it is from the border, in thousandths. Above zero the check fails.
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

/// The most sentences shown.
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
            story: Vec::new(),
            sentences: Vec::new(),
            contributions: Vec::new(),
            sum: 0,
            why: reason.to_owned(),
        }
    }
}

/// Puts the explanation of a decided check together.
pub(crate) fn explain(id: &str, known: &KnownCheck, seen: &Seen<'_>, decided: &Decided) -> Explanation {
    let answer = &decided.answer;
    let (story, contributions) = match (&known.rule, &decided.found) {
        (Rule::Sentence(gate), Some(found)) => (sentence_story(seen, found), signal_terms(&gate.signal, seen, found)),
        (Rule::Crisis(gate), Some(found)) => {
            let cue = found.cue.map(|(sentence, _)| sentence);
            let terms = cue.map_or_else(Vec::new, |cue| terms(&gate.cue, seen, cue));
            (crisis_story(seen, found), terms)
        }
        (Rule::Formula(formula), _) if formula.weak => {
            let line = "The judge does no better than a constant guess here, so it gives the codebook's default.";
            (vec![line.to_owned()], Vec::new())
        }
        (Rule::Formula(formula), _) => (formula_story(seen, decided), added_up(formula, seen)),
        _ => (Vec::new(), Vec::new()),
    };
    let (pass, basis) = match &answer.pass {
        Pass::Unscored(reason) => (None, format!("unscored: {reason}")),
        pass => (Some(*pass != Pass::No), answer.basis.map_or_else(String::new, |basis| basis.to_string())),
    };
    Explanation {
        check: id.to_owned(),
        pass,
        basis,
        confidence: answer.confidence.map_or_else(|| "low".to_owned(), |confidence| confidence.to_string()),
        story,
        sentences: considered(known, seen),
        contributions,
        sum: decided.sum,
        why: answer.why.clone(),
    }
}

/// A probability in thousandths as a share of a hundred.
fn percent(probability: i64) -> String {
    format!("{} %", (probability + 5) / 10)
}

fn said(seen: &Seen<'_>, sentence: usize) -> String {
    format!("turn {}: “{}”", seen.reading.sentences[sentence].turn + 1, quote(seen, sentence))
}

fn border(found: &Found) -> String {
    format!(
        "A failure is {} likely. In a chat of this length the check fails from {} on; from {} on somebody should look.",
        percent(found.failure),
        percent(found.borders.fails),
        percent(found.borders.unsure)
    )
}

fn sentence_story(seen: &Seen<'_>, found: &Found) -> Vec<String> {
    let strongest =
        found.acts.first().map(|&(_, sentence, _)| format!("The likeliest sentence is {}", said(seen, sentence)));
    strongest.into_iter().chain([border(found)]).collect()
}

fn crisis_story(seen: &Seen<'_>, found: &Found) -> Vec<String> {
    let mut story = Vec::new();
    if let Some((cue, probability)) = found.cue {
        story.push(format!("What most calls for it is {}, a crisis by {}.", said(seen, cue), percent(probability)));
    }
    for &(what, sentence, probability) in &found.acts {
        story.push(format!("What most {what} is {}, by {}.", said(seen, sentence), percent(probability)));
    }
    story.push(border(found));
    story
}

fn formula_story(seen: &Seen<'_>, decided: &Decided) -> Vec<String> {
    let cue = decided.cue.map(|cue| format!("What calls for it: {}", said(seen, cue)));
    let answer = decided.sentence.map(|sentence| format!("What decides it: {}", said(seen, sentence)));
    cue.into_iter().chain(answer).collect()
}

fn signal_terms(signal: &Signal, seen: &Seen<'_>, found: &Found) -> Vec<Contribution> {
    found.acts.first().map_or_else(Vec::new, |&(_, sentence, _)| terms(signal, seen, sentence))
}

/// What a signal added up in one sentence.
fn terms(signal: &Signal, seen: &Seen<'_>, sentence: usize) -> Vec<Contribution> {
    let term = |name: &str, value: i64, weight: i64| Contribution {
        what: name.replace('_', " "),
        value,
        weight,
        adds: value * weight / 1000,
    };
    let all = signal.terms(seen, sentence).map(|one| term(one.name, one.value, one.weight));
    with_start(all.collect(), signal.start())
}

fn added_up(formula: &Formula, seen: &Seen<'_>) -> Vec<Contribution> {
    let one = |(feature, weight): &(crate::features::Feature, i64)| {
        let value = seen.value(feature);
        Contribution { what: feature.describe(seen.heads), value, weight: *weight, adds: weight * value / 1000 }
    };
    with_start(formula.weights.iter().map(one).collect(), formula.start)
}

fn with_start(mut all: Vec<Contribution>, start: i64) -> Vec<Contribution> {
    all.retain(|contribution| contribution.adds != 0);
    all.sort_by_key(|contribution| std::cmp::Reverse(contribution.adds.abs()));
    all.push(Contribution { what: "to begin with".to_owned(), value: 1000, weight: start, adds: start });
    all
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
