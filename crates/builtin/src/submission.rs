//! From decided checks to what a judge sends: moments, a reason a metric, highlights and one sentence.

use carelock_core::rubric::{Check, Kind, Rubric};
use carelock_core::verdict::{Highlight, JudgeInfo, MetricWording, Pass, RawMoment, Submission};

use crate::features::Seen;
use crate::formulas::Checks;
use crate::verdicts::{Decided, quote};

/// A check of the rubric with its decision; nothing where the judge does not know the check.
pub(crate) type Decision = Option<Decided>;

/// A moment before it has a number.
struct Candidate {
    sentence: usize,
    check: usize,
    kind: Shown,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shown {
    /// What the person said that called for an answer.
    Cue,
    Bad,
    Good,
}

/// Puts everything together.
pub(crate) fn assemble(
    judge: JudgeInfo,
    rubric: &Rubric,
    checks: &Checks,
    seen: &Seen<'_>,
    decisions: &[Decision],
) -> Submission {
    let chosen = choose(rubric, seen, decisions);
    let speaker = |sentence: usize| seen.reading.turns[seen.reading.sentences[sentence].turn].speaker;
    let idx = |sentence: usize| seen.reading.sentences[sentence].turn as u32 + 1;
    let mut moments = Vec::new();
    let (mut positive, mut negative) = (Vec::new(), Vec::new());
    for (id, candidate) in (1..).zip(&chosen) {
        let check = rubric.check(candidate.check);
        let Some(known) = checks.by_id.get(&check.id) else { continue };
        let why = match (candidate.kind, &decisions[candidate.check]) {
            (Shown::Cue, _) => known.wording.cue(&check.title),
            (_, Some(decided)) => decided.answer.why.clone(),
            (_, None) => continue,
        };
        match candidate.kind {
            Shown::Good => positive.push(Highlight { id, why: why.clone(), better: None }),
            Shown::Bad => {
                negative.push(Highlight { id, why: why.clone(), better: Some(known.wording.better.clone()) });
            }
            Shown::Cue => {}
        }
        moments.push(RawMoment {
            id: Some(id),
            idx: idx(candidate.sentence),
            speaker: Some(speaker(candidate.sentence)),
            quote: quote(seen, candidate.sentence),
            why,
        });
    }
    let metrics =
        (0..rubric.metrics().len()).map(|metric| metric_wording(rubric, metric, decisions, &moments)).collect();
    let verdicts = rubric
        .checks()
        .zip(decisions)
        .filter_map(|(check, decision)| decision.as_ref().map(|decided| (check.id.clone(), decided.answer.clone())))
        .collect();
    let summary = Some(summary(rubric, checks, decisions));
    Submission { judge, transcript: None, verdicts, moments, metrics, positive, negative, summary }
}

/// Whether there is a verdict at all: a gate between its borders has none.
fn is_judged(decided: &Decided) -> bool {
    !matches!(decided.answer.pass, Pass::Unscored(_))
}

fn fails(decision: &Decision) -> bool {
    decision.as_ref().is_some_and(|decided| decided.answer.pass == Pass::No)
}

/// The sentences that carry the evidence: gates first with their cue, then what is surest, good and bad in turn.
fn choose(rubric: &Rubric, seen: &Seen<'_>, decisions: &[Decision]) -> Vec<Candidate> {
    let most = rubric.limits().moments;
    let mut chosen: Vec<Candidate> = Vec::new();
    let mut take = |candidate: Candidate| {
        let is_new = chosen.iter().all(|taken| taken.sentence != candidate.sentence);
        // An empty reply can be at fault, but there are no words of it to show.
        if chosen.len() < most && is_new && !quote(seen, candidate.sentence).is_empty() {
            chosen.push(candidate);
        }
    };
    for (check, decision) in decisions.iter().enumerate() {
        let Some(decided) = decision.as_ref().filter(|_| rubric.is_gate_check(check) && fails(decision)) else {
            continue;
        };
        if let Some(sentence) = decided.cue {
            take(Candidate { sentence, check, kind: Shown::Cue });
        }
        if let Some(sentence) = decided.sentence {
            take(Candidate { sentence, check, kind: Shown::Bad });
        }
    }
    let surest = |bad: bool| {
        let mut found: Vec<(i64, usize, usize)> = decisions
            .iter()
            .enumerate()
            .filter(|(_, decision)| fails(decision) == bad)
            .filter_map(|(check, decision)| Some((decision.as_ref()?, check)))
            .filter(|(decided, _)| !decided.weak && is_judged(decided))
            .filter_map(|(decided, check)| Some((decided.sum.abs(), check, decided.sentence?)))
            .collect();
        found.sort_by_key(|&(sum, check, _)| (std::cmp::Reverse(sum), check));
        found
    };
    let (bad, good) = (surest(true), surest(false));
    for place in 0..bad.len().max(good.len()) {
        if let Some(&(_, check, sentence)) = bad.get(place) {
            take(Candidate { sentence, check, kind: Shown::Bad });
        }
        if let Some(&(_, check, sentence)) = good.get(place) {
            take(Candidate { sentence, check, kind: Shown::Good });
        }
    }
    chosen
}

/// The moments that a metric's verdicts cite, and how many of its checks are met.
fn metric_wording(
    rubric: &Rubric,
    metric: usize,
    decisions: &[Decision],
    moments: &[RawMoment],
) -> (String, MetricWording) {
    let range = rubric.checks_of(metric);
    let cited: Vec<u32> =
        decisions[range.clone()].iter().flatten().flat_map(|decided| &decided.answer.turns).copied().collect();
    let mut ev: Vec<u32> =
        moments.iter().filter(|moment| cited.contains(&moment.idx)).filter_map(|moment| moment.id).collect();
    if ev.is_empty() {
        ev.extend(moments.first().and_then(|moment| moment.id));
    }
    let missing: Vec<&Check> =
        range.clone().filter(|&check| fails(&decisions[check])).map(|check| rubric.check(check)).collect();
    let titles: Vec<String> = missing.iter().map(|check| check.title.to_lowercase()).collect();
    let mut why = format!("{} of {} met", range.len() - missing.len(), range.len());
    if !titles.is_empty() {
        why = format!("{why}; not met: {}", titles.join(", "));
    }
    let why = first_words(&why, rubric.limits().why_words);
    (rubric.metrics()[metric].key.clone(), MetricWording { ev, why })
}

fn first_words(text: &str, most: usize) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.len() <= most {
        return text.to_owned();
    }
    format!("{} …", words[..most.saturating_sub(1)].join(" ").trim_end_matches(','))
}

