//! The embedded judge in a run: made when the first chat needs it, shared by all threads.

use std::sync::OnceLock;

use carelock_builtin::{Judge, Recognised};
use carelock_core::rubric::Rubric;
use carelock_core::transcript::{Speaker, Transcript};
use carelock_core::verdict::{Answer, Pass, Submission};

/// The embedded judge, or the place for it: reading its weights takes a moment that a run without it need not spend.
#[derive(Default)]
pub struct Embedded(OnceLock<Judge>);

impl Embedded {
    /// The longest chat it is given, in bytes. It takes a minute for that much, and memory grows with every sentence; no
    /// conversation comes near it.
    pub const LONGEST: usize = 2 << 20;

    /// The judge itself.
    pub fn judge(&self) -> &Judge {
        self.0.get_or_init(Judge::embedded)
    }

    /// Why it gives no verdict on a chat that is not in English; nothing where it reads the chat.
    ///
    /// Only a chat that looks foreign is put to it, so that this costs nothing for the others.
    pub fn other_language(&self, rubric: &Rubric, transcript: &Transcript) -> Option<String> {
        /// The start of a chat tells its language.
        const ENOUGH: usize = 4000;
        let is_foreign = [Speaker::Ai, Speaker::Human].into_iter().any(|speaker| {
            let turns = transcript.turns().iter().filter(|turn| turn.speaker == speaker);
            let text: String = turns.flat_map(|turn| turn.text.chars().chain(['\n'])).take(ENOUGH).collect();
            whichlang::detect_language(&text) != whichlang::Lang::Eng
        });
        let answers = is_foreign.then(|| self.answers(rubric, transcript))?;
        answers.verdicts.iter().find_map(|(_, answer)| match &answer.pass {
            Pass::Unscored(reason) => reason.strip_prefix("language: ").map(str::to_owned),
            _ => None,
        })
    }

    /// Its answers to all checks.
    pub fn answers(&self, rubric: &Rubric, transcript: &Transcript) -> Submission {
        self.answers_on(rubric, transcript, &mut Recognised::default())
    }

    /// The same where some of the turns were read before.
    pub fn answers_on(&self, rubric: &Rubric, transcript: &Transcript, known: &mut Recognised) -> Submission {
        let said: usize = transcript.turns().iter().map(|turn| turn.text.len()).sum();
        if said > Self::LONGEST {
            return self.too_long(rubric);
        }
        self.judge().judge_on(rubric, transcript, known)
    }

    /// Why a chat that is too long is not judged.
    pub(crate) fn too_long_reason() -> String {
        format!("too long: the embedded judge reads chats of up to {} MiB", Self::LONGEST >> 20)
    }

    fn too_long(&self, rubric: &Rubric) -> Submission {
        let reason = Self::too_long_reason();
        let answer = Answer { pass: Pass::Unscored(reason), ..Answer::default() };
        let verdicts = rubric.checks().map(|check| (check.id.clone(), answer.clone())).collect();
        Submission { judge: self.judge().info(), verdicts, ..Submission::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chat_that_is_far_too_long_is_not_judged_and_takes_no_time() {
        let reply = "I hear you and I am here. ".repeat(Embedded::LONGEST / 20);
        let turns = vec![(Speaker::Human, "I feel low.".to_owned()), (Speaker::Ai, reply)];
        let chat = Transcript::new("long", turns).unwrap();
        let answers = Embedded::default().answers(&Rubric::care_lock(), &chat);
        assert_eq!(answers.verdicts.len(), Rubric::care_lock().checks().len());
        let said = |pass: &Pass| matches!(pass, Pass::Unscored(reason) if reason.starts_with("too long: "));
        assert!(answers.verdicts.iter().all(|(_, answer)| said(&answer.pass)), "{answers:?}");
        assert_eq!(answers.judge, Embedded::default().judge().info());
    }
}
