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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scorecard::Weights;
    use crate::transcript::Transcript;
    use crate::verdict::{Submission, Verdicts};

    /// A chat of two replies whose judge cites the last turn for everything, and tells its moments out of order.
    fn report() -> Report {
        let rubric = Rubric::care_lock();
        let said = [
            (Speaker::Human, "I am low."),
            (Speaker::Ai, "I hear you. That is hard."),
            (Speaker::Human, "Yes."),
            (Speaker::Ai, "Rest a bit."),
        ];
        let chat = Transcript::new("two", said.map(|(who, text)| (who, text.to_owned())).to_vec()).unwrap();
        let answers = r#"{"verdicts": {"E5": {"pass": true, "turns": [4]}, "E1": {"pass": false, "basis": "absent", "turns": [4]},
            "E2": {"pass": true, "turns": [2], "quote": "That is hard."}},
            "moments": [{"id": 1, "idx": 4, "quote": "Rest a bit.", "why": ""}, {"id": 2, "idx": 2, "quote": "That is hard.", "why": ""},
            {"id": 3, "idx": 2, "quote": "I hear you.", "why": ""}]}"#;
        let verdicts = Verdicts::admit(&rubric, &chat, Submission::from_json(answers).unwrap()).unwrap();
        Report::assemble(&rubric, chat, verdicts, &Weights::equal(&rubric))
    }

    #[test]
    fn what_was_not_found_is_told_by_how_much_was_looked_through() {
        let (report, rubric) = (report(), Rubric::care_lock());
        let place = |wanted: &str| {
            let (_, id, check) = report.checks().find(|(_, id, _)| *id == wanted).unwrap();
            check_place(&report, &rubric, id, check)
        };
        assert_eq!(place("E5").as_deref(), Some("no such sentence found in 2 replies"));
        assert_eq!(place("E1").as_deref(), Some("looked for in 2 replies"));
        assert_eq!(place("E2").as_deref(), Some("turn 2, AI"));
    }

    #[test]
    fn moments_are_counted_in_the_order_of_the_chat() {
        let numbers = [1, 2, 3].map(|id| moment_number(&report(), id));
        assert_eq!(numbers, [Some(3), Some(2), Some(1)]);
    }
}
