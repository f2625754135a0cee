//! The bootstrap over chats: whole chats are drawn again, never single checks.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ends;
use super::stratum::{Draws, Stratum};
use crate::estimate::{Estimate, Figure, Interval, OfSums, WhyNot, finite};
use crate::sums::ClusterSums;

/// How the ends of an interval are read off the resampled values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Their percentiles, moved outwards as Student's t is wider than the normal curve for so many chats.
    #[default]
    Percentile,
}

/// The settings of an interval. The same settings and the same numbers in the same order give the same interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Bootstrap {
    resamples: usize,
    confidence: f64,
    method: Method,
    seed: u64,
}

/// A setting that no interval can be made with.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// The confidence is not a share.
    Confidence(f64),
    /// The number of resamples is of no use.
    Resamples(usize),
}

impl SettingsError {
    /// What is wrong, with the name of the setting before it.
    #[must_use]
    pub fn what(&self) -> String {
        match self {
            Self::Confidence(confidence) => format!("confidence: {confidence} is not between 0 and 1"),
            Self::Resamples(resamples) => format!("resamples: {resamples} is not between 100 and 1000000"),
        }
    }

    /// What to do.
    #[must_use]
    pub fn fix(&self) -> &'static str {
        match self {
            Self::Confidence(_) => "give a share such as 0.95",
            Self::Resamples(_) => "give a number such as 2000",
        }
    }
}

impl std::fmt::Display for SettingsError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\nfix: {}", self.what(), self.fix())
    }
}

impl Default for Bootstrap {
    fn default() -> Self {
        // Any fixed seed will do: intervals must be the same on every run.
        Self { resamples: 2000, confidence: 0.95, method: Method::default(), seed: 0x5eed_ca4e_10c4 }
    }
}

impl Bootstrap {
    /// The same settings with another seed.
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The same settings with another confidence, between 0 and 1.
    pub fn with_confidence(self, confidence: f64) -> Result<Self, SettingsError> {
        let allowed = confidence > 0.0 && confidence < 1.0;
        if allowed { Ok(Self { confidence, ..self }) } else { Err(SettingsError::Confidence(confidence)) }
    }

    /// The same settings with another number of resamples, from 100 to 1,000,000.
    pub fn with_resamples(self, resamples: usize) -> Result<Self, SettingsError> {
        let allowed = (100..=1_000_000).contains(&resamples);
        if allowed { Ok(Self { resamples, ..self }) } else { Err(SettingsError::Resamples(resamples)) }
    }

    /// The share of intervals that shall hold the true value.
    pub fn confidence(&self) -> f64 {
        self.confidence
    }

    /// How many resamples are drawn.
    pub fn resamples(&self) -> usize {
        self.resamples
    }

    /// The seed of the draws.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// One figure of the sums, with its interval.
    pub fn estimate(&self, sums: &ClusterSums, figure: OfSums<'_>) -> Estimate {
        let [estimate] = self.estimates(&[sums], [figure]);
        estimate
    }

    /// Several figures of the same sums with their intervals, from one resampling.
    ///
    /// Each group is resampled on its own. A figure is given the groups' totals one after the other.
    pub fn estimates<const COUNT: usize>(
        &self,
        groups: &[&ClusterSums],
        figures: [OfSums<'_>; COUNT],
    ) -> [Estimate; COUNT] {
        let mut all = self.all(groups, &figures).into_iter();
        std::array::from_fn(|_| all.next().unwrap_or_else(|| Estimate::undefined(WhyNot::NoData)))
    }

    /// The same for any number of figures.
    pub fn all(&self, groups: &[&ClusterSums], figures: &[OfSums<'_>]) -> Vec<Estimate> {
        let totals: Vec<f64> = groups.iter().flat_map(|sums| sums.totals()).collect();
        let values = figures.iter().map(|figure| finite(figure(&totals)));
        let mut random = self.random(0);
        let strata: Vec<Stratum> = groups.iter().map(|sums| Stratum::new(sums, &mut random)).collect();
        if strata.is_empty() || strata.iter().any(|stratum| stratum.count < 2) {
            return values.map(|value| Estimate::new(value, Err(WhyNot::OneChat))).collect();
        }
        let mut resampled = self.resampled(&strata, figures, &mut random);
        let freedom = strata.iter().map(|stratum| stratum.count - 1).sum();
        let estimate = |(value, resampled): (Figure, &mut Vec<f64>)| {
            Estimate::new(value, value.and_then(|_| self.interval(resampled, freedom)))
        };
        values.zip(&mut resampled).map(estimate).collect()
    }

    /// A generator of its own for each purpose.
    pub(crate) fn random(&self, stream: u64) -> ChaCha8Rng {
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        random.set_stream(stream);
        random
    }

    /// The finite values of every figure over the resamples.
    fn resampled(&self, strata: &[Stratum], figures: &[OfSums<'_>], random: &mut ChaCha8Rng) -> Vec<Vec<f64>> {
        let mut values = vec![Vec::new(); figures.len()];
        let width = strata.iter().map(Stratum::width).sum();
        let mut totals = vec![0.0; width];
        let mut draws = Draws::default();
        for _ in 0..self.resamples {
            totals.fill(0.0);
            let mut rest = totals.as_mut_slice();
            for stratum in strata {
                let (own, after) = rest.split_at_mut(stratum.width());
                stratum.resample(own, &mut draws, random);
                rest = after;
            }
            for (figure, values) in figures.iter().zip(&mut values) {
                values.extend(finite(figure(&totals)));
            }
        }
        values
    }

    fn interval(&self, resampled: &mut [f64], freedom: usize) -> Result<Interval, WhyNot> {
        if resampled.len() * 2 < self.resamples {
            return Err(WhyNot::TooFewCases);
        }
        resampled.sort_by(f64::total_cmp);
        let (least, most) = (resampled[0], resampled[resampled.len() - 1]);
        // Sums in another order differ in their last digits, which is no variation.
        if most - least <= 1e-12 * least.abs().max(most.abs()) {
            return Err(WhyNot::NoVariation);
        }
        let shares = ends::widened((1.0 - self.confidence) / 2.0, freedom as f64);
        Interval::between(ends::quantile(resampled, shares.0), ends::quantile(resampled, shares.1))
    }
}
