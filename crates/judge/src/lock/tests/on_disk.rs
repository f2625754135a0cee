//! The store and the lock file on a disk, with other processes about.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::{created_at, entry};
use crate::lock::{Lock, Store, StoreRead, Written, read_lock, write_lock};

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found
}

#[test]
fn what_is_put_into_the_store_is_found_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path().join("not/there/yet"));
    let entry = entry("x");
    assert_eq!(store.get(&entry.key()), StoreRead::Nothing);
    assert!(store.list().unwrap().is_empty());
    store.put(&entry).unwrap();
    assert_eq!(store.get(&entry.key()), StoreRead::Entry(Box::new(entry.clone())));
    assert_eq!(store.list().unwrap()[0].key, entry.key());
    assert!(store.remove(&entry.key()).unwrap());
    assert!(!store.remove(&entry.key()).unwrap());
}

#[test]
fn a_damaged_file_is_a_miss_with_a_warning_and_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let (entry, other) = (entry("x"), super::entry("y"));
    store.put(&entry).unwrap();
    let path = files(folder.path()).remove(0);
    let good = fs::read(&path).unwrap();
    let torn = good[..good.len() / 2].to_vec();
    let flipped = String::from_utf8(good.clone()).unwrap().replacen("\"yes\"", "\"no\"", 1).into_bytes();
    let foreign = other.to_line().into_bytes();
    for bad in [Vec::new(), b"\xff\xfe".to_vec(), b"{}".to_vec(), torn, flipped, foreign] {
        fs::write(&path, bad).unwrap();
        let StoreRead::Damaged(damaged) = store.get(&entry.key()) else { panic!("a damaged file was used") };
        assert!(damaged.to_string().ends_with("the chat is judged again"), "{damaged}");
    }
    store.put(&entry).unwrap();
    assert_eq!(fs::read(&path).unwrap(), good);
}

#[test]
fn no_single_changed_byte_can_change_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let entry = entry("x");
    store.put(&entry).unwrap();
    let path = files(folder.path()).remove(0);
    let good = fs::read(&path).unwrap();
    for place in (0..good.len() - 1).step_by(97) {
        let mut bad = good.clone();
        bad[place] ^= 1;
        fs::write(&path, bad).unwrap();
        match store.get(&entry.key()) {
            StoreRead::Entry(read) => assert_eq!(*read, entry, "byte {place}"),
            StoreRead::Damaged(_) => {}
            StoreRead::Nothing => panic!("the file is there"),
        }
    }
}

#[test]
fn many_writers_and_readers_never_see_half_an_entry() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let versions: Vec<_> = (0..4).map(|version| created_at("x", &version.to_string())).collect();
    let key = versions[0].key();
    std::thread::scope(|scope| {
        for version in &versions {
            scope.spawn(|| (0..25).for_each(|_| store.put(version).unwrap()));
        }
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..50 {
                    match store.get(&key) {
                        StoreRead::Entry(read) => assert!(versions.contains(&read)),
                        StoreRead::Nothing => {}
                        StoreRead::Damaged(damaged) => panic!("{damaged}"),
                    }
                }
            });
        }
    });
    assert_eq!(files(folder.path()).len(), 1, "no temporary file is left behind");
}

#[test]
fn pruning_removes_the_oldest_entries_and_old_leftovers() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::at(folder.path());
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    for (age, opening) in ["a", "b", "c"].into_iter().enumerate() {
        let entry = entry(opening);
        store.put(&entry).unwrap();
        let path =
            files(folder.path()).into_iter().find(|path| path.ends_with(format!("{}.json", entry.key()))).unwrap();
        let written = old + Duration::from_secs(age as u64);
        fs::File::options().append(true).open(&path).unwrap().set_modified(written).unwrap();
        fs::write(path.with_extension("part"), "half").unwrap();
    }
    let size: u64 = store.list().unwrap().iter().map(|kept| kept.bytes).sum();
    let pruned = store.prune(size - 1, SystemTime::now() + Duration::from_secs(60)).unwrap();
    assert_eq!(pruned.entries, 1);
    assert_eq!(store.get(&entry("a").key()), StoreRead::Nothing);
    assert_ne!(store.get(&entry("c").key()), StoreRead::Nothing);
    assert_eq!(files(folder.path()).len(), 2);
    assert_eq!(store.prune(0, SystemTime::UNIX_EPOCH).unwrap().entries, 2);
}

#[test]
fn the_lock_file_is_written_only_when_it_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("carelock.lock");
    assert_eq!(read_lock(&path).unwrap(), Lock::default());
    let mut lock = Lock::default();
    lock.insert(entry("x"));
    assert_eq!(write_lock(&path, &lock).unwrap(), Written::Changed);
    assert_eq!(write_lock(&path, &lock).unwrap(), Written::Unchanged);
    assert_eq!(read_lock(&path).unwrap(), lock);
    lock.retain(|_| false);
    assert_eq!(write_lock(&path, &lock).unwrap(), Written::Changed);
    assert_eq!(files(folder.path()), [path]);
}

#[test]
fn an_unreadable_lock_names_its_path_and_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("carelock.lock");
    fs::write(&path, "{\"format\":\"carelock/lock/1\"}\n{\"chat\":1}\n").unwrap();
    let error = read_lock(&path).unwrap_err();
    assert!(error.to_string().contains(&format!("{}, line ", path.display())), "{error}");
    assert!(error.to_string().contains("carelock.lock, line 2: "), "{error}");
}

#[cfg(unix)]
#[test]
fn only_the_owner_can_read_the_store_and_a_linked_lock_stays_linked() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let folder = tempfile::tempdir().unwrap();
    Store::at(folder.path()).put(&entry("x")).unwrap();
    let path = files(folder.path()).remove(0);
    assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o077, 0);
    let (target, link) = (folder.path().join("real.lock"), folder.path().join("carelock.lock"));
    fs::write(&target, "").unwrap();
    symlink(&target, &link).unwrap();
    write_lock(&link, &Lock::default()).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert!(!fs::read(&target).unwrap().is_empty());
}
