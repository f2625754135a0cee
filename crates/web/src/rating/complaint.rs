//! What is wrong with a draft, check by check, and what the rater can do about it.

use carelock_core::problem::Problem;
use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;
use carelock_core::verdict::{Answer, Pass, Verdict, Verdicts};
use serde::Serialize;

use super::draft::Draft;

/// What is wrong with the answer to one check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Complaint {
    /// The position of the check.
    #[serde(skip)]
    pub(crate) check: usize,
    /// Its id.
    pub(crate) id: String,
    /// What is wrong.
    pub(crate) what: String,
    /// What to do.
    pub(crate) fix: String,
}

/// All that is wrong: what the engine would not take from any judge, and evidence in another turn than the one chosen.
pub(crate) fn complaints(rubric: &Rubric, transcript: &Transcript, draft: &Draft) -> Result<Vec<Complaint>, Problem> {
    let verdicts = Verdicts::admit(rubric, transcript, draft.submission().clone())?;
    let mut found = Vec::new();
    for (position, verdict) in verdicts.checks.iter().enumerate() {
        let id = &rubric.check(position).id;
        let Some(answer) = draft.answer(id) else { continue };
        if let Some((what, fix)) = wrong(transcript, answer, verdict) {
            found.push(Complaint { check: position, id: id.clone(), what, fix });
        }
    }
    Ok(found)
}

/// The checks without an answer, as positions.
pub(crate) fn unanswered(rubric: &Rubric, draft: &Draft) -> Vec<usize> {
    (0..rubric.checks().len()).filter(|&check| !draft.is_answered(&rubric.check(check).id)).collect()
}

fn wrong(transcript: &Transcript, answer: &Answer, verdict: &Verdict) -> Option<(String, String)> {
    if let Pass::Unscored(reason) = &answer.pass {
        let fix = "say in the reason why it cannot be answered, or answer it";
        return reason.is_empty().then(|| ("It is left out without a word on why.".to_owned(), fix.to_owned()));
    }
    if answer.pass == Pass::Missing {
        return None;
    }
    if let Some(wrong) = wrong_evidence(transcript, answer) {
        return Some(wrong);
    }
    let Verdict::Unscored(reason) = verdict else { return None };
    let fix = if answer.turns.is_empty() {
        "select the words in the chat that show it, or choose the turn; where there are none, answer otherwise"
    } else {
        "select the words of the AI in the chat that show it, or change the answer"
    };
    Some((sentence(reason), fix.to_owned()))
}

/// Turns that do not exist, and words that do not stand in the turn chosen.
fn wrong_evidence(transcript: &Transcript, answer: &Answer) -> Option<(String, String)> {
    let last = transcript.turns().len();
    if let Some(turn) = answer.turns.iter().find(|&&turn| transcript.turn(turn).is_none()) {
        let what = format!("There is no turn {turn}; the chat ends at {last}.");
        return Some((what, "choose turns that exist".to_owned()));
    }
    let quote = answer.quote.as_deref()?;
    if answer.turns.iter().any(|&turn| transcript.cite(turn, quote).is_ok()) {
        return None;
    }
    let chosen = match answer.turns.first() {
        Some(turn) => format!("These words do not stand in turn {turn}."),
        None => "These words do not stand in the chat, or in more than one turn.".to_owned(),
    };
    Some(match transcript.locate(quote) {
        Some(found) => {
            let turn = found.turn();
            (format!("{chosen} They stand in turn {turn}."), format!("choose turn {turn}, or other words"))
        }
        None => (chosen, "copy the words exactly as they stand in the turn, and choose that turn".to_owned()),
    })
}

/// A reason as a sentence.
fn sentence(reason: &str) -> String {
    let mut letters = reason.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

#[cfg(test)]
mod tests {
    use carelock_core::rubric::Kind;
    use carelock_core::transcript::Speaker;

    use super::super::draft::Fields;
    use super::*;

    fn told(kind: Kind, pairs: &[(&str, &str)]) -> Option<Complaint> {
        let rubric = Rubric::care_lock();
        let turns = vec![
            (Speaker::Human, "I feel low.".to_owned()),
            (Speaker::Ai, "You sound low.".to_owned()),
            (Speaker::Human, "Yes.".to_owned()),
            (Speaker::Ai, "Here is a list.".to_owned()),
        ];
        let chat = Transcript::new("demo", turns).expect("a chat");
        let position = rubric.checks().position(|check| check.kind == kind).expect("a check of this kind");
        let id = &rubric.check(position).id;
        let fields: Fields = pairs.iter().map(|(name, value)| (format!("{name}-{id}"), (*value).to_owned())).collect();
        let empty = Draft::open(None, "ana", &chat).expect("a draft");
        let draft = empty.with(&rubric, rubric.metric_of(position), &chat, &fields);
        complaints(&rubric, &chat, &draft).expect("admitted").pop()
    }

    #[test]
    fn every_kind_asks_for_the_evidence_it_needs() {
        assert!(told(Kind::Presence, &[("answer", "yes")]).expect("needs a turn").what.contains("no turn is cited"));
        assert_eq!(told(Kind::Presence, &[("answer", "no")]), None);
        assert!(told(Kind::Absence, &[("answer", "no")]).expect("needs a turn").what.contains("no turn is cited"));
        assert_eq!(told(Kind::Absence, &[("answer", "yes")]), None);
        assert_eq!(told(Kind::Conditional, &[("answer", "not_triggered")]), None);
        assert!(told(Kind::Presence, &[("answer", "not_triggered")]).is_some());
        assert!(told(Kind::Presence, &[("answer", "skip")]).is_some());
        assert_eq!(told(Kind::Presence, &[("answer", "skip"), ("why", "cut off")]), None);
        assert_eq!(told(Kind::Presence, &[("why", "a thought")]), None);
    }

    #[test]
    fn words_in_another_turn_are_pointed_out_with_that_turn() {
        let there = [("answer", "yes"), ("turn", "2"), ("quote", "You sound low")];
        assert_eq!(told(Kind::Presence, &there), None);
        let elsewhere = told(Kind::Presence, &[("answer", "yes"), ("turn", "4"), ("quote", "You sound low")]);
        let elsewhere = elsewhere.expect("a complaint");
        assert!(elsewhere.what.contains("not stand in turn 4. They stand in turn 2."), "{}", elsewhere.what);
        let nowhere = told(Kind::Presence, &[("answer", "yes"), ("turn", "2"), ("quote", "I love you")]);
        assert!(nowhere.expect("a complaint").fix.contains("exactly"));
        let beyond = told(Kind::Presence, &[("answer", "yes"), ("turn", "2"), ("also", "9")]);
        assert!(beyond.expect("a complaint").what.contains("no turn 9"));
    }
}
