//! The rows of a run's table of chats.

use std::collections::HashSet;

use carelock_core::report::names::gate_name;
use carelock_core::report::safe_text::{excerpt, one_line};
use carelock_core::rubric::Rubric;
use carelock_core::transcript::Speaker;
use carelock_store::{ChatKey, ListedResult, METRICS, PendingChat, PendingState, StoredChat};

/// One chat with a result.
pub(crate) struct Row {
    pub(crate) chat: i64,
    pub(crate) number: u64,
    pub(crate) name: String,
    pub(crate) origin: String,
    pub(crate) group: String,
    pub(crate) overall: String,
    pub(crate) tier: String,
    pub(crate) gates: Vec<String>,
    pub(crate) unscored: u32,
    pub(crate) metrics: Vec<Cell>,
    /// The metrics in words.
    pub(crate) words: String,
    /// How the person begins.
    pub(crate) first: String,
    /// The verdict in a sentence.
    pub(crate) verdict: String,
    /// Whether whoever asks has yet to rate it and must not know what others say.
    pub(crate) hidden: bool,
}

/// What a row tells of a chat beside its numbers.
#[derive(Clone, Default)]
pub(crate) struct RowText {
    /// How the person begins.
    first: String,
    /// The verdict in a sentence.
    verdict: String,
}

impl RowText {
    /// Of a chat as it is stored, and the verdict on it where that may be told.
    pub(crate) fn new(chat: &StoredChat, verdict: Option<String>) -> Self {
        /// Letters of the first words.
        const FIRST: usize = 90;
        let turns = &chat.chat.turns;
        let first = turns.iter().find(|turn| turn.speaker == Speaker::Human).or_else(|| turns.first());
        let first = first.map(|turn| excerpt(&turn.text, FIRST)).unwrap_or_default();
        Self { first, verdict: verdict.map(|verdict| one_line(&verdict)).unwrap_or_default() }
    }
}

/// A metric's score as a bar in a row.
pub(crate) struct Cell {
    pub(crate) x: usize,
    pub(crate) y: String,
    pub(crate) height: String,
}

/// The height of a full bar.
const FULL: f64 = 20.0;

impl Row {
    pub(crate) fn new(result: ListedResult, rubric: &Rubric, blind: &HashSet<ChatKey>, told: RowText) -> Self {
        let scores = &result.scores;
        let cell = |(at, score): (usize, &Option<u8>)| {
            let height = score.map_or(0.0, |score| (FULL * f64::from(score) / 100.0).max(1.5));
            Cell { x: at * 8, y: format!("{:.1}", FULL - height), height: format!("{height:.1}") }
        };
        let titles = rubric.metrics().iter().map(|metric| metric.title.as_str());
        let words = titles.zip(&scores.metrics).map(|(title, score)| format!("{title} {}", shown(*score)));
        Self {
            chat: result.chat.0,
            number: result.position + 1,
            overall: shown(scores.overall),
            tier: scores.tier.clone().unwrap_or_else(|| "undetermined".to_owned()),
            gates: scores.gates.iter().map(|gate| gate_name(rubric, gate)).collect(),
            unscored: scores.unscored,
            metrics: scores.metrics.iter().take(METRICS).enumerate().map(cell).collect(),
            words: words.collect::<Vec<_>>().join(", "),
            hidden: blind.contains(&result.chat),
            first: told.first,
            verdict: told.verdict,
            name: result.name,
            origin: result.origin,
            group: result.group.unwrap_or_default(),
        }
    }
}

/// A score, or a dash.
fn shown(score: Option<u8>) -> String {
    score.map_or_else(|| "–".to_owned(), |score| format!("{:.2}", f64::from(score) / 100.0))
}

/// A chat without a result.
pub(crate) struct WaitingChat {
    pub(crate) chat: i64,
    pub(crate) number: u64,
    pub(crate) name: String,
    pub(crate) group: String,
    pub(crate) state: &'static str,
    pub(crate) error: String,
}

impl WaitingChat {
    pub(crate) fn new(chat: PendingChat) -> Self {
        Self {
            chat: chat.chat.0,
            number: chat.position + 1,
            name: chat.name,
            group: chat.group.unwrap_or_default(),
            state: match chat.state {
                PendingState::Waiting => "waits",
                PendingState::UnderWay => "under way",
                PendingState::Failed => "failed",
            },
            error: chat.error.unwrap_or_default(),
        }
    }
}
