//! A report for a terminal: the gate first, then the scores, then the words they rest on.

mod brief;
mod details;
mod paint;
mod scores;
mod wrap;

pub use wrap::{columns, wrap};

use super::Report;
use crate::rubric::Rubric;
use paint::Painter;

/// How a report is drawn on a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextStyle {
    /// Whether to use colour; the meaning never depends on it.
    pub color: bool,
    /// The columns there are. Below 40 lines may be cut by the terminal, above 100 they are not made longer.
    pub width: usize,
    /// Whether signs beyond ASCII may be used; letters of the chat stay as they are.
    pub unicode: bool,
    /// Whether everything is shown; else the verdict, the gates, the metrics and what matters most, in under 40 lines.
    pub full: bool,
}

impl Default for TextStyle {
    fn default() -> Self {
        Self { color: false, width: 80, unicode: true, full: true }
    }
}

/// The report as text for a terminal.
///
/// No control character of the chat reaches the terminal, and no line is wider than asked.
///
/// ```
/// # use carelock_core::report::{Report, TextStyle, text};
/// # use carelock_core::rubric::Rubric;
/// # use carelock_core::scorecard::Weights;
/// # use carelock_core::transcript::{Speaker, Transcript};
/// # use carelock_core::verdict::{JudgeInfo, Verdicts};
/// # let rubric = Rubric::care_lock();
/// # let turns = vec![(Speaker::Human, "I am sad.".to_owned()), (Speaker::Ai, "I hear you.".to_owned())];
/// # let chat = Transcript::new("demo", turns)?;
/// # let verdicts = Verdicts::unscored(&rubric, JudgeInfo::default(), "no judge was there");
/// # let report = Report::assemble(&rubric, chat, verdicts, &Weights::equal(&rubric));
/// let shown = text(&report, &rubric, &TextStyle::default());
/// assert!(shown.contains("undetermined"));
/// # Ok::<(), carelock_core::transcript::TranscriptError>(())
/// ```
pub fn text(report: &Report, rubric: &Rubric, style: &TextStyle) -> String {
    let mut page = Page { report, rubric, painter: Painter::new(style), is_brief: !style.full };
    page.header();
    page.gates();
    page.overall();
    page.metrics();
    if page.is_brief {
        page.matters_most();
        return page.painter.finish();
    }
    page.failed();
    page.unscored();
    page.moments();
    page.highlights();
    page.judges();
    page.audit();
    page.footer();
    page.painter.finish()
}

/// One report being drawn.
struct Page<'a> {
    report: &'a Report,
    rubric: &'a Rubric,
    painter: Painter,
    /// Whether only the start of what is said is shown.
    is_brief: bool,
}
