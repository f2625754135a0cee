//! Numbers that name a person to an authority or a bank: cards, accounts, social security, passports.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::find::stands_alone;
use super::{Kind, pattern};

static IBAN: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\b[A-Za-z]{2}[0-9]{2}(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,3})?\b"));
static CARD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"[2-6][0-9]{3}(?:[ -]?[0-9]{4}){2}[ -]?[0-9]{1,7}|3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5}")
});
static SHAPED: LazyLock<Regex> = LazyLock::new(|| {
    // American social security and British national insurance numbers.
    pattern(r"[0-9]{3}-[0-9]{2}-[0-9]{4}|\b[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?(?:[0-9]{2} ?){3}[A-D]\b")
});
static CUED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:(?:passport|nhs|ssn|social security|social insurance|national insurance|medicare|medicaid|mrn|",
        r"medical record|aadhaar|sort code|routing|driver['’]?s licen[cs]e|driving licen[cs]e|national id|id card)",
        r"(?: (?:number|no|num|nr|id|code|card|#))?|(?:case|account|reference|student|patient|employee|policy|insurance|",
        r"licen[cs]e|booking|tax|member|membership|identity|id|bank) (?:number|no|num|nr|id|card|#)|my id)",
        r"\.?(?: is| was)?[ :#=]{1,3}((?-i:[A-Z]{0,4})[- ]?[0-9][A-Za-z0-9]*(?:[- ][A-Za-z]?[0-9][A-Za-z0-9]*)*)",
    ))
});

pub(super) fn find(text: &str, found: &mut dyn FnMut(Range<usize>, Kind)) {
    for account in IBAN.find_iter(text) {
        if let Some(end) = iban_end(account.as_str()) {
            found(account.start()..account.start() + end, Kind::Id);
        }
    }
    for card in CARD.find_iter(text) {
        let digits = digits(card.as_str());
        let whole = stands_alone(text, card.range()) && !is_part_of_number(text, &card.range());
        if whole && (13..=19).contains(&digits.len()) && luhn(&digits) {
            found(card.range(), Kind::Card);
        }
    }
    for number in SHAPED.find_iter(text) {
        if stands_alone(text, number.range()) && !is_part_of_number(text, &number.range()) {
            found(number.range(), Kind::Id);
        }
    }
    for number in CUED.captures_iter(text).filter_map(|found| found.get(1)) {
        let start = number.end() - number.as_str().trim_start_matches([' ', '-']).len();
        let count = digits(number.as_str()).len();
        if (5..=20).contains(&count) && stands_alone(text, start..number.end()) {
            found(start..number.end(), Kind::Id);
        }
    }
}

fn digits(text: &str) -> Vec<u8> {
    text.bytes().filter(u8::is_ascii_digit).map(|byte| byte - b'0').collect()
}

/// Whether a dash, dot or comma ties the digits to more digits.
pub(super) fn is_part_of_number(text: &str, range: &Range<usize>) -> bool {
    let tie = |c: Option<char>| matches!(c, Some('.' | ',' | '-' | '/' | ':'));
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let mut before = text[..range.start].chars().rev();
    let mut after = text[range.end..].chars();
    (tie(before.next()) && digit(before.next())) || (tie(after.next()) && digit(after.next()))
}

/// The check every card number passes.
fn luhn(digits: &[u8]) -> bool {
    let sum: u32 = (0_u32..)
        .zip(digits.iter().rev())
        .map(|(place, &digit)| match u32::from(digit) * (1 + place % 2) {
            doubled @ 10.. => doubled - 9,
            single => single,
        })
        .sum();
    sum.is_multiple_of(10) && digits.iter().any(|&digit| digit != digits[0])
}

/// Where an account number ends whose check digits are right; words after it may have been taken for its last groups.
fn iban_end(text: &str) -> Option<usize> {
    let ends = std::iter::once(text.len()).chain(text.rmatch_indices(' ').map(|(place, _)| place));
    ends.into_iter().find(|&end| is_iban(&text[..end]))
}

fn is_iban(text: &str) -> bool {
    let plain: Vec<u8> = text.bytes().filter(|&byte| byte != b' ').collect();
    if !(15..=34).contains(&plain.len()) {
        return false;
    }
    let (head, body) = plain.split_at(4);
    let rest = body.iter().chain(head).try_fold(0_u32, |rest, &byte| {
        let value = char::from(byte).to_digit(36)?;
        Some(if value > 9 { (rest * 100 + value) % 97 } else { (rest * 10 + value) % 97 })
    });
    rest == Some(1)
}
