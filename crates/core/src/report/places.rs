//! Where evidence stands, in words for people, and the order in which moments are told.

use super::names::cited_place;
use super::{CheckReport, Report};
use crate::rubric::{Kind, Rubric};
use crate::transcript::Speaker;
use crate::verdict::{Basis, Moment};

/// Whether a check is passed because nothing against it was found: then no turn proves it, whichever the judge named.
pub fn is_clean_pass(rubric: &Rubric, id: &str, check: &CheckReport) -> bool {
    let is_absence = || rubric.position(id).is_some_and(|position| rubric.check(position).kind == Kind::Absence);
    check.pass == Some(true)
        && match check.basis {
            Some(Basis::Absent) => true,
            Some(Basis::NotTriggered) => false,
            Some(Basis::Observed) | None => is_absence(),
        }
}

/// What was looked for in the whole chat and is not there; nothing where a verdict rests on words or turns.
pub fn searched(report: &Report, rubric: &Rubric, id: &str, check: &CheckReport) -> Option<String> {
    if is_clean_pass(rubric, id, check) {
        return Some(format!("no such sentence found in {}", replies(report)));
    }
    let is_missing = check.pass == Some(false) && check.basis == Some(Basis::Absent) && check.quote.is_none();
    is_missing.then(|| format!("looked for in {}", replies(report)))
}

/// Where a verdict looked: the place of its quote, the turns it cites, or the whole chat.
pub fn check_place(report: &Report, rubric: &Rubric, id: &str, check: &CheckReport) -> Option<String> {
    searched(report, rubric, id, check).or_else(|| cited_place(report, &check.turns, check.quote.as_deref()))
}

/// The AI's turns with words in them: `5 replies`.
fn replies(report: &Report) -> String {
    let spoken = report.turns.iter().filter(|turn| turn.speaker == Speaker::Ai && !turn.text.trim().is_empty());
    match spoken.count() {
        1 => "the one reply".to_owned(),
        count => format!("{count} replies"),
    }
}

/// The moments in the order of the chat.
pub fn moments_in_order(report: &Report) -> Vec<&Moment> {
    let within = |moment: &Moment| {
        let turn = report.turns.iter().find(|turn| turn.idx == moment.idx);
        turn.and_then(|turn| turn.text.find(&moment.quote))
    };
    let mut moments: Vec<&Moment> = report.moments.iter().collect();
    moments.sort_by_key(|moment| (moment.idx, within(moment)));
    moments
}

/// The number of a moment for people, counted in the order of the chat; its id is what the record calls it.
pub fn moment_number(report: &Report, id: u32) -> Option<usize> {
    moments_in_order(report).iter().position(|moment| moment.id == id).map(|position| position + 1)
}
