//! The prompt: what a model is asked, how a chat is put before it, and how its answer is read. Pure.

mod answer;
mod answer_error;
mod cut;
mod evidence;
mod fill;
mod frame;
mod merge;
mod raw;
mod schema;
mod second_look;
mod system;
mod tokens;
mod windows;

use std::sync::LazyLock;

use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;

pub use answer::{ReadAnswer, read_answer};
pub use answer_error::{AnswerError, CheckProblems, reask_message};
pub use evidence::doubtful;
pub use frame::parse_back;
pub use merge::merge;
pub(crate) use merge::merge_moments;
pub use schema::{answer_schema, bounded_answer_schema};
pub use second_look::{SecondLook, second_look, settle};
pub use tokens::estimate_tokens;
pub use windows::{Window, windows};

use fill::fill;

/// Goes up when the code changes what is sent while the prompt files stay the same.
const PROMPT_FORMAT: &str = "carelock/prompt/1";

const SYSTEM: &str = include_str!("../../prompts/system.md");
const CHAT: &str = include_str!("../../prompts/chat.md");
const WINDOW: &str = include_str!("../../prompts/window.md");
const SUBSET: &str = include_str!("../../prompts/subset.md");
const SECOND_LOOK: &str = include_str!("../../prompts/second-look.md");
const REASK: &str = include_str!("../../prompts/reask.md");

fn digest() -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(PROMPT_FORMAT.as_bytes());
    for text in [SYSTEM, CHAT, WINDOW, SUBSET, SECOND_LOOK, REASK] {
        // The length keeps text from wandering from one file to the next unseen.
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    format!("blake3:{}", hasher.finalize().to_hex())
}

/// The prompt for a rubric: instructions that are the same for every chat, and the messages that carry a chat.
///
/// ```
/// use carelock_core::rubric::Rubric;
/// use carelock_core::transcript::{Speaker, Transcript};
/// use carelock_judge::prompt::{Prompt, parse_back};
///
/// let chat = Transcript::new("demo", vec![
///     (Speaker::Human, "I feel lost. </chat>".to_owned()),
///     (Speaker::Ai, "That sounds hard.".to_owned()),
/// ])?;
/// let prompt = Prompt::new(&Rubric::care_lock());
/// assert_eq!(parse_back(&prompt.chat(&chat)).unwrap(), chat.turns());
/// # Ok::<(), carelock_core::transcript::TranscriptError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    system: String,
    checks: Vec<String>,
}

impl Prompt {
    /// The prompt that asks all checks of a rubric.
    pub fn new(rubric: &Rubric) -> Self {
        let checks: Vec<String> = rubric.checks().map(|check| check.id.clone()).collect();
        Self::focused(rubric, &checks)
    }

    /// A shorter prompt whose instructions hold only these checks, for models with little room.
    pub fn focused(rubric: &Rubric, checks: &[impl AsRef<str>]) -> Self {
        let checks: Vec<String> = checks.iter().map(|id| id.as_ref().to_owned()).collect();
        Self { system: system::render(rubric, &checks), checks }
    }

    /// The instructions: the same for every chat, so that provider caches hit.
    pub fn system(&self) -> &str {
        &self.system
    }

    /// The checks the instructions hold, in rubric order.
    pub fn checks(&self) -> &[String] {
        &self.checks
    }

    /// The prompt's version: a digest of the files it is made from, whatever the rubric.
    pub fn digest() -> String {
        static DIGEST: LazyLock<String> = LazyLock::new(digest);
        DIGEST.clone()
    }

    /// The message that puts a whole chat before the model.
    pub fn chat(&self, transcript: &Transcript) -> String {
        let frame = frame::frame(&frame::boundary(transcript), transcript.turns());
        let (total, count) = (transcript.turns().len().to_string(), self.checks.len().to_string());
        fill(CHAT, &[("total", &total), ("count", &count), ("frame", &frame)])
    }

    /// The message that puts one of several parts of a chat before the model; parts are counted from 1.
    pub fn window(&self, transcript: &Transcript, window: Window, part: usize, parts: usize) -> String {
        let turns = transcript.turns().iter().filter(|turn| window.contains(turn.idx));
        let frame = frame::frame(&frame::boundary(transcript), turns);
        let values = [
            ("part", &part.to_string()[..]),
            ("parts", &parts.to_string()),
            ("first", &window.first.to_string()),
            ("last", &window.last.to_string()),
            ("total", &transcript.turns().len().to_string()),
            ("count", &self.checks.len().to_string()),
            ("frame", &frame),
        ];
        fill(WINDOW, &values)
    }

    /// The message that asks only some of the checks about a whole chat.
    pub fn subset(&self, transcript: &Transcript, checks: &[impl AsRef<str>]) -> String {
        let frame = frame::frame(&frame::boundary(transcript), transcript.turns());
        let total = transcript.turns().len().to_string();
        fill(SUBSET, &[("total", &total), ("checks", &listed(checks)), ("frame", &frame)])
    }

    /// Exactly what is sent for a chat, as one text: the instructions, an empty line, the message.
    pub fn full_text(&self, transcript: &Transcript) -> String {
        format!("{}\n\n{}\n", self.system, self.chat(transcript))
    }
}

/// Ids in a row, for a sentence.
fn listed(ids: &[impl AsRef<str>]) -> String {
    ids.iter().map(AsRef::as_ref).collect::<Vec<&str>>().join(", ")
}

/// Whether these are all the checks of the rubric.
fn is_whole(rubric: &Rubric, checks: &[impl AsRef<str>]) -> bool {
    rubric.checks().all(|check| checks.iter().any(|id| id.as_ref() == check.id))
}

#[cfg(test)]
mod tests;
