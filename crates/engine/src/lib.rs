//! The engine of Care-Lock: the one way from chats to reports. Front ends read options, call it, and show what it gives.
//!
//! A chat is read by [`input`], judged by a panel of judges ([`panel`]), scored by [`runs::Scoring::report`], and written
//! by [`render`], [`export`] or [`show`]; [`evaluate::Evaluator`] does the middle of it. Runs of many chats live in a
//! database ([`runs`], [`working`]); [`probing`] fills them with chats of simulated users. [`options::JudgeOptions`] holds everything that can be set about judges, whoever sets it.

pub mod agreement;
pub mod comparison;
pub mod config;
pub mod destination;
pub mod embedded;
pub mod error;
pub mod evaluate;
pub mod event;
pub mod export;
pub mod figures;
pub mod input;
mod judge_kind;
pub mod judging;
pub mod options;
mod pages;
pub mod panel;
pub mod probing;
pub mod ratings;
pub mod render;
pub mod rubric_file;
pub mod runs;
pub mod session;
pub mod show;
pub mod stability;
mod timestamp;
pub mod verdict_source;
pub mod verification;
pub mod working;
