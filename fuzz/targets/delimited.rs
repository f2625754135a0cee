//! CSV and TSV tables.

#![no_main]

use carelock_core::transcript::formats::{self, Format, ReadOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let plain = ReadOptions { from: Some(Format::Delimited), ..ReadOptions::default() };
    let _ = formats::read(data, &plain);
    let named = ReadOptions { human: vec!["Ana".into()], ai: vec!["Bo".into()], ..plain };
    let _ = formats::read(data, &named);
});
