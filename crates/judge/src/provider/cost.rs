//! Prices and costs as whole picodollars: exact sums, no rounding until something is shown.

use std::fmt;
use std::iter::Sum;
use std::ops::Add;
use std::str::FromStr;

use carelock_core::verdict::Tokens;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::outcome::Usage;

const PICODOLLARS: u128 = 1_000_000_000_000;

/// An amount of US dollars, exact to the picodollar; sums stop at the largest amount instead of overflowing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cost(u128);

impl Cost {
    /// Nothing.
    pub const ZERO: Self = Self(0);

    /// An amount in picodollars (10⁻¹² dollars).
    pub fn from_picodollars(picodollars: u128) -> Self {
        Self(picodollars)
    }

    /// The amount in picodollars.
    pub fn picodollars(self) -> u128 {
        self.0
    }

    /// The amount in dollars with every digit: `0.000041`.
    pub fn exact(self) -> String {
        let text = format!("{}.{:012}", self.0 / PICODOLLARS, self.0 % PICODOLLARS);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }

    /// The amount in dollars as a JSON number, for a judge's provenance.
    pub fn to_number(self) -> Option<serde_json::Number> {
        serde_json::Number::from_f64(self.exact().parse().ok()?)
    }

    fn rounded(self, decimals: u32) -> String {
        let unit = PICODOLLARS / 10_u128.pow(decimals.min(12));
        let units = self.0.saturating_add(unit / 2) / unit;
        let whole = 10_u128.pow(decimals.min(12));
        format!("{}.{:0width$}", units / whole, units % whole, width = decimals as usize)
    }
}

/// For people: `$12.34`, `$0.0123`, `$0.000041`; small amounts keep more digits.
impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.0 {
            0 => "$0.00".to_owned(),
            1..500_000 => "under $0.000001".to_owned(),
            500_000..10_000_000_000 => format!("${}", self.rounded(6)),
            10_000_000_000..PICODOLLARS => format!("${}", self.rounded(4)),
            _ => format!("${}", self.rounded(2)),
        };
        f.pad(&text)
    }
}

impl Add for Cost {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sum for Cost {
    fn sum<I: Iterator<Item = Self>>(costs: I) -> Self {
        costs.fold(Self::ZERO, Add::add)
    }
}

/// A text that is no amount of dollars.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an amount of dollars; write it like 0.50")]
pub struct NotAnAmount(String);

impl FromStr for Cost {
    type Err = NotAnAmount;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let digits = text.trim().strip_prefix('$').unwrap_or(text.trim());
        decimal(digits, 12).map(Self).ok_or_else(|| NotAnAmount(text.chars().take(40).collect()))
    }
}

/// A plain decimal number as a whole number of its `places`-th decimals; `None` if it is none or has more of them.
fn decimal(text: &str, places: usize) -> Option<u128> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let plain = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + part.len() == 0 || part.len() > places || !plain(whole) || !plain(part) {
        return None;
    }
    let scale = 10_u128.checked_pow(u32::try_from(places).ok()?)?;
    let whole: u128 = if whole.is_empty() { 0 } else { whole.parse().ok()? };
    let part: u128 = format!("{part:0<places$}").parse().ok()?;
    whole.checked_mul(scale)?.checked_add(part)
}

/// A price in US dollars for a million tokens, kept as picodollars a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rate(u64);

impl Rate {
    /// What so many tokens cost.
    pub fn of(self, tokens: u64) -> Cost {
        Cost(u128::from(self.0) * u128::from(tokens))
    }

    /// Whether it is nothing.
    pub fn is_free(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exact = Cost(u128::from(self.0) * 1_000_000).exact();
        let (whole, part) = exact.split_once('.').unwrap_or((&exact, ""));
        f.pad(&format!("{whole}.{part:0<2}"))
    }
}

impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.to_string().parse().unwrap_or_default())
    }
}

impl<'de> Deserialize<'de> for Rate {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Dollars { decimals: 6, most: 1_000_000 }).map(Rate)
    }
}

/// What a batch costs, as a part of the usual price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchFactor(u64);

impl BatchFactor {
    /// The cost of a batch whose calls would cost this one by one; rounded up to the picodollar.
    pub fn of(self, cost: Cost) -> Cost {
        Cost(cost.0.saturating_mul(u128::from(self.0)).div_ceil(1000))
    }
}

