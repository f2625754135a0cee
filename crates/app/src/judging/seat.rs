//! Who sits on the bench: the embedded judge, or a model.

use std::fmt;

use carelock_judge::provider::{JudgeSpec, SpecError};

/// A judge as the user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Seat {
    /// The embedded judge.
    Embedded,
    /// A model that is asked everything.
    Model(JudgeSpec),
}

impl Seat {
    /// Reads a judge's name.
    pub(crate) fn parse(text: &str) -> Result<Self, SpecError> {
        if text.trim() == carelock_builtin::NAME {
            return Ok(Self::Embedded);
        }
        JudgeSpec::parse(text).map(Self::Model)
    }

    /// The model that is asked, if one is.
    pub(crate) fn model(&self) -> Option<&JudgeSpec> {
        match self {
            Self::Embedded => None,
            Self::Model(spec) => Some(spec),
        }
    }

    /// Whether the embedded judge must have read the chat.
    pub(crate) fn screens(&self) -> bool {
        match self {
            Self::Embedded => true,
            Self::Model(_) => false,
        }
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded => f.write_str(carelock_builtin::NAME),
            Self::Model(spec) => write!(f, "{spec}"),
        }
    }
}
