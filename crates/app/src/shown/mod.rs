//! Figures as people read them: numbers with their intervals, in tables for a terminal, for Markdown and for CSV.

mod csv;
mod number;
mod page;
mod table;

pub(crate) use csv::Sheet;
pub(crate) use number::{apart, count, estimate, listed, p_value, plural, undefined, value};
pub(crate) use page::Page;
pub(crate) use table::{Align, Table};
