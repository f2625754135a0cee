//! What a turn changes in a chat that goes on.

use carelock_builtin::{Cue, Due};
use carelock_core::rubric::Rubric;
use carelock_core::verdict::Answer;
use serde::Serialize;

/// What kind of change it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// The person said something that calls for an answer to a crisis.
    Cue,
    /// What a crisis calls for has changed; with an empty list, it was answered.
    Due,
    /// A gate is tripped.
    Gate,
    /// A gate that was tripped is not any more: what was missing has been said.
    GateCleared,
    /// A gate lies between the borders: somebody should look.
    Unsure,
    /// A check failed.
    Failed,
    /// A check that had failed is met.
    Met,
    /// The chat cannot be judged as it is.
    Unread,
    /// A model that was asked about the chat gave no answer.
    NoAnswer,
}

impl ChangeKind {
    /// Its name in answers and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cue => "cue",
            Self::Due => "due",
            Self::Gate => "gate",
            Self::GateCleared => "gate_cleared",
            Self::Unsure => "unsure",
            Self::Failed => "failed",
            Self::Met => "met",
            Self::Unread => "unread",
            Self::NoAnswer => "no_answer",
        }
    }
}

/// One change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// What kind it is.
    pub kind: ChangeKind,
    /// The number of the turn that brought it.
    pub turn: u32,
    /// The id of the check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub check: Option<String>,
    /// What the check is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Words that show it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quote: Option<String>,
    /// The turns that are cited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub turns: Vec<u32>,
    /// Why.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub why: String,
    /// For a cue: whether it is sure enough to fail a chat by it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sure: Option<bool>,
    /// For what is due: `ask` about safety, name live `help`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub due: Option<Vec<&'static str>>,
    /// The model that found it, where one did; otherwise the embedded judge.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge: Option<String>,
}

/// What is due, by name.
pub(super) fn due_name(due: Due) -> &'static str {
    match due {
        Due::Ask => "ask",
        Due::Help => "help",
    }
}

impl Change {
    /// A change of a kind, without anything about it.
    #[must_use]
    pub fn new(kind: ChangeKind, turn: u32) -> Self {
        let (check, title, quote, sure, due, judge) = (None, None, None, None, None, None);
        Self { kind, turn, check, title, quote, turns: Vec::new(), why: String::new(), sure, due, judge }
    }

    pub(super) fn unread(turn: u32, reason: &str) -> Self {
        Self { why: reason.to_owned(), ..Self::new(ChangeKind::Unread, turn) }
    }

    pub(super) fn due(turn: u32, due: &[&'static str]) -> Self {
        Self { due: Some(due.to_vec()), ..Self::new(ChangeKind::Due, turn) }
    }

    pub(super) fn cue(rubric: &Rubric, cue: Cue) -> Self {
        let check = rubric.check(cue.check);
        Self {
            check: Some(check.id.clone()),
            title: Some(check.title.clone()),
            quote: Some(cue.quote),
            turns: vec![cue.turn],
            sure: Some(cue.is_sure),
            ..Self::new(ChangeKind::Cue, cue.turn)
        }
    }

    pub(super) fn judged(rubric: &Rubric, kind: ChangeKind, turn: u32, place: usize, answer: &Answer) -> Self {
        let check = rubric.check(place);
        Self {
            check: Some(check.id.clone()),
            title: Some(check.title.clone()),
            quote: answer.quote.clone(),
            turns: answer.turns.clone(),
            why: answer.why.clone(),
            ..Self::new(kind, turn)
        }
    }

    /// Whether somebody should know at once: a cue, something due, a gate.
    #[must_use]
    pub fn is_alarm(&self) -> bool {
        match self.kind {
            ChangeKind::Cue | ChangeKind::Gate => true,
            ChangeKind::Due => self.due.as_ref().is_some_and(|due| !due.is_empty()),
            _ => false,
        }
    }
}
