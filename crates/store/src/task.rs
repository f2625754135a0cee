//! What has to be asked: claiming it with a lease, keeping the lease, giving it back.
//!
//! A task is one chat before one judge. Whoever claims it has it until the lease runs out; renewing moves that time on.
//! A worker that died renews nothing, so its tasks return to the others. Times are the caller's; with workers on several
//! machines their clocks should agree to within a fraction of a lease.
//!
//! On PostgreSQL, rows are always locked in the order of their keys, so that no two workers wait for each other.

use sqlx::Row as _;

use crate::classify::Failure;
use crate::sql::{Shape, small};
use crate::{ChatKey, RunKey, Store, StoreError};

/// What a worker asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The run.
    pub run: RunKey,
    /// Only tasks of the judge at this place; `None` for all judges.
    pub place: Option<u32>,
    /// The worker's name, which no other worker has.
    pub worker: String,
    /// At most this many tasks. A multiple of the number of judges keeps the judges of a chat together.
    pub tasks: u32,
    /// The time now, in milliseconds since 1970.
    pub now: i64,
    /// When the lease runs out.
    pub until: i64,
}

/// A task that was claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimedTask {
    /// The chat.
    pub chat: ChatKey,
    /// The judge's place, counted from 0.
    pub place: u32,
    /// How often the task has been claimed, this time included.
    pub attempt: u32,
}

/// A task that came to nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedTask {
    /// The chat.
    pub chat: ChatKey,
    /// The judge's place.
    pub place: u32,
    /// What happened.
    pub error: String,
    /// Whether someone may claim it again at once; otherwise it stays failed until it is reopened.
    pub again: bool,
}

/// A task that has failed, as the database knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredFailure {
    /// The chat.
    pub chat: ChatKey,
    /// The chat's id.
    pub name: String,
    /// The judge's place.
    pub place: u32,
    /// How often it was claimed.
    pub attempts: u32,
    /// What happened last.
    pub error: String,
}

/// How many tasks of a run are where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Nobody works on these.
    pub open: u64,
    /// Someone works on these, or died over them.
    pub leased: u64,
    /// These have an answer.
    pub answered: u64,
    /// These have failed.
    pub failed: u64,
}

impl Progress {
    /// All tasks.
    pub fn total(&self) -> u64 {
        self.open + self.leased + self.answered + self.failed
    }
}

const EXPIRED: &str = "WITH picked AS MATERIALIZED (\
    SELECT chat, place FROM tasks WHERE run = $1 AND state = 1 AND until <= $2 ORDER BY chat, place {skip}) \
    UPDATE tasks SET state = 0, owner = NULL, until = NULL FROM picked \
    WHERE tasks.chat = picked.chat AND tasks.place = picked.place";

const CLAIM: &str = "WITH picked AS MATERIALIZED (\
    SELECT chat, place FROM tasks WHERE run = $1 AND state = 0 AND ($2 < 0 OR place = $2) \
    AND EXISTS (SELECT 1 FROM runs WHERE id = $1 AND runs.state = 'open') \
    AND NOT EXISTS (SELECT 1 FROM batch_items JOIN batches ON batches.id = batch_items.batch \
    WHERE batch_items.chat = tasks.chat AND batches.place = tasks.place AND batches.closed = 0) ORDER BY chat, place LIMIT $3 {skip}) \
    UPDATE tasks SET state = 1, owner = $4, until = $5, attempts = attempts + 1 FROM picked \
    WHERE tasks.chat = picked.chat AND tasks.place = picked.place \
    RETURNING tasks.chat, tasks.place, tasks.attempts";

const RENEW: &str = "WITH picked AS MATERIALIZED (\
    SELECT chat, place FROM tasks WHERE run = $1 AND state = 1 AND owner = $2 ORDER BY chat, place {wait}) \
    UPDATE tasks SET until = $3 FROM picked WHERE tasks.chat = picked.chat AND tasks.place = picked.place";

