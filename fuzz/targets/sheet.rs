//! Rating sheets.

use std::sync::LazyLock;

use carelock_core::rubric::Rubric;
use carelock_core::verdict::read_sheet;
use libfuzzer_sys::Corpus;

static RUBRIC: LazyLock<Rubric> = LazyLock::new(Rubric::care_lock);

/// Runs it once.
pub fn run(data: &[u8]) -> Corpus {
    if let Ok(text) = std::str::from_utf8(data) {
        let _ = read_sheet(&RUBRIC, text);
    }
    Corpus::Keep
}
