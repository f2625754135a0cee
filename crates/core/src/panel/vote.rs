//! One verdict out of several.

use serde_json::json;

use super::{GatePolicy, PanelRules, TiePolicy};
use crate::rubric::Rubric;
use crate::verdict::{Basis, Highlight, JudgeInfo, Judged, MetricWording, Moment, Verdict, Verdicts};

pub(super) fn panel(rubric: &Rubric, members: &[Verdicts], rules: PanelRules) -> Verdicts {
    let mut judge = JudgeInfo::named("panel");
    let names: Vec<&str> = members.iter().map(|member| member.judge.name.as_str()).collect();
    judge.parameters.insert("judges".to_owned(), json!(names));
    judge.parameters.insert("gate_policy".to_owned(), json!(rules.gate_policy));
    let checks = (0..rubric.checks().len())
        .map(|position| {
            // What trips a gate is never passed because of who says so.
            let is_gate = rubric.is_gate_check(position);
            let any = rules.gate_policy == GatePolicy::Any && is_gate;
            decide(members, position, any, rules.tie == TiePolicy::Standing && !is_gate)
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

/// How much a judge's word weighs where the others are divided; the higher, the more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Standing {
    Embedded,
    Model,
    Person,
}

impl Standing {
    fn new(judge: &JudgeInfo) -> Self {
        // Models are called `provider:model`; people as they like.
        match judge.name.split_once(':') {
            None if judge.name == "builtin" => Self::Embedded,
            None | Some(("person" | "sheet", _)) => Self::Person,
            Some(_) => Self::Model,
        }
    }
}

/// A judge's verdict on a check.
struct Vote<'a> {
    by: &'a JudgeInfo,
    judged: &'a Judged,
}

/// The majority of those who answered; who could not judge has no vote.
fn decide(members: &[Verdicts], position: usize, any: bool, by_standing: bool) -> Verdict {
    let votes: Vec<Vote<'_>> = (members.iter())
        .filter_map(|member| Some(Vote { by: &member.judge, judged: judged(&member.checks[position])? }))
        .collect();
    if votes.is_empty() {
        let reasons: Vec<String> = members.iter().filter_map(|member| reason(member, position)).collect();
        return Verdict::Unscored(format!("no judge could answer: {}", reasons.join("; ")));
    }
    let passes = votes.iter().filter(|vote| vote.judged.pass).count();
    let seen = votes.iter().any(|vote| !vote.judged.pass && !vote.judged.turns.is_empty());
    let is_tie = passes * 2 == votes.len();
    let senior =
        |pass: bool| votes.iter().filter(|vote| vote.judged.pass == pass).map(|vote| Standing::new(vote.by)).max();
    let by_standing = by_standing && is_tie && senior(true) != senior(false);
    let pass = if by_standing { senior(true) > senior(false) } else { passes * 2 > votes.len() && !(any && seen) };
    let side: Vec<&Vote<'_>> = votes.iter().filter(|vote| vote.judged.pass == pass).collect();
    let basis = commonest_basis(&side);
    // The side that decided speaks through its member of the highest standing, and among those with the most to show.
    let shows = |vote: &Vote<'_>| {
        let Judged { quote, turns, .. } = vote.judged;
        let senior = by_standing.then(|| Standing::new(vote.by));
        (senior, vote.judged.basis == basis, quote.is_some(), !turns.is_empty())
    };
    let mut best = side[0];
    for vote in &side {
        if shows(vote) > shows(best) {
            best = vote;
        }
    }
    let silent = members.len() - votes.len();
    let Judged { turns, quote, why, .. } = best.judged;
    let count = match (by_standing, silent) {
        (true, _) => format!("{} decides, {} to {}", best.by.name, side.len(), votes.len() - side.len()),
        (false, 0) => format!("{} of {} judges", side.len(), votes.len()),
        (false, _) => format!("{} of {} judges, {silent} without a verdict", side.len(), members.len()),
    };
    let basis = if by_standing { best.judged.basis } else { basis };
    let (turns, quote, why) = (turns.clone(), quote.clone(), format!("{count}: {why}"));
    Verdict::Judged(Judged { pass, basis, turns, quote, why, confidence: None })
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

fn commonest_basis(side: &[&Vote<'_>]) -> Basis {
    let count = |basis: Basis| side.iter().filter(|vote| vote.judged.basis == basis).count();
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
