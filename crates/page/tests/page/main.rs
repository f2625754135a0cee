//! Pages of reports, read back as markup.

#![expect(clippy::unwrap_used, reason = "in tests, also in the functions they share, a panic is the right answer")]

mod fixtures;
mod markup;
mod panel;
mod runs;
mod safety;
mod structure;
