//! A small disk of its own for a test that fills it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::leave_out;

/// A mounted file system of 2 MB, unmounted however the test ends.
pub struct Disk(PathBuf);

impl Disk {
    /// None where it cannot be mounted; then the test is left out, or fails where `CARELOCK_REQUIRE_MOUNT` is 1.
    #[track_caller]
    pub fn mount(folder: PathBuf) -> Option<Self> {
        std::fs::create_dir(&folder).expect("a folder to mount on");
        if succeeds("mount", &["-t", "tmpfs", "-o", "size=2m", "tmpfs"], &folder) {
            return Some(Self(folder));
        }
        leave_out("CARELOCK_REQUIRE_MOUNT", "no disk can be mounted; that takes root");
        None
    }

    /// Makes room: 64 MB in place of 2.
    pub fn grow(&self) {
        assert!(succeeds("mount", &["-o", "remount,size=64m"], &self.0), "the disk cannot be made larger");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let is_gone = succeeds("umount", &[], &self.0);
        // A second panic would hide the first.
        assert!(is_gone || std::thread::panicking(), "{}: cannot be unmounted", self.0.display());
    }
}

fn succeeds(program: &str, arguments: &[&str], folder: &Path) -> bool {
    Command::new(program).args(arguments).arg(folder).output().is_ok_and(|output| output.status.success())
}
