//! Wilson's interval for a share of independent cases, such as the chats in which a gate fired.

use crate::distribution::normal_quantile;
use crate::estimate::{Estimate, Interval, WhyNot};
use crate::interval::Bootstrap;

/// The share of cases, with Wilson's score interval at the confidence of the settings; nothing is resampled.
///
/// Unlike the bootstrap it has an answer where no case or every case is one: none of 20 is 0 to 0.161.
/// More hits than cases count as all cases.
pub fn proportion(hits: u64, cases: u64, bootstrap: &Bootstrap) -> Estimate {
    if cases == 0 {
        return Estimate::undefined(WhyNot::NoData);
    }
    let count = cases as f64;
    let value = hits.min(cases) as f64 / count;
    let deviate = normal_quantile(0.5 + bootstrap.confidence() / 2.0);
    let square = deviate * deviate / count;
    let middle = value + square / 2.0;
    let reach = deviate * ((value * (1.0 - value) + square / 4.0) / count).sqrt();
    let low = if hits == 0 { 0.0 } else { ((middle - reach) / (1.0 + square)).max(0.0) };
    let high = if hits >= cases { 1.0 } else { ((middle + reach) / (1.0 + square)).min(1.0) };
    Estimate::new(Ok(value), Interval::between(low, high))
}