impl Serialize for BatchFactor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0 as f64 / 1000.0)
    }
}

impl<'de> Deserialize<'de> for BatchFactor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Dollars { decimals: 3, most: 1 }).map(BatchFactor)
    }
}

/// Reads a number or a text such as "0.40" as a whole number of its smallest decimals.
struct Dollars {
    decimals: usize,
    most: u64,
}

impl Dollars {
    fn read<E: de::Error>(&self, text: &str) -> Result<u64, E> {
        let scale = 10_u128.pow(u32::try_from(self.decimals).unwrap_or_default());
        decimal(text, self.decimals)
            .filter(|number| *number <= u128::from(self.most) * scale)
            .and_then(|number| u64::try_from(number).ok())
            .ok_or_else(|| {
                E::custom(format!("expected a number from 0 to {} with at most {} decimals", self.most, self.decimals))
            })
    }
}

impl de::Visitor<'_> for Dollars {
    type Value = u64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a number from 0 to {} with at most {} decimals", self.most, self.decimals)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<u64, E> {
        // The shortest text of a float is what was typed, so no digit is invented or lost.
        self.read(&number.to_string())
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<u64, E> {
        self.read(&number.to_string())
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<u64, E> {
        self.read(&number.to_string())
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<u64, E> {
        self.read(text)
    }
}

/// What a model charges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    /// Tokens of the prompt.
    pub input: Rate,
    /// Those of them that came from the provider's cache; the price of others where it is not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<Rate>,
    /// Those of them that were written to the provider's cache; the price of others where it is not stated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<Rate>,
    /// Tokens of the answer.
    pub output: Rate,
    /// What a batch costs, as a part of this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<BatchFactor>,
    /// Other prices for long prompts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long: Option<LongPrice>,
}

/// Prices that hold for the whole call once its prompt is longer than a number of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LongPrice {
    /// The longest prompt that still has the usual price.
    pub above: u64,
    /// Tokens of the prompt.
    pub input: Rate,
    /// Those of them that came from the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<Rate>,
    /// Those of them that were written to the provider's cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<Rate>,
    /// Tokens of the answer.
    pub output: Rate,
}

impl FromStr for Price {
    type Err = NotAnAmount;

    /// Dollars for a million tokens in and out: `0.15,0.60`; one number where both cost the same, `0` where nothing does.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rate = |part: &str| -> Result<Rate, NotAnAmount> {
            let Cost(dollars) = part.parse()?;
            u64::try_from(dollars / 1_000_000).map(Rate).map_err(|_| NotAnAmount(part.chars().take(40).collect()))
        };
        let (input, output) = text.split_once(',').unwrap_or((text, text));
        let (input, output) = (rate(input)?, rate(output)?);
        Ok(Self { input, output, cached: None, cache_write: None, batch: None, long: None })
    }
}

impl Price {
    /// What a call cost. Counts that cannot be (more cached than sent) are cut to what can.
    pub fn cost(&self, usage: &Usage) -> Cost {
        let Tokens { input, cached, output } = usage.tokens;
        let cached = cached.min(input);
        let written = usage.cache_written.min(input - cached);
        let usual = (self.input, self.cached, self.cache_write, self.output);
        let (plain_rate, cached_rate, write_rate, output_rate) = match self.long {
            Some(long) if input > long.above => (long.input, long.cached, long.cache_write, long.output),
            _ => usual,
        };
        plain_rate.of(input - cached - written)
            + cached_rate.unwrap_or(plain_rate).of(cached)
            + write_rate.unwrap_or(plain_rate).of(written)
            + output_rate.of(output)
    }

    /// What a call in a batch cost; the usual price where the table knows no other.
    pub fn batch_cost(&self, usage: &Usage) -> Cost {
        let usual = self.cost(usage);
        self.batch.map_or(usual, |factor| factor.of(usual))
    }

    /// What a call would cost if nothing of it were cached.
    pub fn estimate(&self, prompt_tokens: u64, answer_tokens: u64) -> Cost {
        self.cost(&Usage::from(Tokens { input: prompt_tokens, cached: 0, output: answer_tokens }))
    }

    /// Whether nothing is charged.
    pub fn is_free(&self) -> bool {
        self.input.is_free() && self.output.is_free()
    }
}

#[cfg(test)]
#[path = "cost_tests.rs"]
mod tests;
