//! Ratings by people: every rater has a queue of chats in a run, and a draft for each, which this crate does not read.

use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row as _};

use crate::classify::Failure;
use crate::pack::unpack;
use crate::sql::{Shape, Values, count_on, small, storable, whole};
use crate::{ChatKey, RatingKey, RunKey, Store, StoreError};

mod saving;
mod seen;
mod unfinished;

/// How far a rating has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RatingState {
    /// Nothing of it was saved yet.
    Waiting,
    /// It is being worked on.
    Open,
    /// The rater said that it is finished.
    Done,
}

impl RatingState {
    fn word(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Open => "open",
            Self::Done => "done",
        }
    }

    fn from_word(word: &str) -> Result<Self, Failure> {
        match word {
            "waiting" => Ok(Self::Waiting),
            "open" => Ok(Self::Open),
            "done" => Ok(Self::Done),
            other => Err(Failure::Damaged(format!("a rating is in the state {other:?}, which does not exist"))),
        }
    }
}

/// One chat in a rater's queue, without the draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueuedRating {
    /// Its number.
    pub key: RatingKey,
    /// The run.
    pub run: RunKey,
    /// The chat.
    pub chat: ChatKey,
    /// The chat's id.
    pub name: String,
    /// Who rates.
    pub rater: String,
    /// Its place in the rater's queue in this run: growing, with gaps.
    pub position: u64,
    /// How far it has come.
    pub state: RatingState,
    /// Grows with every change; a change names the version it rests on.
    pub version: u64,
    /// When something was saved first, in milliseconds since 1970.
    pub started: Option<i64>,
    /// When it was changed last.
    pub changed: Option<i64>,
    /// When it was finished.
    pub finished: Option<i64>,
}

/// A rating and its draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rating {
    /// Whose it is, of what, and how far.
    pub queued: QueuedRating,
    /// The draft as it was saved last; `None` where nothing is saved or all was undone.
    pub body: Option<String>,
}

/// How many ratings of a rater in a run are where.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RaterProgress {
    /// Who rates.
    pub rater: String,
    /// Nothing of these was saved yet.
    pub waiting: u64,
    /// These are being worked on.
    pub open: u64,
    /// These are finished.
    pub done: u64,
}

impl RaterProgress {
    /// All ratings.
    pub fn total(&self) -> u64 {
        self.waiting + self.open + self.done
    }

    fn count(&mut self, state: &str, number: u64) -> Result<(), Failure> {
        match RatingState::from_word(state)? {
            RatingState::Waiting => self.waiting = number,
            RatingState::Open => self.open = number,
            RatingState::Done => self.done = number,
        }
        Ok(())
    }
}

const QUEUED: &str = "SELECT ratings.id, ratings.run, ratings.chat, chats.name, ratings.rater, ratings.position, \
                      ratings.state, ratings.version, ratings.started, ratings.changed, ratings.finished";
const FROM: &str = "FROM ratings JOIN chats ON chats.id = ratings.chat";

/// The rows give their run and rater too, because a statement of many rows has no values of its own beside them.
const QUEUE: Shape = Shape {
    before: "WITH given (id, run, chat, rater, position) AS (",
    width: 5,
    after: ") INSERT INTO ratings (id, run, chat, rater, position) \
            SELECT given.id, given.run, chats.id, given.rater, given.position FROM given \
            JOIN chats ON chats.id = given.chat AND chats.run = given.run WHERE TRUE ORDER BY given.id \
            ON CONFLICT (chat, rater) DO NOTHING RETURNING id",
};

