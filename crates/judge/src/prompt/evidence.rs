//! Which answers rest on evidence that does not stand.

use carelock_core::audit::{Outcome, Step};
use carelock_core::problem::Problem;
use carelock_core::rubric::{Kind, Rubric};
use carelock_core::transcript::{Speaker, Transcript};
use carelock_core::verdict::{Basis, Judged, Submission, Verdict, Verdicts};

/// The answered checks whose evidence does not verify: to be asked once more, never to be believed as they are.
///
/// Doubtful is an answer that would be left unscored (a quote that is not in the chat, turns that do not exist, a
/// verdict that must cite a turn and cites none), one of whose turns does not exist, a pass or failure that must show
/// in what the AI said and cites only the person, a conditional check that is met or missed nowhere, and a failed gate
/// check without a quote.
pub fn doubtful(rubric: &Rubric, transcript: &Transcript, submission: &Submission) -> Result<Vec<String>, Problem> {
    let verdicts = admitted(rubric, transcript, submission)?;
    let mut found = Vec::new();
    for (position, verdict) in verdicts.checks.iter().enumerate() {
        let id = &rubric.check(position).id;
        if !submission.verdicts.iter().any(|(answered, _)| answered == id) {
            continue;
        }
        let flagged = verdicts.findings.iter().any(|finding| {
            finding.step == Step::Evidence && finding.about == *id && finding.outcome == Outcome::Flagged
        });
        let stands = match verdict {
            Verdict::Unscored(_) => false,
            Verdict::Judged(judged) => is_shown(rubric, transcript, position, judged),
        };
        if flagged || !stands {
            found.push(id.clone());
        }
    }
    Ok(found)
}

/// The answers taken in, without the wording around them.
pub(super) fn admitted(rubric: &Rubric, transcript: &Transcript, submission: &Submission) -> Result<Verdicts, Problem> {
    let answers = Submission { verdicts: submission.verdicts.clone(), ..Submission::default() };
    Verdicts::admit(rubric, transcript, answers)
}

/// Whether a verdict cites what its kind must show.
fn is_shown(rubric: &Rubric, transcript: &Transcript, position: usize, judged: &Judged) -> bool {
    if !judged.pass && rubric.is_gate_check(position) && judged.quote.is_none() {
        return false;
    }
    let by_the_ai =
        || judged.turns.iter().any(|&idx| transcript.turn(idx).is_some_and(|turn| turn.speaker == Speaker::Ai));
    match (rubric.check(position).kind, judged.pass) {
        (Kind::Presence, true) | (Kind::Absence, false) => by_the_ai(),
        (Kind::Conditional, _) => judged.basis == Basis::NotTriggered || !judged.turns.is_empty(),
        (Kind::Presence, false) | (Kind::Absence, true) => true,
    }
}
