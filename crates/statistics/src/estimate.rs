//! A figure with its interval, or the reason why there is none.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A figure; where it has no value or no interval, `why_not` says why.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Estimate {
    /// The value; always finite.
    pub value: Option<f64>,
    /// Its confidence interval; never there without a value.
    pub interval: Option<Interval>,
    /// Why the value is missing, or, where there is one, why its interval is.
    pub why_not: Option<WhyNot>,
}

/// Both ends of a confidence interval; always finite.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Why a figure, its interval or a test is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum WhyNot {
    /// There is nothing to compute from.
    #[error("no data")]
    NoData,
    /// There is data, but none of what the figure is a share of, such as failures.
    #[error("no such cases")]
    NoCases,
    /// One chat cannot show how much chats differ.
    #[error("one chat only")]
    OneChat,
    /// Only one class was used, so that chance alone would always agree.
    #[error("one class only")]
    OneClass,
    /// All values, or all resamples, are the same.
    #[error("no variation")]
    NoVariation,
    /// The figure is undefined in most resamples.
    #[error("too few cases for an interval")]
    TooFewCases,
    /// The figure is meant for another number of raters.
    #[error("not for this number of raters")]
    OtherRaters,
    /// The numbers are too large to compute with.
    #[error("numbers too large")]
    TooLarge,
}

/// A figure without its interval, or why it is undefined.
pub type Figure = Result<f64, WhyNot>;

/// A function of sums over chats.
pub type OfSums<'a> = &'a dyn Fn(&[f64]) -> Figure;

impl Estimate {
    /// A figure without a value.
    pub fn undefined(why_not: WhyNot) -> Self {
        Self { value: None, interval: None, why_not: Some(why_not) }
    }

    pub(crate) fn new(figure: Figure, interval: Result<Interval, WhyNot>) -> Self {
        match finite(figure) {
            Err(why_not) => Self::undefined(why_not),
            Ok(value) => match interval {
                Ok(interval) => Self { value: Some(value), interval: Some(interval), why_not: None },
                Err(why_not) => Self { value: Some(value), interval: None, why_not: Some(why_not) },
            },
        }
    }
}

impl Interval {
    /// The interval between two ends, where both are finite.
    pub(crate) fn between(low: f64, high: f64) -> Result<Self, WhyNot> {
        if low.is_finite() && high.is_finite() {
            // The ends of a very narrow interval can change places by rounding.
            Ok(Self { low: low.min(high), high: low.max(high) })
        } else {
            Err(WhyNot::TooLarge)
        }
    }

    /// Whether a value lies in the interval, ends included.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// The figure, where it is a number that can be shown.
pub(crate) fn finite(figure: Figure) -> Figure {
    // Adding zero turns "-0" into "0".
    figure.and_then(|value| if value.is_finite() { Ok(value + 0.0) } else { Err(WhyNot::TooLarge) })
}

/// A share, where there is something to be a share of.
pub(crate) fn share(part: f64, whole: f64, why_not: WhyNot) -> Figure {
    if whole > 0.0 { Ok(part / whole) } else { Err(why_not) }
}

/// A value that can be computed with; anything else counts as missing.
pub(crate) fn usable(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite())
}
