//! Any bytes through the dispatch: encodings, zip, JSON, text.

use carelock_core::transcript::formats::{self, ReadOptions};
use libfuzzer_sys::Corpus;

/// Runs it once.
pub fn run(data: &[u8]) -> Corpus {
    let _ = formats::read(data, &ReadOptions::default());
    Corpus::Keep
}
