//! How often each score occurs among the results of a run, for the overall score and for every metric.
//!
//! One look through the results, many at a time: the database packs the scores of a result into two numbers, which
//! takes a third of the time of naming them one by one.

use std::collections::BTreeMap;

use sqlx::Row as _;

use crate::classify::Failure;
use crate::result::place_number;
use crate::scored::Reading;
use crate::{METRICS, RunKey, Store, StoreError};

/// How many results have which score.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distribution {
    /// For each score in hundredths that occurs, how often.
    pub scores: BTreeMap<u8, u64>,
    /// How many results have none.
    pub none: u64,
}

/// How the scores of a run's results are spread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Distributions {
    /// How many results there are.
    pub results: u64,
    /// How many of them have a gate tripped.
    pub gated: u64,
    /// The overall scores.
    pub overall: Distribution,
    /// The metrics' scores, in the rubric's order.
    pub metrics: [Distribution; METRICS],
    /// For each check that tripped a gate, in how many results.
    pub gates: BTreeMap<String, u64>,
}

/// Results in one text.
const AT_ONCE: i64 = 10_000;

/// A score takes a byte, 0 for none and otherwise one more than it is.
const TEXT: &str = "SELECT string_agg(CAST(\
    (COALESCE(overall, -1) + 1) + (COALESCE(metric_1, -1) + 1) * CAST(256 AS BIGINT) \
    + (COALESCE(metric_2, -1) + 1) * CAST(65536 AS BIGINT) \
    + (COALESCE(metric_3, -1) + 1) * CAST(16777216 AS BIGINT) \
    + (COALESCE(metric_4, -1) + 1) * 4294967296 + (COALESCE(metric_5, -1) + 1) * 1099511627776 AS TEXT) || ',' || CAST(\
    (COALESCE(metric_6, -1) + 1) + (COALESCE(metric_7, -1) + 1) * CAST(256 AS BIGINT) \
    + (COALESCE(metric_8, -1) + 1) * CAST(65536 AS BIGINT) \
    + (COALESCE(metric_9, -1) + 1) * CAST(16777216 AS BIGINT) \
    + (COALESCE(metric_10, -1) + 1) * 4294967296 AS TEXT) || ',' \
    || CASE WHEN gated = 0 THEN ',' ELSE CAST(LENGTH(gates) AS TEXT) || ',' || gates END, '') \
    FROM results WHERE run = $1 AND place = $2 AND position >= $3 AND position < $4";

impl Store {
    /// How the scores of a run's results are spread: of the judge at a place, or of the chats as a whole.
    pub async fn distributions(&self, run: RunKey, place: Option<u32>) -> Result<Distributions, StoreError> {
        self.told(self.read_distributions(run, place_number(place)).await)
    }

    async fn read_distributions(&self, run: RunKey, place: i64) -> Result<Distributions, Failure> {
        let most = "SELECT CAST(COALESCE(MAX(position), -1) AS BIGINT) FROM results WHERE run = $1 AND place = $2";
        let last: i64 = sqlx::query(most).bind(run.0).bind(place).fetch_one(&self.reader).await?.try_get(0)?;
        let mut counted = Counted::default();
        let mut start = 0;
        while start <= last {
            let query = sqlx::query(TEXT).bind(run.0).bind(place).bind(start).bind(start + AT_ONCE);
            let text: Option<String> = query.fetch_one(&self.reader).await?.try_get(0)?;
            let mut reading = Reading(text.as_deref().unwrap_or_default());
            while !reading.0.is_empty() {
                counted.read(&mut reading).ok_or_else(|| self.damaged("a result cannot be read".to_owned()))?;
            }
            start += AT_ONCE;
        }
        Ok(counted.told())
    }
}

/// The overall score and the metrics, with a place for every byte a score can be.
struct Counted {
    bytes: [[u64; 256]; 1 + METRICS],
    results: u64,
    gated: u64,
    gates: BTreeMap<String, u64>,
}

impl Default for Counted {
    fn default() -> Self {
        Self { bytes: [[0; 256]; 1 + METRICS], results: 0, gated: 0, gates: BTreeMap::new() }
    }
}

impl Counted {
    fn read(&mut self, reading: &mut Reading<'_>) -> Option<()> {
        let first = reading.number()??.to_le_bytes();
        let second = reading.number()??.to_le_bytes();
        let gates = reading.text()?;
        self.results += 1;
        for (counts, &byte) in self.bytes.iter_mut().zip(first[..6].iter().chain(&second[..5])) {
            counts[usize::from(byte)] += 1;
        }
        let Some(gates) = gates else { return Some(()) };
        self.gated += 1;
        for gate in gates.split(',').filter(|gate| !gate.is_empty()) {
            match self.gates.get_mut(gate) {
                Some(number) => *number += 1,
                None => drop(self.gates.insert(gate.to_owned(), 1)),
            }
        }
        Some(())
    }

    fn told(self) -> Distributions {
        let one = |counts: &[u64; 256]| Distribution {
            scores: (0..=254)
                .zip(&counts[1..])
                .filter(|&(_, &number)| number > 0)
                .map(|(at, &number)| (at, number))
                .collect(),
            none: counts[0],
        };
        let mut told = self.bytes.iter().map(one);
        let overall = told.next().unwrap_or_default();
        let mut metrics: [Distribution; METRICS] = Default::default();
        metrics.iter_mut().zip(told).for_each(|(metric, told)| *metric = told);
        Distributions { results: self.results, gated: self.gated, overall, metrics, gates: self.gates }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_cut_is_refused_and_never_panics() {
        let whole = "1,0,,26112,257,9,HC-2,BD-1";
        let (mut counted, mut reading) = (Counted::default(), Reading(whole));
        while !reading.0.is_empty() {
            counted.read(&mut reading).unwrap();
        }
        let found = counted.told();
        assert_eq!((found.results, found.gated, found.gates.len()), (2, 1, 2));
        assert_eq!((found.overall.none, found.overall.scores.get(&0)), (1, Some(&1)));
        assert_eq!(found.metrics[0].scores.get(&101), Some(&1));
        for end in 5..whole.len() {
            assert_eq!(Counted::default().read(&mut Reading(&whole[5..end])), None, "{end}");
        }
    }
}
