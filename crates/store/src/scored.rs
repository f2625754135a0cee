//! All results of a run at once, for comparisons.
//!
//! A driver hands over rows one by one and column by column, which takes seconds for a hundred thousand results. Here the
//! database writes many results into one text, which takes a tenth of that. Numbers end with a comma, a missing one is
//! empty, and a text comes behind its length, so that no sign in it can be mistaken.

use sqlx::Row as _;

use crate::classify::Failure;
use crate::result::place_number;
use crate::{ChatKey, METRICS, RunKey, Scores, Store, StoreError};

/// A chat and its scores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoredChat {
    /// The chat.
    pub chat: ChatKey,
    /// Its place in the run, counted from 0.
    pub position: u64,
    /// The chat's id.
    pub name: String,
    /// The chat's digest.
    pub digest: String,
    /// Its group.
    pub group: Option<String>,
    /// The numbers.
    pub scores: Scores,
}

/// Results in one text.
const AT_ONCE: i64 = 1000;

const TEXT: &str = "SELECT string_agg(CAST(results.chat AS TEXT) || ',' || CAST(results.position AS TEXT) || ',' \
    || COALESCE(CAST(overall AS TEXT), '') || ',' || CAST(unscored AS TEXT) || ',' \
    || COALESCE(CAST(metric_1 AS TEXT), '') || ',' || COALESCE(CAST(metric_2 AS TEXT), '') || ',' \
    || COALESCE(CAST(metric_3 AS TEXT), '') || ',' || COALESCE(CAST(metric_4 AS TEXT), '') || ',' \
    || COALESCE(CAST(metric_5 AS TEXT), '') || ',' || COALESCE(CAST(metric_6 AS TEXT), '') || ',' \
    || COALESCE(CAST(metric_7 AS TEXT), '') || ',' || COALESCE(CAST(metric_8 AS TEXT), '') || ',' \
    || COALESCE(CAST(metric_9 AS TEXT), '') || ',' || COALESCE(CAST(metric_10 AS TEXT), '') || ',' \
    || CAST(LENGTH(chats.name) AS TEXT) || ',' || chats.name \
    || CAST(LENGTH(chats.digest) AS TEXT) || ',' || chats.digest \
    || COALESCE(CAST(LENGTH(results.group_name) AS TEXT) || ',' || results.group_name, ',') \
    || COALESCE(CAST(LENGTH(tier) AS TEXT) || ',' || tier, ',') \
    || CAST(LENGTH(gates) AS TEXT) || ',' || gates || CAST(LENGTH(outcomes) AS TEXT) || ',' || outcomes, '') \
    FROM results JOIN chats ON chats.id = results.chat \
    WHERE results.run = $1 AND results.place = $2 AND results.position >= $3 AND results.position < $4";

impl Store {
    /// The scores of all chats of a run that have a result, in the order of the chats.
    pub async fn scores(&self, run: RunKey, place: Option<u32>) -> Result<Vec<ScoredChat>, StoreError> {
        self.told(self.read_scores(run, place_number(place)).await)
    }

    async fn read_scores(&self, run: RunKey, place: i64) -> Result<Vec<ScoredChat>, Failure> {
        let most = "SELECT CAST(COALESCE(MAX(position), -1) AS BIGINT) FROM results WHERE run = $1 AND place = $2";
        let last: i64 = sqlx::query(most).bind(run.0).bind(place).fetch_one(&self.reader).await?.try_get(0)?;
        let mut found = Vec::new();
        let mut start = 0;
        while start <= last {
            let end = start + AT_ONCE;
            let query = sqlx::query(TEXT).bind(run.0).bind(place).bind(start).bind(end);
            let text: Option<String> = query.fetch_one(&self.reader).await?.try_get(0)?;
            let before = found.len();
            let mut reading = Reading(text.as_deref().unwrap_or_default());
            while !reading.0.is_empty() {
                found.push(reading.scored().ok_or_else(|| self.damaged("a result cannot be read".to_owned()))?);
            }
            found[before..].sort_by_key(|scored| scored.position);
            start = end;
        }
        Ok(found)
    }
}

/// What is left of a text.
pub(crate) struct Reading<'text>(pub(crate) &'text str);

impl Reading<'_> {
    fn scored(&mut self) -> Option<ScoredChat> {
        let chat = ChatKey(self.number()??);
        let position = self.number()??.try_into().ok()?;
        let overall = self.score()?;
        let unscored = self.number()??.try_into().ok()?;
        let mut metrics = [None; METRICS];
        for metric in &mut metrics {
            *metric = self.score()?;
        }
        let (name, digest) = (self.text()??, self.text()??);
        let (group, tier) = (self.text()?, self.text()?);
        let gates = self.text()??;
        let gates = gates.split(',').filter(|gate| !gate.is_empty()).map(str::to_owned).collect();
        let scores = Scores { overall, gates, tier, unscored, metrics, outcomes: self.text()?? };
        Some(ScoredChat { chat, position, name, digest, group, scores })
    }

    /// The next number, which may be missing; `None` where there is none to read.
    pub(crate) fn number(&mut self) -> Option<Option<i64>> {
        let (number, rest) = self.0.split_once(',')?;
        self.0 = rest;
        if number.is_empty() { Some(None) } else { number.parse().ok().map(Some) }
    }

    fn score(&mut self) -> Option<Option<u8>> {
        self.number()?.map(u8::try_from).transpose().ok()
    }

    /// The next text, which may be missing. Its length counts characters, as the databases do.
    pub(crate) fn text(&mut self) -> Option<Option<String>> {
        let Some(length) = self.number()? else { return Some(None) };
        let length = usize::try_from(length).ok()?;
        let end = match self.0.char_indices().nth(length) {
            Some((end, _)) => end,
            None => Some(self.0.len()).filter(|_| self.0.chars().count() == length)?,
        };
        let (text, rest) = self.0.split_at(end);
        self.0 = rest;
        Some(Some(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_cut_or_odd_is_refused_and_never_panics() {
        let whole = "7,0,85,0,1,2,3,4,5,6,7,8,9,,3,a,ü1,d2,,g,4,HC-25,pfnup";
        let scored = Reading(whole).scored().unwrap();
        assert_eq!((scored.name.as_str(), scored.group.as_deref(), scored.scores.tier), ("a,ü", Some(",g"), None));
        assert_eq!((scored.scores.gates, scored.scores.metrics[9]), (vec!["HC-2".to_owned()], None));
        for end in (0..whole.len()).filter(|&end| whole.is_char_boundary(end)) {
            assert_eq!(Reading(&whole[..end]).scored(), None, "{end}");
        }
        assert_eq!(Reading("7,-1,85,0").scored(), None);
        assert_eq!(Reading(&whole.replacen("85", "300", 1)).scored(), None);
    }
}
