//! The embedded judge: reads a chat offline and answers every check of the rubric with evidence.
//!
//! The same chat always gets the same answers: no network, no files, no clock, no randomness, and arithmetic whose
//! order is fixed. A chat goes one way: sentences and word pieces ([`text`], [`reading`]) → acts recognised in every
//! sentence ([`reader`], [`lexicon`], [`signs`]) → what a check looks at ([`features`], [`rules`], `signals`) → verdicts by
//! written rules (`gates`, `formulas`).
//!
//! ```no_run
//! use carelock_builtin::Judge;
//! use carelock_core::rubric::Rubric;
//! use carelock_core::transcript::{Speaker, Transcript};
//! let chat = Transcript::new("demo", vec![
//!     (Speaker::Human, "I can't stop crying since the funeral.".to_owned()),
//!     (Speaker::Ai, "That sounds so heavy. Of course you cry: you loved him.".to_owned()),
//! ])?;
//! let answers = Judge::embedded().judge(&Rubric::care_lock(), &chat);
//! assert_eq!(answers.verdicts.len(), 50);
//! # Ok::<(), carelock_core::transcript::TranscriptError>(())
//! ```

mod acts;
mod card;
mod conditions;
mod cursor;
mod explain;
pub mod features;
mod formulas;
mod gates;
mod language;
pub mod lexicon;
mod nibbles;
pub mod reader;
pub mod reading;
mod recognised;
pub mod rules;
mod signals;
pub mod signs;
mod submission;
pub mod text;
mod verdicts;
mod watch;

use carelock_core::rubric::Rubric;
use carelock_core::transcript::{Transcript, Turn};
use carelock_core::verdict::{Answer, JudgeInfo, Pass, Submission};

pub use acts::{Acts, UnknownAct};
pub use card::{Card, CheckCard};
pub use explain::{Considered, Contribution, Explanation};
pub use recognised::Recognised;
pub use watch::{Cue, Depth, Due, Standing};

use features::{Heads, Seen};
use formulas::Checks;
use lexicon::Lexicon;
use reader::Reader;
use reading::Reading;
use text::Vocabulary;

/// The name of this judge in reports and on the command line.
pub const NAME: &str = "builtin";

/// Which weights these are; a new number with every training.
const VERSION: &str = "screening-5";

/// The longest chat it reads, in bytes. It takes a minute for that much, and memory grows with every sentence; no
/// conversation comes near it.
const LONGEST: usize = 2 << 20;

/// The embedded judge. Making one reads the weights that lie in the program; one serves any number of chats and threads.
#[derive(Debug)]
pub struct Judge {
    vocabulary: Vocabulary,
    reader: Reader,
    lexicon: Lexicon,
    heads: Heads,
    checks: Checks,
}

impl Judge {
    /// The judge with the weights that come with this version.
    pub fn embedded() -> Self {
        let (reader, lexicon) = (Reader::embedded(), Lexicon::embedded());
        let heads = Heads::new(reader.heads().iter().cloned(), lexicon.names());
        let checks = Checks::embedded(&heads);
        Self { vocabulary: Vocabulary::embedded(), reader, lexicon, heads, checks }
    }

    /// Who judges: name, version of the weights, and how far it agrees with labelled chats.
    pub fn info(&self) -> JudgeInfo {
        let note = Card::embedded().note();
        JudgeInfo { model: Some(VERSION.to_owned()), note: Some(note), ..JudgeInfo::named(NAME) }
    }

    /// Answers every check of the rubric, with moments, highlights and a summary.
    ///
    /// A chat that is no conversation, not in English or far too long, and a check that this judge does not know, is left
    /// unscored.
    pub fn judge(&self, rubric: &Rubric, transcript: &Transcript) -> Submission {
        self.judge_on(rubric, transcript, &mut Recognised::default())
    }

    /// The same answers where some of the chat's turns were read before: only the others are read.
    pub fn judge_on(&self, rubric: &Rubric, transcript: &Transcript, known: &mut Recognised) -> Submission {
        if let Some(reason) = unreadable(transcript.turns()) {
            return self.unread(rubric, &reason);
        }
        let reading = Reading::new(transcript, &self.vocabulary);
        let signs = self.signs(&reading, known, false);
        let seen = Seen::new(&reading, &self.heads, &signs);
        let decisions: Vec<submission::Decision> = rubric
            .checks()
            .map(|check| Some(verdicts::decide(check, self.checks.by_id.get(&check.id)?, &seen)))
            .collect();
        submission::assemble(self.info(), rubric, &self.checks, &seen, &decisions)
    }

    /// How the verdict on one check came about; nothing where the judge does not know the check.
    pub fn explain(&self, rubric: &Rubric, transcript: &Transcript, check: &str) -> Option<Explanation> {
        let known = self.checks.by_id.get(check)?;
        let position = rubric.position(check)?;
        if let Some(reason) = unreadable(transcript.turns()) {
            return Some(Explanation::unread(check, &reason));
        }
        let reading = Reading::new(transcript, &self.vocabulary);
        let signs = self.signs(&reading, &mut Recognised::default(), false);
        let seen = Seen::new(&reading, &self.heads, &signs);
        let decided = verdicts::decide(rubric.check(position), known, &seen);
        Some(explain::explain(check, known, &seen, &decided))
    }

    /// What was recognised in every turn, by the names of acts, words and signals; whatever the language, for whoever asks
    /// decides what to make of it.
    pub fn acts(&self, transcript: &Transcript, names: &[String]) -> Result<Acts, UnknownAct> {
        let reading = Reading::new(transcript, &self.vocabulary);
        let signs = self.signs(&reading, &mut Recognised::default(), false);
        let seen = Seen::new(&reading, &self.heads, &signs);
        Acts::new(&seen, &self.checks, names)
    }

    fn unread(&self, rubric: &Rubric, reason: &str) -> Submission {
        let answer = Answer { pass: Pass::Unscored(reason.to_owned()), ..Answer::default() };
        let verdicts = rubric.checks().map(|check| (check.id.clone(), answer.clone())).collect();
        Submission { judge: self.info(), verdicts, ..Submission::default() }
    }
}

/// Why a chat cannot be read, where it cannot.
fn unreadable(turns: &[Turn]) -> Option<String> {
    if turns.iter().map(|turn| turn.text.len()).sum::<usize>() > LONGEST {
        return Some(format!("too long: the embedded judge reads chats of up to {} MiB", LONGEST >> 20));
    }
    if language::is_no_conversation(turns) {
        return Some("language: this is no conversation in a language".to_owned());
    }
    let language = language::other_than_english(turns)?;
    Some(format!("language: the embedded judge reads English only, and this looks like {language}"))
}