const RELEASE: &str = "WITH picked AS MATERIALIZED (\
    SELECT chat, place FROM tasks WHERE run = $1 AND state = 1 AND owner = $2 ORDER BY chat, place {wait}) \
    UPDATE tasks SET state = 0, owner = NULL, until = NULL FROM picked \
    WHERE tasks.chat = picked.chat AND tasks.place = picked.place";

const REOPEN: &str = "WITH picked AS MATERIALIZED (\
    SELECT chat, place FROM tasks WHERE run = $1 AND state = 3 ORDER BY chat, place {wait}) \
    UPDATE tasks SET state = 0 FROM picked WHERE tasks.chat = picked.chat AND tasks.place = picked.place";

const FAIL: Shape = Shape {
    before: "WITH failed (chat, place, state, error, worker) AS (",
    width: 5,
    after: "), picked AS MATERIALIZED (SELECT tasks.chat, tasks.place, failed.state, failed.error FROM tasks \
            JOIN failed ON tasks.chat = failed.chat AND tasks.place = failed.place AND tasks.owner = failed.worker \
            WHERE tasks.state = 1 ORDER BY tasks.chat, tasks.place {wait}) \
            UPDATE tasks SET state = picked.state, error = picked.error, owner = NULL, until = NULL FROM picked \
            WHERE tasks.chat = picked.chat AND tasks.place = picked.place",
};

impl Store {
    /// Claims open tasks and those whose lease ran out, in the order of the chats. None are left when it gives none
    /// and [`Store::progress`] shows none open or leased. Of a run that is not open nothing is given, and nothing that an
    /// open job asks a provider already: it would be paid for twice.
    pub async fn claim(&self, claim: &Claim) -> Result<Vec<ClaimedTask>, StoreError> {
        self.told(self.claim_tasks(claim).await)
    }

    async fn claim_tasks(&self, claim: &Claim) -> Result<Vec<ClaimedTask>, Failure> {
        let mut transaction = self.begin().await?;
        sqlx::query(self.locking(EXPIRED)).bind(claim.run.0).bind(claim.now).execute(&mut *transaction).await?;
        let rows = sqlx::query(self.locking(CLAIM))
            .bind(claim.run.0)
            .bind(claim.place.map_or(-1, i64::from))
            .bind(i64::from(claim.tasks))
            .bind(claim.worker.clone())
            .bind(claim.until)
            .fetch_all(&mut *transaction)
            .await?;
        transaction.commit().await?;
        let mut tasks = Vec::with_capacity(rows.len());
        for row in &rows {
            let (place, attempt) = (small(row.try_get(1)?)?, small(row.try_get(2)?)?);
            tasks.push(ClaimedTask { chat: ChatKey(row.try_get(0)?), place, attempt });
        }
        tasks.sort();
        Ok(tasks)
    }

    /// Moves on the end of all leases a worker has in a run; how many it still has. Those it lost are not among them.
    pub async fn renew(&self, run: RunKey, worker: &str, until: i64) -> Result<u64, StoreError> {
        let query = sqlx::query(self.locking(RENEW)).bind(run.0).bind(worker.to_owned()).bind(until);
        Ok(self.told(query.execute(&self.writer).await.map_err(Failure::from))?.rows_affected())
    }

    /// Gives back all a worker has claimed in a run and not answered; how many that were.
    pub async fn release(&self, run: RunKey, worker: &str) -> Result<u64, StoreError> {
        let query = sqlx::query(self.locking(RELEASE)).bind(run.0).bind(worker.to_owned());
        Ok(self.told(query.execute(&self.writer).await.map_err(Failure::from))?.rows_affected())
    }

