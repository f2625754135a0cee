//! When to come back: Retry-After and its kin, and the rate limits that responses report.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::Response;
use crate::outcome::Retry;
use crate::provider::{http_date, rfc3339};

/// How much of one allowance is left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Allowance {
    /// The allowance itself.
    pub limit: Option<u64>,
    /// What is left of it.
    pub remaining: Option<u64>,
    /// Seconds until it is full again.
    pub reset: Option<f64>,
}

/// The rate limits a response reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Calls.
    pub requests: Allowance,
    /// Tokens of prompts and answers.
    pub tokens: Allowance,
    /// Tokens of prompts, where they are counted apart.
    pub input_tokens: Allowance,
    /// Tokens of answers, where they are counted apart.
    pub output_tokens: Allowance,
}

impl Limits {
    /// The limits in a response's headers, in OpenAI's or Anthropic's words; what is not said stays `None`.
    pub fn read(response: &Response, now: SystemTime) -> Self {
        let of = |what: &str| Allowance::read(response, what, now);
        Self {
            requests: of("requests"),
            tokens: of("tokens"),
            input_tokens: of("input-tokens"),
            output_tokens: of("output-tokens"),
        }
    }

    /// Seconds until every allowance that is used up is full again.
    fn exhausted(&self) -> Option<f64> {
        [self.requests, self.tokens, self.input_tokens, self.output_tokens]
            .iter()
            .filter(|allowance| allowance.remaining == Some(0))
            .filter_map(|allowance| allowance.reset)
            .fold(None, |longest: Option<f64>, reset| Some(longest.map_or(reset, |longest| longest.max(reset))))
    }
}

impl Allowance {
    fn read(response: &Response, what: &str, now: SystemTime) -> Self {
        let header = |part: &str| {
            let openai = response.header(&format!("x-ratelimit-{part}-{what}"));
            openai.or_else(|| response.header(&format!("anthropic-ratelimit-{what}-{part}"))).map(str::trim)
        };
        Self {
            limit: header("limit").and_then(|value| value.parse().ok()),
            remaining: header("remaining").and_then(|value| value.parse().ok()),
            reset: header("reset").and_then(|value| reset_seconds(value, now)),
        }
    }
}

/// Seconds of `1s`, `6m0s`, `20ms`, `1.5`, or until a timestamp.
fn reset_seconds(value: &str, now: SystemTime) -> Option<f64> {
    let seconds = plain_seconds(value).or_else(|| spelled_seconds(value));
    let seconds = seconds.or_else(|| rfc3339(value).map(|moment| (moment - unix(now)).max(0.0)));
    seconds.filter(|seconds| (0.0..=1e9).contains(seconds))
}

fn plain_seconds(value: &str) -> Option<f64> {
    // `inf`, `nan` and `1e9` are numbers to the parser, not to us.
    let plain = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    value.parse().ok().filter(|_| plain)
}

fn spelled_seconds(value: &str) -> Option<f64> {
    let mut total = 0.0;
    let mut rest = value;
    while !rest.is_empty() {
        let digits = rest.find(|letter: char| !letter.is_ascii_digit() && letter != '.')?;
        let number = plain_seconds(&rest[..digits])?;
        rest = &rest[digits..];
        let letters = rest.find(|letter: char| letter.is_ascii_digit()).unwrap_or(rest.len());
        total += number
            * match &rest[..letters] {
                "ms" => 0.001,
                "s" => 1.0,
                "m" => 60.0,
                "h" => 3600.0,
                "d" => 86_400.0,
                _ => return None,
            };
        rest = &rest[letters..];
    }
    (!value.is_empty()).then_some(total)
}

fn unix(now: SystemTime) -> f64 {
    now.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs_f64()
}

/// When to try again, as far as the response says it.
pub(crate) fn retry(response: &Response, now: SystemTime) -> Retry {
    if should_retry(response) == Some(false) {
        return Retry::Never;
    }
    let wait = stated_wait(response, now).or_else(|| Limits::read(response, now).exhausted());
    match wait {
        Some(seconds) if seconds > 0.0 => Retry::After(seconds),
        _ => Retry::Later,
    }
}

/// What `x-should-retry` says.
pub(crate) fn should_retry(response: &Response) -> Option<bool> {
    match response.header("x-should-retry").map(str::trim) {
        Some(value) if value.eq_ignore_ascii_case("true") => Some(true),
        Some(value) if value.eq_ignore_ascii_case("false") => Some(false),
        _ => None,
    }
}

