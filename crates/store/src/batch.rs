//! Jobs handed to a provider's batch API, so that a later process can carry on with them.
//!
//! A job is written down before it is sent and again when the provider has given it a name. One that has no name yet may
//! or may not have reached the provider.

use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::classify::Failure;
use crate::sql::{Shape, count_on, small, storable};
use crate::{BatchKey, ChatKey, RunKey, Store, StoreError};

/// A job that is about to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewBatch {
    /// The run.
    pub run: RunKey,
    /// The place of the judge that is asked.
    pub place: u32,
    /// Which part of the judge's questions it is.
    pub part: u32,
    /// The provider.
    pub provider: String,
    /// When it was made, in milliseconds since 1970.
    pub created: i64,
    /// Anything its caller wants to remember.
    pub detail: Option<String>,
    /// The worker that looks after it; nobody else takes it before its lease has run out.
    pub worker: String,
    /// When the lease runs out, in milliseconds since 1970.
    pub until: i64,
    /// What it asks about.
    pub items: Vec<BatchItem>,
}

/// One question of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchItem {
    /// The name under which the provider answers it.
    pub custom_id: String,
    /// The chat.
    pub chat: ChatKey,
}

/// A job as the database knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Its number.
    pub key: BatchKey,
    /// The run.
    pub run: RunKey,
    /// The place of the judge that is asked.
    pub place: u32,
    /// Which part of the judge's questions it is.
    pub part: u32,
    /// The provider.
    pub provider: String,
    /// The name the provider gave it; `None` where it is not known to have arrived.
    pub remote: Option<String>,
    /// What the provider last said of it.
    pub state: String,
    /// When it was made, in milliseconds since 1970.
    pub created: i64,
    /// Anything its caller wants to remember.
    pub detail: Option<String>,
}

const ITEMS: Shape = Shape { before: "INSERT INTO batch_items (batch, custom_id, chat)", width: 3, after: "" };

impl Store {
    /// Writes down a job before it is sent, in state `new`.
    pub async fn insert_batch(&self, batch: &NewBatch) -> Result<BatchKey, StoreError> {
        self.told(self.insert(batch).await)
    }

    async fn insert(&self, batch: &NewBatch) -> Result<BatchKey, Failure> {
        let mut transaction = self.begin().await?;
        let key = count_on(&mut transaction, "batch", 1).await?;
        let sql = "INSERT INTO batches (id, run, place, part, provider, state, created, detail, owner, until) \
                   VALUES ($1, $2, $3, $4, $5, 'new', $6, $7, $8, $9)";
        sqlx::query(sql)
            .bind(key)
            .bind(batch.run.0)
            .bind(i64::from(batch.place))
            .bind(i64::from(batch.part))
            .bind(storable(&batch.provider))
            .bind(batch.created)
            .bind(batch.detail.as_deref().map(storable))
            .bind(storable(&batch.worker))
            .bind(batch.until)
            .execute(&mut *transaction)
            .await?;
        let items = ITEMS.run(self, &mut transaction, &batch.items, |item, values| {
            values.integer(key).text(item.custom_id.as_str()).integer(item.chat.0);
        });
        items.await?;
        transaction.commit().await?;
        Ok(BatchKey(key))
    }

    /// Writes down where a job stands; a closed one is no longer listed.
    pub async fn update_batch(&self, batch: &Batch, closed: bool) -> Result<(), StoreError> {
        let sql = "UPDATE batches SET remote = $2, state = $3, detail = $4, closed = $5 WHERE id = $1";
        let query = sqlx::query(sql)
            .bind(batch.key.0)
            .bind(batch.remote.as_deref().map(storable))
            .bind(storable(&batch.state))
            .bind(batch.detail.as_deref().map(storable))
            .bind(i64::from(closed));
        let changed = self.told(query.execute(&self.writer).await.map_err(Failure::from))?;
        if changed.rows_affected() == 1 { Ok(()) } else { Err(StoreError::Gone { database: self.label().to_owned() }) }
    }

    /// Takes a job for one worker until a time; false where another worker has it. Taking it again moves the time on.
    pub async fn lease_batch(&self, batch: BatchKey, worker: &str, now: i64, until: i64) -> Result<bool, StoreError> {
        let sql = "UPDATE batches SET owner = $2, until = $4 \
                   WHERE id = $1 AND closed = 0 AND (owner IS NULL OR owner = $2 OR until <= $3)";
        let query = sqlx::query(sql).bind(batch.0).bind(storable(worker)).bind(now).bind(until);
        Ok(self.told(query.execute(&self.writer).await.map_err(Failure::from))?.rows_affected() == 1)
    }

    /// Makes a worker the owner of a job's tasks that have no answer, whoever had claimed them; how many those are.
    pub async fn lease_batch_tasks(&self, batch: BatchKey, worker: &str, until: i64) -> Result<u64, StoreError> {
        let sql = "WITH picked AS MATERIALIZED (SELECT tasks.chat, tasks.place FROM tasks \
                   JOIN batch_items ON batch_items.chat = tasks.chat JOIN batches ON batches.id = batch_items.batch \
                   WHERE batches.id = $1 AND tasks.place = batches.place AND tasks.state < 2 \
                   ORDER BY tasks.chat, tasks.place {wait}) \
                   UPDATE tasks SET state = 1, owner = $2, until = $3 FROM picked \
                   WHERE tasks.chat = picked.chat AND tasks.place = picked.place";
        let query = sqlx::query(self.locking(sql)).bind(batch.0).bind(storable(worker)).bind(until);
        Ok(self.told(query.execute(&self.writer).await.map_err(Failure::from))?.rows_affected())
    }

    /// The jobs of a run that are not closed, in the order they were made.
    pub async fn open_batches(&self, run: RunKey) -> Result<Vec<Batch>, StoreError> {
        let sql = "SELECT id, run, place, part, provider, remote, state, created, detail FROM batches \
                   WHERE run = $1 AND closed = 0 ORDER BY id";
        let reading = async {
            let rows = sqlx::query(sql).bind(run.0).fetch_all(&self.reader).await?;
            rows.iter().map(read).collect()
        };
        self.told(reading.await)
    }

    /// What a job asks about, by custom id.
    pub async fn batch_items(&self, batch: BatchKey) -> Result<Vec<BatchItem>, StoreError> {
        let sql = "SELECT custom_id, chat FROM batch_items WHERE batch = $1";
        let reading = async {
            let rows = sqlx::query(sql).bind(batch.0).fetch_all(&self.reader).await?;
            let one = |row: &AnyRow| Ok(BatchItem { custom_id: row.try_get(0)?, chat: ChatKey(row.try_get(1)?) });
            let mut items: Vec<BatchItem> = rows.iter().map(one).collect::<Result<_, sqlx::Error>>()?;
            items.sort_by(|left, right| left.custom_id.cmp(&right.custom_id));
            Ok(items)
        };
        self.told(reading.await)
    }
}

fn read(row: &AnyRow) -> Result<Batch, Failure> {
    Ok(Batch {
        key: BatchKey(row.try_get(0)?),
        run: RunKey(row.try_get(1)?),
        place: small(row.try_get(2)?)?,
        part: small(row.try_get(3)?)?,
        provider: row.try_get(4)?,
        remote: row.try_get(5)?,
        state: row.try_get(6)?,
        created: row.try_get(7)?,
        detail: row.try_get(8)?,
    })
}