impl Store {
    /// Puts chats of a run at the end of a rater's queue; how many that were. Those that are in it already, or are not
    /// in the run, are left out.
    pub async fn queue_ratings(&self, run: RunKey, rater: &str, chats: &[ChatKey]) -> Result<u64, StoreError> {
        let queueing = async {
            let mut transaction = self.begin().await?;
            // This also makes others wait who queue at the same time, so that no place is given twice.
            let last = count_on(&mut transaction, "rating", chats.len()).await?;
            let sql = "SELECT CAST(COALESCE(MAX(position), -1) AS BIGINT) FROM ratings WHERE run = $1 AND rater = $2";
            let query = sqlx::query(sql).bind(run.0).bind(storable(rater));
            let behind: i64 = query.fetch_one(&mut *transaction).await?.try_get(0)?;
            let first = last - whole(chats.len()) + 1;
            let rows: Vec<(i64, i64, ChatKey)> =
                chats.iter().zip(0..).map(|(&chat, at)| (first + at, behind + 1 + at, chat)).collect();
            let made = QUEUE.run(self, &mut transaction, &rows, |&(key, position, chat), values| {
                values.integer(key).integer(run.0).integer(chat.0).text(rater).integer(position);
            });
            let made = made.await?.len();
            transaction.commit().await?;
            Ok(made as u64)
        };
        self.told(queueing.await)
    }

    /// A rater's rating of a chat, if it is in the rater's queue.
    pub async fn rating(&self, chat: ChatKey, rater: &str) -> Result<Option<Rating>, StoreError> {
        let mut values = Values::default();
        values.integer(chat.0).text(rater);
        let found = self.read_ratings("WHERE ratings.chat = $1 AND ratings.rater = $2", values).await;
        Ok(self.told(found)?.pop())
    }

    /// The rating with this number.
    pub async fn rating_numbered(&self, key: RatingKey) -> Result<Option<Rating>, StoreError> {
        let mut values = Values::default();
        values.integer(key.0);
        Ok(self.told(self.read_ratings("WHERE ratings.id = $1", values).await)?.pop())
    }

