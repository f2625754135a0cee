//! Streets with house numbers and postcodes, in common English styles and a few others.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::find::stands_alone;
use super::words::is_ordinary;
use super::{Kind, pattern};

const NUMBER: &str = r"[0-9]{1,5}[A-Za-z]?(?:[-/][0-9]{1,5}[A-Za-z]?)?";
const SUFFIX: &str = concat!(
    "Street|St|Avenue|Ave|Av|Road|Rd|Lane|Ln|Drive|Dr|Boulevard|Blvd|Court|Ct|Place|Pl|Square|Sq|Terrace|Crescent|Close|",
    "Gardens|Grove|Mews|Parade|Highway|Hwy|Parkway|Pkwy|Circle|Cir|Way",
);

static STREET: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?:\b(?:Flat|Apartment|Apt|Unit|Suite|Room)\.? ?#?[0-9]{{1,4}}[A-Za-z]?,? )?\b{NUMBER},? ((?:(?:\p{{Lu}}[\p{{L}}'’.-]*|[0-9]{{1,3}}(?:st|nd|rd|th)) ){{1,4}})(?:{SUFFIX})\b\.?(?:,? (?:(?:Apt|Apartment|Unit|Suite|Ste|Flat|Floor)\.? ?#?|#)[0-9A-Za-z]{{1,5}}\b)?"
    ))
});
static SPOKEN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?i)\b(?:live|lives|lived|living|stay|staying|moved|address|house)(?: is| at| on| to| in|:){{0,2}} ({NUMBER} ((?:[\p{{L}}'’-]+ ){{1,3}})(?:street|st|avenue|ave|road|rd|lane|ln|drive|boulevard|blvd|court|close|crescent|terrace|square))\b"
    ))
});
/// In lower case and without a word that tells an address; "3 very close friends" and "a 2 hour drive" are none.
static LOWER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\b{NUMBER},? ((?:[\p{{Ll}}'’-]+ ){{1,2}})(?:street|st|avenue|ave|road|rd|lane|ln|boulevard|blvd|crescent)\b"
    ))
});
static OTHER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"\b[Pp]\.? ?[Oo]\.? ?[Bb]ox [0-9]+",
        r"|\b\p{Lu}[\p{L}-]*(?:straße|strasse|str\.|weg|gasse|allee|platz) [0-9]{1,4}[a-z]?\b",
        r"|\b[0-9]{1,4}(?: ?bis| ?ter)?,? (?:rue|boulevard|chemin|impasse) (?:(?:de|du|des|la|le|les|l['’]|d['’]) ?)*\p{Lu}[\p{L}-]+",
        r"|\b(?:Calle|Avenida|Rua|Piazza|Plaza|Via) (?:(?:de|del|della|la|das|dos|da) )*\p{Lu}\p{L}+(?: \p{Lu}\p{L}+)?,? [0-9]{1,4}\b",
    ))
});
static POSTCODE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        // British: the last two letters are never C, I, K, M, O or V, which keeps doses such as "5MG" out.
        r"\b[A-PR-UWYZ][A-HK-Y]?[0-9][0-9A-HJKPSTUW]? ?[0-9][ABD-HJLNP-UW-Z]{2}\b",
        // Canadian.
        r"|\b[ABCEGHJ-NPRSTVXY][0-9][A-Z] ?[0-9][A-Z][0-9]\b",
        r"|\b(?:NSW|VIC|QLD|TAS|ACT) [0-9]{4}\b",
        r"|\b(?:A[KLRZ]|C[AOT]|D[CE]|FL|GA|I[ADL]|K[SY]|LA|M[ADINOST]|N[CDEHJMVY]|PA|RI|S[CD]|T[NX]|UT|V[AT]|W[AIVY])",
        r",? [0-9]{5}(?:-[0-9]{4})?\b",
        // States whose letters are also words need the comma after the town.
        r"|, (?:HI|IN|ME|OH|OK|OR|MS|AL) [0-9]{5}(?:-[0-9]{4})?\b",
    ))
});
static CUED_POSTCODE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:zip|zip ?code|post ?code|postal code)(?: is|:)? ([0-9]{4,5}(?:-[0-9]{4})?|[A-Z]{1,2}[0-9][A-Z0-9]? ?[0-9][A-Z]{2})\b",
    )
});

/// Words between a number and "road" that tell a distance, not an address.
const DISTANCE: &[&str] = &[
    "the",
    "this",
    "that",
    "my",
    "a",
    "from",
    "down",
    "of",
    "and",
    "minute",
    "minutes",
    "mile",
    "miles",
    "block",
    "blocks",
    "hour",
    "hours",
    "doors",
    "houses",
    "km",
    "different",
    "way",
    "on",
    "in",
    "to",
    "up",
    "same",
    "years",
    "months",
    "weeks",
    "days",
    "lane",
    "people",
    "person",
    "kids",
    "cars",
    "dogs",
    "times",
    "across",
    "along",
    "more",
    "long",
    "dead",
    "dirt",
    "next",
];

pub(super) fn find(text: &str, found: &mut dyn FnMut(Range<usize>, Kind)) {
    for street in STREET.captures_iter(text) {
        // A heading in capitals ("3 Find A Safe Place") has ordinary words in it, a street hardly ever.
        if let (Some(whole), Some(name)) = (street.get(0), street.get(1))
            && stands_alone(text, whole.range())
            && !name.as_str().split_whitespace().any(is_ordinary)
        {
            found(whole.range(), Kind::Address);
        }
    }
    for street in SPOKEN.captures_iter(text) {
        if let (Some(whole), Some(name)) = (street.get(1), street.get(2))
            && !name.as_str().split_whitespace().any(|word| DISTANCE.contains(&word.to_lowercase().as_str()))
        {
            found(whole.range(), Kind::Address);
        }
    }
    for street in LOWER.captures_iter(text) {
        if let (Some(whole), Some(name)) = (street.get(0), street.get(1))
            && stands_alone(text, whole.range())
            && !name.as_str().split_whitespace().any(|word| DISTANCE.contains(&word) || is_ordinary(word))
        {
            found(whole.range(), Kind::Address);
        }
    }
    for pattern in [&OTHER, &POSTCODE] {
        for place in pattern.find_iter(text) {
            let start = place.end() - place.as_str().trim_start_matches([',', ' ']).len();
            if stands_alone(text, start..place.end()) {
                found(start..place.end(), Kind::Address);
            }
        }
    }
    for code in CUED_POSTCODE.captures_iter(text).filter_map(|found| found.get(1)) {
        found(code.range(), Kind::Address);
    }
}
