//! Runs: making, finding, sealing and finishing them.

use serde_json::Value;
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::classify::Failure;
use crate::pack::text_checksum;
use crate::sql::{count_on, small, storable};
use crate::{RunKey, Store, StoreError};

/// A run that is about to begin.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRun {
    /// Its name, which no other run of the database has.
    pub name: String,
    /// When it began, in milliseconds since 1970.
    pub created: i64,
    /// How many judges every chat is put to, at least one; their places are counted from 0.
    pub judges: u32,
    /// Everything it was set up with.
    pub config: Value,
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunState {
    /// Chats are still being added; nothing can be claimed.
    Filling,
    /// All chats are in; tasks can be claimed.
    Open,
    /// Someone said that it is finished.
    Done,
}

impl RunState {
    fn word(self) -> &'static str {
        match self {
            Self::Filling => "filling",
            Self::Open => "open",
            Self::Done => "done",
        }
    }

    fn from_word(word: &str) -> Result<Self, Failure> {
        match word {
            "filling" => Ok(Self::Filling),
            "open" => Ok(Self::Open),
            "done" => Ok(Self::Done),
            other => Err(Failure::Damaged(format!("a run is in the state {other:?}, which does not exist"))),
        }
    }
}

/// A run as the database knows it, without its configuration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Its number.
    pub key: RunKey,
    /// Its name.
    pub name: String,
    /// When it began, in milliseconds since 1970.
    pub created: i64,
    /// How far it has come.
    pub state: RunState,
    /// The digest of its chats, once all are in.
    pub dataset: Option<String>,
    /// How many judges every chat is put to.
    pub judges: u32,
    /// How many chats it has.
    pub chats: u64,
    /// Words that people put on it to find it by, separated by spaces.
    pub tags: String,
}

impl Run {
    fn read(row: &AnyRow) -> Result<Self, Failure> {
        Ok(Self {
            key: RunKey(row.try_get(0)?),
            name: row.try_get(1)?,
            created: row.try_get(2)?,
            state: RunState::from_word(&row.try_get::<String, _>(3)?)?,
            dataset: row.try_get(4)?,
            judges: small(row.try_get(5)?)?,
            chats: small(row.try_get(6)?)?,
            tags: row.try_get(7)?,
        })
    }
}

impl Store {
    /// Begins a run, which is then filled with chats.
    pub async fn create_run(&self, run: &NewRun) -> Result<RunKey, StoreError> {
        self.told(self.insert_run(run).await)
    }

    async fn insert_run(&self, run: &NewRun) -> Result<RunKey, Failure> {
        let mut transaction = self.begin().await?;
        let key = count_on(&mut transaction, "run", 1).await?;
        let sql = "INSERT INTO runs (id, name, created, state, judges, config, config_checksum) \
                   VALUES ($1, $2, $3, 'filling', $4, $5, $6) ON CONFLICT (name) DO NOTHING";
        let config = storable(&run.config.to_string());
        let checksum = text_checksum(&config);
        let made = sqlx::query(sql)
            .bind(key)
            .bind(storable(&run.name))
            .bind(run.created)
            .bind(i64::from(run.judges.max(1)))
            .bind(config)
            .bind(checksum)
            .execute(&mut *transaction)
            .await?;
        if made.rows_affected() == 0 {
            return Err(StoreError::NameTaken { database: self.label().to_owned(), name: run.name.clone() }.into());
        }
        transaction.commit().await?;
        Ok(RunKey(key))
    }

    /// All runs, the newest first.
    pub async fn runs(&self) -> Result<Vec<Run>, StoreError> {
        let sql =
            "SELECT id, name, created, state, dataset, judges, chats, tags FROM runs ORDER BY created DESC, id DESC";
        self.told(async { runs_of(&sqlx::query(sql).fetch_all(&self.reader).await?) }.await)
    }

    /// So many runs at most, the newest first, older than the one with this number; that one may be gone meanwhile.
    pub async fn runs_after(&self, after: Option<RunKey>, most: u32) -> Result<Vec<Run>, StoreError> {
        // Of a run that is gone only the number is known. Numbers grow with time, so the ones below it are older.
        let sql = "SELECT id, name, created, state, dataset, judges, chats, tags FROM runs WHERE $1 < 0 OR (created, id) < \
                   (COALESCE((SELECT created FROM runs WHERE id = $1), (SELECT MAX(created) FROM runs WHERE id < $1)), $1) \
                   ORDER BY created DESC, id DESC LIMIT $2";
        let query = sqlx::query(sql).bind(after.map_or(-1, |after| after.0)).bind(i64::from(most));
        self.told(async { runs_of(&query.fetch_all(&self.reader).await?) }.await)
    }

