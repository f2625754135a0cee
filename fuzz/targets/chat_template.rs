//! ChatML and other templates that models are given chats in.

use carelock_core::transcript::formats::{self, Format, ReadOptions};
use libfuzzer_sys::Corpus;

pub(crate) fn run(data: &[u8]) -> Corpus {
    let template = ReadOptions { from: Some(Format::ChatTemplate), ..ReadOptions::default() };
    let _ = formats::read(data, &template);
    Corpus::Keep
}
