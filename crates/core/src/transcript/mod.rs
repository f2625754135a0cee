//! A conversation as numbered turns, exactly as said, and proof that words stand in it.

mod cite;
mod fold;
mod types;

pub mod formats;

pub use cite::{CiteError, Evidence};
pub use types::{Speaker, Transcript, TranscriptError, Turn, turns_digest};

#[cfg(test)]
mod cite_tests;
