//! Dates and times as messengers write them.

/// What follows a time of day at the start of the text: `10:15`, `10.15.32`, `9:05 PM`, `10:15 p. m.`.
pub(super) fn after_time(text: &str) -> Option<&str> {
    let (hours, rest) = after_digits(text, 1..=2)?;
    let rest = rest.strip_prefix([':', '.'])?;
    let (minutes, mut rest) = after_digits(rest, 2..=2)?;
    if hours > 24 || minutes > 59 {
        return None;
    }
    if let Some((_, after)) = rest.strip_prefix([':', '.']).and_then(|seconds| after_digits(seconds, 2..=2)) {
        rest = after;
    }
    // Thousandths of a second, as in ISO times.
    if let Some((_, after)) = rest.strip_prefix('.').and_then(|fraction| after_digits(fraction, 1..=9)) {
        rest = after;
    }
    Some(after_half_of_day(rest).unwrap_or(rest))
}

/// What follows a date at the start of the text: `12/03/2024`, `2024-03-12`, `12.3.24`, `12-Mar-24`, `Today`.
pub(super) fn after_date(text: &str) -> Option<&str> {
    for day in ["Today", "Yesterday"] {
        if let Some(rest) = text.strip_prefix(day) {
            return Some(rest);
        }
    }
    let (_, rest) = after_digits(text, 1..=4)?;
    let sign = rest.chars().next().filter(|sign| matches!(sign, '/' | '.' | '-'))?;
    let rest = rest[1..].trim_start_matches(' ');
    let rest = match after_digits(rest, 1..=2) {
        Some((_, rest)) => rest,
        None => after_month(rest)?,
    };
    let rest = rest.strip_prefix(sign)?.trim_start_matches(' ');
    let (_, rest) = after_digits(rest, 1..=4)?;
    Some(rest.strip_prefix('.').unwrap_or(rest))
}

/// What follows a date, a time, or a date and a time.
pub(in super::super) fn after_stamp(text: &str) -> Option<&str> {
    let Some(rest) = after_date(text) else {
        return after_time(text);
    };
    let rest = rest.strip_prefix(',').unwrap_or(rest);
    let rest = rest.trim_start_matches(is_space);
    let rest = rest.strip_prefix("at ").or_else(|| rest.strip_prefix('T')).unwrap_or(rest);
    let rest = after_time(rest)?;
    Some(after_zone(rest).unwrap_or(rest))
}

/// Whether the text is a date or a time and nothing else.
pub(super) fn is_stamp(text: &str) -> bool {
    after_stamp(text).is_some_and(|rest| rest.trim().is_empty())
}

/// The spaces that stand in time stamps, the narrow one before "PM" among them.
pub(super) fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\u{A0}' | '\u{2009}' | '\u{202F}')
}

/// The number at the start of the text, if it has one of these lengths, and what follows it.
fn after_digits(text: &str, lengths: std::ops::RangeInclusive<usize>) -> Option<(u32, &str)> {
    let limit = lengths.end() + 1;
    let count = text.bytes().take(limit).take_while(u8::is_ascii_digit).count();
    if !lengths.contains(&count) {
        return None;
    }
    Some((text[..count].parse().ok()?, &text[count..]))
}

fn after_half_of_day(text: &str) -> Option<&str> {
    let rest = text.trim_start_matches(is_space);
    let rest = rest.strip_prefix(['a', 'A', 'p', 'P'])?;
    let rest = rest.strip_prefix('.').unwrap_or(rest).trim_start_matches(is_space);
    let rest = rest.strip_prefix(['m', 'M'])?;
    let rest = rest.strip_prefix('.').unwrap_or(rest);
    // "10:15 amazing" is not a time in the morning.
    rest.chars().next().is_none_or(|next| !next.is_alphanumeric()).then_some(rest)
}

fn after_month(text: &str) -> Option<&str> {
    let length = text.bytes().take(10).take_while(u8::is_ascii_alphabetic).count();
    (3..10).contains(&length).then(|| &text[length..])
}

fn after_zone(text: &str) -> Option<&str> {
    if let Some(rest) = text.strip_prefix('Z').or_else(|| text.strip_prefix(" UTC")) {
        return Some(rest);
    }
    let (_, rest) = after_digits(text.strip_prefix(['+', '-'])?, 2..=2)?;
    Some(after_digits(rest.strip_prefix(':').unwrap_or(rest), 2..=2)?.1)
}

#[cfg(test)]
mod tests {
    use super::{after_stamp, is_stamp};

    #[test]
    fn the_stamps_of_many_messengers_are_known() {
        for stamp in [
            "10:15",
            "9:05 PM",
            "10:15:32 am",
            "10:15\u{202F}PM",
            "10:15 p. m.",
            "12/03/2024, 10:15",
            "12/03/24, 10:15:32 PM",
            "12.03.24, 22:15",
            "12. 3. 2024 22:15",
            "2024-03-12 10:15",
            "2024-03-12T10:15:32.123Z",
            "2024-03-12T10:15:32+01:00",
            "Today at 10:15 AM",
            "Yesterday at 9:01 PM",
            "12-Mar-24 10:15 AM",
            "12.03.2024 10.15",
            "2024/03/12, 10:15",
        ] {
            assert!(is_stamp(stamp), "{stamp}");
        }
    }

    #[test]
    fn other_numbers_are_no_stamps() {
        for text in
            ["", "10", "10:5", "99:15", "10:75", "12/03/2024", "1.2.3", "Today", "10:15 amazing", "３:15", "a:bc"]
        {
            assert!(!is_stamp(text), "{text}");
        }
        assert_eq!(after_stamp("10:15 - Ana"), Some(" - Ana"));
    }
}
