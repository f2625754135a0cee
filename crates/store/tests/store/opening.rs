//! Files that cannot be opened, each with a message of its own.

use std::fs;
use std::path::Path;

use carelock_store::{Location, OpenMode, Store, StoreError};

use crate::harness::{Fresh, answer, filled};

async fn refused(path: &Path, mode: OpenMode) -> StoreError {
    let error = Store::open(&Location::file(path), mode).await.unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with(&path.display().to_string()) && text.contains("\n  fix: "), "{text}");
    error
}

#[tokio::test]
async fn a_missing_file_is_only_made_where_that_is_asked() {
    let fresh = Fresh::file();
    let error = refused(fresh.path(), OpenMode::Existing).await;
    assert!(matches!(error, StoreError::Missing { .. }), "{error}");
    assert!(!fresh.path().exists());
    fresh.open().await.close().await;
    Store::open(&fresh.location, OpenMode::Existing).await.unwrap();
}

#[tokio::test]
async fn a_missing_folder_and_a_folder_in_place_of_a_file_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let error = refused(&folder.path().join("nowhere/runs.db"), OpenMode::Create).await;
    assert!(matches!(error, StoreError::NoFolder { .. }), "{error}");
    let error = refused(folder.path(), OpenMode::Create).await;
    assert!(matches!(error, StoreError::BadPath { .. }), "{error}");
}

#[tokio::test]
async fn a_file_of_another_kind_is_left_alone() {
    let fresh = Fresh::file();
    let text = "chat,score\n".repeat(1000);
    fs::write(fresh.path(), &text).unwrap();
    let error = refused(fresh.path(), OpenMode::Create).await;
    assert!(matches!(error, StoreError::NotADatabase { .. }), "{error}");
    assert_eq!(fs::read_to_string(fresh.path()).unwrap(), text);
}

#[tokio::test]
async fn a_database_of_someone_else_is_left_alone() {
    let fresh = Fresh::file();
    let mut raw = fresh.raw().await;
    sqlx::raw_sql("CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('soup')")
        .execute(&mut raw)
        .await
        .unwrap();
    sqlx::Connection::close(raw).await.unwrap();
    let before = fs::read(fresh.path()).unwrap();
    let error = refused(fresh.path(), OpenMode::Create).await;
    assert!(matches!(error, StoreError::Foreign { .. }), "{error}");
    assert_eq!(fs::read(fresh.path()).unwrap(), before);
}

#[tokio::test]
async fn a_damaged_file_is_an_error_and_never_a_panic() {
    let fresh = Fresh::file();
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "damaged", 200, 1).await;
    store.record(&keys.iter().map(|&key| answer(key, 0)).collect::<Vec<_>>(), &[]).await.unwrap();
    store.close().await;
    let whole = fs::read(fresh.path()).unwrap();
    let mut seen = 0;
    for at in (4096..whole.len()).step_by(4096) {
        let mut bytes = whole.clone();
        bytes[at..(at + 4096).min(whole.len())].fill(0xA7);
        fs::write(fresh.path(), &bytes).unwrap();
        let Ok(store) = Store::open(&fresh.location, OpenMode::Existing).await else {
            seen += 1;
            continue;
        };
        let outcomes = [
            store.chats(&keys).await.err(),
            store.answers(&keys).await.err(),
            store.progress(run).await.err(),
            store.delete_run(run).await.err(),
        ];
        for error in outcomes.into_iter().flatten() {
            seen += 1;
            assert!(error.to_string().contains("\n  fix: "), "{error}");
        }
        store.close().await;
    }
    assert!(seen > 5, "damage went unnoticed: {seen}");
    fs::write(fresh.path(), &whole[..whole.len() / 2]).unwrap();
    let error = match Store::open(&fresh.location, OpenMode::Existing).await {
        Err(error) => error,
        Ok(store) => store.chats(&keys).await.unwrap_err(),
    };
    assert!(matches!(error, StoreError::Damaged { .. }), "{error}");
}

#[tokio::test]
async fn a_path_with_odd_signs_is_opened_as_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["a b?c#d%41.db", "ünï ☃.db", "file:x?mode=memory", "a'b\"c;d&e=f.db"] {
        let path = folder.path().join(name);
        let store = Store::open(&Location::file(&path), OpenMode::Create).await.unwrap();
        filled(&store, "odd", 1, 1).await;
        store.close().await;
        assert!(fs::metadata(&path).unwrap().len() > 4096, "{name}");
    }
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 4);
}

