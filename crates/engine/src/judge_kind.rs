//! Kinds of judges: the embedded judge, a model, or both in a cascade.

use std::fmt;

use carelock_core::problem::Problem;
use carelock_judge::cascade;
use carelock_judge::provider::JudgeSpec;

/// A judge as the user names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum JudgeKind {
    /// The embedded judge.
    Embedded,
    /// A model that is asked everything.
    Model(JudgeSpec),
    /// The embedded judge, and a model for what it is not sure of.
    Cascade(JudgeSpec),
}

impl JudgeKind {
    /// Reads a judge's name.
    pub fn parse(text: &str) -> Result<Self, Problem> {
        if text.trim() == carelock_builtin::NAME {
            return Ok(Self::Embedded);
        }
        match text.trim().strip_prefix(cascade::PREFIX) {
            Some(model) => JudgeSpec::parse(model).map(Self::Cascade),
            None => JudgeSpec::parse(text).map(Self::Model),
        }
    }

    /// The model that is asked, if one is.
    pub fn model(&self) -> Option<&JudgeSpec> {
        match self {
            Self::Embedded => None,
            Self::Model(spec) | Self::Cascade(spec) => Some(spec),
        }
    }

    /// Whether the embedded judge must have read the chat.
    pub fn screens(&self) -> bool {
        match self {
            Self::Embedded | Self::Cascade(_) => true,
            Self::Model(_) => false,
        }
    }
}

impl fmt::Display for JudgeKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded => f.write_str(carelock_builtin::NAME),
            Self::Model(spec) => write!(f, "{spec}"),
            Self::Cascade(spec) => f.write_str(&cascade::name(&spec.to_string())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_read_back_as_it_is_shown() {
        for name in ["builtin", "openai:gpt-4.1-mini", "cascade:openai:gpt-4.1-mini", "cascade:http://127.0.0.1:1/v1#m"]
        {
            assert_eq!(JudgeKind::parse(&format!(" {name} ")).map(|kind| kind.to_string()).as_deref(), Ok(name));
        }
    }

    #[test]
    fn a_cascade_ends_in_a_model() {
        for name in ["cascade", "cascade:", "cascade:builtin", "Builtin"] {
            assert!(JudgeKind::parse(name).is_err(), "{name}");
        }
    }
}
