//! The files: a folder with one file per key, and the lock file. The only part of the lock that touches the disk.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use carelock_core::problem::Problem;

use super::entry::Entry;
use super::file::Lock;
use super::key::Key;

/// A folder of entries, one file per key, that any number of processes can use at once.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

/// What the store has under a key.
#[derive(Clone, Debug, PartialEq)]
pub enum StoreRead {
    /// The entry.
    Entry(Box<Entry>),
    /// Nothing.
    Nothing,
    /// A file that cannot be used. It counts as nothing, and the next answers replace it.
    Damaged(Damaged),
}

/// A file of the store that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {what}; the chat is judged again", path.display())]
pub struct Damaged {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub what: String,
}

/// One file of the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFile {
    /// The entry's key.
    pub key: Key,
    /// The file's size.
    pub bytes: u64,
    /// When it was written, where the file system knows.
    pub written: Option<SystemTime>,
}

/// What pruning took away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// How many entries.
    pub entries: usize,
    /// How many bytes.
    pub bytes: u64,
}

impl Store {
    /// The store in this folder, which is made when something is first kept.
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The entry under a key. A file that is damaged or belongs to another key is never used.
    pub fn get(&self, key: &Key) -> StoreRead {
        let path = self.path(key);
        let damaged = |what: String| StoreRead::Damaged(Damaged { path: path.clone(), what });
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return StoreRead::Nothing,
            Err(error) => return damaged(error.to_string()),
        };
        let Ok(text) = String::from_utf8(bytes) else { return damaged("not a text".to_owned()) };
        match Entry::from_line(text.trim_end()) {
            Ok(entry) if entry.key() == *key => StoreRead::Entry(Box::new(entry)),
            Ok(_) => damaged("it belongs to another key".to_owned()),
            Err(error) => damaged(error.to_string()),
        }
    }

    /// Keeps an entry. Of two written at the same time one stays, whole.
    pub fn put(&self, entry: &Entry) -> Result<(), Problem> {
        let path = self.path(&entry.key());
        let mut text = entry.to_line();
        text.push('\n');
        let written = || {
            fs::create_dir_all(path.parent().unwrap_or(&self.folder))?;
            write_whole(&path, text.as_bytes(), Privacy::OwnerOnly)
        };
        written().map_err(|error| unusable(&path, &error))
    }

    /// Removes an entry; whether there was one.
    pub fn remove(&self, key: &Key) -> Result<bool, Problem> {
        let path = self.path(key);
        match fs::remove_file(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(unusable(&path, &error)),
        }
    }

    /// Everything in the store, by key.
    pub fn list(&self) -> Result<Vec<StoredFile>, Problem> {
        let mut kept = Vec::new();
        for path in self.files()? {
            let Some(key) = key_of(&path) else { continue };
            // Another process may have removed it since.
            let Ok(about) = fs::metadata(&path) else { continue };
            kept.push(StoredFile { key, bytes: about.len(), written: about.modified().ok() });
        }
        kept.sort_by(|left, right| left.key.cmp(&right.key));
        Ok(kept)
    }

    /// Removes the oldest entries until the store is no larger than this many bytes, and what crashed writers left
    /// behind before the given time.
    pub fn prune(&self, most_bytes: u64, leftovers_before: SystemTime) -> Result<Pruned, Problem> {
        self.sweep(leftovers_before)?;
        let mut kept = self.list()?;
        kept.sort_by(|left, right| (left.written, &left.key).cmp(&(right.written, &right.key)));
        let mut size: u64 = kept.iter().map(|file| file.bytes).sum();
        let mut pruned = Pruned::default();
        for file in kept {
            if size <= most_bytes {
                break;
            }
            size -= file.bytes;
            if self.remove(&file.key)? {
                pruned.entries += 1;
                pruned.bytes += file.bytes;
            }
        }
        Ok(pruned)
    }

    /// Removes temporary files nobody will finish.
    fn sweep(&self, before: SystemTime) -> Result<(), Problem> {
        for path in self.files()? {
            let temporary = path.extension().is_some_and(|extension| extension == "part");
            let written = fs::metadata(&path).and_then(|about| about.modified());
            if temporary && written.is_ok_and(|written| written < before) {
                // Whoever was faster has done the work.
                drop(fs::remove_file(&path));
            }
        }
        Ok(())
    }

    fn files(&self) -> Result<Vec<PathBuf>, Problem> {
        let mut folders = vec![self.folder.clone()];
        for _ in 0..2 {
            let mut inner = Vec::new();
            for folder in folders {
                inner.extend(inside(&folder)?.into_iter().filter(|path| path.is_dir()));
            }
            folders = inner;
        }
        let mut files = Vec::new();
        for folder in folders {
            files.extend(inside(&folder)?);
        }
        Ok(files)
    }

    /// Two levels of folders keep each of them small.
    fn path(&self, key: &Key) -> PathBuf {
        let digits = key.as_str();
        self.folder.join(&digits[..2]).join(&digits[2..4]).join(format!("{digits}.json"))
    }
}

