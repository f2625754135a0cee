//! From what the two databases report to errors a person can act on.

use sqlx::error::DatabaseError;

use crate::StoreError;

/// Which of the two databases is behind a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Engine {
    Sqlite,
    #[cfg(feature = "postgres")]
    Postgres,
}

/// A failure on the way out of this crate: still raw, or already in our own words.
#[derive(Debug)]
pub(crate) enum Failure {
    Sql(sqlx::Error),
    Known(StoreError),
    /// Something that no version of this crate has written.
    Damaged(String),
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Known(error)
    }
}

pub(crate) fn explain(engine: Engine, database: &str, failure: Failure) -> StoreError {
    let error = match failure {
        Failure::Known(error) => return error,
        Failure::Damaged(what) => return StoreError::Damaged { database: database.to_owned(), what },
        Failure::Sql(error) => error,
    };
    let database = database.to_owned();
    match error {
        sqlx::Error::Database(error) if error.is_foreign_key_violation() => StoreError::Gone { database },
        sqlx::Error::Database(error) => match engine {
            Engine::Sqlite => from_sqlite(database, error.as_ref()),
            #[cfg(feature = "postgres")]
            Engine::Postgres => from_postgres(database, error.as_ref()),
        },
        sqlx::Error::Io(what) => StoreError::Unreachable { database, what: what.to_string() },
        sqlx::Error::Tls(what) => StoreError::Unreachable { database, what: format!("no safe connection: {what}") },
        sqlx::Error::PoolTimedOut => match engine {
            Engine::Sqlite => StoreError::Locked { database },
            // The pool goes on trying for a while and keeps to itself what it met with.
            #[cfg(feature = "postgres")]
            Engine::Postgres => StoreError::Unreachable { database, what: "no connection came about".to_owned() },
        },
        // A server that goes away in the middle of a greeting leaves half of one behind.
        sqlx::Error::Protocol(what) if engine != Engine::Sqlite => StoreError::Unreachable { database, what },
        sqlx::Error::Configuration(_) => StoreError::BadUrl { why: "a part of it has a value that cannot be used" },
        other => StoreError::Other { database, what: other.to_string() },
    }
}

/// The low byte of a SQLite code says what kind of error it is, the rest refines it.
fn from_sqlite(database: String, error: &dyn DatabaseError) -> StoreError {
    let code: i64 = error.code().and_then(|code| code.parse().ok()).unwrap_or_default();
    let what = error.message().to_owned();
    match code & 0xff {
        5 | 6 => StoreError::Locked { database },
        3 | 8 | 14 | 23 => StoreError::ReadOnly { database, what },
        10 => StoreError::Other { database, what: format!("the file could not be read or written: {what}") },
        11 => StoreError::Damaged { database, what },
        13 => StoreError::Full { database },
        18 => StoreError::TooLarge { database, what: "a chat or an answer" },
        26 => StoreError::NotADatabase { database },
        _ => StoreError::Other { database, what },
    }
}

#[cfg(feature = "postgres")]
fn from_postgres(database: String, error: &dyn DatabaseError) -> StoreError {
    let code = error.code().unwrap_or_default();
    let what = error.message().to_owned();
    match code.as_ref() {
        "28P01" | "28000" => StoreError::Refused { database },
        "3D000" => StoreError::NoSuchDatabase { database },
        "53100" => StoreError::Full { database },
        "25006" | "42501" => StoreError::ReadOnly { database, what },
        "55P03" | "40P01" | "40001" => StoreError::Locked { database },
        "42P07" => StoreError::Foreign { database },
        "54000" => StoreError::TooLarge { database, what: "a chat or an answer" },
        "XX001" | "XX002" => StoreError::Damaged { database, what },
        code if code.starts_with("08") || code.starts_with("57P") || code == "53300" => {
            StoreError::Unreachable { database, what }
        }
        _ => StoreError::Other { database, what },
    }
}
