//! The file of a SQLite database before SQLite opens it.

use std::fs::OpenOptions;
use std::io;
use std::path::Path;

use sqlx::any::AnyConnectOptions;

use super::OpenMode;
use crate::StoreError;

/// Checks the path, makes an empty file where one may be made, and gives the options that open it.
pub(super) fn options(path: &Path, mode: OpenMode) -> Result<AnyConnectOptions, StoreError> {
    let database = || path.display().to_string();
    let name = path.file_name().ok_or(StoreError::BadPath { database: database(), why: "it names no file" })?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Whole paths without dots: the address of a database is cleaned of them without a look at links.
    let whole = folder
        .canonicalize()
        .map_err(|_| StoreError::NoFolder { database: database(), folder: folder.display().to_string() })?
        .join(name);
    if whole.is_dir() {
        return Err(StoreError::BadPath { database: database(), why: "it is a folder" });
    }
    if !whole.exists() {
        if mode == OpenMode::Existing {
            return Err(StoreError::Missing { database: database() });
        }
        make(&whole).map_err(|error| StoreError::ReadOnly { database: database(), what: error.to_string() })?;
    }
    let text = whole.to_str().ok_or(StoreError::BadPath { database: database(), why: "it is not Unicode" })?;
    let url = format!("sqlite://{}?mode=rw", encoded(text));
    url.parse().map_err(|_| StoreError::BadPath { database: database(), why: "SQLite does not take it" })
}

/// Chats are nobody else's business: the file is made for its owner alone, and SQLite gives the files beside it the
/// same permissions.
fn make(path: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        // Another process was quicker.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other.map(drop),
    }
}

fn encoded(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-~:\\".contains(&byte);
    path.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
