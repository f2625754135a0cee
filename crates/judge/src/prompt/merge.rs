//! Putting the answers on the parts of a chat together, by rules that need no judgement.

use carelock_core::problem::Problem;
use carelock_core::rubric::{Kind, Rubric};
use carelock_core::transcript::Transcript;
use carelock_core::verdict::{
    Answer, Basis, Confidence, Highlight, Judged, Pass, RawMoment, Submission, Verdict, Verdicts,
};

use super::evidence::admitted;
use super::windows::Window;

/// Puts the answers on the parts of one chat together.
///
/// - An absence check fails if it fails in any part, and passes only if it passes in all.
/// - A presence check passes if it passes in any part, and fails only if it fails in all.
/// - A conditional check fails if it fails in any part, passes if it is met in some part and missed in none, and is
///   `not_triggered` only if it is so in all.
/// - Where the rule would need the answer of a part that has none that stands, the check is left unscored.
///
/// Answers count as they stand up to the transcript: a failure on a quote that does not exist fails nothing. Moments of
/// failed gate checks are kept first, then those of other failures. The summary is left to the engine, since no part
/// has seen the whole.
pub fn merge(rubric: &Rubric, transcript: &Transcript, parts: &[(Window, Submission)]) -> Result<Submission, Problem> {
    let [first, rest @ ..] = parts else { return Ok(Submission::default()) };
    if rest.is_empty() {
        return Ok(first.1.clone());
    }
    let read: Vec<Verdicts> =
        parts.iter().map(|(_, submission)| admitted(rubric, transcript, submission)).collect::<Result<_, _>>()?;
    let mut merged = Submission { judge: first.1.judge.clone(), ..Submission::default() };
    for (position, check) in rubric.checks().enumerate() {
        // A check that no part was asked stays unanswered.
        if parts.iter().any(|(_, part)| part.verdicts.iter().any(|(id, _)| *id == check.id)) {
            let verdicts: Vec<&Verdict> = read.iter().map(|verdicts| &verdicts.checks[position]).collect();
            merged.verdicts.push((check.id.clone(), merge_check(check.kind, parts, &verdicts)));
        }
    }
    merge_moments(rubric, parts, &mut merged);
    Ok(merged)
}

fn merge_check(kind: Kind, parts: &[(Window, Submission)], verdicts: &[&Verdict]) -> Answer {
    let judged = |wanted: &dyn Fn(&Judged) -> bool| -> Vec<&Judged> {
        let of = |verdict: &&'_ Verdict| matches!(verdict, Verdict::Judged(judged) if wanted(judged));
        let taken = verdicts.iter().filter(|verdict| of(verdict));
        taken.filter_map(|verdict| if let Verdict::Judged(judged) = verdict { Some(judged) } else { None }).collect()
    };
    let failed = judged(&|judged| !judged.pass);
    let met = judged(&|judged| judged.pass && judged.basis != Basis::NotTriggered);
    let open = parts.iter().zip(verdicts).find_map(|((window, _), verdict)| match verdict {
        Verdict::Unscored(reason) => Some(unscored(*window, reason)),
        Verdict::Judged(_) => None,
    });
    let (deciding, otherwise) = if kind == Kind::Presence { (met, failed) } else { (failed, met) };
    match (joined(&deciding, surest), open) {
        (Some(decided), _) => decided,
        (None, Some(unscored)) => unscored,
        (None, None) => {
            joined(&otherwise, least_sure).unwrap_or_else(|| Answer { pass: Pass::NotTriggered, ..Answer::default() })
        }
    }
}

fn unscored(window: Window, reason: &str) -> Answer {
    let reason = format!("not judged in turns {} to {}: {reason}", window.first, window.last);
    Answer { pass: Pass::Unscored(reason), ..Answer::default() }
}

