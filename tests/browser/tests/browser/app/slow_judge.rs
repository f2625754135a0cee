//! A model server on loopback that lets every question wait until the test releases it.

use carelock_test_support::Gate;
use carelock_test_support::model::ModelServer;
use std::sync::Arc;

/// The server; it ends with the test's process.
pub(crate) struct SlowJudge {
    server: ModelServer,
    gate: Arc<Gate>,
}

impl SlowJudge {
    pub(crate) fn start() -> Self {
        let gate = Arc::new(Gate::default());
        Self { server: ModelServer::behind(Arc::clone(&gate)), gate }
    }

    /// The settings that make it a judge on offer.
    pub(crate) fn settings(&self) -> String {
        format!("judge = [\"{}\"]\nsecond_look = false\nconcurrency = 1\n", self.name())
    }

    /// Its name among the judges.
    pub(crate) fn name(&self) -> String {
        self.server.judge()
    }

    /// Lets so many more questions be answered.
    pub(crate) fn release(&self, questions: usize) {
        self.gate.release(questions);
    }

    /// Waits until so many questions have come since the start.
    pub(crate) fn wait_for(&self, questions: usize) {
        self.gate.wait_for(questions);
    }
}