/// Whether the server names a time to come back, in any form.
pub(crate) fn names_a_wait(response: &Response) -> bool {
    response.header("retry-after").is_some() || response.header("retry-after-ms").is_some()
}

fn stated_wait(response: &Response, now: SystemTime) -> Option<f64> {
    let milliseconds = response.header("retry-after-ms").and_then(|value| plain_seconds(value.trim()));
    milliseconds.map(|milliseconds| milliseconds / 1000.0).or_else(|| {
        let value = response.header("retry-after")?.trim();
        plain_seconds(value).or_else(|| http_date(value).map(|moment| moment - unix(now)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sun, 06 Nov 1994 08:49:37 GMT.
    fn now() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(784_111_777)
    }

    fn with(headers: &[(&str, &str)]) -> Response {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Response { status: 429, headers, body: Vec::new() }
    }

    #[test]
    fn every_form_of_a_wait_is_understood() {
        for (headers, expected) in [
            (vec![], Retry::Later),
            (vec![("retry-after", "7")], Retry::After(7.0)),
            (vec![("retry-after", " 0.25 ")], Retry::After(0.25)),
            (vec![("retry-after", "120")], Retry::After(120.0)),
            (vec![("retry-after", "3600")], Retry::After(3600.0)),
            (vec![("retry-after", "0")], Retry::Later),
            (vec![("retry-after", "-5")], Retry::Later),
            (vec![("retry-after", "inf")], Retry::Later),
            (vec![("retry-after", "nan")], Retry::Later),
            (vec![("retry-after", "soon")], Retry::Later),
            (vec![("retry-after", "")], Retry::Later),
            (vec![("retry-after", "Sun, 06 Nov 1994 08:49:47 GMT")], Retry::After(10.0)),
            (vec![("retry-after", "Sun, 06 Nov 1994 08:40:00 GMT")], Retry::Later),
            (vec![("retry-after", "Mon, 07 Nov 1994 08:49:37 GMT")], Retry::After(86_400.0)),
            (vec![("retry-after-ms", "1500"), ("retry-after", "60")], Retry::After(1.5)),
            (vec![("retry-after-ms", "x"), ("retry-after", "3")], Retry::After(3.0)),
            (vec![("x-should-retry", "false"), ("retry-after", "3")], Retry::Never),
            (vec![("x-should-retry", "true")], Retry::Later),
            (
                vec![("x-ratelimit-remaining-requests", "0"), ("x-ratelimit-reset-requests", "1m2.5s")],
                Retry::After(62.5),
            ),
            (vec![("x-ratelimit-remaining-requests", "5"), ("x-ratelimit-reset-requests", "9s")], Retry::Later),
            (vec![("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "250ms")], Retry::After(0.25)),
            (
                vec![
                    ("anthropic-ratelimit-tokens-remaining", "0"),
                    ("anthropic-ratelimit-tokens-reset", "1994-11-06T08:49:57Z"),
                ],
                Retry::After(20.0),
            ),
        ] {
            assert_eq!(retry(&with(&headers), now()), expected, "{headers:?}");
        }
    }

    #[test]
    fn limits_are_read_in_both_providers_words() {
        let openai = Limits::read(
            &with(&[
                ("x-ratelimit-limit-requests", "500"),
                ("x-ratelimit-remaining-requests", "499"),
                ("x-ratelimit-reset-requests", "120ms"),
            ]),
            now(),
        );
        assert_eq!(openai.requests, Allowance { limit: Some(500), remaining: Some(499), reset: Some(0.12) });
        assert_eq!(openai.tokens, Allowance::default());
        let anthropic = Limits::read(
            &with(&[
                ("anthropic-ratelimit-input-tokens-limit", "30000"),
                ("anthropic-ratelimit-input-tokens-reset", "1994-11-06T08:49:38Z"),
            ]),
            now(),
        );
        assert_eq!(anthropic.input_tokens, Allowance { limit: Some(30_000), remaining: None, reset: Some(1.0) });
    }

    #[test]
    fn limits_that_make_no_sense_are_left_out() {
        for value in ["", "-1", "many", "1e9", "5 apples", "s", "1x", "é"] {
            let limits =
                Limits::read(&with(&[("x-ratelimit-limit-tokens", value), ("x-ratelimit-reset-tokens", value)]), now());
            assert_eq!(limits, Limits::default(), "{value}");
        }
    }
}