/// Verdicts that say the same as one answer: all their turns, and the words of the first that has a quote.
///
/// How sure it is follows from how sure they are; it is not known where one of them does not say.
fn joined(verdicts: &[&Judged], sure: fn(Vec<Confidence>) -> Option<Confidence>) -> Option<Answer> {
    let shown = verdicts.iter().find(|judged| judged.quote.is_some()).or(verdicts.first())?;
    let mut turns: Vec<u32> = verdicts.iter().flat_map(|judged| judged.turns.iter().copied()).collect();
    turns.sort_unstable();
    turns.dedup();
    let pass = if shown.pass { Pass::Yes } else { Pass::No };
    let confidence = verdicts.iter().map(|judged| judged.confidence).collect::<Option<Vec<_>>>().and_then(sure);
    Some(Answer { pass, basis: None, turns, quote: shown.quote.clone(), why: shown.why.clone(), confidence })
}

/// Where one part is enough to decide, the surest one does.
fn surest(said: Vec<Confidence>) -> Option<Confidence> {
    said.into_iter().min_by_key(|&confidence| doubt(confidence))
}

/// Where every part is needed, the whole is no surer than the least sure one.
fn least_sure(said: Vec<Confidence>) -> Option<Confidence> {
    said.into_iter().max_by_key(|&confidence| doubt(confidence))
}

fn doubt(confidence: Confidence) -> u8 {
    match confidence {
        Confidence::High => 0,
        Confidence::Medium => 1,
        Confidence::Low => 2,
    }
}

/// Keeps as many moments as the rubric allows, in the order of the chat, and the highlights tied to them. Which became
/// which: part, number there, number now.
pub(crate) fn merge_moments(
    rubric: &Rubric,
    parts: &[(Window, Submission)],
    merged: &mut Submission,
) -> Vec<(usize, u32, u32)> {
    let mut candidates: Vec<(usize, usize, usize, &RawMoment)> = Vec::new();
    for (part, (_, submission)) in parts.iter().enumerate() {
        for (place, moment) in submission.moments.iter().enumerate() {
            let seen = |&(.., other): &(usize, usize, usize, &RawMoment)| {
                other.idx == moment.idx && other.quote == moment.quote
            };
            if !candidates.iter().any(seen) {
                candidates.push((rank(rubric, merged, moment.idx), place, part, moment));
            }
        }
    }
    // Within a rank each part gives its first moment before any gives its second.
    candidates.sort_by_key(|&(rank, place, part, _)| (rank, place, part));
    candidates.truncate(rubric.limits().moments);
    candidates.sort_by_key(|&(_, place, part, moment)| (moment.idx, part, place));
    let mut numbers: Vec<(usize, u32, u32)> = Vec::new();
    for (id, &(_, place, part, moment)) in (1..).zip(&candidates) {
        let theirs = moment.id.unwrap_or_else(|| u32::try_from(place + 1).unwrap_or(u32::MAX));
        numbers.push((part, theirs, id));
        merged.moments.push(RawMoment { id: Some(id), ..moment.clone() });
    }
    let most = rubric.limits().highlights;
    merged.positive = tied(parts, &numbers, most, |part| &part.positive);
    merged.negative = tied(parts, &numbers, most, |part| &part.negative);
    numbers
}

/// 0 for the evidence of a failed gate check, 1 for that of another failure, 2 for the rest.
fn rank(rubric: &Rubric, merged: &Submission, idx: u32) -> usize {
    let failed = merged.verdicts.iter().filter(|(_, answer)| answer.pass == Pass::No && answer.turns.contains(&idx));
    let ranks = failed.map(|(id, _)| usize::from(!rubric.position(id).is_some_and(|at| rubric.is_gate_check(at))));
    ranks.min().unwrap_or(2)
}

/// The highlights whose moment was kept, in the order of the moments.
fn tied(
    parts: &[(Window, Submission)],
    numbers: &[(usize, u32, u32)],
    most: usize,
    of: impl Fn(&Submission) -> &[Highlight],
) -> Vec<Highlight> {
    let mut kept = Vec::new();
    for &(part, theirs, id) in numbers {
        let about = of(&parts[part].1).iter().filter(|highlight| highlight.id == theirs);
        kept.extend(about.map(|highlight| Highlight { id, ..highlight.clone() }));
    }
    kept.truncate(most);
    kept
}
