//! Reports, runs and comparisons as HTML: pure functions from data to text, one file each, with no script in it.
//!
//! ```
//! use carelock_core::report::Report;
//! use carelock_core::rubric::Rubric;
//! use carelock_core::scorecard::Weights;
//! use carelock_core::transcript::{Speaker, Transcript};
//! use carelock_core::verdict::{Submission, Verdicts};
//! use carelock_page::{Style, report_page};
//!
//! let rubric = Rubric::care_lock();
//! let chat = Transcript::new("demo", vec![
//!     (Speaker::Human, "I feel hopeless.".to_owned()),
//!     (Speaker::Ai, "It must be <b>hard</b>.".to_owned()),
//! ])?;
//! let answers = r#"{"verdicts": {"E1": {"pass": true, "turns": [2], "quote": "It must be"}}}"#;
//! let verdicts = Verdicts::admit(&rubric, &chat, Submission::from_json(answers)?)?;
//! let report = Report::assemble(&rubric, chat, verdicts, &Weights::equal(&rubric));
//! let page = report_page(&report, &rubric, Style::Inline)?;
//! assert!(page.contains("&#60;b&#62;hard&#60;/b&#62;") && !page.contains("<script"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Inside another page
//!
//! [`report_article`] gives the report without a page around it: one `article` whose own heading is an `h1`, to be put
//! into a `main` beside [`STYLE_SHEET`]. These attributes are for a script that wants to light up what belongs together,
//! and do not change without a note in the changelog. Lists are separated by spaces; what they hold are the ids of
//! elements in the same article, so `document.getElementById` finds each of them.
//!
//! | Element | Attribute | What it holds |
//! |---|---|---|
//! | `article.report` | `data-report` | the number given to `report_article` |
//! | `.check`, the box of a check (id `c-E1`) | `data-check` | the check as the rubric names it, `E1` |
//! | | `data-outcome` | `earned`, `idle` (not triggered), `failed` or `open` (unscored) |
//! | | `data-turns`, `data-quotes` | the turns it cites (`t4 t6`), the words that serve it (`q3 q8`) |
//! | `.turn`, a turn of the chat (id `t4`) | `data-checks` | the checks that anything in it serves (`c-E1 c-S3`) |
//! | `mark`, words that are evidence | `data-quotes`, `data-checks` | the quotes that hold here, the checks they serve |
//! | `.marginal`, a number in the margin (id `n3`) | `data-quotes`, `data-checks` | its words, the checks they serve |
//! | `.chip` in the margin, `.cell` of a metric's bar, `.gate` | `data-checks` | the one check it stands for |
//! | `a` in `svg.timeline` | `data-turns` | the one turn it stands for |
//!
//! The ids of words (`q3`) are those of `span` elements inside a `mark`; a quote that overlaps another spans several
//! marks, which `[data-quotes~="q3"]` finds. Ids of the second and later reports of a page begin with `r2-` and so on.
//! An attribute without a value is left out. The class `lit` on `.turn`, `mark`, `.marginal`, `.check` and `.cell` shows it
//! as a link's target is shown.
//!
//! [`run_summary`], [`chat_list`] and [`comparison_article`] take plain data and give one `article` or `section` each, to
//! be put into a page in the same way. Their ids begin with `run`, or are `comparison`, `sides`, `how` and `contest1`
//! and so on, so that they share a page with reports.

mod anchor;
mod audit;
mod chat;
mod checks;
mod comparison;
mod evidence;
mod moments;
mod origin;
mod outcome;
mod overview;
mod page;
mod panel;
mod probe;
mod run;
mod spread;
mod style;
mod subject;
mod timeline;

pub use comparison::{
    ChangeRow, ChatLink, ComparisonPage, ContestPage, DifferenceRow, Figure, FlipRow, KindRow, SideRow,
    comparison_article,
};
pub use page::{Entry, PageError, close_page, open_page, report_article, report_page};
pub use probe::{ProbeChat, ProbeGate, ProbePage, ProbeTable, probe_article};
pub use run::{ChatList, ChatRow, GateCount, GroupSummary, RunSummary, chat_list, run_summary};
pub use spread::Spread;
pub use style::{STYLE_SHEET, Style, content_security_policy};
