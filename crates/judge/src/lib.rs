//! LLM judges: the only crate that talks to models.
//!
//! Data flows one way: transcript → redaction → prompt → wire request → HTTP → outcome → answer → submission. What [`ask`]
//! and [`batch`] do goes through [`http`]; only the files of [`lock`] are read and written besides, all else is pure.

pub mod ask;
pub mod batch;
pub mod cascade;
pub mod http;
pub mod lock;
pub mod outcome;
pub mod prompt;
pub mod provider;
pub mod redact;
mod redact_keys;
pub mod wire;
