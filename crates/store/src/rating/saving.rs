//! Changes of a rating: each names the version it rests on, so that nobody overwrites what was saved elsewhere.

use sqlx::{AnyConnection, Row as _};

use crate::classify::Failure;
use crate::pack::{pack, unpack};
use crate::sql::{small, storable};
use crate::{ChatKey, Rating, RatingKey, RatingState, Store, StoreError};

/// How many changes of a rating can be undone.
const UNDOABLE: i64 = 200;

/// The new version comes first: it locks the row, so that of two who rest on one version only one goes on.
const TAKE: &str = "UPDATE ratings SET version = version + 1, changed = $3 \
                    WHERE id = $1 AND version = $2 AND state <> 'done'";

const FORGET: &str = "DELETE FROM rating_changes WHERE rating = $1 AND number <= (SELECT number FROM rating_changes \
                      WHERE rating = $1 ORDER BY number DESC LIMIT 1 OFFSET $2)";

impl Store {
    /// Saves a draft in place of the one before, which can be brought back; the new version.
    pub async fn save_rating(&self, key: RatingKey, version: u64, body: &str, now: i64) -> Result<u64, StoreError> {
        let packed = pack(body.as_bytes(), &[]).ok_or_else(|| self.too_large("a rating"))?;
        let saving = async {
            let mut transaction = self.begin().await?;
            self.take(&mut transaction, key, version, now).await?;
            let sql =
                "INSERT INTO rating_changes (rating, number, body) SELECT id, $2, body FROM ratings WHERE id = $1";
            sqlx::query(sql).bind(key.0).bind(number(version)).execute(&mut *transaction).await?;
            sqlx::query(FORGET).bind(key.0).bind(UNDOABLE).execute(&mut *transaction).await?;
            let sql = "UPDATE ratings SET body = $2, state = 'open', started = COALESCE(started, $3) WHERE id = $1";
            sqlx::query(sql).bind(key.0).bind(packed).bind(now).execute(&mut *transaction).await?;
            Ok(transaction.commit().await?)
        };
        self.told(saving.await).map(|()| version + 1)
    }

    /// What a rating was at an earlier version: its body, `None` inside where it had none yet; `None` where that is no
    /// longer known.
    pub async fn rating_at(&self, key: RatingKey, version: u64) -> Result<Option<Option<String>>, StoreError> {
        let reading = async {
            let query = sqlx::query("SELECT body FROM rating_changes WHERE rating = $1 AND number = $2").bind(key.0);
            let Some(row) = query.bind(number(version)).fetch_optional(&self.reader).await? else { return Ok(None) };
            let damaged = || Failure::Damaged("an earlier version of a rating cannot be read".to_owned());
            let text = |packed: Vec<u8>| {
                unpack(&packed, &[]).and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(damaged)
            };
            Ok(Some(row.try_get::<Option<Vec<u8>>, _>(0)?.map(text).transpose()?))
        };
        self.told(reading.await)
    }

    /// Takes the last change back; `None` where there is none that can be.
    pub async fn undo_rating(&self, key: RatingKey, version: u64, now: i64) -> Result<Option<Rating>, StoreError> {
        let undoing = async {
            let mut transaction = self.begin().await?;
            self.take(&mut transaction, key, version, now).await?;
            let sql = "SELECT number FROM rating_changes WHERE rating = $1 ORDER BY number DESC LIMIT 1";
            let Some(last) = sqlx::query(sql).bind(key.0).fetch_optional(&mut *transaction).await? else {
                return Ok(false);
            };
            let last: i64 = last.try_get(0)?;
            let sql = "UPDATE ratings SET body = (SELECT body FROM rating_changes WHERE rating = $1 AND number = $2) \
                       WHERE id = $1";
            sqlx::query(sql).bind(key.0).bind(last).execute(&mut *transaction).await?;
            let query = sqlx::query("DELETE FROM rating_changes WHERE rating = $1 AND number = $2").bind(key.0);
            query.bind(last).execute(&mut *transaction).await?;
            transaction.commit().await?;
            Ok(true)
        };
        if self.told(undoing.await)? { self.rating_numbered(key).await } else { Ok(None) }
    }

