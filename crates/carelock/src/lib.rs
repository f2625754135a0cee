//! The library of Care-Lock: read chats, judge them, get reports.
//!
#![doc = include_str!("../README.md")]

mod builder;
mod chat;
mod evaluator;
mod figures;
mod quick;
mod reading;
mod rendering;
mod session;

pub use builder::EvaluatorBuilder;
pub use chat::{Chat, Chats};
pub use evaluator::Evaluator;
pub use figures::{FigureOptions, Figures, agreement, compare};
pub use quick::evaluate;
pub use reading::{parse, read, read_all};
pub use rendering::{render, rubric_json, verify};
pub use session::Session;

pub use carelock_core::panel::{GatePolicy, TiePolicy};
pub use carelock_core::problem::{Problem as Error, Remedy, Setting, Words};
pub use carelock_core::report::{self, Report};
pub use carelock_core::rubric::Rubric;
pub use carelock_core::score::Score;
pub use carelock_core::scorecard::Weights;
pub use carelock_core::transcript::{Speaker, Transcript, Turn};
pub use carelock_core::verify::{Conclusion, Verification};
pub use carelock_engine::event::Event;
pub use carelock_engine::options::ReadingOptions;
pub use carelock_engine::render::ReportFormat;
pub use carelock_engine::session::{Change, ChangeKind, Preview};
pub use carelock_judge::http::FunctionQuestion;

/// What this library's functions return.
pub type Result<T, E = Error> = std::result::Result<T, E>;
