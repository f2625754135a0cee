//! A disk that is full and a folder that must not be written to.

#![cfg(target_os = "linux")]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::stored::Stored;
use super::support::Place;

/// Chats that do not shrink to nothing when they are packed.
fn large_chats(place: &Place, count: u64) {
    let mut state = 1_u64;
    let mut word = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{:x}", state >> 20)
    };
    for number in 0..count {
        let words: Vec<String> = (0..120).map(|_| word()).collect();
        let text = format!("Human: I feel low. {}\nAI: That sounds hard.\n", words.join(" "));
        place.write(&format!("chats/{number:03}.txt"), text);
    }
}

/// A small file system, unmounted however the test ends.
struct Disk(PathBuf);

impl Disk {
    /// None where it cannot be mounted; then the test is left out aloud, or fails where it is required.
    fn mount(folder: PathBuf) -> Option<Self> {
        fs::create_dir(&folder).unwrap();
        if succeeds("mount", &["-t", "tmpfs", "-o", "size=2m", "tmpfs"], &folder) {
            return Some(Self(folder));
        }
        let required = std::env::var("CARELOCK_REQUIRE_MOUNT").is_ok_and(|value| value == "1");
        assert!(!required, "CARELOCK_REQUIRE_MOUNT=1, but no disk can be mounted");
        // Not eprintln!, which a test that passes keeps to itself.
        std::io::stderr().write_all(b"LEFT OUT: no disk to fill. Mounting one takes root.\n").unwrap();
        None
    }

    fn grow(&self) {
        assert!(succeeds("mount", &["-o", "remount,size=64m"], &self.0));
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

#[test]
fn a_full_disk_stops_a_run_that_goes_on_when_there_is_room() {
    let place = Place::with(&[]);
    large_chats(&place, 600);
    let Some(disk) = Disk::mount(place.path("disk")) else { return };
    let full = place.run(&["run", "chats", "--name", "n", "--db", "disk/runs.db", "--lease", "1"]);
    let half = place.run(&["run", "--resume", "n", "--db", "disk/runs.db", "--lease", "1"]);
    disk.grow();
    let done = place.run(&["run", "--resume", "n", "--db", "disk/runs.db", "--lease", "1"]);
    let results = Stored::file(&place.path("disk/runs.db")).results("n").len();
    drop(disk);
    for stopped in [full.exits(2), half.exits(2)] {
        assert!(stopped.stderr.contains("the disk is full; what was committed before is safe"), "{stopped}");
        assert!(stopped.stderr.contains("carelock run --resume"), "{stopped}");
    }
    // What the words say is in no language, so some checks stay open.
    assert!(done.stdout.ends_with("next: carelock show n --db disk/runs.db\n"), "{done}");
    assert_eq!(results, 600);
}

/// For root everything can be written, so the program runs as nobody.
#[test]
fn a_folder_that_must_not_be_written_to_is_said() {
    let place = Place::with_short_chats(1);
    fs::create_dir(place.path("locked")).unwrap();
    fs::set_permissions(place.path("locked"), fs::Permissions::from_mode(0o555)).unwrap();
    fs::set_permissions(place.path(""), fs::Permissions::from_mode(0o755)).unwrap();
    // A copy, because nobody may not be allowed into the folder of the build.
    let program = place.path("program");
    fs::copy(env!("CARGO_BIN_EXE_carelock"), &program).unwrap();
    let mut command = Command::new(&program);
    command.args(["run", "chats", "--db", "locked/runs.db"]).current_dir(place.path("")).env("HOME", "/nonexistent");
    if Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n") {
        command.uid(65_534).gid(65_534);
    }
    let output = command.output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("cannot be written to") && said.contains("fix: check the permissions"), "{said}");
}
