//! The library of Care-Lock: read chats, judge them, get reports.
//!
#![doc = include_str!("../README.md")]

mod builder;
mod evaluator;
mod reading;

pub use builder::EvaluatorBuilder;
pub use evaluator::{Evaluator, evaluate};
pub use reading::{parse, read, read_all};

pub use carelock_core::panel::{GatePolicy, TiePolicy};
pub use carelock_core::problem::{Problem as Error, Remedy};
pub use carelock_core::report::{self, Report};
pub use carelock_core::rubric::Rubric;
pub use carelock_core::score::Score;
pub use carelock_core::scorecard::Weights;
pub use carelock_core::transcript::{Speaker, Transcript, Turn};
pub use carelock_engine::event::Event;

/// What this library's functions return.
pub type Result<T, E = Error> = std::result::Result<T, E>;
