//! Whether a name means a file or a run.

use std::path::{Path, is_separator};

use anyhow::Result;
use carelock_store::{OpenMode, StoreError};

use super::Database;

/// Whether a name is that of a file. A run is often called like the folder its chats lie in, so a bare name that is both
/// means the run.
pub fn is_file(name: &str, database: Option<&str>) -> Result<bool> {
    let path = Path::new(name);
    if !path.is_dir() || path.components().count() != 1 || name.ends_with(is_separator) {
        return Ok(name == "-" || path.exists());
    }
    let found = Database::open(database, OpenMode::Existing)
        .and_then(|database| Ok(database.wait(database.store().run(name)).map(drop)?));
    match found {
        Ok(()) => Ok(false),
        Err(error) if is_absence(&error) => Ok(true),
        Err(error) => Err(error),
    }
}

/// Whether an error only says that there is no such run, or no database it could be in.
pub fn is_absence(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(StoreError::Missing { .. } | StoreError::NoSuchRun { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &Path) -> String {
        path.display().to_string()
    }

    #[test]
    fn only_a_database_that_cannot_be_read_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let missing = at(&folder.path().join("missing.db"));
        // The tests run in the folder of the crate.
        assert!(is_file("src", Some(&missing)).unwrap(), "a folder, and no database");
        assert!(is_file("Cargo.toml", Some(&missing)).unwrap());
        assert!(is_file("-", Some(&missing)).unwrap());
        assert!(!is_file("no-such-file.jsonl", Some(&missing)).unwrap());
        let broken = folder.path().join("broken.db");
        std::fs::write(&broken, "this is no database, only some text that is long enough").unwrap();
        assert!(is_file("src", Some(&at(&broken))).is_err());
        assert!(is_file("src/", Some(&at(&broken))).unwrap(), "no run is asked for");
    }

    #[test]
    fn a_bare_name_that_is_both_means_the_run() {
        let folder = tempfile::tempdir().unwrap();
        let argument = at(&folder.path().join("runs.db"));
        let database = Database::open(Some(&argument), OpenMode::Create).unwrap();
        assert!(is_file("src", Some(&argument)).unwrap());
        let config = serde_json::Value::Null;
        let new = carelock_store::NewRun { name: "src".to_owned(), created: 0, judges: 1, config };
        database.wait(database.store().create_run(&new)).unwrap();
        assert!(!is_file("src", Some(&argument)).unwrap());
        assert!(is_file("src/", Some(&argument)).unwrap());
    }
}
