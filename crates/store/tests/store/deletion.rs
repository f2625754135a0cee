//! What is deleted is gone from the bytes on the disk.

use std::fs;
use std::path::Path;

use carelock_store::{Filter, StoreError};
use sqlx::Row as _;

use crate::harness::{Fresh, NOW, answer, chat, filled, new_run, on_both, result};

on_both!(
    a_deleted_run_is_gone_with_all_that_belongs_to_it,
    a_run_is_discarded_only_while_it_is_filled_by_its_maker_alone,
    deleted_chats_leave_the_others_alone,
);

async fn a_run_is_discarded_only_while_it_is_filled_by_its_maker_alone(fresh: Fresh) {
    let store = fresh.open().await;
    let run = store.create_run(&new_run("begun", 1)).await.unwrap();
    store.add_chats(run, &[chat(1), chat(2)]).await.unwrap();
    // Another process has added one.
    store.add_chats(run, &[chat(3)]).await.unwrap();
    assert_eq!(store.discard_run(run, 2).await.unwrap(), None);
    assert_eq!(store.run("begun").await.unwrap().chats, 3);
    // Another process has sealed it.
    let (sealed, _) = filled(&store, "sealed", 2, 1).await;
    assert_eq!(store.discard_run(sealed, 2).await.unwrap(), None);
    assert_eq!(store.progress(sealed).await.unwrap().open, 2);
    assert_eq!(store.discard_run(run, 3).await.unwrap().map(|deleted| deleted.chats), Some(3));
    assert!(matches!(store.run("begun").await, Err(StoreError::NoSuchRun { .. })));
    assert_eq!(store.progress(run).await.unwrap().total(), 0);
}

async fn a_deleted_run_is_gone_with_all_that_belongs_to_it(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "gone", 20, 2).await;
    let (kept, _) = filled(&store, "kept", 5, 1).await;
    store.record(&[answer(keys[0], 0)], &[result(keys[0], 0)]).await.unwrap();
    let deleted = store.delete_run(run).await.unwrap();
    assert_eq!((deleted.chats, deleted.cleared), (20, true));
    assert_eq!(store.chats(&keys).await.unwrap(), []);
    assert_eq!(store.progress(kept).await.unwrap().open, 5);
    assert!(matches!(store.delete_run(run).await, Err(StoreError::NoSuchRun { .. })));
    let mut raw = fresh.raw().await;
    for table in ["transcripts", "tasks", "chats"] {
        let sql = sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
        let rows: i64 = sqlx::query(sql).fetch_one(&mut raw).await.unwrap().get(0);
        assert_eq!(rows, 5, "{table}");
    }
    for table in ["answers", "submissions", "results"] {
        let sql = sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
        let rows: i64 = sqlx::query(sql).fetch_one(&mut raw).await.unwrap().get(0);
        assert_eq!(rows, 0, "{table}");
    }
}

async fn deleted_chats_leave_the_others_alone(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "some", 6, 1).await;
    let (other, foreign) = filled(&store, "other", 2, 1).await;
    store.record(&[answer(keys[1], 0)], &[result(keys[1], 1)]).await.unwrap();
    let deleted = store.delete_chats(run, &[keys[1], keys[2], foreign[0]]).await.unwrap();
    assert_eq!(deleted.chats, 2, "a chat of another run is not touched");
    assert_eq!(store.run("some").await.unwrap().chats, 4);
    assert_eq!(store.count(&Filter::for_run(run)).await.unwrap(), 0);
    assert_eq!(store.progress(other).await.unwrap().open, 2);
}

fn holds(folder: &Path, wanted: &[u8]) -> bool {
    let mut files = fs::read_dir(folder).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap());
    files.any(|bytes| bytes.windows(wanted.len()).any(|window| window == wanted))
}

