//! Text as the judge reads it: sentences, and the pieces of words in them.

mod names;
mod sentences;
mod word_order;
mod words;

pub(crate) use names::{first_names, medicines};
pub use sentences::sentences;
pub(crate) use word_order::is_garbled;
pub use words::Vocabulary;
