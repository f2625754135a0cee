//! Text as the judge reads it: sentences, and the pieces of words in them.

mod sentences;
mod words;

pub use sentences::sentences;
pub use words::Vocabulary;
