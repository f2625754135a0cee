//! Moments as traces write them: nanoseconds, or a date and a time of day.

use serde_json::Value;

/// Nanoseconds since 1970 of a number or a text; numbers may be in seconds, milli-, micro- or nanoseconds.
pub(super) fn moment(value: &Value) -> Option<i128> {
    match value {
        Value::String(text) => text.trim().parse::<i128>().ok().map(scaled).or_else(|| date(text.trim())),
        Value::Number(number) => match number.as_i64() {
            Some(whole) => Some(scaled(i128::from(whole))),
            None => number
                .as_f64()
                .filter(|seconds| seconds.abs() < 1e20)
                .map(|seconds| if seconds.abs() < 1e11 { (seconds * 1e9) as i128 } else { scaled(seconds as i128) }),
        },
        _ => None,
    }
}

/// A whole number of a unit that its size gives away.
fn scaled(number: i128) -> i128 {
    let factor = match number.unsigned_abs() {
        0..100_000_000_000 => 1_000_000_000,
        100_000_000_000..100_000_000_000_000 => 1_000_000,
        100_000_000_000_000..100_000_000_000_000_000 => 1_000,
        _ => 1,
    };
    number.saturating_mul(factor)
}

/// `2026-03-01T10:15:30.123Z`, also with a blank for the T, with an offset, or without any zone.
fn date(text: &str) -> Option<i128> {
    let (day, clock) = text.split_once(['T', 't', ' '])?;
    let mut day = day.splitn(3, '-').map(|part| part.parse::<i64>().ok());
    let (year, month, of_month) = (day.next()??, day.next()??, day.next()??);
    if !(0..=9999).contains(&year) || !(1..=12).contains(&month) || !(1..=31).contains(&of_month) {
        return None;
    }
    let zone = clock.find(['Z', 'z', '+', '-']).unwrap_or(clock.len());
    let (clock, zone) = clock.split_at_checked(zone)?;
    let (whole, fraction) = clock.trim().split_once(['.', ',']).unwrap_or((clock.trim(), ""));
    let mut parts = whole.splitn(3, ':').map(|part| part.parse::<i64>().ok());
    let (hour, minute, second) = (parts.next()??, parts.next()??, parts.next().unwrap_or(Some(0))?);
    if !(0..=24).contains(&hour) || !(0..60).contains(&minute) || !(0..=60).contains(&second) {
        return None;
    }
    let seconds = days(year, month, of_month) * 86_400 + hour * 3_600 + minute * 60 + second - offset(zone)?;
    Some(i128::from(seconds) * 1_000_000_000 + i128::from(nanoseconds(fraction)?))
}

/// Days since 1970 in the calendar of today.
fn days(year: i64, month: i64, of_month: i64) -> i64 {
    // The year begins in March, so that the day that is sometimes there comes last.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + of_month - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Seconds east of Greenwich.
fn offset(zone: &str) -> Option<i64> {
    let sign = match zone.as_bytes().first() {
        Some(b'+') => 1,
        Some(b'-') => -1,
        _ => return Some(0),
    };
    let digits: String = zone.chars().filter(char::is_ascii_digit).collect();
    let part = |from: usize| digits.get(from..from + 2).map_or(Some(0), |part| part.parse::<i64>().ok());
    Some(sign * (part(0)? * 3_600 + part(2)? * 60))
}

fn nanoseconds(fraction: &str) -> Option<i64> {
    let digits: String = fraction.trim().chars().take(9).collect();
    if digits.is_empty() {
        return Some(0);
    }
    format!("{digits:0<9}").parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn one_moment_is_the_same_in_every_way_of_writing_it() {
        let expected = Some(1_790_000_000_500_000_000);
        for value in [
            json!("2026-09-21T14:13:20.5Z"),
            json!("2026-09-21 16:13:20.500000+02:00"),
            json!("2026-09-21T09:43:20.5-0430"),
            json!("2026-09-21T14:13:20.5"),
            json!("1790000000500000000"),
            json!(1_790_000_000_500_000_000_i64),
            json!(1_790_000_000_500_i64),
            json!(1_790_000_000.5),
        ] {
            assert_eq!(moment(&value), expected, "{value}");
        }
        assert_eq!(moment(&json!("1970-01-01T00:00:00Z")), Some(0));
        assert_eq!(moment(&json!("2024-02-29T00:00:00Z")), Some(1_709_164_800_000_000_000));
    }

    #[test]
    fn what_is_no_moment_is_none() {
        for value in
            [json!("soon"), json!("2026-13-01T00:00Z"), json!("2026-01-01Tx"), json!(null), json!("T"), json!("é")]
        {
            assert_eq!(moment(&value), None, "{value}");
        }
        let _ = moment(&json!("9999999999999999999999999999999999999"));
        let _ = moment(&json!("2026-01-01T00:00:00.é+é"));
    }
}
