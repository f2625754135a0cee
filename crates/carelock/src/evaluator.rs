//! From chats to reports.

use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use carelock_core::report::Report;
use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;
use carelock_core::transcript::formats::ReadOptions;
use carelock_engine::embedded::Embedded;
use carelock_engine::error::problem;
use carelock_engine::evaluate;
use carelock_engine::input::Batches;
use carelock_engine::judging::Judging;
use carelock_engine::options::MAX_SIZE;

use crate::{Chat, Result};

/// Judges, and what their verdicts are scored with.
///
/// ```
/// # let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
/// // A person's rating sheet and the embedded judge as a panel.
/// let panel = carelock::Evaluator::builder()
///     .verdicts(format!("{examples}/sheets/diagnosis.csv"))
///     .judge("builtin")
///     .gate_policy(carelock::GatePolicy::Majority)
///     .build()?;
/// let report = panel.evaluate_blocking(&carelock::read(format!("{examples}/diagnosis.txt"))?)?;
/// assert_eq!(report.panel.as_ref().map(|panel| panel.reports.len()), Some(2));
/// # Ok::<(), carelock::Error>(())
/// ```
pub struct Evaluator(evaluate::Evaluator);

impl Evaluator {
    pub(crate) fn new(evaluator: evaluate::Evaluator) -> Self {
        Self(evaluator)
    }

    pub(crate) fn embedded(&self) -> Arc<Embedded> {
        self.0.panel.shared()
    }

    /// Whether a model or a function is asked: then judging waits for others, and is better done async.
    #[must_use]
    pub fn asks(&self) -> bool {
        self.0.panel.models().is_some()
    }

    /// How many chats models are asked about at the same time; one where none is asked.
    #[must_use]
    pub fn at_once(&self) -> usize {
        self.0.panel.models().map_or(1, Judging::at_once)
    }

    /// The rubric that chats are judged by.
    #[must_use]
    pub fn rubric(&self) -> &Rubric {
        &self.0.scoring.rubric
    }

    /// The report on a chat. A model that cannot answer leaves its checks unscored, with the reason in the report.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> carelock::Result<()> {
    /// let judge = carelock::Evaluator::builder().judge("builtin").build()?;
    /// let chat = carelock::parse("Human: I feel low.\nAI: I'm sorry to hear that. What happened?")?;
    /// let report = judge.evaluate(&chat).await?;
    /// assert!(report.overall.is_some());
    /// # Ok(())
    /// # }
    /// ```
    pub async fn evaluate(&self, chat: &Transcript) -> Result<Report> {
        self.0.evaluate(chat.clone().into()).await.map_err(|error| problem(&error))
    }

    /// The report on a chat, for programs that are not async. Must not be called from async code.
    pub fn evaluate_blocking(&self, chat: &Transcript) -> Result<Report> {
        self.0.evaluate_blocking(chat.clone().into()).map_err(|error| problem(&error))
    }

    /// The report on a chat that was read, with what the reader left out in it; `only` says whether it is the only chat
    /// there is, so that recorded answers need not name it.
    pub async fn evaluate_chat(&self, chat: Chat, only: bool) -> Result<Report> {
        let origin = chat.origin().to_owned();
        self.0.evaluate_among(chat.input, only).await.map_err(|error| problem(&error).within(&origin))
    }

    /// The same for judges that ask nobody; an error where one does.
    pub fn evaluate_chat_at_once(&self, chat: Chat, only: bool) -> Result<Report> {
        let origin = chat.origin().to_owned();
        self.0.evaluate_at_once(chat.input, only).map_err(|error| problem(&error).within(&origin))
    }

    /// Judges every chat in files, folders or patterns, reading a little at a time. `take` gets the reports in input
    /// order, and the errors of chats that could not be judged; it can break off.
    ///
    /// ```
    /// use std::ops::ControlFlow;
    /// # let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
    /// let judge = carelock::Evaluator::builder().build()?;
    /// let mut gated = 0;
    /// judge.evaluate_all([format!("{examples}/*.txt")], |outcome| {
    ///     gated += usize::from(outcome.is_ok_and(|report| !report.gates.is_empty()));
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert!(gated > 0);
    /// # Ok::<(), carelock::Error>(())
    /// ```
    pub fn evaluate_all(
        &self,
        paths: impl IntoIterator<Item = impl AsRef<Path>>,
        mut take: impl FnMut(Result<Report>) -> ControlFlow<()>,
    ) -> Result<()> {
        let paths: Vec<String> = paths.into_iter().map(|path| path.as_ref().display().to_string()).collect();
        let all = Batches::outside(&paths, MAX_SIZE, &self.0.panel.folders()).and_then(|mut batches| {
            let make = |_: &str, report: Report| Ok(report);
            self.0.evaluate_all(&mut batches, &ReadOptions::default(), make, |outcome| match outcome {
                Err(unread) if unread.skipped.is_some() => Ok(ControlFlow::Continue(())),
                outcome => Ok(take(outcome.map_err(|unread| unread.problem.within(&unread.origin)))),
            })
        });
        all.map_err(|error| problem(&error))
    }

    /// Ends all calls to models that are under way; from another thread, this cancels an evaluation.
    pub fn stop(&self) {
        self.0.panel.stop();
    }

    /// Writes the lock file, if one is kept.
    pub fn finish(&self) -> Result<()> {
        self.0.panel.finish().map_err(|error| problem(&error))
    }
}

impl fmt::Debug for Evaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Evaluator").field("judges", &self.0.panel.judges()).finish_non_exhaustive()
    }
}
