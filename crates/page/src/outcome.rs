//! What became of a check, and how it is shown: by a sign and a word as well as by colour.

use carelock_core::report::CheckReport;
use carelock_core::rubric::Rubric;
use carelock_core::score::Score;
use carelock_core::verdict::Basis;

/// What became of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    Earned,
    NotTriggered,
    Failed,
    Unscored,
}

impl Outcome {
    pub(crate) fn new(check: &CheckReport) -> Self {
        match (check.pass, check.basis) {
            (None, _) => Self::Unscored,
            (Some(false), _) => Self::Failed,
            (Some(true), Some(Basis::NotTriggered)) => Self::NotTriggered,
            (Some(true), _) => Self::Earned,
        }
    }

    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Earned => "●",
            Self::NotTriggered => "○",
            Self::Failed => "✗",
            Self::Unscored => "?",
        }
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Earned => "earned",
            Self::NotTriggered => "not triggered",
            Self::Failed => "failed",
            Self::Unscored => "unscored",
        }
    }

    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Earned => "earned",
            Self::NotTriggered => "idle",
            Self::Failed => "failed",
            Self::Unscored => "open",
        }
    }

    /// What evidence for it says of the words that were said.
    pub(crate) fn tone(self) -> Tone {
        match self {
            Self::Earned => Tone::Good,
            Self::Failed => Tone::Bad,
            Self::NotTriggered | Self::Unscored => Tone::Plain,
        }
    }
}

/// What words in the chat speak for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Bad,
    Mixed,
    Plain,
}

impl Tone {
    /// Words that speak for both sides are mixed; plain ones leave the others as they are.
    pub(crate) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Plain, tone) | (tone, Self::Plain) => tone,
            (one, other) if one == other => one,
            _ => Self::Mixed,
        }
    }

    pub(crate) fn class(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Bad => "bad",
            Self::Mixed => "mixed",
            Self::Plain => "plain",
        }
    }
}

/// Upper tiers good, the middle one fair, lower ones bad: taken from the rubric's order, not from fixed numbers.
pub(crate) fn score_class(rubric: &Rubric, score: Option<Score>) -> &'static str {
    let Some(score) = score else { return "open" };
    let tiers = &rubric.file().tier;
    let place = tiers.iter().position(|tier| tier.score <= score).unwrap_or(tiers.len());
    match (2 * place).cmp(&tiers.len().saturating_sub(1)) {
        std::cmp::Ordering::Less => "good",
        std::cmp::Ordering::Equal => "mixed",
        std::cmp::Ordering::Greater => "bad",
    }
}
