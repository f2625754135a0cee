//! How scores are spread, as a small drawing.

use std::fmt::Write as _;

use carelock_store::Distribution;

use carelock_engine::figures::count;

/// The drawing's size in its own units.
const WIDTH: usize = 200;
const HEIGHT: f64 = 48.0;

/// A drawing of how scores are spread.
pub(crate) struct Histogram {
    pub(crate) bars: Vec<Bar>,
    /// The same in words.
    pub(crate) words: String,
    /// How many have no score.
    pub(crate) none: u64,
}

/// One bar.
pub(crate) struct Bar {
    pub(crate) x: String,
    pub(crate) y: String,
    pub(crate) width: String,
    pub(crate) height: String,
    pub(crate) title: String,
}

impl Histogram {
    /// So many bars of equal width; a score of 1 belongs to the last.
    pub(crate) fn new(spread: &Distribution, bars: usize) -> Self {
        let mut counts = vec![0_u64; bars];
        for (&score, &number) in &spread.scores {
            let at = (usize::from(score) * bars / 100).min(bars - 1);
            counts[at] += number;
        }
        let most = counts.iter().copied().max().unwrap_or_default().max(1);
        let step = WIDTH / bars;
        let mut words = String::new();
        let bar = |(at, &number): (usize, &u64)| {
            // What there is can be seen, however few.
            let height = if number == 0 { 0.0 } else { (HEIGHT * number as f64 / most as f64).max(1.5) };
            let (low, high) = (at as f64 / bars as f64, (at + 1) as f64 / bars as f64);
            let title = format!("{low:.2} to {high:.2}: {}", count(number));
            if number > 0 {
                let between = if words.is_empty() { "" } else { "; " };
                let _ = write!(words, "{between}{title}");
            }
            Bar {
                x: (at * step).to_string(),
                y: format!("{:.1}", HEIGHT - height),
                width: step.saturating_sub(2).to_string(),
                height: format!("{height:.1}"),
                title,
            }
        };
        let bars = counts.iter().enumerate().map(bar).collect();
        Self { bars, words, none: spread.none }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_score_is_in_one_bar_and_a_full_one_in_the_last() {
        let spread = Distribution { scores: [(0, 2), (99, 1), (100, 4)].into_iter().collect(), none: 3 };
        let drawn = Histogram::new(&spread, 10);
        assert_eq!((drawn.bars.len(), drawn.none), (10, 3));
        assert_eq!(drawn.words, "0.00 to 0.10: 2; 0.90 to 1.00: 5");
        assert_eq!((drawn.bars[9].height.as_str(), drawn.bars[1].height.as_str()), ("48.0", "0.0"));
    }
}
