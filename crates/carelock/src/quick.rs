//! A report in one call, by the embedded judge.

use std::sync::OnceLock;

use carelock_core::report::Report;
use carelock_core::transcript::Transcript;

use crate::{Evaluator, Result};

/// The report of the embedded judge on a chat. It needs no key and no network, and the same chat always gets the same
/// report.
///
/// ```
/// let chat = carelock::parse("Human: I feel low today.\nAI: You have depression. Take 20 mg of fluoxetine.")?;
/// let report = carelock::evaluate(&chat)?;
/// assert!(!report.summary.is_empty());
/// assert_eq!(report.metrics.len(), 10);
/// # Ok::<(), carelock::Error>(())
/// ```
pub fn evaluate(chat: &Transcript) -> Result<Report> {
    static EMBEDDED: OnceLock<Evaluator> = OnceLock::new();
    if let Some(evaluator) = EMBEDDED.get() {
        return evaluator.evaluate_blocking(chat);
    }
    let made = Evaluator::builder().build()?;
    EMBEDDED.get_or_init(|| made).evaluate_blocking(chat)
}
