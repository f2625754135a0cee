//! Calendar days and the timestamps found in response headers, without a clock.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A day of the Gregorian calendar, written `2027-01-14`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Date {
    year: i32,
    month: u8,
    day: u8,
}

impl Date {
    /// A day; `None` where the calendar has no such day.
    pub fn new(year: i32, month: u8, day: u8) -> Option<Self> {
        let fits =
            (1..=9999).contains(&year) && (1..=12).contains(&month) && (1..=month_length(year, month)).contains(&day);
        fits.then_some(Self { year, month, day })
    }

    /// The day on which a moment falls in UTC; `None` before 1970.
    pub fn from_time(moment: std::time::SystemTime) -> Option<Self> {
        let seconds = moment.duration_since(std::time::UNIX_EPOCH).ok()?.as_secs();
        Self::from_days(i64::try_from(seconds / 86_400).ok()?)
    }

    /// Days since 1970-01-01.
    pub fn days(self) -> i64 {
        let year = i64::from(self.year) - i64::from(self.month <= 2);
        let era = year.div_euclid(400);
        let year_of_era = year.rem_euclid(400);
        // Counting months from March puts the leap day at the end of the year.
        let month = (i64::from(self.month) + 9) % 12;
        let day_of_year = (153 * month + 2) / 5 + i64::from(self.day) - 1;
        era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
    }

    fn from_days(days: i64) -> Option<Self> {
        let shifted = days.checked_add(719_468)?;
        let era = shifted.div_euclid(146_097);
        let day_of_era = shifted.rem_euclid(146_097);
        let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Self::new(i32::try_from(year).ok()?, u8::try_from(month).ok()?, u8::try_from(day).ok()?)
    }

    /// How many days lie between this day and a later one; negative when that one is earlier.
    pub fn days_until(self, later: Self) -> i64 {
        later.days() - self.days()
    }
}

fn month_length(year: i32, month: u8) -> u8 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:04}-{:02}-{:02}", self.year, self.month, self.day))
    }
}

/// A text that is no calendar day.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a day of the form 2027-01-14")]
pub struct NotADate(String);

impl FromStr for Date {
    type Err = NotADate;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let wrong = || NotADate(text.chars().take(40).collect());
        let bytes = text.as_bytes();
        if bytes.len() != 10 || bytes[4] != b'-' || bytes[7] != b'-' {
            return Err(wrong());
        }
        let number = |from: usize, to: usize| digits(bytes.get(from..to)?);
        let date = number(0, 4).zip(number(5, 7)).zip(number(8, 10)).and_then(|((year, month), day)| {
            Self::new(i32::try_from(year).ok()?, u8::try_from(month).ok()?, u8::try_from(day).ok()?)
        });
        date.ok_or_else(wrong)
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

fn digits(bytes: &[u8]) -> Option<u32> {
    if bytes.is_empty() || bytes.len() > 9 {
        return None;
    }
    bytes.iter().try_fold(0_u32, |number, byte| byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0')))
}

/// Seconds since 1970 of an HTTP date in any of its three forms, such as `Sun, 06 Nov 1994 08:49:37 GMT`.
pub(crate) fn http_date(text: &str) -> Option<f64> {
    let words: Vec<&str> = text.split([' ', ',', '\t']).filter(|word| !word.is_empty()).collect();
    let (day, month, year, clock) = match words.as_slice() {
        [_, day, month, year, clock, "GMT" | "UTC"] => (*day, *month, *year, *clock),
        [_, date, clock, "GMT" | "UTC"] => {
            let mut parts = date.split('-');
            (parts.next()?, parts.next()?, parts.next()?, *clock)
        }
        [_, month, day, clock, year] => (*day, *month, *year, *clock),
        _ => return None,
    };
    let year = match (digits(year.as_bytes())?, year.len()) {
        (short @ 0..=69, 2) => short + 2000,
        (short, 2) => short + 1900,
        (long, 4) => long,
        _ => return None,
    };
    let date = Date::new(i32::try_from(year).ok()?, month_number(month)?, u8::try_from(digits(day.as_bytes())?).ok()?)?;
    Some(date.days() as f64 * 86_400.0 + clock_seconds(clock)?)
}

/// Seconds since 1970 of an RFC 3339 timestamp, such as `2026-11-15T10:00:00Z`.
pub(crate) fn rfc3339(text: &str) -> Option<f64> {
    let date: Date = text.get(..10)?.parse().ok()?;
    let rest = text.get(10..)?.strip_prefix(['T', 't', ' '])?;
    let cut = rest.find(['Z', 'z', '+', '-'])?;
    let (clock, zone) = (rest.get(..cut)?, rest.get(cut..)?);
    let offset = match zone.chars().next()? {
        'Z' | 'z' if zone.len() == 1 => 0.0,
        '+' => clock_seconds(zone.get(1..)?)?,
        '-' => -clock_seconds(zone.get(1..)?)?,
        _ => return None,
    };
    Some(date.days() as f64 * 86_400.0 + clock_seconds(clock)? - offset)
}

/// Seconds of `08:49`, `08:49:37` or `08:49:37.25`.
fn clock_seconds(clock: &str) -> Option<f64> {
    let mut parts = clock.split(':');
    let hours = digits(parts.next()?.as_bytes())?;
    let minutes = digits(parts.next()?.as_bytes())?;
    let seconds = parts.next().unwrap_or("0");
    let plain = seconds.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let seconds: f64 = seconds.parse().ok().filter(|_| plain)?;
    // 60 is a leap second.
    let fits = parts.next().is_none() && hours < 24 && minutes < 60 && seconds < 61.0;
    fits.then(|| f64::from(hours) * 3600.0 + f64::from(minutes) * 60.0 + seconds)
}

fn month_number(name: &str) -> Option<u8> {
    const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
    let index = MONTHS.iter().position(|month| month.eq_ignore_ascii_case(name))?;
    u8::try_from(index + 1).ok()
}

#[cfg(test)]
mod tests {
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
        for days in 0..150_000 {
            assert_eq!(Date::from_days(days).unwrap().days(), days);
        }
        assert_eq!("1970-01-01".parse::<Date>().unwrap().days(), 0);
        assert_eq!("2026-11-15".parse::<Date>().unwrap().days(), 20_772);
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
