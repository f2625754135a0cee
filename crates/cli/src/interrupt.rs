//! Ctrl-C: nothing half-written is left behind.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::exit;

/// What must not outlive an interrupted run.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Whether the first Ctrl-C only asks, and whether it was pressed.
static ASKED: AtomicU8 = AtomicU8::new(ENDS);
const ENDS: u8 = 0;
const ASKS: u8 = 1;
const WAS_ASKED: u8 = 2;

/// Removes unfinished files when the user interrupts. Where no handler can be set, Ctrl-C just ends the program.
pub(crate) fn watch() {
    let _ = ctrlc::set_handler(|| {
        if ASKED.compare_exchange(ASKS, WAS_ASKED, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
            return;
        }
        for path in UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = std::fs::remove_file(path);
        }
        std::process::exit(i32::from(exit::INTERRUPTED));
    });
}

/// From now on the first Ctrl-C only asks to stop; the second one ends the program.
pub(crate) fn ask_first() {
    ASKED.store(ASKS, Ordering::SeqCst);
}

/// Whether the user has asked to stop.
pub(crate) fn was_asked() -> bool {
    ASKED.load(Ordering::SeqCst) == WAS_ASKED
}

/// Remembers a file that is being written.
pub(crate) fn begin(path: &Path) {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).push(path.to_owned());
}

/// Forgets all of them: what was written has its name.
pub(crate) fn end() {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner).clear();
}
