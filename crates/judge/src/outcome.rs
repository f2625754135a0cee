//! What came of asking a model. Only one of these is a verdict.

use carelock_core::verdict::Tokens;

/// What a call to a model ended in; kept apart so that a failure can never be read as a verdict.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The model answered; whether the answer is any good is decided where it is read.
    Answered(Reply),
    /// The model declined.
    Refused {
        /// The provider's category or the model's own words, short.
        reason: String,
    },
    /// A content filter stopped the question or the answer.
    Filtered {
        /// Which side was stopped: "prompt" or "answer".
        stage: &'static str,
        /// The filter's category, where it says one.
        category: Option<String>,
    },
    /// The answer was cut off by the limit on its length.
    Truncated,
    /// The question does not fit the model's context; shorter windows may.
    TooLong {
        /// What the server said.
        what: String,
        /// The most tokens it takes, where it says so.
        limit: Option<u64>,
        /// The tokens it counted in the question, where it says so.
        asked: Option<u64>,
    },
    /// The model said nothing.
    Empty,
    /// The server's reply does not have the shape of its API.
    Invalid {
        /// What is wrong with it.
        what: String,
    },
    /// The provider could not serve the call now.
    Unavailable {
        /// What it said.
        what: String,
        /// Whether trying again can help.
        retry: Retry,
    },
    /// The call can never succeed as it is: key, model or request are wrong, or the money is spent.
    Misconfigured {
        /// What is wrong, and what to do about it.
        what: String,
    },
}

/// Whether and when to try again.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Retry {
    /// After the usual pause.
    Later,
    /// Not before this many seconds.
    After(f64),
    /// Trying again cannot help.
    Never,
}

/// What a model wrote, and what it took.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// The text of the answer.
    pub text: String,
    /// The model that answered, as the provider names it.
    pub model: Option<String>,
    /// The provider's fingerprint of the system that answered.
    pub fingerprint: Option<String>,
    /// The tokens used.
    pub tokens: Option<Tokens>,
}

/// What a call took, whatever came of it: a refused or truncated answer is charged too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The tokens used.
    pub tokens: Tokens,
    /// Those of the prompt that were written to the provider's cache, which some charge more for.
    pub cache_written: u64,
}

impl From<Tokens> for Usage {
    fn from(tokens: Tokens) -> Self {
        Self { tokens, cache_written: 0 }
    }
}
