//! Removing runs and chats so that nothing of their text stays in the database.
//!
//! On SQLite, `secure_delete` overwrites what is removed, the journal is emptied, and the file is written anew: pages that
//! were split may hold older copies of a row, which nothing else overwrites. On
//! PostgreSQL the tables are vacuumed, after which the server overwrites the room as it needs it; its own logs and
//! backups are beyond reach.

#[cfg(feature = "postgres")]
use sqlx::Connection as _;
use sqlx::Row as _;

use crate::classify::{Engine, Failure};
use crate::{ChatKey, RunKey, Store, StoreError};

/// The tables that hold something of chats and runs. The others hold nothing that is deleted with them but numbers, and
/// whoever asks for anything has to read `tokens`, which could not be read meanwhile.
#[cfg(feature = "postgres")]
const TABLES: [&str; 12] = [
    "transcripts",
    "submissions",
    "answers",
    "batch_items",
    "tasks",
    "results",
    "rating_changes",
    "ratings",
    "seen_verdicts",
    "probe_turns",
    "chats",
    "runs",
];

/// What deleting came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deleted {
    /// How many chats are gone.
    pub chats: u64,
    /// Whether the journal and the freed room are cleared as well. False where another process was reading or writing,
    /// or the disk was full: then [`Store::clear_traces`] has to be called again when that is over.
    pub cleared: bool,
}

impl Store {
    /// Removes a run with everything that belongs to it.
    pub async fn delete_run(&self, run: RunKey) -> Result<Deleted, StoreError> {
        let deleting = async {
            let mut transaction = self.begin().await?;
            let row = sqlx::query("SELECT COUNT(*) FROM chats WHERE run = $1").bind(run.0);
            let chats: i64 = row.fetch_one(&mut *transaction).await?.try_get(0)?;
            let gone = sqlx::query("DELETE FROM runs WHERE id = $1").bind(run.0).execute(&mut *transaction).await?;
            if gone.rows_affected() == 0 {
                return Err(self.no_run(run.0.to_string()).into());
            }
            transaction.commit().await?;
            Ok(chats)
        };
        let chats = self.told(deleting.await)?;
        Ok(Deleted { chats: u64::try_from(chats).unwrap_or_default(), cleared: self.clear_traces().await? })
    }

    /// Removes a run that is still being filled and has just as many chats as its maker gave it. One that was sealed, or
    /// that another process has added to, stays as it is; then there is nothing to give back.
    pub async fn discard_run(&self, run: RunKey, chats: u64) -> Result<Option<Deleted>, StoreError> {
        let expected = i64::try_from(chats).unwrap_or(i64::MAX);
        // In one statement, so that nobody can seal the run between the look and the removal.
        let query = sqlx::query("DELETE FROM runs WHERE id = $1 AND state = 'filling' AND chats = $2");
        let gone = query.bind(run.0).bind(expected).execute(&self.writer).await;
        if self.told(gone.map_err(Failure::from))?.rows_affected() == 0 {
            return Ok(None);
        }
        Ok(Some(Deleted { chats, cleared: self.clear_traces().await? }))
    }

    /// Removes some chats of a run with everything that belongs to them.
    pub async fn delete_chats(&self, run: RunKey, chats: &[ChatKey]) -> Result<Deleted, StoreError> {
        let deleting = async {
            let mut transaction = self.begin().await?;
            let mut gone = 0;
            for chat in chats {
                let query = sqlx::query("DELETE FROM chats WHERE id = $1 AND run = $2").bind(chat.0).bind(run.0);
                gone += query.execute(&mut *transaction).await?.rows_affected();
            }
            let sql = "UPDATE runs SET chats = (SELECT COUNT(*) FROM chats WHERE run = $1) WHERE id = $1";
            sqlx::query(sql).bind(run.0).execute(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(gone)
        };
        let chats = self.told(deleting.await)?;
        Ok(Deleted { chats, cleared: self.clear_traces().await? })
    }

    /// Clears what deleted text has left in the journal and in freed room; false where another process or a full disk is
    /// in the way.
    pub async fn clear_traces(&self) -> Result<bool, StoreError> {
        let cleared = match self.engine {
            Engine::Sqlite => self.compact().await,
            #[cfg(feature = "postgres")]
            Engine::Postgres => self.vacuum().await,
        };
        unless_hindered(self.told(cleared))
    }

    /// The journal before as well as after: writing the file anew goes through the journal too.
    async fn compact(&self) -> Result<bool, Failure> {
        let mut connection = self.writer.acquire().await?;
        let emptied = "PRAGMA wal_checkpoint(TRUNCATE)";
        let busy: i64 = sqlx::query(emptied).fetch_one(&mut *connection).await?.try_get(0)?;
        if busy != 0 {
            return Ok(false);
        }
        // The whole database goes through a temporary table, which may be larger than the memory. The file for it has no
        // name, so that nobody else can open it.
        sqlx::query("PRAGMA temp_store = FILE").execute(&mut *connection).await?;
        let rewritten = sqlx::query("VACUUM").execute(&mut *connection).await;
        sqlx::query("PRAGMA temp_store = MEMORY").execute(&mut *connection).await?;
        match self.told(rewritten.map_err(Failure::from)) {
            // What was removed is overwritten by now; there was only no room to write the file anew, and smaller.
            Ok(_) | Err(StoreError::Full { .. }) => {}
            Err(error) => return Err(error.into()),
        }
        let busy: i64 = sqlx::query(emptied).fetch_one(&mut *connection).await?.try_get(0)?;
        Ok(busy == 0)
    }

    #[cfg(feature = "postgres")]
    async fn vacuum(&self) -> Result<bool, Failure> {
        // A connection of its own: the limit on waiting must not stay behind for others.
        let mut connection = self.writer.acquire().await?.detach();
        sqlx::query("SET lock_timeout = '30s'").execute(&mut connection).await?;
        for table in TABLES {
            let sql = sqlx::AssertSqlSafe(format!("VACUUM (FULL) {table}"));
            sqlx::query(sql).execute(&mut connection).await?;
        }
        connection.close().await?;
        Ok(true)
    }
}

/// What can be tried again later is no error: the rows are gone, their traces may not be.
fn unless_hindered(cleared: Result<bool, StoreError>) -> Result<bool, StoreError> {
    match cleared {
        Err(StoreError::Locked { .. } | StoreError::Full { .. }) => Ok(false),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_a_lock_nor_a_full_disk_passes_for_cleared() {
        let database = || "runs.db".to_owned();
        assert!(matches!(unless_hindered(Err(StoreError::Locked { database: database() })), Ok(false)));
        assert!(matches!(unless_hindered(Err(StoreError::Full { database: database() })), Ok(false)));
        let gone = Err(StoreError::Gone { database: database() });
        assert!(matches!(unless_hindered(gone), Err(StoreError::Gone { .. })));
        assert!(matches!(unless_hindered(Ok(true)), Ok(true)));
    }
}