    /// Says that a rating is finished; the new version.
    pub async fn finish_rating(&self, key: RatingKey, version: u64, now: i64) -> Result<u64, StoreError> {
        let finishing = async {
            let mut transaction = self.begin().await?;
            self.take(&mut transaction, key, version, now).await?;
            let sql = "UPDATE ratings SET state = 'done', finished = $2 WHERE id = $1 AND body IS NOT NULL";
            let query = sqlx::query(sql).bind(key.0).bind(now);
            if query.execute(&mut *transaction).await?.rows_affected() == 0 {
                return Err(StoreError::RatingEmpty { database: self.label().to_owned() }.into());
            }
            Ok(transaction.commit().await?)
        };
        self.told(finishing.await).map(|()| version + 1)
    }

    /// Opens a finished rating again; the new version. One that is open already stays as it is.
    pub async fn reopen_rating(&self, key: RatingKey, version: u64, now: i64) -> Result<u64, StoreError> {
        let reopening = async {
            let mut transaction = self.begin().await?;
            let sql = "UPDATE ratings SET state = 'open', finished = NULL, changed = $3, version = version + 1 \
                       WHERE id = $1 AND version = $2 AND state = 'done'";
            let query = sqlx::query(sql).bind(key.0).bind(number(version)).bind(now);
            if query.execute(&mut *transaction).await?.rows_affected() == 0 {
                let (found, _) = self.stands_at(&mut transaction, key).await?;
                let same = found == version;
                return if same { Ok(version) } else { Err(self.stale(found).into()) };
            }
            transaction.commit().await?;
            Ok(version + 1)
        };
        self.told(reopening.await)
    }

    /// Removes a rating with all its changes; false where there was none. [`Store::clear_traces`] clears what its text
    /// has left in the journal.
    pub async fn delete_rating(&self, chat: ChatKey, rater: &str) -> Result<bool, StoreError> {
        let query = sqlx::query("DELETE FROM ratings WHERE chat = $1 AND rater = $2");
        let gone = query.bind(chat.0).bind(storable(rater)).execute(&self.writer).await;
        Ok(self.told(gone.map_err(Failure::from))?.rows_affected() > 0)
    }

    /// Begins a change, or says why there can be none.
    async fn take(
        &self,
        connection: &mut AnyConnection,
        key: RatingKey,
        version: u64,
        now: i64,
    ) -> Result<(), Failure> {
        let query = sqlx::query(TAKE).bind(key.0).bind(number(version)).bind(now);
        if query.execute(&mut *connection).await?.rows_affected() == 1 {
            return Ok(());
        }
        let (found, state) = self.stands_at(connection, key).await?;
        Err(match state {
            RatingState::Done => StoreError::RatingDone { database: self.label().to_owned() },
            RatingState::Waiting | RatingState::Open => self.stale(found),
        }
        .into())
    }

    async fn stands_at(&self, connection: &mut AnyConnection, key: RatingKey) -> Result<(u64, RatingState), Failure> {
        let query = sqlx::query("SELECT version, state FROM ratings WHERE id = $1").bind(key.0);
        let Some(row) = query.fetch_optional(connection).await? else {
            return Err(StoreError::NoSuchRating { database: self.label().to_owned() }.into());
        };
        Ok((small(row.try_get(0)?)?, RatingState::from_word(&row.try_get::<String, _>(1)?)?))
    }

    fn stale(&self, version: u64) -> StoreError {
        StoreError::RatingStale { database: self.label().to_owned(), version }
    }
}

/// A version nobody has given out is none the database has, and so is stale.
fn number(version: u64) -> i64 {
    i64::try_from(version).unwrap_or(-1)
}
