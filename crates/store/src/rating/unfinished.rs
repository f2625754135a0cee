//! Which chats a rater has yet to be done with: the same text in another run is the same chat.

use sqlx::{AssertSqlSafe, Row as _};

use crate::sql::storable;
use crate::{ChatKey, RunKey, Store, StoreError};

/// The texts a rater, who is the first value, still has before them.
const TEXTS: &str = "SELECT own.digest FROM ratings JOIN chats own ON own.id = ratings.chat \
                     WHERE ratings.rater = $1 AND ratings.state <> 'done'";

impl Store {
    /// Whether a rater has an unfinished rating of a chat, in its run or of the same text in another one.
    pub async fn is_unfinished(&self, chat: ChatKey, rater: &str) -> Result<bool, StoreError> {
        let sql = format!("{TEXTS} AND own.digest = (SELECT digest FROM chats WHERE id = $2) LIMIT 1");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(storable(rater)).bind(chat.0);
        let found = async { Ok(query.fetch_optional(&self.reader).await?.is_some()) };
        self.told(found.await)
    }

    /// The chats of a run that a rater has an unfinished rating of, there or of the same text in another run.
    pub async fn unfinished_chats(&self, run: RunKey, rater: &str) -> Result<Vec<ChatKey>, StoreError> {
        if !self.has_unfinished(rater).await? {
            return Ok(Vec::new());
        }
        let sql = format!("SELECT id FROM chats WHERE run = $2 AND digest IN ({TEXTS}) ORDER BY id");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(storable(rater)).bind(run.0);
        let found = async {
            let rows = query.fetch_all(&self.reader).await?;
            rows.iter().map(|row| Ok(ChatKey(row.try_get(0)?))).collect()
        };
        self.told(found.await)
    }

    /// The runs with a chat that a rater has an unfinished rating of, there or of the same text in another run.
    pub async fn unfinished_runs(&self, rater: &str) -> Result<Vec<RunKey>, StoreError> {
        if !self.has_unfinished(rater).await? {
            return Ok(Vec::new());
        }
        let sql = format!("SELECT DISTINCT run FROM chats WHERE digest IN ({TEXTS}) ORDER BY run");
        let query = sqlx::query(AssertSqlSafe(sql)).bind(storable(rater));
        let found = async {
            let rows = query.fetch_all(&self.reader).await?;
            rows.iter().map(|row| Ok(RunKey(row.try_get(0)?))).collect()
        };
        self.told(found.await)
    }

    /// Most people have nothing to rate, and for them no chats need to be looked through.
    async fn has_unfinished(&self, rater: &str) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM ratings WHERE rater = $1 AND state <> 'done' LIMIT 1";
        let query = sqlx::query(sql).bind(storable(rater));
        let found = async { Ok(query.fetch_optional(&self.reader).await?.is_some()) };
        self.told(found.await)
    }
}