    /// What a rater should do next in a run: what was begun, then what waits, both in the order of the queue.
    pub async fn next_rating(&self, run: RunKey, rater: &str) -> Result<Option<Rating>, StoreError> {
        for state in [RatingState::Open, RatingState::Waiting] {
            let mut values = Values::default();
            values.integer(run.0).text(rater).text(state.word());
            let condition = "WHERE ratings.run = $1 AND ratings.rater = $2 AND ratings.state = $3 \
                             ORDER BY ratings.position LIMIT 1";
            let found = self.told(self.read_ratings(condition, values).await)?.pop();
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The finished ratings of a run, of one rater or of all, with what was said: by rater, in the order of their queues.
    pub async fn finished_ratings(&self, run: RunKey, rater: Option<&str>) -> Result<Vec<Rating>, StoreError> {
        let mut values = Values::default();
        values.integer(run.0).text(RatingState::Done.word());
        let mut condition = "WHERE ratings.run = $1 AND ratings.state = $2 ".to_owned();
        if let Some(rater) = rater {
            values.text(rater);
            condition.push_str("AND ratings.rater = $3 ");
        }
        condition.push_str("ORDER BY ratings.rater, ratings.position");
        self.told(self.read_ratings(&condition, values).await)
    }

    /// The numbers of all chats of a run, in their order.
    pub async fn chat_keys(&self, run: RunKey) -> Result<Vec<ChatKey>, StoreError> {
        let reading = async {
            let query = sqlx::query("SELECT id FROM chats WHERE run = $1 ORDER BY position").bind(run.0);
            let rows = query.fetch_all(&self.reader).await?;
            rows.iter().map(|row| Ok(ChatKey(row.try_get(0)?))).collect()
        };
        self.told(reading.await)
    }

    /// All ratings of a chat with their drafts, by rater.
    pub async fn ratings_of_chat(&self, chat: ChatKey) -> Result<Vec<Rating>, StoreError> {
        let mut values = Values::default();
        values.integer(chat.0);
        self.told(self.read_ratings("WHERE ratings.chat = $1 ORDER BY ratings.rater", values).await)
    }

    /// The ratings of a run, of one rater or of all, in one state or in all, at most so many: by rater, in the order of
    /// their queues.
    pub async fn ratings_of_run(
        &self,
        run: RunKey,
        rater: Option<&str>,
        state: Option<RatingState>,
        most: u32,
    ) -> Result<Vec<QueuedRating>, StoreError> {
        let mut values = Values::default();
        let mut sql = format!("{QUEUED} {FROM} WHERE ratings.run = $1 ");
        values.integer(run.0);
        for (column, wanted) in [("rater", rater), ("state", state.map(RatingState::word))] {
            let Some(wanted) = wanted else { continue };
            values.text(wanted);
            sql.push_str(&format!("AND ratings.{column} = ${} ", values.len()));
        }
        values.integer(i64::from(most));
        sql.push_str(&format!("ORDER BY ratings.rater, ratings.position LIMIT ${}", values.len()));
        let reading = async {
            let rows = sqlx::query_with(AssertSqlSafe(sql), values.ready()?).fetch_all(&self.reader).await?;
            rows.iter().map(read_queued).collect()
        };
        self.told(reading.await)
    }

    /// Who rates in a run, and how far they have come, by name.
    pub async fn raters(&self, run: RunKey) -> Result<Vec<RaterProgress>, StoreError> {
        let sql = "SELECT rater, state, COUNT(*) FROM ratings WHERE run = $1 GROUP BY rater, state ORDER BY rater";
        let reading = async {
            let mut found: Vec<RaterProgress> = Vec::new();
            for row in sqlx::query(sql).bind(run.0).fetch_all(&self.reader).await? {
                let rater: String = row.try_get(0)?;
                if found.last().is_none_or(|last| last.rater != rater) {
                    found.push(RaterProgress { rater, ..RaterProgress::default() });
                }
                if let Some(last) = found.last_mut() {
                    last.count(&row.try_get::<String, _>(1)?, small(row.try_get(2)?)?)?;
                }
            }
            Ok(found)
        };
        self.told(reading.await)
    }

    /// The runs a rater has a queue in, the newest first, and how far it has come.
    pub async fn queues(&self, rater: &str) -> Result<Vec<(RunKey, RaterProgress)>, StoreError> {
        let sql = "SELECT run, state, COUNT(*) FROM ratings WHERE rater = $1 GROUP BY run, state ORDER BY run DESC";
        let reading = async {
            let mut found: Vec<(RunKey, RaterProgress)> = Vec::new();
            for row in sqlx::query(sql).bind(storable(rater)).fetch_all(&self.reader).await? {
                let run = RunKey(row.try_get(0)?);
                if found.last().is_none_or(|last| last.0 != run) {
                    found.push((run, RaterProgress { rater: rater.to_owned(), ..RaterProgress::default() }));
                }
                if let Some((_, last)) = found.last_mut() {
                    last.count(&row.try_get::<String, _>(1)?, small(row.try_get(2)?)?)?;
                }
            }
            Ok(found)
        };
        self.told(reading.await)
    }

    async fn read_ratings(&self, condition: &str, values: Values) -> Result<Vec<Rating>, Failure> {
        let sql = AssertSqlSafe(format!("{QUEUED}, ratings.body {FROM} {condition}"));
        let rows = sqlx::query_with(sql, values.ready()?).fetch_all(&self.reader).await?;
        rows.iter().map(read).collect()
    }
}

fn read_queued(row: &AnyRow) -> Result<QueuedRating, Failure> {
    Ok(QueuedRating {
        key: RatingKey(row.try_get(0)?),
        run: RunKey(row.try_get(1)?),
        chat: ChatKey(row.try_get(2)?),
        name: row.try_get(3)?,
        rater: row.try_get(4)?,
        position: small(row.try_get(5)?)?,
        state: RatingState::from_word(&row.try_get::<String, _>(6)?)?,
        version: small(row.try_get(7)?)?,
        started: row.try_get(8)?,
        changed: row.try_get(9)?,
        finished: row.try_get(10)?,
    })
}

fn read(row: &AnyRow) -> Result<Rating, Failure> {
    let damaged = || Failure::Damaged("a rating cannot be read".to_owned());
    let text =
        |packed: Vec<u8>| unpack(&packed, &[]).and_then(|bytes| String::from_utf8(bytes).ok()).ok_or_else(damaged);
    let body = row.try_get::<Option<Vec<u8>>, _>(11)?.map(text).transpose()?;
    Ok(Rating { queued: read_queued(row)?, body })
}