    /// Says that tasks came to nothing. Those the worker no longer has are left as they are.
    pub async fn fail(&self, worker: &str, failed: &[FailedTask]) -> Result<(), StoreError> {
        let mut failed: Vec<&FailedTask> = failed.iter().collect();
        failed.sort_by_key(|task| (task.chat, task.place));
        let failing = async {
            let mut transaction = self.begin().await?;
            let failed = FAIL.run(self, &mut transaction, &failed, |task, values| {
                values.integer(task.chat.0).integer(i64::from(task.place)).integer(if task.again { 0 } else { 3 });
                values.text(task.error.as_str()).text(worker);
            });
            failed.await?;
            Ok(transaction.commit().await?)
        };
        self.told(failing.await)
    }

    /// Opens the failed tasks of a run again; how many that were.
    pub async fn reopen_failed(&self, run: RunKey) -> Result<u64, StoreError> {
        let query = sqlx::query(self.locking(REOPEN)).bind(run.0);
        Ok(self.told(query.execute(&self.writer).await.map_err(Failure::from))?.rows_affected())
    }

    /// How many chats of a run have a failed judge and fewer than so many judges that answered.
    pub async fn short_of_judges(&self, run: RunKey, least: u32) -> Result<u64, StoreError> {
        let sql = "SELECT COUNT(*) FROM (SELECT chat FROM tasks WHERE run = $1 GROUP BY chat \
                   HAVING SUM(CASE WHEN state = 3 THEN 1 ELSE 0 END) > 0 \
                   AND SUM(CASE WHEN state = 2 THEN 1 ELSE 0 END) < $2) AS short";
        let read = async {
            let row = sqlx::query(sql).bind(run.0).bind(i64::from(least)).fetch_one(&self.reader).await?;
            small(row.try_get(0)?)
        };
        self.told(read.await)
    }

    /// The failed tasks of a run, in the order of its chats.
    pub async fn failures(&self, run: RunKey, most: u32) -> Result<Vec<StoredFailure>, StoreError> {
        let sql = "SELECT tasks.chat, chats.name, tasks.place, tasks.attempts, COALESCE(tasks.error, '') \
                   FROM tasks JOIN chats ON chats.id = tasks.chat WHERE tasks.run = $1 AND tasks.state = 3 \
                   ORDER BY tasks.chat, tasks.place LIMIT $2";
        let read = async {
            let rows = sqlx::query(sql).bind(run.0).bind(i64::from(most)).fetch_all(&self.reader).await?;
            let one = |row: &sqlx::any::AnyRow| {
                Ok(StoredFailure {
                    chat: ChatKey(row.try_get(0)?),
                    name: row.try_get(1)?,
                    place: small(row.try_get(2)?)?,
                    attempts: small(row.try_get(3)?)?,
                    error: row.try_get(4)?,
                })
            };
            rows.iter().map(one).collect()
        };
        self.told(read.await)
    }

    /// How many tasks of a run are where.
    pub async fn progress(&self, run: RunKey) -> Result<Progress, StoreError> {
        self.progress_at(run, i64::MIN).await
    }

    /// The same at a moment: what a worker died over is open as soon as its lease has run out.
    pub async fn progress_at(&self, run: RunKey, now: i64) -> Result<Progress, StoreError> {
        let sql = "SELECT state, COUNT(*), CAST(SUM(CASE WHEN state = 1 AND until <= $2 THEN 1 ELSE 0 END) AS BIGINT) \
                   FROM tasks WHERE run = $1 GROUP BY state";
        let query = sqlx::query(sql).bind(run.0).bind(now);
        let read = async {
            let mut progress = Progress::default();
            for row in query.fetch_all(&self.reader).await? {
                let number: u64 = small(row.try_get(1)?)?;
                let expired: u64 = small(row.try_get(2)?)?;
                match row.try_get::<i64, _>(0)? {
                    0 => progress.open += number,
                    1 => (progress.open, progress.leased) = (progress.open + expired, number - expired),
                    2 => progress.answered = number,
                    3 => progress.failed = number,
                    other => {
                        return Err(Failure::Damaged(format!("a task is in the state {other}, which does not exist")));
                    }
                }
            }
            Ok(progress)
        };
        self.told(read.await)
    }
}
