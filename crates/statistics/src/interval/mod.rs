//! Confidence intervals: the bootstrap over chats, and Wilson's for a single share.

mod bootstrap;
mod ends;
mod stratum;
mod wilson;

pub use bootstrap::{Bootstrap, Method, SettingsError};
pub use wilson::proportion;
