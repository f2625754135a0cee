//! Figures as CSV: one row a figure, with the same columns for all.

use carelock_core::report::csv_text;
use carelock_statistics::{Estimate, Tested};

use super::number::undefined;

/// Rows of figures: what they are about, the figure's name, and its number.
pub struct Sheet {
    writer: ::csv::Writer<Vec<u8>>,
}

/// The columns that every file of figures ends with.
const FIGURE: [&str; 6] = ["figure", "value", "low", "high", "p", "why_not"];

impl Sheet {
    /// A file whose first columns say what a row is about.
    pub fn new(about: &[&str]) -> Self {
        let mut sheet = Self { writer: ::csv::Writer::from_writer(Vec::new()) };
        sheet.write(about.iter().chain(&FIGURE).map(|name| (*name).to_owned()));
        sheet
    }

    /// A figure with its interval.
    pub fn estimate(&mut self, about: &[&str], figure: &str, estimate: &Estimate) {
        self.tested(about, figure, estimate, None);
    }

    /// A figure with its interval, and the test of a difference.
    pub fn tested(&mut self, about: &[&str], figure: &str, estimate: &Estimate, test: Option<&Tested>) {
        let number = |value: Option<f64>| value.map(|value| format!("{value:.6}")).unwrap_or_default();
        let interval = estimate.interval;
        let numbers = [
            number(estimate.value),
            number(interval.map(|interval| interval.low)),
            number(interval.map(|interval| interval.high)),
            number(test.and_then(|test| test.adjusted)),
        ];
        self.row(about, figure, &numbers, undefined(estimate));
    }

    /// A number that has no interval.
    pub fn count(&mut self, about: &[&str], figure: &str, number: u64) {
        let numbers = [number.to_string(), String::new(), String::new(), String::new()];
        self.row(about, figure, &numbers, String::new());
    }

    fn row(&mut self, about: &[&str], figure: &str, numbers: &[String; 4], why_not: String) {
        let about = about.iter().map(csv_text);
        self.write(about.chain([figure.to_owned()]).chain(numbers.iter().cloned()).chain([why_not]));
    }

    fn write(&mut self, cells: impl Iterator<Item = String>) {
        // Writing to memory cannot fail.
        let _ = self.writer.write_record(cells.collect::<Vec<_>>());
    }

    /// The file.
    pub fn finish(self) -> String {
        String::from_utf8(self.writer.into_inner().unwrap_or_default()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use carelock_statistics::WhyNot;

    #[test]
    fn a_figure_without_a_value_says_why_and_no_text_becomes_a_formula() {
        let mut sheet = Sheet::new(&["about"]);
        sheet.estimate(&["=1+1"], "kappa", &Estimate::undefined(WhyNot::OneClass));
        sheet.count(&["a,b"], "chats", 7);
        let expected = "about,figure,value,low,high,p,why_not\n'=1+1,kappa,,,,,one class only\n\"a,b\",chats,7,,,,\n";
        assert_eq!(sheet.finish(), expected);
    }
}
