//! Calendar days and the timestamps found in response headers, without a clock.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::{Timestamp, civil, tz::TimeZone};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A day of the Gregorian calendar, written `2027-01-14`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date(civil::Date);

impl Date {
    /// The first day that computers count from.
    pub const EPOCH: Self = Self(civil::date(1970, 1, 1));

    /// The day on which a moment falls in UTC; `None` before 1970.
    pub fn from_time(moment: SystemTime) -> Option<Self> {
        let stamp = Timestamp::try_from(moment).ok().filter(|_| moment >= UNIX_EPOCH)?;
        Some(Self(TimeZone::UTC.to_datetime(stamp).date()))
    }

    /// How many days lie between this day and a later one; negative when that one is earlier.
    pub fn days_until(self, later: Self) -> i64 {
        (later.0 - self.0).get_days().into()
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0.to_string())
    }
}

/// A text that is no calendar day.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a day of the form 2027-01-14")]
pub struct NotADate(String);

impl FromStr for Date {
    type Err = NotADate;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let day = text.parse::<civil::Date>().ok().filter(|day| text.len() == 10 && day.year() > 0);
        day.map(Self).ok_or_else(|| NotADate(text.chars().take(40).collect()))
    }
}

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Date {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Seconds since 1970 of an HTTP date in any of its three forms, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
pub(crate) fn http_date(text: &str) -> Option<f64> {
    let moment = httpdate::parse_http_date(text).ok()?;
    moment.duration_since(UNIX_EPOCH).ok().map(|since| since.as_secs_f64())
}

/// Seconds since 1970 of an RFC 3339 timestamp, such as `2026-11-15T10:00:00Z`.
pub(crate) fn rfc3339(text: &str) -> Option<f64> {
    text.parse::<Timestamp>().ok().map(|stamp| stamp.as_duration().as_secs_f64())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;

    #[test]
    fn a_day_is_read_and_written_back() {
        for text in ["1970-01-01", "2024-02-29", "2026-11-15", "2027-01-14", "9999-12-31"] {
            assert_eq!(text.parse::<Date>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn days_that_the_calendar_does_not_have_are_refused() {
        for text in [
            "2026-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-04-31",
            "2026-4-1",
            "20260401",
            "",
            "2026-11-15T",
            "２０２６-11-15",
        ] {
            assert!(text.parse::<Date>().is_err(), "{text}");
        }
    }

    #[test]
    fn every_day_over_four_centuries_follows_the_one_before() {
        let first: Date = "1970-01-01".parse().unwrap();
        let day = |days: u64| Date::from_time(UNIX_EPOCH + Duration::from_secs(days * 86_400 + 7)).unwrap();
        for days in (0..150_000).step_by(11) {
            assert_eq!(first.days_until(day(days)), days as i64);
        }
        assert_eq!(day(20_772).to_string(), "2026-11-15");
        assert_eq!(Date::from_time(UNIX_EPOCH - Duration::from_secs(1)), None);
    }

    #[test]
    fn http_dates_are_read_in_their_three_forms() {
        for text in ["Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"] {
            assert_eq!(http_date(text), Some(784_111_777.0), "{text}");
        }
        for text in [
            "",
            "soon",
            "Sun, 06 Nov 1994 25:49:37 GMT",
            "Sun, 31 Feb 1994 08:49:37 GMT",
            "Sun, 06 Nov 1994 08:49:37 CET",
        ] {
            assert_eq!(http_date(text), None, "{text}");
        }
    }

    #[test]
    fn timestamps_are_read_with_their_zone() {
        assert_eq!(rfc3339("1994-11-06T08:49:37Z"), Some(784_111_777.0));
        assert_eq!(rfc3339("1994-11-06T09:49:37.5+01:00"), Some(784_111_777.5));
        for text in ["1994-11-06", "1994-11-06T08:49:37", "1994-11-06T08:49:37Zulu", "é994-11-06T08:49:37Z", ""] {
            assert_eq!(rfc3339(text), None, "{text}");
        }
    }
}
