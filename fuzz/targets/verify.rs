//! Verification of reports.

#![no_main]

use std::sync::LazyLock;

use carelock_core::rubric::Rubric;
use carelock_core::verify::verify;
use libfuzzer_sys::fuzz_target;

static RUBRIC: LazyLock<Rubric> = LazyLock::new(Rubric::care_lock);

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data)
        && let Ok(verification) = verify(text, &RUBRIC)
    {
        let _ = verification.to_text(true);
    }
});