#[tokio::test]
async fn deletion_leaves_no_trace_of_the_text_in_the_files() {
    let fresh = Fresh::file();
    let folder = fresh.path().parent().unwrap();
    let store = fresh.open().await;
    filled(&store, "stays", 50, 1).await;
    let run = store.create_run(&new_run("secret-run-name", 1)).await.unwrap();
    let secret = |number: usize| {
        let mut secret = chat(number);
        secret.name = format!("secret-chat-{number}");
        secret.origin = "secret-folder/file.txt".to_owned();
        // So mixed that it cannot be compressed: its words stand in the file as they are.
        secret.turns[0].text = format!("qZx{number}-Vk7pLw9-mXr3Tb8-yJd5Hn1-sGf6Uc2-eAo4 ").repeat(1 + number % 40);
        secret
    };
    let keys = store.add_chats(run, &(0..200).map(secret).collect::<Vec<_>>()).await.unwrap();
    store.seal(run, "blake3:secret-dataset").await.unwrap();
    let mut answers: Vec<_> = keys.iter().map(|&key| answer(key, 0)).collect();
    answers.iter_mut().for_each(|answer| answer.judge = "secret-judge".to_owned());
    store.record(&answers, &[result(keys[0], 0)]).await.unwrap();
    store.queue_ratings(run, "secret-rater", &keys).await.unwrap();
    for (number, &key) in keys.iter().enumerate().step_by(20) {
        let rating = store.rating(key, "secret-rater").await.unwrap().unwrap().queued.key;
        for version in 0..2 {
            let draft = format!("Rk{number}-{version}-wQz8Lp-nVb2Xs-tHj6Mc");
            store.save_rating(rating, version, &draft, NOW).await.unwrap();
        }
    }
    let mut raw = fresh.raw().await;
    let mut traces: Vec<Vec<u8>> = ["Vk7pLw9-mXr3Tb8", "secret-"].map(|words| words.as_bytes().to_vec()).to_vec();
    for sql in [
        "SELECT turns FROM transcripts WHERE chat = $1",
        "SELECT body FROM submissions WHERE chat = $1",
        "SELECT body FROM ratings WHERE chat = $1",
        "SELECT body FROM rating_changes WHERE number = 1 AND rating IN (SELECT id FROM ratings WHERE chat = $1)",
    ] {
        for key in keys.iter().step_by(20) {
            let packed: Vec<u8> = sqlx::query(sql).bind(key.0).fetch_one(&mut raw).await.unwrap().get(0);
            traces.push(packed[12..packed.len().min(60)].to_vec());
        }
    }
    sqlx::Connection::close(raw).await.unwrap();
    for trace in &traces {
        assert!(holds(folder, trace), "not even there before: {:?}", String::from_utf8_lossy(trace));
    }
    assert!(store.delete_run(run).await.unwrap().cleared);
    for trace in &traces {
        assert!(!holds(folder, trace), "still there: {:?}", String::from_utf8_lossy(trace));
    }
    store.close().await;
    assert!(!holds(folder, b"secret-"));
}

/// A table that is written anew lies in another file. Nothing is ever deleted from the list of the schema's versions, and
/// three tables hold nothing of chats.
#[cfg(feature = "postgres")]
#[tokio::test]
async fn deletion_writes_every_table_of_the_server_that_holds_chats_anew() {
    let Some(fresh) = Fresh::server().await else { return };
    let store = fresh.open().await;
    let (run, _) = filled(&store, "gone", 3, 1).await;
    let mut raw = fresh.raw().await;
    let sql = "SELECT CAST(tablename AS TEXT), CAST(pg_relation_filenode(CAST(tablename AS regclass)) AS BIGINT) \
               FROM pg_tables WHERE schemaname = 'public' \
               AND tablename NOT IN ('carelock_schema', 'tokens', 'counters', 'batches') ORDER BY 1";
    let mut files = async || -> Vec<(String, i64)> {
        let rows = sqlx::query(sql).fetch_all(&mut raw).await.unwrap();
        rows.iter().map(|row| (row.get(0), row.get(1))).collect()
    };
    let before = files().await;
    assert!(store.delete_run(run).await.unwrap().cleared);
    let after = files().await;
    assert!(before.len() >= 10, "{before:?}");
    for (old, new) in before.iter().zip(&after) {
        assert_eq!(old.0, new.0);
        assert_ne!(old.1, new.1, "{} still lies where it lay", old.0);
    }
}
