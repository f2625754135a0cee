//! Pages of reports, read back as markup.

mod fixtures;
mod markup;
mod panel;
mod safety;
mod structure;
