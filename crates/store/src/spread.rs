//! How the scores of a run are spread, and which checks trip its gates, counted by the database.

use std::collections::BTreeMap;

use sqlx::Row as _;

use crate::result::place_number;
use crate::sql::small;
use crate::{METRICS, RunKey, Store, StoreError};

/// How many results have which score; `None` are those without one.
pub type ScoreCounts = Vec<(Option<u8>, u64)>;

/// How the scores of a run are spread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spreads {
    /// The overall scores, in hundredths.
    pub overall: ScoreCounts,
    /// The metrics' scores, in the rubric's order.
    pub metrics: [ScoreCounts; METRICS],
}

const COUNTS: &str = "SELECT 0, overall, COUNT(*) FROM results WHERE run = $1 AND place = $2 GROUP BY overall \
    UNION ALL SELECT 1, metric_1, COUNT(*) FROM results WHERE run = $1 AND place = $2 GROUP BY metric_1 \
    UNION ALL SELECT 2, metric_2, COUNT(*) FROM results WHERE run = $1 AND place = $2 GROUP BY metric_2 \
    UNION ALL SELECT 3, metric_3, COUNT(*) FROM results WHERE run = $1 AND place = $2 GROUP BY metric_3 \
    UNION ALL SELECT 4, metric_4, COUNT(*) FROM results WHERE run = $1 AND place = $2 GROUP BY metric_4 \
    UNION ALL SELECT 5, metric_5, COUNT(*) FROM results WHERE run = $1 AND place = $2 GROUP BY metric_5 \
    UNION ALL SELECT 6, metric_6, COUNT(*) FROM results WHERE run = $1 AND place = $2 GROUP BY metric_6 \
    UNION ALL SELECT 7, metric_7, COUNT(*) FROM results WHERE run = $1 AND place = $2 GROUP BY metric_7 \
    UNION ALL SELECT 8, metric_8, COUNT(*) FROM results WHERE run = $1 AND place = $2 GROUP BY metric_8 \
    UNION ALL SELECT 9, metric_9, COUNT(*) FROM results WHERE run = $1 AND place = $2 GROUP BY metric_9 \
    UNION ALL SELECT 10, metric_10, COUNT(*) FROM results WHERE run = $1 AND place = $2 GROUP BY metric_10";

impl Store {
    /// How many results of a run have which scores.
    pub async fn spreads(&self, run: RunKey, place: Option<u32>) -> Result<Spreads, StoreError> {
        let query = sqlx::query(COUNTS).bind(run.0).bind(place_number(place));
        let reading = async {
            let mut spreads = Spreads::default();
            for row in query.fetch_all(&self.reader).await? {
                let of: usize = small(row.try_get(0)?)?;
                let score = row.try_get::<Option<i64>, _>(1)?.map(small).transpose()?;
                let counts = if of == 0 { &mut spreads.overall } else { &mut spreads.metrics[of - 1] };
                counts.push((score, small(row.try_get(2)?)?));
            }
            spreads.overall.sort_unstable();
            spreads.metrics.iter_mut().for_each(|counts| counts.sort_unstable());
            Ok(spreads)
        };
        self.told(reading.await)
    }

    /// In how many results of a run each check trips a gate, the most frequent first.
    pub async fn gate_counts(&self, run: RunKey, place: Option<u32>) -> Result<Vec<(String, u64)>, StoreError> {
        let sql = "SELECT gates, COUNT(*) FROM results WHERE run = $1 AND place = $2 AND gated = 1 GROUP BY gates";
        let query = sqlx::query(sql).bind(run.0).bind(place_number(place));
        let reading = async {
            let mut counts: BTreeMap<String, u64> = BTreeMap::new();
            for row in query.fetch_all(&self.reader).await? {
                let (gates, results): (String, u64) = (row.try_get(0)?, small(row.try_get(1)?)?);
                for gate in gates.split(',').filter(|gate| !gate.is_empty()) {
                    *counts.entry(gate.to_owned()).or_default() += results;
                }
            }
            let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
            counts.sort_by_key(|(_, results)| std::cmp::Reverse(*results));
            Ok(counts)
        };
        self.told(reading.await)
    }
}
