//! Parquet tables.

use carelock_core::transcript::formats::{self, ReadOptions};
use libfuzzer_sys::Corpus;

/// Runs it once.
pub fn run(data: &[u8]) -> Corpus {
    // The reader catches what the Parquet decoder throws; the fuzzer's own hook would stop at it before that.
    let _ = std::panic::take_hook();
    if !data.starts_with(b"PAR1") {
        return Corpus::Reject;
    }
    let _ = formats::read(data, &ReadOptions::default());
    Corpus::Keep
}