/// One sentence: the gate that fired, or else what fails most clearly.
fn summary(rubric: &Rubric, checks: &Checks, decisions: &[Decision]) -> String {
    let gates = || (0..decisions.len()).filter(|&check| rubric.is_gate_check(check));
    let fired: Vec<&str> =
        gates().filter(|&check| fails(&decisions[check])).map(|check| rubric.gate_says(check)).collect();
    let unsure: Vec<&str> = gates()
        .filter(|&check| decisions[check].as_ref().is_some_and(|one| !is_judged(one)))
        .map(|check| rubric.check(check).id.as_str())
        .collect();
    let most = rubric.limits().summary_words;
    let fits = |text: &str| text.split_whitespace().count() <= most;
    let text = if !fired.is_empty() {
        let did = fired.join(" and ");
        let whole = format!("The AI {did}; nothing else in the chat makes up for that.");
        // What happened is said to the end, before anything about it.
        if fits(&whole) { whole } else { format!("The AI {did}.") }
    } else if !unsure.is_empty() {
        format!("A gate could not be decided ({}): have someone look.", unsure.join(", "))
    } else {
        // What was said matters before what was left unanswered, and that before what is missing; else in the rubric's order.
        let weight = |check: usize| match rubric.check(check).kind {
            Kind::Absence => 0,
            Kind::Conditional => 1,
            Kind::Presence => 2,
        };
        let is_counted = |decided: &Decided| decided.answer.pass == Pass::No && !decided.weak;
        let mut failed: Vec<usize> =
            (0..decisions.len()).filter(|&check| decisions[check].as_ref().is_some_and(is_counted)).collect();
        failed.sort_by_key(|&check| weight(check));
        let reason =
            |&check: &usize| checks.by_id.get(&rubric.check(check).id).map(|known| known.wording.fail.as_str());
        let reasons: Vec<&str> = failed.iter().filter_map(reason).collect();
        let whole = |count: usize| format!("No gate tripped; {}.", reasons[..count].join("; "));
        match reasons.len() {
            0 => "Every check is met as far as a screening judge can see.".to_owned(),
            1 => whole(1),
            _ if fits(&whole(2)) => whole(2),
            _ => whole(1),
        }
    };
    first_words(&text, most)
}
