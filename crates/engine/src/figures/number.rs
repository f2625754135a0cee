//! Numbers as people read them.

use carelock_core::report::safe_text::one_line;
use carelock_statistics::{Estimate, Tested};

/// What stands where there is no number.
pub(super) const NONE: &str = "–";

/// A figure with two decimals.
pub fn value(number: f64) -> String {
    let text = format!("{:.2}", hundredths(number));
    if text == "-0.00" { "0.00".to_owned() } else { text }
}

/// A difference, with its sign.
pub(super) fn signed(number: f64) -> String {
    let text = format!("{:+.2}", hundredths(number));
    if text == "-0.00" || text == "+0.00" { "0.00".to_owned() } else { text }
}

/// Halves away from zero, after the noise of sums is taken off: equal means must not be shown as two numbers.
pub(crate) fn hundredths(number: f64) -> f64 {
    ((number * 1e9).round() / 1e7).round() / 100.0
}

/// A figure with its interval, `0.91 [0.85, 0.97]`; the value alone where it has no interval, a dash where it has neither.
pub fn estimate(estimate: &Estimate) -> String {
    written(estimate, value)
}

/// A difference with its interval.
pub fn apart(estimate: &Estimate) -> String {
    written(estimate, signed)
}

fn written(estimate: &Estimate, number: fn(f64) -> String) -> String {
    match (estimate.value, estimate.interval) {
        (Some(found), Some(interval)) => {
            format!("{} [{}, {}]", number(found), number(interval.low), number(interval.high))
        }
        (Some(found), None) => number(found),
        (None, _) => NONE.to_owned(),
    }
}

/// Why a figure, or its interval, is not there; empty where both are.
pub fn undefined(estimate: &Estimate) -> String {
    estimate.why_not.map(|why| why.to_string()).unwrap_or_default()
}

/// A p-value, corrected where several tests were made together.
pub fn p_value(test: &Tested) -> String {
    match test.adjusted {
        Some(p_value) if p_value < 0.001 => "<0.001".to_owned(),
        Some(p_value) => format!("{p_value:.3}"),
        None => NONE.to_owned(),
    }
}

/// A whole number, with commas from ten thousand on.
pub fn count(number: impl TryInto<u64>) -> String {
    let digits = number.try_into().map(|number: u64| number.to_string()).unwrap_or_default();
    if digits.len() < 5 {
        return digits;
    }
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A time span for people: `45s`, `3m10s`, `2h05m`.
pub fn time_span(seconds: f64) -> String {
    const DAY: f64 = 86_400.0;
    if !seconds.is_finite() || seconds > 99.0 * DAY {
        return "long".to_owned();
    }
    // In range by the line above.
    let seconds = seconds.round() as u64;
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m{:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h{:02}m", seconds / 3600, seconds / 60 % 60),
    }
}

/// A number of things: `1 chat`, `2 chats`.
pub fn plural(number: usize, thing: &str) -> String {
    if number == 1 { format!("1 {thing}") } else { format!("{} {thing}s", count(number as u64)) }
}

/// The first names of a list, and how many more there are.
pub fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>, most: usize) -> String {
    let all = names.len();
    let mut shown: Vec<String> = names.take(most).map(one_line).collect();
    if all > most {
        shown.push(format!("and {} more", count((all - most) as u64)));
    }
    shown.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_never_minus_zero() {
        assert_eq!([value(0.914), value(-0.001), value(1.0)], ["0.91", "0.00", "1.00"]);
        assert_eq!([signed(0.0), signed(-0.004), signed(0.04), signed(-0.2)], ["0.00", "0.00", "+0.04", "-0.20"]);
        assert_eq!(
            [count(0_u64), count(9999_u64), count(10_000_u64), count(1_234_567_u64)],
            ["0", "9999", "10,000", "1,234,567"]
        );
        assert_eq!([plural(1, "chat"), plural(0, "chat")], ["1 chat", "0 chats"]);
        assert_eq!(listed(["a", "b", "c"].into_iter(), 2), "a, b, and 1 more");
        assert_eq!(listed(["a"].into_iter(), 2), "a");
    }

    #[test]
    fn spans_are_short_and_an_endless_one_is_said_to_be_long() {
        let spans = [(0.4, "0s"), (59.0, "59s"), (190.0, "3m10s"), (7500.0, "2h05m"), (f64::INFINITY, "long")];
        for (seconds, text) in spans {
            assert_eq!(time_span(seconds), text);
        }
    }
}
