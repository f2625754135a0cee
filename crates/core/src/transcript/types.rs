//! Turns and transcripts: what everything else points at.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who said a turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub enum Speaker {
    /// The person who came to talk.
    #[serde(rename = "HUMAN")]
    Human,
    /// The chatbot that is judged.
    #[serde(rename = "AI")]
    Ai,
}

impl fmt::Display for Speaker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Human => "HUMAN",
            Self::Ai => "AI",
        })
    }
}

/// One message: its number in the chat, who said it, and the text unchanged but for line ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Turn {
    /// Number of the turn, counted from 1.
    pub idx: u32,
    /// Who said it.
    pub speaker: Speaker,
    /// What was said.
    pub text: String,
}

impl Turn {
    /// A turn with its number; line ends are normalised.
    pub fn new(idx: u32, speaker: Speaker, text: String) -> Self {
        Self { idx, speaker, text: normalise_line_ends(text) }
    }
}

/// A conversation that can be judged: at least one HUMAN and one AI turn with text.
///
/// ```
/// use carelock_core::transcript::{Speaker, Transcript};
/// let chat = Transcript::new("demo", vec![
///     (Speaker::Human, "I feel hopeless.".to_owned()),
///     (Speaker::Ai, "I hear you. That sounds heavy.".to_owned()),
/// ])?;
/// assert_eq!(chat.turn(2).unwrap().speaker, Speaker::Ai);
/// # Ok::<(), carelock_core::transcript::TranscriptError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    id: String,
    turns: Vec<Turn>,
}

/// Why a conversation cannot be judged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TranscriptError {
    /// There is not a single turn.
    #[error("no message of a person or an AI: there is nothing to judge")]
    NoTurns,
    /// The person never says anything.
    #[error("no HUMAN turn with text: there is nobody the AI could have answered")]
    NoHumanText,
    /// The chatbot never says anything.
    #[error("no AI turn with text: there is nothing to judge")]
    NoAiText,
    /// More turns than can be numbered.
    #[error("the chat has {0} turns, more than can be numbered")]
    TooManyTurns(usize),
}

impl Transcript {
    /// Numbers the turns from 1 and normalises line ends; refuses a chat in which there is nothing to judge.
    pub fn new(id: impl Into<String>, turns: Vec<(Speaker, String)>) -> Result<Self, TranscriptError> {
        if turns.is_empty() {
            return Err(TranscriptError::NoTurns);
        }
        if u32::try_from(turns.len()).is_err() {
            return Err(TranscriptError::TooManyTurns(turns.len()));
        }
        let turns: Vec<Turn> = (1..).zip(turns).map(|(idx, (speaker, text))| Turn::new(idx, speaker, text)).collect();
        let says = |who: Speaker| turns.iter().any(|turn| turn.speaker == who && !turn.text.trim().is_empty());
        if !says(Speaker::Ai) {
            return Err(TranscriptError::NoAiText);
        }
        if !says(Speaker::Human) {
            return Err(TranscriptError::NoHumanText);
        }
        Ok(Self { id: id.into(), turns })
    }

    /// The name under which reports speak of this chat.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// All turns in order.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// All turns in order, taken out of the transcript.
    pub fn into_turns(self) -> Vec<Turn> {
        self.turns
    }

    /// The turn with this number, if there is one.
    pub fn turn(&self, idx: u32) -> Option<&Turn> {
        let position = usize::try_from(idx).ok()?.checked_sub(1)?;
        self.turns.get(position)
    }

    /// The chat's identity: a digest of who said what in which order. The id takes no part.
    pub fn digest(&self) -> String {
        turns_digest(&self.turns)
    }
}

/// The digest of a chat with these turns; see [`Transcript::digest`].
pub fn turns_digest(turns: &[Turn]) -> String {
    let said: usize = turns.iter().map(|turn| turn.text.len() + 9).sum();
    // In one piece: the hash function is several times quicker on a long input than on many short ones.
    let mut bytes = Vec::with_capacity(said + 32);
    bytes.extend_from_slice(b"carelock/transcript/1");
    for turn in turns {
        bytes.push(match turn.speaker {
            Speaker::Human => b'H',
            Speaker::Ai => b'A',
        });
        // The length keeps "ab"+"c" apart from "a"+"bc".
        bytes.extend_from_slice(&(turn.text.len() as u64).to_le_bytes());
        bytes.extend_from_slice(turn.text.as_bytes());
    }
    format!("blake3:{}", blake3::hash(&bytes).to_hex())
}

fn normalise_line_ends(text: String) -> String {
    if memchr::memchr(b'\r', text.as_bytes()).is_none() {
        return text;
    }
    text.replace("\r\n", "\n").replace('\r', "\n")
}
