//! The pure core of Care-Lock: from a transcript and a judge's answers to a report whose every number can be re-derived.

pub mod audit;
pub mod panel;
pub mod problem;
pub mod report;
pub mod rubric;
pub mod score;
pub mod scorecard;
pub mod transcript;
pub mod verdict;
pub mod verify;
