//! What came of the answers, chat by chat, in a form that lists and comparisons read quickly.

use std::collections::HashSet;

use serde_json::Value;
use sqlx::{AnyConnection, Row as _};

use crate::classify::Failure;
use crate::pack::text_checksum;
use crate::sql::{Shape, Values, storable};
use crate::{ChatKey, RunKey, Store, StoreError};

/// How many metrics a result has.
pub const METRICS: usize = 10;

/// The place of a result that stands for the whole chat.
pub(crate) const WHOLE: i64 = -1;

/// The numbers of a result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scores {
    /// The overall score in hundredths; `None` where it is undetermined.
    pub overall: Option<u8>,
    /// The checks that tripped a gate.
    pub gates: Vec<String>,
    /// The name of the overall score's tier, where there is one.
    pub tier: Option<String>,
    /// How many checks have no verdict.
    pub unscored: u32,
    /// The metrics' scores in hundredths, in the rubric's order.
    pub metrics: [Option<u8>; METRICS],
    /// A letter for each check in the rubric's order: p passed, f failed, n not triggered, u unscored.
    pub outcomes: String,
}

/// A result that is about to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewResult {
    /// The chat.
    pub chat: ChatKey,
    /// The place of the judge whose own result this is; `None` for the result of the chat as a whole.
    pub place: Option<u32>,
    /// The name of the judge or the panel.
    pub judge: String,
    /// The numbers.
    pub scores: Scores,
}

pub(crate) fn place_number(place: Option<u32>) -> i64 {
    place.map_or(WHOLE, i64::from)
}

const RESULTS: Shape = Shape {
    before: "WITH given (chat, place, judge, overall, gated, gates, tier, unscored, metric_1, metric_2, metric_3, \
             metric_4, metric_5, metric_6, metric_7, metric_8, metric_9, metric_10, outcomes) AS (",
    width: 9 + METRICS,
    after: ") INSERT INTO results (chat, place, run, position, group_name, judge, overall, gated, gates, tier, unscored, \
            metric_1, metric_2, metric_3, metric_4, metric_5, metric_6, metric_7, metric_8, metric_9, metric_10, \
            outcomes) \
            SELECT chats.id, place, chats.run, chats.position, chats.group_name, judge, overall, gated, gates, tier, \
            unscored, metric_1, metric_2, metric_3, metric_4, metric_5, metric_6, metric_7, metric_8, metric_9, \
            metric_10, outcomes FROM given JOIN chats ON chats.id = given.chat \
            WHERE TRUE ORDER BY given.chat, given.place \
            ON CONFLICT (chat, place) DO UPDATE SET judge = excluded.judge, overall = excluded.overall, \
            gated = excluded.gated, gates = excluded.gates, tier = excluded.tier, unscored = excluded.unscored, \
            metric_1 = excluded.metric_1, metric_2 = excluded.metric_2, metric_3 = excluded.metric_3, \
            metric_4 = excluded.metric_4, metric_5 = excluded.metric_5, metric_6 = excluded.metric_6, \
            metric_7 = excluded.metric_7, metric_8 = excluded.metric_8, metric_9 = excluded.metric_9, \
            metric_10 = excluded.metric_10, outcomes = excluded.outcomes",
};

impl Store {
    /// Keeps results, each in the place of an earlier one.
    pub async fn put_results(&self, results: &[NewResult]) -> Result<(), StoreError> {
        let putting = async {
            let mut transaction = self.begin().await?;
            put(self, &mut transaction, &results.iter().collect::<Vec<_>>()).await?;
            Ok(transaction.commit().await?)
        };
        self.told(putting.await)
    }

    /// Puts other results in the place of all results of a run, with the configuration they rest on: all or nothing.
    ///
    /// `answers` is how many answers the run had before anything was read for them. Where it has others by now, or other
    /// chats with a result, or where someone works on it `now`, nothing is replaced: what came in meanwhile would be lost.
    pub async fn replace_results(
        &self,
        run: RunKey,
        config: &Value,
        results: &[NewResult],
        answers: u64,
        now: i64,
    ) -> Result<(), StoreError> {
        let replacing = async {
            let mut transaction = self.begin().await?;
            let config = storable(&config.to_string());
            let query = sqlx::query("UPDATE runs SET config = $2, config_checksum = $3 WHERE id = $1").bind(run.0);
            let checksum = text_checksum(&config);
            let changed = query.bind(config).bind(checksum).execute(&mut *transaction).await?;
            if changed.rows_affected() == 0 {
                return Err(self.no_run(run.0.to_string()).into());
            }
            let sql = "SELECT (SELECT COUNT(*) FROM answers WHERE run = $1), \
                       (SELECT COUNT(*) FROM tasks WHERE run = $1 AND state = 1 AND until > $2)";
            let row = sqlx::query(sql).bind(run.0).bind(now).fetch_one(&mut *transaction).await?;
            let (answered, leased): (i64, i64) = (row.try_get(0)?, row.try_get(1)?);
            let query = sqlx::query("DELETE FROM results WHERE run = $1 AND place = $2").bind(run.0).bind(WHOLE);
            let gone = query.execute(&mut *transaction).await?.rows_affected();
            let whole = results.iter().filter(|result| result.place.is_none()).map(|result| result.chat);
            let whole = whole.collect::<HashSet<ChatKey>>().len() as u64;
            if u64::try_from(answered) != Ok(answers) || leased > 0 || gone != whole {
                return Err(StoreError::Busy { database: self.label().to_owned(), run: run.0.to_string() }.into());
            }
            sqlx::query("DELETE FROM results WHERE run = $1").bind(run.0).execute(&mut *transaction).await?;
            put(self, &mut transaction, &results.iter().collect::<Vec<_>>()).await?;
            Ok(transaction.commit().await?)
        };
        self.told(replacing.await)
    }
}

pub(crate) async fn put(store: &Store, connection: &mut AnyConnection, results: &[&NewResult]) -> Result<(), Failure> {
    let mut results = results.to_vec();
    results.sort_by_key(|result| (result.chat, result.place));
    // One statement cannot change a row twice; the last of two is the one that was meant.
    results.reverse();
    results.dedup_by_key(|result| (result.chat, result.place));
    results.reverse();
    RESULTS.run(store, connection, &results, |result, values| bind(result, values)).await.map(drop)
}

fn bind(result: &NewResult, values: &mut Values) {
    let scores = &result.scores;
    let number = |score: Option<u8>| score.map(i64::from);
    values.integer(result.chat.0).integer(place_number(result.place)).text(result.judge.as_str());
    values.integer(number(scores.overall)).integer(i64::from(!scores.gates.is_empty()));
    values.text(scores.gates.join(",").as_str()).text(scores.tier.as_deref()).integer(i64::from(scores.unscored));
    for score in scores.metrics {
        values.integer(number(score));
    }
    values.text(scores.outcomes.as_str());
}
