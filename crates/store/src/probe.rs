//! Conversations of a probe that are still going on: every entry is safe before the next one is asked for.

use sqlx::Row as _;

use crate::classify::Failure;
use crate::sql::{small, storable};
use crate::{RunKey, Store, StoreError};

/// An entry of a conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeTurn {
    /// The conversation's name within its run.
    pub conversation: String,
    /// Which entry it is, from 0.
    pub number: u32,
    /// What it holds, as JSON.
    pub body: String,
}

impl Store {
    /// Keeps an entry; false where there is one of this number already, because another process carries on the same
    /// conversation.
    pub async fn add_probe_turn(&self, run: RunKey, turn: &ProbeTurn) -> Result<bool, StoreError> {
        let sql = "INSERT INTO probe_turns (run, conversation, number, body) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (run, conversation, number) DO NOTHING";
        let query = sqlx::query(sql)
            .bind(run.0)
            .bind(storable(&turn.conversation))
            .bind(i64::from(turn.number))
            .bind(storable(&turn.body));
        let made = self.told(query.execute(&self.writer).await.map_err(Failure::from))?;
        Ok(made.rows_affected() == 1)
    }

    /// All entries of a run's conversations, each conversation's in their order.
    pub async fn probe_turns(&self, run: RunKey) -> Result<Vec<ProbeTurn>, StoreError> {
        let sql = "SELECT conversation, number, body FROM probe_turns WHERE run = $1 ORDER BY conversation, number";
        let read = async {
            let rows = sqlx::query(sql).bind(run.0).fetch_all(&self.reader).await?;
            let one = |row: &sqlx::any::AnyRow| {
                Ok(ProbeTurn { conversation: row.try_get(0)?, number: small(row.try_get(1)?)?, body: row.try_get(2)? })
            };
            rows.iter().map(one).collect::<Result<Vec<_>, Failure>>()
        };
        self.told(read.await)
    }

    /// Forgets what was kept of a conversation: it begins anew, or its chat is in the run.
    pub async fn forget_conversation(&self, run: RunKey, conversation: &str) -> Result<(), StoreError> {
        let sql = "DELETE FROM probe_turns WHERE run = $1 AND conversation = $2";
        let query = sqlx::query(sql).bind(run.0).bind(storable(conversation));
        self.told(query.execute(&self.writer).await.map_err(Failure::from))?;
        Ok(())
    }
}
