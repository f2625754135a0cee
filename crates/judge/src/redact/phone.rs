//! Phone numbers as people write them in many countries, but never those of help lines.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::find::stands_alone;
use super::help::is_help_number;
use super::identity::is_part_of_number;
use super::{Kind, pattern};

/// What may stand between groups of digits.
const GAP: &str = r"(?:[ \x{a0}]?[.\-\x{2010}-\x{2015}/][ \x{a0}]?|[ \x{a0}])";

/// Shapes that are phone numbers wherever they stand, and how many digits they may have.
static SHAPES: LazyLock<Vec<(Regex, std::ops::RangeInclusive<usize>)>> = LazyLock::new(|| {
    let shape = |text: &str| pattern(&text.replace("GAP", GAP));
    vec![
        (shape(r"\+[0-9]{1,3}(?:GAP?\(?[0-9]{1,6}\)?){1,7}"), 8..=15),
        (shape(r"\b00[1-9][0-9]{0,2}(?:GAP[0-9]{1,8}){1,6}|\b00[1-9][0-9]{8,12}"), 10..=17),
        // North America; an extension goes with the number.
        (
            shape(
                r"(?:1GAP?)?(?:\([2-9][0-9]{2}\)GAP?|[2-9][0-9]{2}GAP)[0-9]{3}GAP[0-9]{4}(?:,? ?(?:x|ext\.?) ?[0-9]{1,5})?",
            ),
            10..=16,
        ),
        (shape(r"\(0[0-9]{1,4}\)(?:GAP?[0-9]{2,8}){1,5}|\b0[0-9]{1,4}(?:GAP[0-9]{2,8}){1,5}|\b0[0-9]{8,10}"), 9..=11),
        (shape(r"\b[6-9][0-9]{4}[ -][0-9]{5}"), 10..=10),
        (shape(r"\b1?[2-9][0-9]{2}[2-9][0-9]{6}"), 10..=11),
    ]
});

/// Any run of digits is a phone number after such a word.
static CUED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)\b(?:call|phone|tel|telephone|mobile|cell|whatsapp|text|number|reach|ring|sms|fax|contact|dial)\b[^0-9\n]{{0,25}}?(\+?\(?[0-9](?:[0-9()]|{GAP}){{5,18}}[0-9])"
    ))
});

static DATE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:[0-9]{1,2}[./-][0-9]{1,2}[./-](?:19|20)[0-9]{2}|(?:19|20)[0-9]{2}[./-][0-9]{1,2}[./-][0-9]{1,2})(?:[^0-9]|$)",
    )
});

pub(super) fn find(text: &str, found: &mut dyn FnMut(Range<usize>, Kind)) {
    for (shape, allowed) in SHAPES.iter() {
        for number in shape.find_iter(text) {
            let count = digits(number.as_str()).len();
            if allowed.contains(&count) && is_phone(text, &number.range()) {
                found(number.range(), Kind::Phone);
            }
        }
    }
    for number in CUED.captures_iter(text).filter_map(|found| found.get(1)) {
        let digits = digits(number.as_str());
        let round = digits.ends_with("000") && !number.as_str().starts_with('+');
        if (7..=15).contains(&digits.len()) && !round && is_phone(text, &number.range()) {
            found(number.range(), Kind::Phone);
        }
    }
}

fn is_phone(text: &str, range: &Range<usize>) -> bool {
    let number = &text[range.clone()];
    let before = text[..range.start].chars().next_back();
    let after = text[range.end..].chars().next();
    let money = matches!(before, Some('$' | '€' | '£' | '#' | '_' | '+' | '=')) || matches!(after, Some('%' | '_'));
    !money
        && stands_alone(text, range.clone())
        && !is_part_of_number(text, range)
        && !DATE.is_match(number)
        && !are_years(number)
        && !is_help(number)
}

fn is_help(number: &str) -> bool {
    let digits = digits(number);
    let abroad = if number.starts_with('+') { Some(digits.as_str()) } else { digits.strip_prefix("00") };
    is_help_number(&digits, false) || abroad.is_some_and(|digits| is_help_number(digits, true))
}

/// The digits of a number.
pub(super) fn digits(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

/// "1990-2005" and "2019 2020 2021" are spans of years.
fn are_years(number: &str) -> bool {
    let mut groups = number.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty());
    groups.all(|group| group.len() == 4 && (group.starts_with("19") || group.starts_with("20")))
}
