//! How scores are spread over a rubric's tiers, as a bar of shares.

use carelock_core::report::safe_text::one_line;
use carelock_core::rubric::Rubric;
use carelock_core::score::Score;

/// How many chats have which score; those without a score too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spread(pub Vec<(Option<Score>, u64)>);

/// A spread as it is drawn.
pub(crate) struct ShownSpread {
    pub(crate) mean: String,
    /// The class of the mean's colour.
    pub(crate) class: &'static str,
    /// The mean's tier.
    pub(crate) tier: Option<String>,
    /// The best tier first; chats without a score last.
    pub(crate) shares: Vec<Share>,
    /// Everything in words.
    pub(crate) words: String,
}

/// The chats of one tier.
pub(crate) struct Share {
    pub(crate) label: String,
    pub(crate) class: &'static str,
    pub(crate) chats: u64,
    pub(crate) left: String,
    pub(crate) width: String,
}

impl Spread {
    /// The mean to hundredths, and as exactly as it can be told.
    fn mean(&self) -> Option<(Score, f64)> {
        let scored = || self.0.iter().filter_map(|(score, chats)| Some(((*score)?, *chats)));
        let chats: u128 = scored().map(|(_, chats)| u128::from(chats)).sum();
        let sum: u128 = scored().map(|(score, chats)| u128::from(score.hundredths()) * u128::from(chats)).sum();
        (chats > 0).then(|| (Score::ratio(sum, 100 * chats), sum as f64 / (100.0 * chats as f64)))
    }

    pub(crate) fn shown(&self, rubric: &Rubric) -> ShownSpread {
        let tiers = &rubric.file().tier;
        let mut counts = vec![0; tiers.len() + 1];
        for (score, chats) in &self.0 {
            counts[place(rubric, *score)] += chats;
        }
        let all = counts.iter().sum::<u64>().max(1) as f64;
        let mut left = 0.0;
        let mut shares = Vec::new();
        for (place, chats) in counts.into_iter().enumerate() {
            let label = tiers.get(place).map_or_else(|| "no score".to_owned(), |tier| one_line(&tier.label));
            let width = 100.0 * chats as f64 / all;
            let (class, at) = (level(rubric, place), format!("{left:.3}%"));
            shares.push(Share { label, class, chats, left: at, width: format!("{width:.3}%") });
            left += width;
        }
        let mean = self.mean();
        let told = shares.iter().filter(|share| share.chats > 0);
        let told: Vec<String> = told.map(|share| format!("{} {}", share.chats, share.label)).collect();
        ShownSpread {
            mean: mean.map_or_else(|| "–".to_owned(), |(_, mean)| format!("{mean:.3}")),
            class: crate::outcome::score_class(rubric, mean.map(|(score, _)| score)),
            tier: mean.and_then(|(score, _)| rubric.tier_reached(score)).map(|tier| one_line(&tier.label)),
            words: if told.is_empty() { "no scores".to_owned() } else { told.join(", ") },
            shares,
        }
    }
}

/// The class of a tier's colour, from the best to the lowest; behind them stands what has no score.
pub(crate) fn level(rubric: &Rubric, place: usize) -> &'static str {
    const LEVELS: [&str; 5] = ["level-a", "level-b", "level-c", "level-d", "level-e"];
    let tiers = rubric.file().tier.len();
    if place >= tiers {
        return "level-none";
    }
    LEVELS[place * (LEVELS.len() - 1) / tiers.saturating_sub(1).max(1)]
}

/// The class of a score's tier.
pub(crate) fn level_of(rubric: &Rubric, score: Option<Score>) -> &'static str {
    level(rubric, place(rubric, score))
}

/// The place of a score's tier, the best first; below all of them a score counts as the lowest, and none comes last.
fn place(rubric: &Rubric, score: Option<Score>) -> usize {
    let tiers = &rubric.file().tier;
    let Some(score) = score else { return tiers.len() };
    tiers.iter().position(|tier| tier.score <= score).unwrap_or(tiers.len().saturating_sub(1))
}
