//! Text as the judge reads it: sentences, and the pieces of words in them.

mod names;
mod sentences;
mod words;

pub(crate) use names::{first_names, medicines};
pub use sentences::sentences;
pub use words::Vocabulary;
