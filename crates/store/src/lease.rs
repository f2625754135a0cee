//! Who has claimed what in a run, and taking it back from a worker that is gone.

use std::collections::BTreeMap;

use sqlx::{AssertSqlSafe, Row as _};

use crate::classify::Failure;
use crate::sql::{Values, small, storable};
use crate::{ChatKey, RunKey, Store, StoreError};

/// What one worker has claimed in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The worker's name.
    pub worker: String,
    /// When the last of its leases runs out, in milliseconds since 1970.
    pub until: i64,
    /// How many tasks it has.
    pub tasks: u64,
    /// How many jobs at a provider it looks after.
    pub batches: u64,
}

const LEASES: &str = "SELECT owner, COALESCE(MAX(until), 0), COUNT(*), 0 FROM tasks \
    WHERE run = $1 AND state = 1 AND owner IS NOT NULL GROUP BY owner \
    UNION ALL SELECT owner, COALESCE(MAX(until), 0), 0, COUNT(*) FROM batches \
    WHERE run = $1 AND closed = 0 AND owner IS NOT NULL GROUP BY owner";

const TAKE_BACK: &str = "WITH picked AS MATERIALIZED (\
    SELECT chat, place FROM tasks WHERE run = $1 AND state = 1 AND owner = $2 AND until <= $3 \
    ORDER BY chat, place {wait}) \
    UPDATE tasks SET state = 0, owner = NULL, until = NULL FROM picked \
    WHERE tasks.chat = picked.chat AND tasks.place = picked.place";

impl Store {
    /// What workers have claimed in a run, by their names.
    pub async fn leases(&self, run: RunKey) -> Result<Vec<Lease>, StoreError> {
        let reading = async {
            let mut leases: BTreeMap<String, Lease> = BTreeMap::new();
            for row in sqlx::query(LEASES).bind(run.0).fetch_all(&self.reader).await? {
                let (worker, until): (String, i64) = (row.try_get(0)?, row.try_get(1)?);
                let empty = Lease { worker: worker.clone(), until, tasks: 0, batches: 0 };
                let lease = leases.entry(worker).or_insert(empty);
                lease.until = lease.until.max(until);
                lease.tasks += small::<u64>(row.try_get(2)?)?;
                lease.batches += small::<u64>(row.try_get(3)?)?;
            }
            Ok(leases.into_values().collect())
        };
        self.told(reading.await)
    }

    /// Opens what a worker had claimed in a run for others, its jobs at a provider too; how many tasks that were. What it
    /// has renewed beyond a time is left with it: it lives.
    pub async fn take_back(&self, run: RunKey, worker: &str, until: i64) -> Result<u64, StoreError> {
        let taking = async {
            let mut transaction = self.begin().await?;
            let tasks = sqlx::query(self.locking(TAKE_BACK)).bind(run.0).bind(storable(worker)).bind(until);
            let tasks = tasks.execute(&mut *transaction).await?.rows_affected();
            let sql = "UPDATE batches SET owner = NULL, until = NULL \
                       WHERE run = $1 AND owner = $2 AND until <= $3 AND closed = 0";
            let batches = sqlx::query(sql).bind(run.0).bind(storable(worker)).bind(until);
            batches.execute(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(tasks)
        };
        self.told(taking.await)
    }

    /// Gives back what a worker has claimed in a run, but for some chats it works on: what it may have claimed without
    /// learning of it, because the connection broke.
    pub async fn release_all_but(&self, run: RunKey, worker: &str, kept: &[ChatKey]) -> Result<u64, StoreError> {
        let releasing = async {
            let mut values = Values::default();
            values.integer(run.0).text(worker);
            let mut sql = String::from(
                "UPDATE tasks SET state = 0, owner = NULL, until = NULL WHERE run = $1 AND state = 1 AND owner = $2",
            );
            if !kept.is_empty() {
                let places: Vec<String> = (3..kept.len() + 3).map(|number| format!("${number}")).collect();
                sql.push_str(&format!(" AND chat NOT IN ({})", places.join(", ")));
                for chat in kept {
                    values.integer(chat.0);
                }
            }
            let query = sqlx::query_with(AssertSqlSafe(sql), values.ready()?);
            Ok::<u64, Failure>(query.execute(&self.writer).await?.rows_affected())
        };
        self.told(releasing.await)
    }
}
