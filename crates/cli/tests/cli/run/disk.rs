//! A disk that is full and a folder that must not be written to.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use carelock_test_support::{Disk, Outcome, Place, binary};

use super::stored::Stored;

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
    fs::copy(binary(), &program).unwrap();
    let mut command = Command::new(&program);
    command.args(["run", "chats", "--db", "locked/runs.db"]).current_dir(place.path("")).env("HOME", "/nonexistent");
    if Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n") {
        command.uid(65_534).gid(65_534);
    }
    let said = Outcome::new(&mut command).exits(2).stderr;
    assert!(said.contains("cannot be written to") && said.contains("fix: check the permissions"), "{said}");
}
