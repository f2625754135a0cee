//! A report as one HTML page: pure functions from a report and its rubric to text, with no script in it.
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

mod anchor;
mod audit;
mod chat;
mod checks;
mod evidence;
mod moments;
mod origin;
mod outcome;
mod overview;
mod page;
mod panel;
mod style;
mod subject;
mod timeline;

pub use page::{Entry, PageError, close_page, open_page, report_article, report_page};
pub use style::{STYLE_SHEET, Style, content_security_policy};