fn key_of(path: &Path) -> Option<Key> {
    Key::from_digits(path.file_name()?.to_str()?.strip_suffix(".json")?)
}

fn inside(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let listed = fs::read_dir(folder).and_then(|entries| entries.map(|entry| Ok(entry?.path())).collect());
    match listed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        listed => listed.map_err(|error| unusable(folder, &error)),
    }
}

/// A file or folder the store could not work with.
fn unusable(path: &Path, error: &io::Error) -> Problem {
    let fix = "check that the folder can be written to, or choose another one";
    Problem::located(path.display().to_string(), error.to_string(), fix)
}

/// Whether writing a lock changed the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The file is new or has new content.
    Changed,
    /// The file already had this content and was not touched.
    Unchanged,
}

/// Reads a lock file; a file that does not exist is an empty lock.
pub fn read_lock(path: &Path) -> Result<Lock, Problem> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Lock::default()),
        Err(error) => return Err(forbidden(path, &error)),
    };
    Lock::from_text(&text).map_err(|problem| Problem { at: format!("{}, {}", path.display(), problem.at), ..problem })
}

/// Writes a lock file whole or not at all, and only where its content changed.
pub fn write_lock(path: &Path, lock: &Lock) -> Result<Written, Problem> {
    // A link stays a link: the file it points at is the one to write.
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let text = lock.to_text();
    if fs::read(&target).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(Written::Unchanged);
    }
    write_whole(&target, text.as_bytes(), Privacy::AsUsual).map_err(|error| forbidden(path, &error))?;
    Ok(Written::Changed)
}

/// A lock file that the system does not let us read or write.
fn forbidden(path: &Path, error: &io::Error) -> Problem {
    Problem::located(path.display().to_string(), error.to_string(), "check the path and its permissions")
}

/// Who may read a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Privacy {
    /// Quotes of chats in a cache are nobody else's business.
    OwnerOnly,
    /// A lock file is meant to be shared.
    AsUsual,
}

/// Writes beside the target and renames: a reader sees the old file or the new one, never a part.
fn write_whole(target: &Path, bytes: &[u8], privacy: Privacy) -> io::Result<()> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let temporary = target.with_file_name(format!(".{name}.{}-{number}.part", std::process::id()));
    let written = (|| {
        let mut file = options(privacy).open(&temporary)?;
        file.write_all(bytes)?;
        if privacy == Privacy::AsUsual {
            file.sync_all()?;
        }
        drop(file);
        fs::rename(&temporary, target)
    })();
    if written.is_err() {
        // The first error is the one to tell.
        drop(fs::remove_file(&temporary));
    }
    written
}

fn options(privacy: Privacy) -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    if privacy == Privacy::OwnerOnly {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    #[cfg(not(unix))]
    let _ = privacy;
    options
}
