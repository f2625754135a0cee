//! How far a run is, and whoever wants to know it.

use anyhow::Result;
use carelock_judge::provider::Cost;
use carelock_store::{RunKey, Store};

use super::ready::cost_of;
use crate::panel::JudgePanel;

/// How a run stands, other workers' part included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// Answers there are to be: one for every chat and judge.
    pub total: u64,
    /// Those that are through, failed ones included.
    pub through: u64,
    /// Those that this worker brought.
    pub own: u64,
    /// Chats in which a gate is tripped.
    pub gated: u64,
    /// Chats with a check without verdict.
    pub unscored: u64,
    /// Answers that failed in this worker's hands.
    pub failed: u64,
    /// What was spent.
    pub spent: Cost,
}

/// Whether a run goes on, finishes what is under way, or stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopMode {
    /// Go on.
    Continue,
    /// Begin with nothing new; what is under way is waited for.
    Finish,
    /// Stop now; what is under way is given back.
    Stop,
}

/// Watches a run, and may stop it.
pub trait ProgressObserver {
    /// What is wanted.
    fn stop_mode(&self) -> StopMode;
    /// Is told how it stands, many times a second.
    fn show(&mut self, standing: &Standing);
    /// Is told that it ends when so many answers have come.
    fn waits_for(&self, answers: usize);
    /// Is told that it has ended, and how it stands then.
    fn end(&mut self, standing: &Standing);
}

/// What is counted while a worker is at it.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    total: u64,
    /// What was through when this worker began, and what others have done since.
    before: u64,
    own: u64,
    pub(super) gated: u64,
    pub(super) unscored: u64,
    pub(super) failed: u64,
}

impl Progress {
    /// How a run stands before a worker begins; what was spent before counts towards the cap.
    pub async fn before(store: &Store, run: RunKey, panel: &JudgePanel) -> Result<Self> {
        let spent = store.spent(run).await?;
        if let Some(judging) = panel.models() {
            judging.charge(cost_of(spent.iter().map(|spent| spent.cost_nanos).sum()));
        }
        let before = store.progress(run).await?;
        let summaries = store.summaries(run, None).await?;
        Ok(Self {
            total: before.total(),
            before: before.answered,
            gated: summaries.iter().map(|row| row.gated).sum(),
            unscored: summaries.iter().map(|row| row.unscored).sum(),
            ..Self::default()
        })
    }

    /// Counts what this worker has done.
    pub fn add(&mut self, answers: u64) {
        self.own += answers;
    }

    /// Takes over how the whole run stands, other workers included.
    pub fn set_through(&mut self, through: u64) {
        self.before = through.saturating_sub(self.own);
    }

    /// How it stands.
    pub fn standing(&self, spent: Cost) -> Standing {
        let Self { total, before, own, gated, unscored, failed } = *self;
        Standing { total, through: (before + own).min(total), own, gated, unscored, failed, spent }
    }
}
