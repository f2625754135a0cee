//! Markdown with headings or bold labels.

use carelock_core::transcript::formats::{self, Format, ReadOptions};
use libfuzzer_sys::Corpus;

/// Runs it once.
pub fn run(data: &[u8]) -> Corpus {
    let plain = ReadOptions { from: Some(Format::Markdown), ..ReadOptions::default() };
    let _ = formats::read(data, &plain);
    let named = ReadOptions { human: vec!["Ana".into()], ai: vec!["Bo".into()], ..plain };
    let _ = formats::read(data, &named);
    Corpus::Keep
}
