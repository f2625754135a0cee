//! Zip archives.

#![no_main]

use carelock_core::transcript::formats::{self, ReadOptions};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let whole = [b"PK\x03\x04".as_slice(), data].concat();
    let _ = formats::read(&whole, &ReadOptions::default());
    if data.starts_with(b"PK") {
        let _ = formats::read(data, &ReadOptions::default());
    }
});
