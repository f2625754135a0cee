//! Chats of a run that have no result yet: what waits, what is under way, and what has failed.

use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row as _};

use crate::chat::placeholders;
use crate::classify::Failure;
use crate::sql::{Values, small};
use crate::{ChatKey, RunKey, Store, StoreError};

/// How far a chat without a result has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PendingState {
    /// Nobody works on it.
    Waiting,
    /// Some judge is being asked, or a worker died over it.
    UnderWay,
    /// Some judge has failed.
    Failed,
}

/// A chat without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingChat {
    /// The chat.
    pub chat: ChatKey,
    /// The chat's id.
    pub name: String,
    /// Its place in the run, counted from 0.
    pub position: u64,
    /// Its group.
    pub group: Option<String>,
    /// How far it has come.
    pub state: PendingState,
    /// How many of its judges have answered.
    pub answered: u32,
    /// What happened last, if anything went wrong; also where it will be tried again.
    pub error: Option<String>,
}

/// Chats in one query; each is a placeholder of its own.
const AT_ONCE: u32 = 256;

/// One state of tasks at a time is read in the order of its index and no further than needed.
const OF_STATE: &str = "SELECT * FROM (SELECT DISTINCT chat FROM tasks WHERE run = $1 AND state = {state} AND chat > $2 \
    AND NOT EXISTS (SELECT 1 FROM results WHERE results.chat = tasks.chat AND results.place = -1) \
    ORDER BY chat LIMIT $3) AS state_{state}";

impl Store {
    /// The next chats of a run behind one (`None` for the first) that have a judge without an answer and no result, in
    /// their order; at most so many, and never more than 256.
    ///
    /// A chat whose judges have all answered and whose result is only to be computed is none of them; see
    /// [`Store::without_result`].
    pub async fn pending(
        &self,
        run: RunKey,
        behind: Option<ChatKey>,
        most: u32,
    ) -> Result<Vec<PendingChat>, StoreError> {
        self.told(self.read_pending(run, behind.map_or(-1, |chat| chat.0), most.min(AT_ONCE)).await)
    }

    async fn read_pending(&self, run: RunKey, behind: i64, most: u32) -> Result<Vec<PendingChat>, Failure> {
        let states = ["0", "1", "3"].map(|state| OF_STATE.replace("{state}", state)).join(" UNION ");
        let sql = AssertSqlSafe(format!("{states} ORDER BY 1 LIMIT $3"));
        let query = sqlx::query(sql).bind(run.0).bind(behind).bind(i64::from(most));
        let keys: Vec<i64> =
            query.fetch_all(&self.reader).await?.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let sql = format!(
            "SELECT chats.id, chats.name, chats.position, chats.group_name, tasks.state, tasks.error \
             FROM chats JOIN tasks ON tasks.chat = chats.id WHERE chats.id IN ({}) ORDER BY chats.id, tasks.place",
            placeholders(keys.len())
        );
        let mut values = Values::default();
        for key in keys {
            values.integer(key);
        }
        let rows = sqlx::query_with(AssertSqlSafe(sql), values.ready()?).fetch_all(&self.reader).await?;
        let mut found: Vec<PendingChat> = Vec::new();
        for row in &rows {
            let chat = ChatKey(row.try_get(0)?);
            if found.last().is_none_or(|last| last.chat != chat) {
                found.push(begin(chat, row)?);
            }
            if let Some(last) = found.last_mut() {
                last.count(row.try_get(4)?, row.try_get(5)?);
            }
        }
        Ok(found)
    }
}

fn begin(chat: ChatKey, row: &AnyRow) -> Result<PendingChat, Failure> {
    Ok(PendingChat {
        chat,
        name: row.try_get(1)?,
        position: small(row.try_get(2)?)?,
        group: row.try_get(3)?,
        state: PendingState::Waiting,
        answered: 0,
        error: None,
    })
}

impl PendingChat {
    /// Takes a task into account: the furthest state counts, and the error of one that has failed before that of another.
    fn count(&mut self, task: i64, error: Option<String>) {
        let state = match task {
            1 => PendingState::UnderWay,
            3 => PendingState::Failed,
            _ => PendingState::Waiting,
        };
        self.answered += u32::from(task == 2);
        if task != 2 && error.is_some() && (self.error.is_none() || state > self.state) {
            self.error = error;
        }
        self.state = self.state.max(state);
    }
}
