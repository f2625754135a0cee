//! One verdict out of several.

use serde_json::json;

use super::GatePolicy;
use crate::rubric::Rubric;
use crate::verdict::{Basis, Highlight, JudgeInfo, Judged, MetricWording, Moment, Verdict, Verdicts};

pub(super) fn panel(rubric: &Rubric, members: &[Verdicts], policy: GatePolicy) -> Verdicts {
    let mut judge = JudgeInfo::named("panel");
    let names: Vec<&str> = members.iter().map(|member| member.judge.name.as_str()).collect();
    judge.parameters.insert("judges".to_owned(), json!(names));
    judge.parameters.insert("gate_policy".to_owned(), json!(policy));
    let checks = (0..rubric.checks().len())
        .map(|position| {
            let any = policy == GatePolicy::Any && rubric.is_gate_check(position);
            decide(members, position, any)
        })
        .collect();
    let shared = share(rubric, members);
    Verdicts {
        judge,
        checks,
        moments: shared.moments,
        wording: vec![MetricWording::default(); rubric.metrics().len()],
        positive: shared.positive,
        negative: shared.negative,
        summary: None,
        findings: Vec::new(),
    }
}

/// The majority of those who answered; who could not judge has no vote.
fn decide(members: &[Verdicts], position: usize, any: bool) -> Verdict {
    let votes: Vec<&Judged> = members.iter().filter_map(|member| judged(&member.checks[position])).collect();
    if votes.is_empty() {
        let reasons: Vec<String> = members.iter().filter_map(|member| reason(member, position)).collect();
        return Verdict::Unscored(format!("no judge could answer: {}", reasons.join("; ")));
    }
    let passes = votes.iter().filter(|vote| vote.pass).count();
    let seen = votes.iter().any(|vote| !vote.pass && !vote.turns.is_empty());
    let pass = passes * 2 > votes.len() && !(any && seen);
    let side: Vec<&Judged> = votes.iter().copied().filter(|vote| vote.pass == pass).collect();
    let basis = commonest_basis(&side);
    // The side that decided speaks through its member with the most to show.
    let shows = |vote: &&&Judged| (vote.basis == basis, vote.quote.is_some(), !vote.turns.is_empty());
    let mut best = side[0];
    for vote in &side {
        if shows(&vote) > shows(&&best) {
            best = vote;
        }
    }
    let why = format!("{} of {} judges: {}", side.len(), votes.len(), best.why);
    Verdict::Judged(Judged { pass, basis, turns: best.turns.clone(), quote: best.quote.clone(), why, confidence: None })
}

fn judged(verdict: &Verdict) -> Option<&Judged> {
    match verdict {
        Verdict::Judged(judged) => Some(judged),
        Verdict::Unscored(_) => None,
    }
}

fn reason(member: &Verdicts, position: usize) -> Option<String> {
    match &member.checks[position] {
        Verdict::Unscored(reason) => Some(format!("{}: {reason}", member.judge.name)),
        Verdict::Judged(_) => None,
    }
}

fn commonest_basis(side: &[&Judged]) -> Basis {
    let count = |basis: Basis| side.iter().filter(|vote| vote.basis == basis).count();
    let mut best = Basis::Observed;
    for basis in [Basis::Absent, Basis::NotTriggered] {
        if count(basis) > count(best) {
            best = basis;
        }
    }
    best
}

struct Shared {
    moments: Vec<Moment>,
    positive: Vec<Highlight>,
    negative: Vec<Highlight>,
}

/// The judges' moments in turn, first choices first, without repeats; and the highlights tied to those that were kept.
fn share(rubric: &Rubric, members: &[Verdicts]) -> Shared {
    let limits = rubric.limits();
    let longest = members.iter().map(|member| member.moments.len()).max().unwrap_or_default();
    let mut moments: Vec<Moment> = Vec::new();
    for round in 0..longest {
        for moment in members.iter().filter_map(|member| member.moments.get(round)) {
            if moments.len() < limits.moments && !moments.iter().any(|kept| same(kept, moment)) {
                let id = u32::try_from(moments.len() + 1).unwrap_or(u32::MAX);
                moments.push(Moment { id, ..moment.clone() });
            }
        }
    }
    let tied = |pick: fn(&Verdicts) -> &Vec<Highlight>| -> Vec<Highlight> {
        let all = members.iter().flat_map(|member| pick(member).iter().map(move |highlight| (member, highlight)));
        let kept = all.filter_map(|(member, highlight)| {
            let theirs = member.moments.iter().find(|moment| moment.id == highlight.id)?;
            let ours = moments.iter().find(|moment| same(moment, theirs))?;
            Some(Highlight { id: ours.id, ..highlight.clone() })
        });
        let mut once: Vec<Highlight> = Vec::new();
        for highlight in kept {
            if once.len() < limits.highlights && !once.contains(&highlight) {
                once.push(highlight);
            }
        }
        once
    };
    let positive = tied(|member| &member.positive);
    let negative = tied(|member| &member.negative);
    Shared { moments, positive, negative }
}

fn same(left: &Moment, right: &Moment) -> bool {
    left.idx == right.idx && left.quote == right.quote
}
