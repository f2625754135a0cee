//! The orders of a list, and places in them.

use std::fmt;
use std::str::FromStr;

use crate::{ListedResult, METRICS};

/// What a list is sorted by. Where two results are alike in it, the order of the chats decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sort {
    /// The order of the chats in the run.
    #[default]
    Position,
    /// The overall score, undetermined ones lowest.
    Overall,
    /// Chats with a gate tripped, then the others.
    Gates,
    /// The chat's id.
    Name,
    /// The chat's group; those without one come first.
    Group,
    /// The score of a metric, undetermined ones lowest.
    Metric(MetricPlace),
}

/// A metric by its place in the rubric's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MetricPlace(u8);

impl MetricPlace {
    /// The metric at this place, counted from 0; `None` where there is none.
    pub fn at(place: usize) -> Option<Self> {
        u8::try_from(place).ok().filter(|_| place < METRICS).map(Self)
    }

    /// Its place, counted from 0.
    pub fn place(self) -> usize {
        usize::from(self.0)
    }
}

impl Sort {
    /// What the database sorts by before it comes to the position. `plain` keeps an index from being used for the order,
    /// which is the longer way where few results pass a filter.
    pub(super) fn key(self, plain: bool) -> Option<String> {
        let number = if plain { " + 0" } else { "" };
        match self {
            Self::Position => None,
            Self::Overall => Some(format!("COALESCE(results.overall, -1){number}")),
            Self::Gates => Some(format!("1 - results.gated{number}")),
            Self::Name => Some("chats.name".to_owned()),
            Self::Group => Some(format!("COALESCE(results.group_name, ''){}", if plain { " || ''" } else { "" })),
            Self::Metric(metric) => Some(format!("COALESCE(results.metric_{}, -1)", metric.0 + 1)),
        }
    }

    /// Whether the order can be read from an index.
    pub(super) fn has_index(self, plain: bool) -> bool {
        match self {
            Self::Position | Self::Name => true,
            Self::Overall | Self::Gates | Self::Group => !plain,
            Self::Metric(_) => false,
        }
    }
}

impl fmt::Display for Sort {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Position => formatter.write_str("position"),
            Self::Overall => formatter.write_str("overall"),
            Self::Gates => formatter.write_str("gates"),
            Self::Name => formatter.write_str("name"),
            Self::Group => formatter.write_str("group"),
            Self::Metric(metric) => write!(formatter, "metric-{}", metric.0 + 1),
        }
    }
}

/// A word that names no order of a list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a list cannot be sorted by that\n  fix: use position, overall, gates, name, group, or metric-1 to metric-10")]
pub struct UnknownSort;

impl FromStr for Sort {
    type Err = UnknownSort;

    fn from_str(word: &str) -> Result<Self, UnknownSort> {
        let plain = [Self::Position, Self::Overall, Self::Gates, Self::Name, Self::Group];
        let metrics = (0..METRICS).filter_map(MetricPlace::at).map(Self::Metric);
        plain.into_iter().chain(metrics).find(|sort| sort.to_string() == word).ok_or(UnknownSort)
    }
}

/// A place in a list. As a text it fits into a URL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub(super) sort: Sort,
    pub(super) key: Key,
    pub(super) position: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Number(i64),
    Text(String),
}

impl Cursor {
    /// The place of a result in a list of this order.
    pub fn after(sort: Sort, result: &ListedResult) -> Self {
        let score = |score: Option<u8>| Key::Number(score.map_or(-1, i64::from));
        let key = match sort {
            Sort::Position => Key::Number(0),
            Sort::Overall => score(result.scores.overall),
            Sort::Gates => Key::Number(i64::from(result.scores.gates.is_empty())),
            Sort::Name => Key::Text(result.name.clone()),
            Sort::Group => Key::Text(result.group.clone().unwrap_or_default()),
            Sort::Metric(metric) => score(result.scores.metrics.get(metric.place()).copied().flatten()),
        };
        Self { sort, key, position: i64::try_from(result.position).unwrap_or(i64::MAX) }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{}.", self.sort, self.position)?;
        match &self.key {
            Key::Number(number) => write!(formatter, "{number}"),
            Key::Text(text) => text.bytes().try_for_each(|byte| write!(formatter, "{byte:02x}")),
        }
    }
}

/// A text that is no place in a list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no place in a list\n  fix: begin with the first page")]
pub struct BadCursor;

impl FromStr for Cursor {
    type Err = BadCursor;

    fn from_str(text: &str) -> Result<Self, BadCursor> {
        read(text).ok_or(BadCursor)
    }
}

fn read(text: &str) -> Option<Cursor> {
    let (sort, rest) = text.split_once('.')?;
    let (position, key) = rest.split_once('.')?;
    let sort = sort.parse().ok()?;
    let key = match sort {
        Sort::Name | Sort::Group => Key::Text(from_hexadecimal(key)?),
        Sort::Position | Sort::Overall | Sort::Gates | Sort::Metric(_) => Key::Number(key.parse().ok()?),
    };
    let cursor = Cursor { sort, key, position: position.parse().ok()? };
    // One spelling for each place: signs and leading zeros are none of ours.
    (cursor.position >= 0 && cursor.to_string() == text).then_some(cursor)
}

fn from_hexadecimal(text: &str) -> Option<String> {
    let digits = |pair: &[u8]| match pair {
        &[high, low] => {
            let value = char::from(high).to_digit(16)? * 16 + char::from(low).to_digit(16)?;
            u8::try_from(value).ok()
        }
        _ => None,
    };
    String::from_utf8(text.as_bytes().chunks(2).map(digits).collect::<Option<_>>()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_order_reads_as_it_is_written() {
        let metrics = (0..METRICS).filter_map(MetricPlace::at).map(Sort::Metric);
        for sort in [Sort::Position, Sort::Overall, Sort::Gates, Sort::Name, Sort::Group].into_iter().chain(metrics) {
            assert_eq!(sort.to_string().parse(), Ok(sort));
        }
        assert_eq!(MetricPlace::at(METRICS), None);
        for word in ["", "metric-0", "metric-11", "metric-01", "Name", "position "] {
            assert_eq!(word.parse::<Sort>(), Err(UnknownSort), "{word}");
        }
    }

    #[test]
    fn a_place_reads_as_it_is_written_and_nonsense_is_refused() {
        let metric = Sort::Metric(MetricPlace::at(9).unwrap());
        for (sort, key) in [
            (Sort::Position, Key::Number(0)),
            (Sort::Overall, Key::Number(-1)),
            (metric, Key::Number(100)),
            (Sort::Name, Key::Text("chats/ä?&=#\u{1f600}.txt".to_owned())),
            (Sort::Group, Key::Text(String::new())),
        ] {
            let cursor = Cursor { sort, key, position: 99_999 };
            let text = cursor.to_string();
            assert!(text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte)), "{text}");
            assert_eq!(text.parse(), Ok(cursor));
            for end in 0..text.len() {
                let _ = text[..end].parse::<Cursor>();
            }
        }
        for text in [
            "",
            ".",
            "..",
            "name",
            "name.1",
            "name.x.61",
            "name.1.6",
            "name.1.zz",
            "name.1.ff",
            "name.-1.61",
            "overall.1.",
            "overall.1.+5",
            "overall.01.5",
            "overall.1.5.6",
            "overall.1.99999999999999999999",
            "näme.1.ä",
            "name.1.C3A4",
            "metric-99.1.1",
        ] {
            assert_eq!(text.parse::<Cursor>(), Err(BadCursor), "{text}");
        }
    }
}
