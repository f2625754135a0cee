//! Rating sheets: a table or JSON file a person fills in, and reading it back.

mod blank;
mod read;

pub use blank::{sheet_csv, sheet_json};
pub use read::read_sheet;

/// The columns of a sheet, in order.
const COLUMNS: [&str; 9] = ["check", "metric", "kind", "passes_when", "fails_when", "verdict", "turns", "quote", "why"];

/// Rows below the checks, by what stands in the `check` column.
mod row {
    pub(super) const MOMENT: &str = "moment";
    pub(super) const POSITIVE: &str = "positive";
    pub(super) const NEGATIVE: &str = "negative";
    pub(super) const SUMMARY: &str = "summary";
    pub(super) const JUDGE: &str = "judge";
    pub(super) const TRANSCRIPT: &str = "transcript";
}

#[cfg(test)]
mod tests;
