//! Arithmetic with the same bits everywhere: single adds, multiplications, divisions and roots, in a fixed order.
//!
//! What the processor or its library rounds in its own way (exp, tanh, sums of products in one step) is not used. The
//! functions are inlined into the work of `vectors`, so that they are compiled for the vectors of the processor at
//! hand; lanes and the order in which they are added up are the same for all.

/// How many values are handled at once.
pub(super) const LANES: usize = 16;

/// Values side by side, which one instruction or a few handle.
pub(super) type Lanes = [f32; LANES];

/// Added and taken away again, this rounds numbers under 2^22 to the nearest whole one, halves to the even one.
const ROUNDING: f32 = 12_582_912.0;

/// Inputs of a product are rounded to this many steps up and down.
const INPUT_TOP: f32 = 127.0;

/// The nearest whole number, of two the even one. For numbers under 2^22.
#[inline(always)]
pub(super) fn rounded(x: f32) -> f32 {
    (x + ROUNDING) - ROUNDING
}

#[inline(always)]
pub(super) fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// e to the power of `x`, within 1e-6 of it; beyond ±87 that of ±87.
#[inline(always)]
pub(super) fn exp(x: f32) -> f32 {
    let x = if x < -87.0 { -87.0 } else { x };
    let x = if x > 87.0 { 87.0 } else { x };
    let shifted = x * std::f32::consts::LOG2_E + ROUNDING;
    let whole = shifted - ROUNDING;
    // The logarithm of two in two parts, the first of which has few enough digits for an exact product.
    let rest = x - whole * 0.693_359_4 - whole * -2.121_944_4e-4;
    let mut sum = 1.987_569_1e-4;
    for factor in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
        sum = sum * rest + factor;
    }
    let power = shifted.to_bits().wrapping_sub(ROUNDING.to_bits()).wrapping_add(127) << 23;
    (sum * rest * rest + rest + 1.0) * f32::from_bits(power)
}

/// The hyperbolic tangent.
#[inline(always)]
pub(super) fn tanh(x: f32) -> f32 {
    1.0 - 2.0 / (exp(2.0 * x) + 1.0)
}

/// The smooth step between layers, in its form with the hyperbolic tangent.
#[inline(always)]
pub(super) fn gelu(x: f32) -> f32 {
    let inner = 0.797_884_6 * (x + 0.044_715 * x * x * x);
    0.5 * x * (1.0 + tanh(inner))
}

/// The sum of values, whose count is a multiple of the lanes.
#[inline(always)]
pub(super) fn sum(values: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [0.0; LANES];
    for chunk in values.as_chunks::<LANES>().0 {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane += of(value);
        }
    }
    lanes.iter().fold(0.0, |sum, lane| sum + lane)
}

/// The largest of values, whose count is a multiple of the lanes.
#[inline(always)]
pub(super) fn largest(values: &[f32], of: impl Fn(f32) -> f32) -> f32 {
    let mut lanes = [f32::MIN; LANES];
    for chunk in values.as_chunks::<LANES>().0 {
        for (lane, &value) in lanes.iter_mut().zip(chunk) {
            *lane = larger(of(value), *lane);
        }
    }
    lanes.iter().fold(f32::MIN, |most, &lane| larger(lane, most))
}

/// Brings a row to mean 0 and spread 1, then stretches and shifts every place of it.
#[inline(always)]
pub(super) fn normalise(row: &mut [f32], weight: &[f32], bias: &[f32]) {
    let count = row.len() as f32;
    let mean = sum(row, |x| x) / count;
    let spread = (sum(row, |x| (x - mean) * (x - mean)) / count + 1e-12).sqrt();
    for ((x, weight), bias) in row.iter_mut().zip(weight).zip(bias) {
        *x = (*x - mean) / spread * weight + bias;
    }
}

/// A row as bytes around 128; returns what a unit of them means.
#[inline(always)]
pub(super) fn round_row(row: &[f32], bytes: &mut [u8]) -> f32 {
    let step = larger(largest(row, f32::abs), 1e-8) / INPUT_TOP;
    for (byte, x) in bytes.iter_mut().zip(row) {
        // Behind the shift the last byte of the number is the whole number itself.
        *byte = ((x / step + ROUNDING).to_bits() as u8).wrapping_add(128);
    }
    step
}

/// So many rows are multiplied with a panel at once: as many sums as fit the registers of most processors.
pub(super) const TOGETHER: usize = 4;

/// Adds to rows of sums the products of rows of factors with the rows of a panel, one after the other.
#[inline(always)]
pub(super) fn add_products(factors: [&[f32]; TOGETHER], panel: &[Lanes], sums: &mut [Lanes; TOGETHER]) {
    let factors = factors.map(|factors| &factors[..panel.len()]);
    let mut own = *sums;
    for (place, panel) in panel.iter().enumerate() {
        for (sums, factors) in own.iter_mut().zip(factors) {
            let factor = factors[place];
            for (sum, value) in sums.iter_mut().zip(panel) {
                *sum += factor * value;
            }
        }
    }
    *sums = own;
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all() -> impl Iterator<Item = f32> {
        (-200_000..=200_000).map(|x| x as f32 / 2500.0)
    }

    #[test]
    fn exp_is_within_a_millionth_of_the_true_one() {
        for x in all() {
            let right = f64::from(x).exp();
            assert!((f64::from(exp(x)) - right).abs() <= 1e-6 * right, "{x}: {} {right}", exp(x));
        }
        assert_eq!(exp(0.0), 1.0);
        assert!(exp(-1e30) < 1e-37 && exp(1e30).is_finite());
    }

    #[test]
    fn tanh_and_gelu_are_within_a_millionth_of_the_true_ones() {
        for x in all() {
            let wide = f64::from(x);
            assert!((f64::from(tanh(x)) - wide.tanh()).abs() <= 1e-6, "{x}");
            let right = 0.5 * wide * (1.0 + (0.797_884_560_8 * (wide + 0.044_715 * wide.powi(3))).tanh());
            assert!((f64::from(gelu(x)) - right).abs() <= 1e-6 * (1.0 + wide.abs()), "{x}: {} {right}", gelu(x));
        }
    }

    #[test]
    fn halves_are_rounded_to_the_even_number() {
        for x in all() {
            assert_eq!(rounded(x), x.round_ties_even(), "{x}");
            assert_eq!(rounded(x.round() + 0.5), (x.round() + 0.5).round_ties_even(), "{x}");
        }
        let mut bytes = [0; LANES];
        let mut row = [0.0; LANES];
        (row[0], row[1], row[2], row[3], row[4]) = (-127.0, 2.5, 3.5, -2.5, 127.0);
        assert_eq!(round_row(&row, &mut bytes), 1.0);
        assert_eq!(bytes[..6], [1, 130, 132, 126, 255, 128]);
        round_row(&[0.0; LANES], &mut bytes);
        assert_eq!(bytes, [128; LANES]);
    }

    #[test]
    fn a_normalised_row_has_mean_0_and_spread_1() {
        let mut row: Vec<f32> = (0..64).map(|x| (x * x) as f32).collect();
        normalise(&mut row, &[1.0; 64], &[0.0; 64]);
        assert!(sum(&row, |x| x).abs() < 1e-4 && (sum(&row, |x| x * x) - 64.0).abs() < 1e-3);
    }
}
