//! Finding answers again: all of them, those whose question has not changed, or none.

use carelock_core::problem::{Problem, Setting};
use carelock_core::remedy;
use carelock_core::rubric::Rubric;
use carelock_core::verdict::{Submission, TranscriptRef};

use super::entry::Entry;
use super::file::Lock;
use super::key::{LockQuestion, check_digests};

/// What is known of the answers asked for.
#[derive(Clone, Debug, PartialEq)]
pub enum Lookup {
    /// Every check that is asked has its answer.
    Complete(Submission),
    /// Some checks must be asked, because they changed or were never answered.
    Partial {
        /// The answers that still hold, without the summary and the wording of metrics that must be asked about.
        known: Submission,
        /// What must be asked, in rubric order.
        ask: Vec<ToAsk>,
    },
    /// Nothing that still holds.
    Absent,
}

/// A check that must be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToAsk {
    /// The check's id.
    pub id: String,
    /// Why the record does not answer it.
    pub reason: Reason,
}

/// Why a record does not answer a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The check's text is not the one that was answered.
    Changed,
    /// The record has no answer to a check of this id.
    NeverAnswered,
}

impl Entry {
    /// What of these answers holds for a rubric, for the chat asked about.
    ///
    /// The caller has looked the entry up by its key; only the rubric can differ.
    pub fn lookup(&self, asked: &LockQuestion, rubric: &Rubric) -> Lookup {
        if asked.key() != self.key() {
            return Lookup::Absent;
        }
        let (mut known, ask) = self.known(rubric);
        // The same turns may be asked about under another name.
        known.transcript = Some(TranscriptRef { id: Some(asked.chat.clone()), hash: Some(asked.transcript.clone()) });
        match (ask.is_empty(), known.verdicts.is_empty()) {
            (true, _) => Lookup::Complete(known),
            (false, true) => Lookup::Absent,
            (false, false) => Lookup::Partial { known, ask },
        }
    }

    /// The answers that hold for a rubric, and what it asks beyond them.
    pub(super) fn known(&self, rubric: &Rubric) -> (Submission, Vec<ToAsk>) {
        let mut known = self.submission();
        let mut ask = Vec::new();
        let mut verdicts = Vec::with_capacity(self.checks.len());
        for (id, digest) in check_digests(rubric).into_iter().filter(|(id, _)| self.asked.asks(id)) {
            match self.checks.iter().find(|kept| kept.id == id) {
                Some(kept) if kept.digest == digest => verdicts.push((kept.id.clone(), kept.answer.clone())),
                Some(_) => ask.push(ToAsk { id: id.to_owned(), reason: Reason::Changed }),
                None => ask.push(ToAsk { id: id.to_owned(), reason: Reason::NeverAnswered }),
            }
        }
        known.verdicts = verdicts;
        if !ask.is_empty() {
            // Words about a score that may be another one after asking would be words about something else.
            let touched: Vec<usize> =
                ask.iter().filter_map(|ask| rubric.position(&ask.id)).map(|check| rubric.metric_of(check)).collect();
            known.metrics.retain(|(key, _)| rubric.metric_position(key).is_none_or(|place| !touched.contains(&place)));
            known.summary = None;
        }
        (known, ask)
    }
}

fn listed(ask: &[ToAsk]) -> String {
    let of = |reason: Reason| -> Vec<&str> {
        ask.iter().filter(|ask| ask.reason == reason).map(|ask| ask.id.as_str()).collect()
    };
    let (changed, never) = (of(Reason::Changed), of(Reason::NeverAnswered));
    match (changed.is_empty(), never.is_empty()) {
        (false, true) => format!("{} (changed since)", changed.join(", ")),
        (true, _) => format!("{} (never answered)", never.join(", ")),
        (false, false) => format!("{} (changed since) and {} (never answered)", changed.join(", "), never.join(", ")),
    }
}

impl Lock {
    /// What the lock knows of the answers asked for.
    pub fn lookup(&self, asked: &LockQuestion, rubric: &Rubric) -> Lookup {
        self.get(asked).map_or(Lookup::Absent, |entry| entry.lookup(asked, rubric))
    }

    /// The answers asked for, or exactly what the lock lacks; nothing is ever asked.
    pub fn locked(&self, asked: &LockQuestion, rubric: &Rubric) -> Result<Submission, Problem> {
        let (what, then) = match self.lookup(asked, rubric) {
            Lookup::Complete(submission) => return Ok(submission),
            Lookup::Partial { ask, .. } => {
                let what = format!("judge {} has no locked answer to {}", asked.judge, listed(&ask));
                (what, " to ask these checks alone")
            }
            Lookup::Absent => {
                let nearest = self.nearest(asked).map(|nearest| format!(" ({nearest})")).unwrap_or_default();
                (format!("no locked answers of judge {}{nearest}", asked.judge), " to ask, then commit the lock")
            }
        };
        Err(Problem::located(&asked.chat, what, remedy!["run without ", Setting::Locked, then]))
    }

    /// How the entry that differs least from what is asked differs from it.
    fn nearest(&self, asked: &LockQuestion) -> Option<String> {
        let of_chat: Vec<&LockQuestion> =
            self.entries().map(Entry::asked).filter(|other| other.transcript == asked.transcript).collect();
        if of_chat.is_empty() {
            let renamed = self.entries().any(|entry| entry.asked().chat == asked.chat);
            return renamed.then(|| "the chat's turns changed since they were locked".to_owned());
        }
        let Some(same_judge) = of_chat.iter().find(|other| other.judge == asked.judge) else {
            let mut judges: Vec<&str> = of_chat.iter().map(|other| other.judge.as_str()).collect();
            judges.dedup();
            return Some(format!("locked are answers of {}", judges.join(", ")));
        };
        if same_judge.key() == asked.key() {
            return Some("every check of the rubric changed since".to_owned());
        }
        let differs = match same_judge {
            other if other.prompt != asked.prompt => "the prompt changed since",
            other if other.checks != asked.checks => "it was asked about other checks",
            _ => "its parameters changed since",
        };
        Some(differs.to_owned())
    }
}
