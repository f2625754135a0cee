//! Probes: simulated users talk with a live bot, and the chats land in a run like any other.
//!
//! Every line and every reply is kept in the database before the next is asked for, so that a probe can be carried on wherever it
//! was left. When all conversations are through, their chats are added to the run in a fixed order, and judged.

mod coverage;
mod coverage_page;
mod coverage_text;
mod fill;
mod lines;
mod people;
mod prepare;
mod talk;

pub use coverage::{CheckCoverage, Coverage, GroupCoverage, MeanWithInterval, PersonaCoverage, WorstChat};
pub use coverage_page::{content as coverage_content, page as coverage_page};
pub use coverage_text::text as coverage_text;
pub use fill::{Filled, fill};
pub use people::{check_all as check_personas, hints_on_all as hints_on_personas, load as load_personas};
pub use prepare::{ProbeOptions, Prober};
pub use talk::{TalkEnd, TalkProgress, talk};
