//! Moments as people and programs write them, in universal time.

use jiff::Timestamp;

/// `2026-11-15T17:02:09Z`.
pub fn moment(milliseconds: i64) -> String {
    written(milliseconds, "%Y-%m-%dT%H:%M:%SZ")
}

/// `2026-11-15 17:02`.
pub fn moment_for_people(milliseconds: i64) -> String {
    written(milliseconds, "%Y-%m-%d %H:%M")
}

/// Nothing for a moment before 1970 or beyond what the calendar has.
fn written(milliseconds: i64, form: &str) -> String {
    let stamp = Timestamp::from_millisecond(milliseconds).ok().filter(|_| milliseconds >= 0);
    stamp.map(|stamp| stamp.strftime(form).to_string()).unwrap_or_default()
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
