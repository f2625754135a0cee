//! Opening a database, and the connections to it.
//!
//! **Durability on SQLite.** The journal is a write-ahead log. What was committed has been handed to the operating
//! system, so it outlives the process: kill -9 loses nothing. `synchronous = FULL` also waits for the disk at every
//! commit, so that a power cut loses nothing either; with `NORMAL` the last seconds could be gone. Many answers in one
//! [`Store::record`] share one such wait.

use std::sync::Arc;
use std::time::Duration;

use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::{Any, AnyConnection, AnyPool, ConnectOptions as _, Connection as _, Executor as _, Row as _, Transaction};

use crate::classify::{Engine, Failure, explain};
use crate::location::Kind;
use crate::migrate::{self, NEWEST, State};
use crate::{Location, StoreError};

mod file;

const BUSY: Duration = Duration::from_secs(30);
#[cfg(feature = "postgres")]
const CONNECT: Duration = Duration::from_secs(20);
const READERS: u32 = 4;

/// Settings of every SQLite connection; the journal's mode is kept in the file itself.
const PRAGMAS: &str = "PRAGMA busy_timeout = 30000; PRAGMA foreign_keys = ON; PRAGMA synchronous = FULL; \
                       PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; PRAGMA cache_size = -16000;";

/// Whether a database may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenMode {
    /// Make it where there is none.
    Create,
    /// It must be there.
    Existing,
}

/// An open database of runs. Clones share its connections.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) reader: AnyPool,
    pub(crate) writer: AnyPool,
    pub(crate) engine: Engine,
    label: Arc<str>,
}

impl Store {
    /// Opens a database and brings its schema up to date.
    pub async fn open(location: &Location, mode: OpenMode) -> Result<Self, StoreError> {
        Self::open_at(location, mode, NEWEST).await
    }

    async fn open_at(location: &Location, mode: OpenMode, version: i64) -> Result<Self, StoreError> {
        sqlx::any::install_default_drivers();
        let label = location.to_string();
        let (engine, options) = match &location.0 {
            Kind::File(path) => (Engine::Sqlite, file::options(path, mode)?),
            #[cfg(feature = "postgres")]
            Kind::Server { url, .. } => {
                let options = url.parse().map_err(|_| StoreError::BadUrl { why: "it is not a URL" })?;
                (Engine::Postgres, options)
            }
        };
        let options = AnyConnectOptions::disable_statement_logging(options);
        prepare(&options, engine, &label, mode, version).await.map_err(|failure| explain(engine, &label, failure))?;
        let (reader, writer) = pools(&options, engine);
        Ok(Self { reader, writer, engine, label: label.into() })
    }

    /// Where the database lies, without a password.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Ends all connections; what was committed is safe with or without it. On SQLite it also empties the journal.
    pub async fn close(self) {
        self.reader.close().await;
        self.writer.close().await;
    }

    /// A transaction that may write. SQLite takes its lock at once: taking it later could fail in the middle.
    pub(crate) async fn begin(&self) -> Result<Transaction<'static, Any>, sqlx::Error> {
        match self.engine {
            Engine::Sqlite => self.writer.begin_with("BEGIN IMMEDIATE").await,
            #[cfg(feature = "postgres")]
            Engine::Postgres => self.writer.begin().await,
        }
    }

    pub(crate) fn told<T>(&self, outcome: Result<T, Failure>) -> Result<T, StoreError> {
        outcome.map_err(|failure| explain(self.engine, &self.label, failure))
    }

    /// Fills in how tasks are locked: `{skip}` leaves out what others hold, `{wait}` waits for it. SQLite has one
    /// writer, so there is nothing to say.
    pub(crate) fn locking(&self, sql: &str) -> sqlx::AssertSqlSafe<String> {
        let (skip, wait) = match self.engine {
            Engine::Sqlite => ("", ""),
            #[cfg(feature = "postgres")]
            Engine::Postgres => ("FOR UPDATE OF tasks SKIP LOCKED", "FOR UPDATE OF tasks"),
        };
        sqlx::AssertSqlSafe(sql.replace("{skip}", skip).replace("{wait}", wait))
    }
}

/// Looks at the database over one plain connection, because a pool hides why it cannot connect.
async fn prepare(
    options: &AnyConnectOptions,
    engine: Engine,
    label: &str,
    mode: OpenMode,
    version: i64,
) -> Result<(), Failure> {
    let mut connection = connect(options, engine).await?;
    let database = || label.to_owned();
    let found = match migrate::state(&mut connection, engine).await? {
        State::Foreign => return Err(StoreError::Foreign { database: database() }.into()),
        State::Empty if mode == OpenMode::Existing => return Err(StoreError::Missing { database: database() }.into()),
        State::Empty => 0,
        State::Version(found) => found,
    };
    if found > NEWEST {
        return Err(StoreError::Newer { database: database(), found, known: NEWEST }.into());
    }
    if engine == Engine::Sqlite {
        keep_journal(&mut connection, label).await?;
    }
    connection.close().await?;
    if found < version {
        migrate::bring_to(options, engine, label, version).await?;
    }
    Ok(())
}

async fn connect(options: &AnyConnectOptions, engine: Engine) -> Result<AnyConnection, Failure> {
    match engine {
        Engine::Sqlite => {
            let mut connection = AnyConnection::connect_with(options).await?;
            connection.execute(PRAGMAS).await?;
            Ok(connection)
        }
        #[cfg(feature = "postgres")]
        Engine::Postgres => match tokio::time::timeout(CONNECT, AnyConnection::connect_with(options)).await {
            Ok(connection) => Ok(connection?),
            Err(elapsed) => Err(sqlx::Error::Io(elapsed.into()).into()),
        },
    }
}

/// Turns the write-ahead log on. SQLite does not wait for others here, so this does.
async fn keep_journal(connection: &mut AnyConnection, label: &str) -> Result<(), Failure> {
    const PAUSE: Duration = Duration::from_millis(50);
    let mut waited = Duration::ZERO;
    loop {
        match sqlx::query("PRAGMA journal_mode = WAL").fetch_one(&mut *connection).await {
            Ok(row) => {
                let mode: String = row.try_get(0)?;
                let kept = mode.eq_ignore_ascii_case("wal");
                return if kept { Ok(()) } else { Err(StoreError::NoJournal { database: label.to_owned() }.into()) };
            }
            Err(error) if waited < BUSY && is_busy(&error) => tokio::time::sleep(PAUSE).await,
            Err(error) => return Err(error.into()),
        }
        waited += PAUSE;
    }
}

fn is_busy(error: &sqlx::Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code()?.parse::<i64>().ok());
    code.is_some_and(|code| code & 0xff == 5)
}

/// SQLite has one writer; a second connection for it would only wait in line.
fn pools(options: &AnyConnectOptions, engine: Engine) -> (AnyPool, AnyPool) {
    let shared = AnyPoolOptions::new().acquire_timeout(BUSY * 4);
    match engine {
        Engine::Sqlite => {
            let shared = shared
                .idle_timeout(None)
                .max_lifetime(None)
                .after_connect(|connection, _| Box::pin(async move { connection.execute(PRAGMAS).await.map(drop) }));
            let reader = shared.clone().max_connections(READERS).connect_lazy_with(options.clone());
            (reader, shared.max_connections(1).connect_lazy_with(options.clone()))
        }
        #[cfg(feature = "postgres")]
        Engine::Postgres => {
            let pool = shared.max_connections(READERS).connect_lazy_with(options.clone());
            (pool.clone(), pool)
        }
    }
}
