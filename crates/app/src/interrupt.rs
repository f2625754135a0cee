//! Ctrl-C: nothing half-written is left behind.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What must not outlive an interrupted run.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// What shells report for a program that ended on Ctrl-C.
const INTERRUPTED: i32 = 130;

/// Removes unfinished files when the user interrupts. Where no handler can be set, Ctrl-C just ends the program.
pub(crate) fn watch() {
    let _ = ctrlc::set_handler(|| {
        for path in UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = std::fs::remove_file(path);
        }
        std::process::exit(INTERRUPTED);
    });
}

/// Remembers a file that is being written.
pub(crate) fn begin(path: &Path) {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
}

/// Forgets all of them: what was written has its name.
pub(crate) fn end() {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).clear();
}
