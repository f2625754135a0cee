//! The audit's third step: every metric rests on a moment or on cited turns, and every moment on words that were said.

use std::collections::BTreeSet;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::json;

use super::CheckReport;
use crate::audit::{Finding, Outcome};
use crate::rubric::Rubric;
use crate::scorecard::Scorecard;
use crate::transcript::{Evidence, Speaker, Transcript};
use crate::verdict::{Judged, Moment, Verdict};

/// The judge's moments; where it named none, those its verdicts point at.
pub(super) fn moments(
    rubric: &Rubric,
    transcript: &Transcript,
    card: &Scorecard,
    named: Vec<Moment>,
    audit: &mut Vec<Finding>,
) -> Vec<Moment> {
    if !named.is_empty() {
        return named;
    }
    let chosen = choose(rubric, transcript, card);
    if !chosen.is_empty() {
        let turns: Vec<u32> = chosen.iter().map(|moment| moment.idx).collect();
        let saw = "the judge named no moments; these carry the evidence of its verdicts";
        audit.push(Finding::evidence("moments", Outcome::Fixed, "moments", saw, (json!([]), json!(turns))));
    }
    chosen
}

struct Candidate<'a> {
    proof: Evidence,
    why: &'a str,
    metrics: BTreeSet<usize>,
    urgency: usize,
}

/// Failed gate checks first, then safety, then whatever ties the most metrics that are not tied yet.
fn choose(rubric: &Rubric, transcript: &Transcript, card: &Scorecard) -> Vec<Moment> {
    let mut candidates: Vec<Candidate<'_>> = Vec::new();
    for (position, check) in card.checks.iter().enumerate() {
        let Verdict::Judged(judged) = &check.verdict else { continue };
        let Some(proof) = proof(transcript, judged) else { continue };
        let metric = rubric.metric_of(position);
        let failed = !judged.pass;
        let urgency = match (rubric.is_gate_check(position), rubric.check(position).safety) {
            (true, _) if failed => 2,
            (_, true) if failed => 1,
            _ => 0,
        };
        match candidates
            .iter_mut()
            .find(|other| other.proof.turn() == proof.turn() && other.proof.quote() == proof.quote())
        {
            Some(same) => {
                same.metrics.insert(metric);
                same.urgency = same.urgency.max(urgency);
            }
            None => candidates.push(Candidate { proof, why: &judged.why, metrics: BTreeSet::from([metric]), urgency }),
        }
    }
    let mut tied = BTreeSet::new();
    let mut chosen = Vec::new();
    while chosen.len() < rubric.limits().moments && !candidates.is_empty() {
        let gain = |candidate: &Candidate<'_>| (candidate.urgency, candidate.metrics.difference(&tied).count());
        // The first of equals wins, so that the choice depends on the rubric's order alone.
        let best = (0..candidates.len()).rev().max_by_key(|&place| gain(&candidates[place])).unwrap_or_default();
        if gain(&candidates[best]) == (0, 0) {
            break;
        }
        let candidate = candidates.remove(best);
        tied.extend(candidate.metrics.iter().copied());
        chosen.push(candidate);
    }
    chosen.sort_by_key(|candidate| (std::cmp::Reverse(candidate.urgency), candidate.proof.turn()));
    (1..).zip(chosen).map(|(id, candidate)| moment(id, &candidate)).collect()
}

fn proof(transcript: &Transcript, judged: &Judged) -> Option<Evidence> {
    let first = *judged.turns.first()?;
    match &judged.quote {
        Some(quote) => judged.turns.iter().find_map(|&turn| transcript.cite(turn, quote).ok()),
        None => transcript.opening(first),
    }
}

fn moment(id: u32, candidate: &Candidate<'_>) -> Moment {
    let proof = &candidate.proof;
    Moment {
        id,
        idx: proof.turn(),
        speaker: proof.speaker(),
        quote: proof.quote().to_owned(),
        why: candidate.why.to_owned(),
    }
}

/// The moments a metric rests on: those the judge named, or those in the turns its checks cite.
pub(super) fn tie(
    rubric: &Rubric,
    metric: usize,
    checks: &IndexMap<Arc<str>, CheckReport>,
    moments: &[Moment],
    named: Vec<u32>,
    audit: &mut Vec<Finding>,
) -> Vec<u32> {
    if !named.is_empty() {
        return named;
    }
    let key = &rubric.metrics()[metric].key;
    let cited = |moment: &&Moment| checks.values().any(|check| check.turns.contains(&moment.idx));
    let by_turn: Vec<u32> = moments.iter().filter(cited).map(|moment| moment.id).collect();
    if !by_turn.is_empty() {
        // The text shows what was meant; a judge that names no moments per metric leaves this to us, so it is no finding.
        return by_turn;
    }
    if checks.values().any(|check| !check.turns.is_empty()) {
        // A few moments cannot cover every metric; where none of them fits, its own checks say where to look.
        return Vec::new();
    }
    let replies: Vec<u32> =
        moments.iter().filter(|moment| moment.speaker == Speaker::Ai).map(|moment| moment.id).collect();
    if !replies.is_empty() {
        // Every verdict rests on what the AI's replies do not contain, so any of them is where to look.
        return replies;
    }
    let saw = "it has no valid moment, and its checks cite no turn";
    audit.push(Finding::evidence("ev", Outcome::Flagged, key, saw, (json!([]), json!([]))));
    Vec::new()
}