    /// The run of this name.
    pub async fn run(&self, name: &str) -> Result<Run, StoreError> {
        let sql = "SELECT id, name, created, state, dataset, judges, chats, tags FROM runs WHERE name = $1";
        let found = async { runs_of(&sqlx::query(sql).bind(storable(name)).fetch_all(&self.reader).await?) };
        self.told(found.await)?.pop().ok_or_else(|| self.no_run(format!("named \"{name}\"")))
    }

    /// The run with this number.
    pub async fn run_numbered(&self, key: RunKey) -> Result<Run, StoreError> {
        let sql = "SELECT id, name, created, state, dataset, judges, chats, tags FROM runs WHERE id = $1";
        let found = async { runs_of(&sqlx::query(sql).bind(key.0).fetch_all(&self.reader).await?) };
        self.told(found.await)?.pop().ok_or_else(|| self.no_run(format!("with the number {}", key.0)))
    }

    /// What a run was set up with.
    pub async fn config(&self, run: RunKey) -> Result<Value, StoreError> {
        let sql = "SELECT config, config_checksum FROM runs WHERE id = $1";
        let found = sqlx::query(sql).bind(run.0).fetch_optional(&self.reader).await;
        let row = self.told(found.map_err(Failure::from))?.ok_or_else(|| self.no_run(run.0.to_string()))?;
        let text: String = self.told(row.try_get(0).map_err(Failure::from))?;
        let checksum: Option<String> = self.told(row.try_get(1).map_err(Failure::from))?;
        if checksum.is_some_and(|checksum| checksum != text_checksum(&text)) {
            return Err(self.damaged("the configuration of a run is not what was stored".to_owned()));
        }
        serde_json::from_str(&text).map_err(|error| self.damaged(format!("the configuration of a run: {error}")))
    }

    /// Says that all chats are in: from now on tasks can be claimed.
    pub async fn seal(&self, run: RunKey, dataset: &str) -> Result<(), StoreError> {
        let sql = "UPDATE runs SET state = 'open', dataset = $2 WHERE id = $1 AND state = 'filling'";
        let query = sqlx::query(sql).bind(run.0).bind(storable(dataset));
        let sealed = self.told(query.execute(&self.writer).await.map_err(Failure::from))?;
        if sealed.rows_affected() == 1 {
            return Ok(());
        }
        Err(StoreError::Sealed { database: self.label().to_owned(), run: run.0.to_string() })
    }

    /// Gives a run another name, which no other run has, and other tags.
    pub async fn rename_run(&self, run: RunKey, name: &str, tags: &str) -> Result<(), StoreError> {
        let sql = "UPDATE runs SET name = $2, tags = $3 WHERE id = $1 \
                   AND NOT EXISTS (SELECT 1 FROM runs WHERE name = $2 AND id <> $1)";
        let query = sqlx::query(sql).bind(run.0).bind(storable(name)).bind(storable(tags));
        let renamed = self.told(query.execute(&self.writer).await.map_err(Failure::from))?;
        if renamed.rows_affected() == 1 {
            return Ok(());
        }
        self.run_numbered(run).await?;
        Err(StoreError::NameTaken { database: self.label().to_owned(), name: name.to_owned() })
    }

    /// Marks a run as finished, or as open again.
    pub async fn set_state(&self, run: RunKey, state: RunState) -> Result<(), StoreError> {
        let query = sqlx::query("UPDATE runs SET state = $2 WHERE id = $1").bind(run.0).bind(state.word());
        let changed = self.told(query.execute(&self.writer).await.map_err(Failure::from))?;
        if changed.rows_affected() == 1 { Ok(()) } else { Err(self.no_run(run.0.to_string())) }
    }

    pub(crate) fn no_run(&self, run: String) -> StoreError {
        StoreError::NoSuchRun { database: self.label().to_owned(), run }
    }

    pub(crate) fn damaged(&self, what: String) -> StoreError {
        StoreError::Damaged { database: self.label().to_owned(), what }
    }

    pub(crate) fn too_large(&self, what: &'static str) -> StoreError {
        StoreError::TooLarge { database: self.label().to_owned(), what }
    }
}

fn runs_of(rows: &[AnyRow]) -> Result<Vec<Run>, Failure> {
    rows.iter().map(Run::read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_reads_as_it_is_written_and_an_unknown_one_is_no_state() {
        for state in [RunState::Filling, RunState::Open, RunState::Done] {
            assert!(matches!(RunState::from_word(state.word()), Ok(read) if read == state));
        }
        assert!(matches!(RunState::from_word("paused"), Err(Failure::Damaged(what)) if what.contains("paused")));
    }
}
