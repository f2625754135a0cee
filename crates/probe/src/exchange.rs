//! What a conversation is made of.

/// A line of the person and the reply to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// The step of the script.
    pub step: Option<String>,
    /// What the person said.
    pub person: String,
    /// What the bot replied.
    pub reply: String,
}
