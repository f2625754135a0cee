//! Web and email addresses, names on social networks, addresses of computers.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::find::stands_alone;
use super::help::is_help_host;
use super::{Kind, pattern};

static URL: LazyLock<Regex> = LazyLock::new(|| {
    // Endings that are also words ("so", "me", "it") count only with a path behind them.
    pattern(concat!(
        r#"(?i)(?:\b(?:https?|ftp)://|\bwww\.)[^\s<>"\[\]{}|\\^`]+"#,
        r#"|\b[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9-]+)*\.(?:com|org|net|edu|gov|info|io|app|dev|"#,
        r#"co\.uk|org\.uk|ac\.uk|gov\.uk|nhs\.uk|com\.au|org\.au|gov\.au|co\.nz|org\.nz)\b(?:[/?#][^\s<>"\[\]{}|\\^`]*)?"#,
        r#"|\b[a-z0-9][a-z0-9-]*\.(?:me|ly|gl|gg|co|us|tv|be|de|fr|nl|it|ca|to|ai|so|is)/[^\s<>"\[\]{}|\\^`]+"#,
    ))
});
static EMAIL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"[\p{L}\p{N}._%+'-]+@[\p{L}\p{N}](?:[\p{L}\p{N}-]*\.)+[\p{L}\p{N}][\p{L}\p{N}-]+"));
static SPELLED_EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b[a-z0-9._-]+(?: at | ?\(at\) ?| ?\[at\] ?)[a-z0-9-]+(?: dot | ?\(dot\) ?| ?\[dot\] ?)(?:com|org|net|edu|de|uk|co|io|fr|ca|au)\b",
    )
});
static HANDLE: LazyLock<Regex> = LazyLock::new(|| pattern(r"@[\p{L}\p{N}_](?:[\p{L}\p{N}_.]*[\p{L}\p{N}_])?"));
static MEMBER: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\bu/[A-Za-z0-9_-]{3,20}|[\p{L}\p{N}_][\p{L}\p{N}_.]*#[0-9]{4}"));
static NETWORK_NAME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(concat!(
        r"(?i)\b(?:insta(?:gram)?|ig|snap(?:chat)?|tik ?tok|twitter|discord|telegram|reddit|user ?name|handle|gamertag|",
        r"skype|kik)(?: (?:handle|name|username|account|user|id))?(?: is|['’]s|:)[ \t]{0,2}([A-Za-z0-9][A-Za-z0-9_.-]*)",
    ))
});
static IP: LazyLock<Regex> = LazyLock::new(|| pattern(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}|[0-9A-Fa-f:]+:[0-9A-Fa-f:.]+"));

/// What people write after an @ that is nobody.
const PLACES: &[&str] =
    &["home", "work", "school", "all", "everyone", "here", "night", "least", "uni", "college", "me"];

pub(super) fn find(text: &str, found: &mut dyn FnMut(Range<usize>, Kind)) {
    for pattern in [&EMAIL, &SPELLED_EMAIL] {
        for email in pattern.find_iter(text) {
            let start = email.end() - email.as_str().trim_start_matches(['.', '\'', '-']).len();
            let host = email.as_str().rsplit('@').next().unwrap_or_default();
            if stands_alone(text, start..email.end()) && !is_help_host(host) {
                found(start..email.end(), Kind::Email);
            }
        }
    }
    for url in URL.find_iter(text) {
        let kept = url.as_str().trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '\'', '’', '”', '*', '_', '…']);
        let range = url.start()..url.start() + kept.len();
        if !is_help_host(&host(kept)) && stands_alone(text, range.clone()) && !is_in_email(text, &range) {
            found(range, Kind::Url);
        }
    }
    for ip in IP.find_iter(text) {
        if is_ip(ip.as_str()) && is_whole(text, &ip.range()) {
            found(ip.range(), Kind::Ip);
        }
    }
    find_handles(text, found);
}

fn find_handles(text: &str, found: &mut dyn FnMut(Range<usize>, Kind)) {
    for handle in HANDLE.find_iter(text) {
        let name = &handle.as_str()[1..];
        let before = text[..handle.start()].chars().next_back();
        let named = name.chars().count() > 1 && name.chars().any(char::is_alphabetic);
        let is_place = PLACES.contains(&name.to_lowercase().as_str());
        if named && !is_place && !before.is_some_and(|c| c.is_alphanumeric() || c == '.' || c == '_') {
            found(handle.range(), Kind::Handle);
        }
    }
    for member in MEMBER.find_iter(text) {
        let before = text[..member.start()].chars().next_back();
        let letters = member.as_str().split('#').next().is_some_and(|name| name.chars().any(char::is_alphabetic));
        if letters && stands_alone(text, member.range()) && !before.is_some_and(|c| matches!(c, '/' | '#' | '_' | '.'))
        {
            found(member.range(), Kind::Handle);
        }
    }
    for name in NETWORK_NAME.captures_iter(text).filter_map(|found| found.get(1)) {
        let kept = name.as_str().trim_end_matches(['.', '-', '_']);
        // An ordinary word after "my insta is" ("private", "down") says something about it.
        let telling = kept.len() > 2 && kept.bytes().any(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'.'));
        if telling {
            found(name.start()..name.start() + kept.len(), Kind::Handle);
        }
    }
}

/// The sites of all web addresses in a text.
pub(super) fn hosts(text: &str) -> impl Iterator<Item = String> {
    URL.find_iter(text).map(|url| host(url.as_str()))
}

/// The host of a web address in lower case, without user, port, path and `www.`.
pub(super) fn host(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let host = host.split(':').next().unwrap_or_default().trim_end_matches(['.', ',', ')', '!', ';']).to_lowercase();
    host.strip_prefix("www.").map_or(host.clone(), str::to_owned)
}

/// Whether a host is the second half of an email address that stays.
fn is_in_email(text: &str, range: &Range<usize>) -> bool {
    text[..range.start].ends_with('@')
}

fn is_ip(text: &str) -> bool {
    if text.parse::<Ipv4Addr>().is_ok() {
        return true;
    }
    // Two colons are a time of day; real addresses have more.
    text.bytes().filter(|&byte| byte == b':').count() > 2 && text.parse::<Ipv6Addr>().is_ok()
}

/// Whether dots, colons or digits around do not make it a version or an outline number.
fn is_whole(text: &str, range: &Range<usize>) -> bool {
    let before = text[..range.start].chars().next_back();
    let mut after = text[range.end..].chars();
    let (next, second) = (after.next(), after.next());
    let goes_on = matches!(next, Some('.' | ':')) && second.is_some_and(|c| c.is_ascii_digit());
    stands_alone(text, range.clone()) && !matches!(before, Some('.' | ':' | '_')) && !goes_on && next != Some('_')
}
