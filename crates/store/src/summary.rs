//! Sums over the results of a run, group by group, computed by the database.

use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::classify::Failure;
use crate::result::place_number;
use crate::sql::small;
use crate::{METRICS, RunKey, Store, StoreError};

/// A sum of scores, and of how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// How many scores there are.
    pub number: u64,
    /// Their sum in hundredths.
    pub hundredths: u64,
}

impl Sum {
    /// The mean, from 0 to 1; `None` of nothing.
    pub fn mean(self) -> Option<f64> {
        (self.number > 0).then(|| self.hundredths as f64 / (100.0 * self.number as f64))
    }
}

/// The results of one group added up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The group; `None` for chats without one.
    pub group: Option<String>,
    /// How many results it has.
    pub results: u64,
    /// How many of them have a gate tripped.
    pub gated: u64,
    /// How many of them have a check without a verdict.
    pub unscored: u64,
    /// The overall scores.
    pub overall: Sum,
    /// The metrics' scores, in the rubric's order.
    pub metrics: [Sum; METRICS],
}

/// How many results of a group have a tier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TierCount {
    /// The group; `None` for chats without one.
    pub group: Option<String>,
    /// The tier; `None` for results without one.
    pub tier: Option<String>,
    /// How many results.
    pub results: u64,
}

const SUMS: &str = "SELECT group_name, COUNT(*), SUM(gated), SUM(CASE WHEN unscored > 0 THEN 1 ELSE 0 END), \
    COUNT(overall), SUM(overall), COUNT(metric_1), SUM(metric_1), COUNT(metric_2), SUM(metric_2), \
    COUNT(metric_3), SUM(metric_3), COUNT(metric_4), SUM(metric_4), COUNT(metric_5), SUM(metric_5), \
    COUNT(metric_6), SUM(metric_6), COUNT(metric_7), SUM(metric_7), COUNT(metric_8), SUM(metric_8), \
    COUNT(metric_9), SUM(metric_9), COUNT(metric_10), SUM(metric_10) \
    FROM results WHERE run = $1 AND place = $2 GROUP BY group_name";

impl Store {
    /// The results of a run added up, one summary for each group, by name; chats without a group come first.
    pub async fn summaries(&self, run: RunKey, place: Option<u32>) -> Result<Vec<Summary>, StoreError> {
        let query = sqlx::query(SUMS).bind(run.0).bind(place_number(place));
        let reading = async {
            let rows = query.fetch_all(&self.reader).await?;
            let mut found: Vec<Summary> = rows.iter().map(read).collect::<Result<_, _>>()?;
            found.sort_by(|left, right| left.group.cmp(&right.group));
            Ok(found)
        };
        self.told(reading.await)
    }

    /// How many results of each group have which tier.
    pub async fn tiers(&self, run: RunKey, place: Option<u32>) -> Result<Vec<TierCount>, StoreError> {
        let sql = "SELECT group_name, tier, COUNT(*) FROM results WHERE run = $1 AND place = $2 \
                   GROUP BY group_name, tier";
        let reading = async {
            let rows = sqlx::query(sql).bind(run.0).bind(place_number(place)).fetch_all(&self.reader).await?;
            let one = |row: &AnyRow| {
                let (group, tier, results) = (row.try_get(0)?, row.try_get(1)?, small(row.try_get(2)?)?);
                Ok(TierCount { group, tier, results })
            };
            let mut found: Vec<TierCount> = rows.iter().map(one).collect::<Result<_, Failure>>()?;
            found.sort_by(|left, right| (&left.group, &left.tier).cmp(&(&right.group, &right.tier)));
            Ok(found)
        };
        self.told(reading.await)
    }
}

fn read(row: &AnyRow) -> Result<Summary, Failure> {
    let number = |column: usize| row.try_get::<Option<i64>, _>(column)?.map_or(Ok(0), small::<u64>);
    let sum = |column: usize| Ok::<_, Failure>(Sum { number: number(column)?, hundredths: number(column + 1)? });
    let mut metrics = [Sum::default(); METRICS];
    for (at, metric) in metrics.iter_mut().enumerate() {
        *metric = sum(6 + 2 * at)?;
    }
    let (group, results) = (row.try_get(0)?, number(1)?);
    Ok(Summary { group, results, gated: number(2)?, unscored: number(3)?, overall: sum(4)?, metrics })
}
