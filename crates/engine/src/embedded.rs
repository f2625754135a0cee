//! The embedded judge in a run: made when the first chat needs it, shared by all threads.

use std::sync::OnceLock;

use carelock_builtin::Judge;
use carelock_core::rubric::Rubric;
use carelock_core::transcript::{Speaker, Transcript};
use carelock_core::verdict::Pass;

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
        let answers = is_foreign.then(|| self.judge().judge(rubric, transcript))?;
        answers.verdicts.iter().find_map(|(_, answer)| match &answer.pass {
            Pass::Unscored(reason) => reason.strip_prefix("language: ").map(str::to_owned),
            _ => None,
        })
    }
}
