//! Figures as people read them: numbers with their intervals, in tables for a terminal, for Markdown and for CSV.

mod csv;
mod number;
mod page;
mod table;

use anyhow::Result;
use serde::Serialize;

pub use csv::Sheet;
pub(crate) use number::hundredths;
pub use number::{apart, count, estimate, listed, p_value, plural, time_span, undefined, value};
pub use page::Page;
pub use table::{Align, Table, cut};

/// The format of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum FigureFormat {
    /// For a terminal.
    Text,
    /// For pull requests.
    Md,
    /// One object with everything.
    Json,
    /// One row a figure.
    Csv,
    /// One page for a browser (`compare` only).
    Html,
}

/// Figures as JSON for people and programs.
pub fn json(figures: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string_pretty(figures)? + "\n")
}

/// A name as it can be typed after a command.
pub fn shell_word(name: &str) -> String {
    let plain = |letter: char| letter.is_alphanumeric() || "-_.,:/+@".contains(letter);
    if !name.is_empty() && name.chars().all(plain) && !name.starts_with('-') {
        return name.to_owned();
    }
    format!("'{}'", name.replace('\'', r"'\''"))
}
