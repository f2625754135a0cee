//! Whole reports: one a line, or one page after the other.

use std::io::Write as _;

use anyhow::Result;
use carelock_core::report::markdown;
use carelock_core::rubric::Rubric;

use super::{Output, Sink};
use crate::runs::StoredReport;

/// One report a line, as `eval --format jsonl` writes it.
pub(super) struct Lines {
    output: Output,
}

impl Lines {
    pub(super) fn new(output: Output) -> Self {
        Self { output }
    }
}

impl Sink for Lines {
    fn take(&mut self, stored: &StoredReport) -> Result<()> {
        serde_json::to_writer(&mut self.output, &stored.report)?;
        Ok(self.output.write_all(b"\n")?)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.output.finish()
    }
}

/// One Markdown report after the other.
pub(super) struct Pages<'a> {
    output: Output,
    rubric: &'a Rubric,
    is_first: bool,
}

impl<'a> Pages<'a> {
    pub(super) fn new(output: Output, rubric: &'a Rubric) -> Self {
        Self { output, rubric, is_first: true }
    }
}

impl Sink for Pages<'_> {
    fn take(&mut self, stored: &StoredReport) -> Result<()> {
        if !std::mem::take(&mut self.is_first) {
            self.output.write_all(b"\n")?;
        }
        Ok(self.output.write_all(markdown(&stored.report, self.rubric).as_bytes())?)
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.output.finish()
    }
}
