//! Which answers rest on evidence that does not stand.

use carelock_core::audit::{Outcome, Step};
use carelock_core::problem::Problem;
use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;
use carelock_core::verdict::{Submission, Verdict, Verdicts};

/// The answered checks whose evidence does not verify: to be asked once more, never to be believed as they are.
///
/// Doubtful is an answer that would be left unscored (a quote that is not in the chat, turns that do not exist, no words
/// of the AI where they are needed, a conditional check that is met or missed nowhere), one of whose turns does not
/// exist, and a failed gate check without a quote.
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
            Verdict::Judged(judged) => judged.pass || judged.quote.is_some() || !rubric.is_gate_check(position),
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
