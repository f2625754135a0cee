//! A conversation as numbered turns, exactly as said.

mod types;

pub mod formats;

pub use types::{Speaker, Transcript, TranscriptError, Turn};
