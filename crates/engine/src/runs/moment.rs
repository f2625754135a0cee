//! Moments as people and programs write them, in universal time.

use std::time::{Duration, UNIX_EPOCH};

use carelock_judge::provider::Date;

/// `2026-11-15T17:02:09Z`.
pub fn moment(milliseconds: i64) -> String {
    parts(milliseconds)
        .map_or_else(String::new, |(day, [hour, minute, second])| format!("{day}T{hour:02}:{minute:02}:{second:02}Z"))
}

/// `2026-11-15 17:02`.
pub fn moment_for_people(milliseconds: i64) -> String {
    parts(milliseconds).map_or_else(String::new, |(day, [hour, minute, _])| format!("{day} {hour:02}:{minute:02}"))
}

/// The day, and the time of it; nothing before 1970.
fn parts(milliseconds: i64) -> Option<(Date, [u64; 3])> {
    let since = Duration::from_millis(u64::try_from(milliseconds).ok()?);
    let day = Date::from_time(UNIX_EPOCH.checked_add(since)?)?;
    let seconds = since.as_secs() % 86_400;
    Some((day, [seconds / 3600, seconds / 60 % 60, seconds % 60]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_told_in_universal_time() {
        assert_eq!(moment(1_790_000_000_000), "2026-09-21T14:13:20Z");
        assert_eq!(moment_for_people(1_790_000_000_999), "2026-09-21 14:13");
        assert_eq!((moment(0).as_str(), moment(-1).as_str()), ("1970-01-01T00:00:00Z", ""));
        assert_eq!(moment(i64::MAX), "", "a time nobody can mean is left out");
    }
}
