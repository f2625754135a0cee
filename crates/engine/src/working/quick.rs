//! Judges of a run that answer at once, on threads of their own; one that panics has failed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use carelock_core::problem::Problem;
use carelock_store::ChatKey;

use super::ready::{Answered, Ready, results};
use crate::event::Events;
use crate::panel::JudgePanel;
use crate::runs::Scoring;

/// What all parts of a worker share.
pub struct Shared {
    /// What reports are computed with.
    pub scoring: Scoring,
    /// Who judges.
    pub panel: JudgePanel,
    /// Where events go.
    pub events: Events,
    /// Whether the run has one chat only.
    pub only: bool,
    /// Chats that nobody has begun with are left alone.
    pub stopping: AtomicBool,
}

/// What judges made of a chat, all of them or some.
pub(super) struct Judged {
    pub(super) chat: ChatKey,
    /// The judges whose tasks this settles.
    pub(super) settled: Vec<u32>,
    pub(super) answers: Vec<Answered>,
    /// The results, where all judges of the chat have answered.
    pub(super) results: Option<Vec<carelock_store::NewResult>>,
    pub(super) failed: Vec<(u32, String)>,
}

/// What is said of a chat over which a judge of ours broke.
fn broken() -> Problem {
    Problem::new("the judge broke off over this chat, which is a bug of Care-Lock")
        .advice("report it with the place in the code that the messages of this program name, and leave the chat out")
}

/// What the work on a chat comes to; where it breaks off, its judges have failed. Outside of this, one chat that trips a
/// bug would end the whole process, and with it the work on all others. What the panic says may quote the chat.
pub(super) fn unbroken(chat: ChatKey, places: &[u32], work: impl FnOnce() -> Judged) -> Judged {
    // Nothing that the work has touched is looked at afterwards but what all chats only read.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        let failed = places.iter().map(|place| (*place, broken().to_string())).collect();
        Judged { chat, settled: places.to_vec(), answers: Vec::new(), results: None, failed }
    })
}

impl Shared {
    /// What quick judges make of a chat.
    pub(super) fn judge(&self, chat: &Ready, places: &[u32], all: bool) -> Judged {
        let mut judged =
            Judged { chat: chat.key, settled: places.to_vec(), answers: Vec::new(), results: None, failed: Vec::new() };
        if self.stopping.load(Ordering::SeqCst) {
            return judged;
        }
        for &place in places {
            let answered = self
                .panel
                .quick(&self.scoring.rubric, &chat.quick(self.only), place)
                .and_then(|(_, submission)| Answered::new(&self.scoring, &chat.source, chat.key, place, submission));
            match answered {
                Ok(answered) => judged.answers.push(answered),
                Err(error) => judged.failed.push((place, format!("{error:#}"))),
            }
        }
        if all && judged.failed.is_empty() {
            let members = judged.answers.iter().map(|answered| (answered.answer.place, answered.verdicts.clone()));
            match results(&self.scoring, chat.key, chat.source.clone(), members.collect()) {
                Ok(results) => judged.results = Some(results),
                Err(error) => judged.failed.extend(places.iter().map(|place| (*place, format!("{error:#}")))),
            }
        }
        judged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_judge_that_panics_has_failed_and_nothing_of_the_chat_is_repeated() {
        let judged =
            unbroken(ChatKey(7), &[0, 2], || panic!("byte 3 is not a boundary in \u{201c}I cannot sleep\u{201d}"));
        assert_eq!((judged.chat, judged.settled.as_slice()), (ChatKey(7), &[0, 2][..]));
        let places: Vec<u32> = judged.failed.iter().map(|(place, _)| *place).collect();
        assert_eq!(places, [0, 2]);
        assert!(judged.failed.iter().all(|(_, why)| !why.contains("sleep") && why.contains("\n  fix: ")));
        assert!(judged.answers.is_empty() && judged.results.is_none());
    }
}
