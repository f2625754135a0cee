//! Reports on one HTML page, written as they come.

use anyhow::Result;
use carelock_core::report::Report;
use carelock_core::rubric::Rubric;
use carelock_page::{Entry, Style, close_page, open_page, report_article, report_page};

/// A page under way. One report has a page of its own; whether there are more shows only with the second.
#[derive(Default)]
pub(super) struct Pages {
    first: Option<Box<Report>>,
    entries: Vec<Entry>,
}

impl Pages {
    /// Takes a report; what can be written now.
    pub(super) fn add(&mut self, report: Box<Report>, rubric: &Rubric) -> Result<String> {
        let number = self.entries.len() + 1;
        self.entries.push(Entry::new(&report, number));
        if number == 1 {
            self.first = Some(report);
            return Ok(String::new());
        }
        let mut page = String::new();
        if let Some(first) = self.first.take() {
            page.push_str(&open_page("Care-Lock reports", Style::Inline, &[("reports", "To the list of chats")])?);
            page.push_str(&report_article(&first, rubric, 1)?);
        }
        page.push_str(&report_article(&report, rubric, number)?);
        Ok(page)
    }

    /// What is left to be written.
    pub(super) fn finish(self, rubric: &Rubric) -> Result<String> {
        Ok(match &self.first {
            Some(only) => report_page(only, rubric, Style::Inline)?,
            // A filter may let no chat through.
            None if self.entries.is_empty() => String::new(),
            None => close_page(&self.entries)?,
        })
    }
}
