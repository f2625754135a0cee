//! Databases of every earlier version are brought up to date with what is in them; newer ones are left alone.

use carelock_store::{OpenMode, Store, StoreError};
use sqlx::{AnyConnection, Connection as _, Row as _};

use crate::harness::{Fresh, answer, filled, on_both};

const MIGRATIONS: [(&str, &str); 8] = [
    ("runs", include_str!("../../migrations/0001_runs.sql")),
    ("batches", include_str!("../../migrations/0002_batches.sql")),
    ("people", include_str!("../../migrations/0003_people.sql")),
    ("sorted lists", include_str!("../../migrations/0004_sorted_lists.sql")),
    ("checksums", include_str!("../../migrations/0005_checksums.sql")),
    ("seen verdicts", include_str!("../../migrations/0006_seen_verdicts.sql")),
    ("tags", include_str!("../../migrations/0007_tags.sql")),
    ("probe turns", include_str!("../../migrations/0008_probe_turns.sql")),
];

on_both!(
    every_earlier_version_is_brought_up_to_date_with_its_data,
    a_newer_schema_is_refused_and_left_alone,
    many_processes_may_make_one_database_at_once,
);

/// What an earlier Care-Lock would have left behind.
async fn earlier(connection: &mut AnyConnection, version: usize) {
    let table = "CREATE TABLE carelock_schema (version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL)";
    sqlx::query(table).execute(&mut *connection).await.unwrap();
    for (number, (name, sql)) in (1_i64..).zip(MIGRATIONS).take(version) {
        sqlx::raw_sql(sql).execute(&mut *connection).await.unwrap();
        let insert = "INSERT INTO carelock_schema (version, name) VALUES ($1, $2)";
        sqlx::query(insert).bind(number).bind(name).execute(&mut *connection).await.unwrap();
    }
    if version > 0 {
        let run = "INSERT INTO runs (id, name, created, state, judges, config) VALUES (7, 'old', 1, 'open', 1, '{}'); \
                   UPDATE counters SET value = 7 WHERE name = 'run'";
        sqlx::raw_sql(run).execute(&mut *connection).await.unwrap();
    }
}

async fn version(connection: &mut AnyConnection) -> i64 {
    let sql = "SELECT CAST(MAX(version) AS BIGINT) FROM carelock_schema";
    sqlx::query(sql).fetch_one(connection).await.unwrap().get(0)
}

async fn every_earlier_version_is_brought_up_to_date_with_its_data(fresh: Fresh) {
    for old in 0..=MIGRATIONS.len() {
        // On a server the versions would meet in one database; a new one for each.
        let fresh = fresh.another().await;
        let mut raw = fresh.raw().await;
        earlier(&mut raw, old).await;
        raw.close().await.unwrap();
        let store = Store::open(&fresh.location, OpenMode::Existing).await.unwrap();
        assert_eq!(version(&mut fresh.raw().await).await, MIGRATIONS.len() as i64, "from version {old}");
        assert_eq!(store.runs().await.unwrap().len(), usize::from(old > 0));
        let (run, keys) = filled(&store, "new", 3, 1).await;
        store.record(&[answer(keys[0], 0)], &[]).await.unwrap();
        store.insert_batch(&crate::batches::job(run, &keys)).await.unwrap();
    }
}

async fn a_newer_schema_is_refused_and_left_alone(fresh: Fresh) {
    fresh.open().await.close().await;
    let mut raw = fresh.raw().await;
    sqlx::query("INSERT INTO carelock_schema (version, name) VALUES (99, 'later')").execute(&mut raw).await.unwrap();
    let error = Store::open(&fresh.location, OpenMode::Create).await.unwrap_err();
    assert!(matches!(&error, StoreError::Newer { found: 99, known: 8, .. }), "{error}");
    assert!(error.to_string().contains("fix: use a newer Care-Lock"), "{error}");
    assert_eq!(version(&mut raw).await, 99);
}

async fn many_processes_may_make_one_database_at_once(fresh: Fresh) {
    let opening: Vec<_> = (0..8)
        .map(|_| {
            let location = fresh.location.clone();
            tokio::spawn(async move { Store::open(&location, OpenMode::Create).await.unwrap() })
        })
        .collect();
    for store in opening {
        assert_eq!(store.await.unwrap().runs().await.unwrap(), []);
    }
}
