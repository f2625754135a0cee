//! The schema's versions, in order; the list only ever grows.

use sqlx::any::AnyConnectOptions;
use sqlx::{AnyConnection, Connection as _, Row as _};

use crate::StoreError;
use crate::classify::{Engine, Failure};

struct Migration {
    name: &'static str,
    sql: &'static str,
}

/// A migration that was released is never changed: databases out there have run it.
const MIGRATIONS: &[Migration] = &[
    Migration { name: "runs", sql: include_str!("../migrations/0001_runs.sql") },
    Migration { name: "batches", sql: include_str!("../migrations/0002_batches.sql") },
    Migration { name: "people", sql: include_str!("../migrations/0003_people.sql") },
    Migration { name: "sorted lists", sql: include_str!("../migrations/0004_sorted_lists.sql") },
    Migration { name: "checksums", sql: include_str!("../migrations/0005_checksums.sql") },
    Migration { name: "seen verdicts", sql: include_str!("../migrations/0006_seen_verdicts.sql") },
    Migration { name: "tags", sql: include_str!("../migrations/0007_tags.sql") },
    Migration { name: "probe turns", sql: include_str!("../migrations/0008_probe_turns.sql") },
];

/// The newest schema this version knows.
pub(crate) const NEWEST: i64 = MIGRATIONS.len() as i64;

/// Any number will do, as long as every Care-Lock asks for the same lock.
#[cfg(feature = "postgres")]
const LOCK: &str = "SELECT pg_advisory_xact_lock(5022720263124)";

/// What a database holds before anything is changed in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    Empty,
    Foreign,
    Version(i64),
}

/// Looks without changing anything.
pub(crate) async fn state(connection: &mut AnyConnection, engine: Engine) -> Result<State, sqlx::Error> {
    let tables = match engine {
        Engine::Sqlite => "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
        #[cfg(feature = "postgres")]
        Engine::Postgres => "SELECT CAST(tablename AS TEXT) FROM pg_tables WHERE schemaname = current_schema()",
    };
    let rows = sqlx::query(tables).fetch_all(&mut *connection).await?;
    let names: Vec<String> = rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
    if !names.iter().any(|name| name == "carelock_schema") {
        // A server's schema may be shared; a clash of names is found when the tables are made.
        let alone = names.is_empty() || engine != Engine::Sqlite;
        return Ok(if alone { State::Empty } else { State::Foreign });
    }
    let sql = "SELECT CAST(COALESCE(MAX(version), 0) AS BIGINT) FROM carelock_schema";
    Ok(State::Version(sqlx::query(sql).fetch_one(connection).await?.try_get(0)?))
}

/// Brings a database to the given version; several processes may do so at once.
pub(crate) async fn bring_to(
    options: &AnyConnectOptions,
    engine: Engine,
    database: &str,
    version: i64,
) -> Result<(), Failure> {
    let mut connection = AnyConnection::connect_with(options).await?;
    let mut transaction = match engine {
        Engine::Sqlite => connection.begin_with("BEGIN IMMEDIATE").await?,
        #[cfg(feature = "postgres")]
        Engine::Postgres => connection.begin().await?,
    };
    #[cfg(feature = "postgres")]
    if engine == Engine::Postgres {
        sqlx::query(LOCK).execute(&mut *transaction).await?;
    }
    let found = match state(&mut transaction, engine).await? {
        State::Foreign => return Err(StoreError::Foreign { database: database.to_owned() }.into()),
        State::Version(version) => version,
        State::Empty => {
            sqlx::query("CREATE TABLE carelock_schema (version INTEGER NOT NULL PRIMARY KEY, name TEXT NOT NULL)")
                .execute(&mut *transaction)
                .await?;
            0
        }
    };
    for (number, migration) in (1..).zip(MIGRATIONS).filter(|(number, _)| (found + 1..=version).contains(number)) {
        sqlx::raw_sql(migration.sql).execute(&mut *transaction).await?;
        let sql = "INSERT INTO carelock_schema (version, name) VALUES ($1, $2)";
        sqlx::query(sql).bind(number).bind(migration.name).execute(&mut *transaction).await?;
    }
    transaction.commit().await?;
    Ok(connection.close().await?)
}