#[tokio::test]
async fn a_database_that_another_process_keeps_locked_is_said() {
    let fresh = Fresh::file();
    let store = fresh.open().await;
    let mut raw = fresh.raw().await;
    sqlx::query("BEGIN IMMEDIATE").execute(&mut raw).await.unwrap();
    // Reading goes on; only the wait of a writer would take half a minute, so it is not waited for here.
    assert_eq!(store.runs().await.unwrap(), []);
    let run = crate::harness::new_run("x", 1);
    let writing = tokio::time::timeout(std::time::Duration::from_millis(300), store.create_run(&run));
    assert!(writing.await.is_err(), "the writer waits");
    sqlx::query("ROLLBACK").execute(&mut raw).await.unwrap();
    store.create_run(&run).await.unwrap();
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_is_said_and_what_was_committed_before_is_safe() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = carelock_test_support::Disk::mount(folder.path().join("disk")) else { return };
    let location = Location::file(folder.path().join("disk/runs.db"));
    let store = Store::open(&location, OpenMode::Create).await.unwrap();
    let run = store.create_run(&crate::harness::new_run("large", 1)).await.unwrap();
    let mut kept = 0;
    let error = loop {
        let chats: Vec<_> = (kept..kept + 50).map(crate::harness::chat).collect();
        match store.add_chats(run, &chats).await {
            Ok(_) => kept += 50,
            Err(error) => break error,
        }
    };
    store.close().await;
    let store = Store::open(&location, OpenMode::Existing).await.unwrap();
    let found = store.run("large").await.unwrap().chats;
    store.close().await;
    drop(disk);
    assert!(matches!(error, StoreError::Full { .. }), "{error}");
    assert!(kept > 0 && found == kept as u64, "{found} of {kept}");
}

#[cfg(unix)]
mod permissions {
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;
    use std::process::Command;

    use super::*;

    #[tokio::test]
    async fn a_new_file_and_its_journal_are_for_their_owner_alone() {
        let fresh = Fresh::file();
        let store = fresh.open().await;
        filled(&store, "private", 1, 1).await;
        for entry in fs::read_dir(fresh.path().parent().unwrap()).unwrap() {
            let entry = entry.unwrap();
            assert_eq!(entry.metadata().unwrap().permissions().mode() & 0o077, 0, "{:?}", entry.path());
        }
    }

    /// For root everything can be written, so the test runs itself again as nobody.
    #[test]
    fn a_folder_or_file_that_must_not_be_written_is_said() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.db");
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = Store::open(&Location::file(&path), OpenMode::Create).await.unwrap();
            filled(&store, "kept", 1, 1).await;
            store.close().await;
        });
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
        // A copy, because nobody may not be allowed into the folder of the build.
        let program = tempfile::tempdir().unwrap();
        fs::set_permissions(program.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let copy = program.path().join("again");
        fs::copy(std::env::current_exe().unwrap(), &copy).unwrap();
        let mut command = Command::new(&copy);
        command.args(["--exact", "opening::permissions::as_nobody", "--ignored", "--nocapture"]);
        command.env("CARELOCK_TEST_READ_ONLY", folder.path()).current_dir("/");
        if Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n") {
            command.uid(65_534).gid(65_534);
        }
        let output = command.output().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success() && text.contains("1 passed"),
            "{text}\n{}",
            String::from_utf8_lossy(&output.stderr)
        );
    }

    #[tokio::test]
    #[ignore = "run by the test above, as nobody"]
    async fn as_nobody() {
        let folder = std::path::PathBuf::from(std::env::var_os("CARELOCK_TEST_READ_ONLY").unwrap());
        for name in ["runs.db", "new.db"] {
            let path = folder.join(name);
            let error = match Store::open(&Location::file(&path), OpenMode::Create).await {
                Err(error) => error,
                Ok(store) => store.create_run(&crate::harness::new_run("x", 1)).await.unwrap_err(),
            };
            assert!(matches!(error, StoreError::ReadOnly { .. }), "{name}: {error}");
            assert!(error.to_string().contains("fix: check the permissions"), "{error}");
        }
    }
}
