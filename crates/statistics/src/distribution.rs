//! The distributions behind tests and intervals, without a panic on any input.

use statrs::function::beta::checked_beta_reg;
use statrs::function::erf::{erfc, erfc_inv};
use statrs::function::gamma::ln_gamma;

/// The share of a standard normal distribution below a value.
pub(crate) fn normal_below(value: f64) -> f64 {
    0.5 * erfc(-value / std::f64::consts::SQRT_2)
}

/// The value that a standard normal distribution stays below with a probability inside (0, 1).
pub(crate) fn normal_quantile(probability: f64) -> f64 {
    let inside = probability.clamp(f64::MIN_POSITIVE, 1.0 - f64::EPSILON);
    -std::f64::consts::SQRT_2 * erfc_inv(2.0 * inside)
}

/// The probability of a value of Student's t at least this far from zero, on either side.
pub(crate) fn student_beyond(value: f64, freedom: f64) -> f64 {
    let square = value * value;
    if freedom > 1000.0 {
        // The continued fraction of the beta function would need more terms than it is given; Hill's expansion is
        // exact to more than ten digits here.
        let shifted = freedom - 0.5;
        let scale = 48.0 * shifted * shifted;
        let log = shifted * (square / freedom).ln_1p();
        let tail = ((-0.4 * log - 3.3) * log - 24.0) * log - 85.5;
        let factor = (tail / (0.8 * log * log + 100.0 + scale) + log + 3.0) / scale + 1.0;
        return 2.0 * normal_below(-factor * log.sqrt());
    }
    // The smaller of both shares is computed, never one minus something close to one.
    let (near, far) = (square / (freedom + square), freedom / (freedom + square));
    if far.is_nan() || near.is_nan() {
        return 0.0;
    }
    if near < far {
        1.0 - checked_beta_reg(0.5, freedom / 2.0, near).unwrap_or(0.0)
    } else {
        checked_beta_reg(freedom / 2.0, 0.5, far).unwrap_or(0.0)
    }
}

/// The value that Student's t stays below with a probability over one half.
pub(crate) fn student_quantile(probability: f64, freedom: f64) -> f64 {
    let beyond = 2.0 * (1.0 - probability);
    rising_root(|value| beyond - student_beyond(value, freedom))
}

/// Where a rising function of positive numbers passes zero.
fn rising_root(function: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    while function(high) < 0.0 && high < 1e12 {
        low = high;
        high *= 2.0;
    }
    // Sixty halvings reach the last bit of the answer.
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if function(middle) < 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The probability of at most `successes` in `trials` of a fair coin.
pub(crate) fn fair_coin_at_most(successes: u64, trials: u64) -> f64 {
    if successes >= trials {
        return 1.0;
    }
    let mut term = (log_choose(trials as f64, successes as f64) - trials as f64 * std::f64::consts::LN_2).exp();
    let mut sum = 0.0;
    let mut at = successes;
    loop {
        sum += term;
        if at == 0 || term <= sum * f64::EPSILON {
            return sum.min(1.0);
        }
        term *= at as f64 / (trials - at + 1) as f64;
        at -= 1;
    }
}

/// The logarithm of the number of ways to choose `part` of `whole`.
pub(crate) fn log_choose(whole: f64, part: f64) -> f64 {
    ln_gamma(whole + 1.0) - ln_gamma(part + 1.0) - ln_gamma(whole - part + 1.0)
}
