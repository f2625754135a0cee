//! Zip archives.

use carelock_core::transcript::formats::{self, ReadOptions};
use libfuzzer_sys::Corpus;

/// Runs it once.
pub fn run(data: &[u8]) -> Corpus {
    let whole = [b"PK\x03\x04".as_slice(), data].concat();
    let _ = formats::read(&whole, &ReadOptions::default());
    if data.starts_with(b"PK") {
        let _ = formats::read(data, &ReadOptions::default());
    }
    Corpus::Keep
}
