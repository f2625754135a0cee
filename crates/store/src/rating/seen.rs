//! Who has seen what judges say of a chat, here or in another run.

use crate::classify::Failure;
use crate::sql::storable;
use crate::{ChatKey, Store, StoreError};

impl Store {
    /// Notes that somebody sees what judges say of a chat; the first time stays.
    pub async fn note_seen(&self, rater: &str, chat: ChatKey, now: i64) -> Result<(), StoreError> {
        let sql =
            "INSERT INTO seen_verdicts (chat, rater, seen) VALUES ($2, $1, $3) ON CONFLICT (chat, rater) DO NOTHING";
        let query = sqlx::query(sql).bind(storable(rater)).bind(chat.0).bind(now);
        self.told(query.execute(&self.writer).await.map_err(Failure::from)).map(drop)
    }

    /// Whether somebody has seen what judges say of a chat, or of the same chat in another run.
    pub async fn has_seen(&self, rater: &str, chat: ChatKey) -> Result<bool, StoreError> {
        let sql = "SELECT 1 FROM seen_verdicts JOIN chats ON chats.id = seen_verdicts.chat \
                   WHERE seen_verdicts.rater = $1 AND chats.digest = (SELECT digest FROM chats WHERE id = $2) LIMIT 1";
        let query = sqlx::query(sql).bind(storable(rater)).bind(chat.0);
        Ok(self.told(query.fetch_optional(&self.reader).await.map_err(Failure::from))?.is_some())
    }
}
