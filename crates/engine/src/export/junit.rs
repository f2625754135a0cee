//! JUnit XML without holding it: the first line counts what follows, so what follows waits in a file without a name.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek as _, SeekFrom, Write as _};

use anyhow::{Context as _, Result};
use carelock_core::report::{junit, junit_suite};
use carelock_core::rubric::Rubric;
use carelock_core::score::Score;

use super::{Output, Sink};
use crate::runs::StoredReport;

/// One suite a chat.
pub(super) struct Suites<'a> {
    output: Output,
    rubric: &'a Rubric,
    fail_under: Option<Score>,
    waiting: BufWriter<File>,
    tests: usize,
    failures: usize,
    errors: usize,
}

impl<'a> Suites<'a> {
    pub(super) fn new(output: Output, rubric: &'a Rubric, fail_under: Option<Score>) -> Result<Self> {
        let waiting = BufWriter::new(tempfile::tempfile().context("no temporary file can be made")?);
        Ok(Self { output, rubric, fail_under, waiting, tests: 0, failures: 0, errors: 0 })
    }
}

/// What ends a document; text in it is escaped, so the last one is the end.
const END: &str = "</testsuites>";

impl Sink for Suites<'_> {
    fn take(&mut self, stored: &StoredReport) -> Result<()> {
        let suite = junit_suite(&stored.report, self.rubric, self.fail_under);
        self.tests += suite.tests;
        self.failures += suite.failures;
        self.errors += suite.errors;
        let document = junit(vec![suite])?;
        let inside = document.find("<testsuite ").zip(document.rfind(END)).map(|(start, end)| &document[start..end]);
        self.waiting.write_all(b"    ")?;
        self.waiting.write_all(inside.unwrap_or_default().trim_end().as_bytes())?;
        Ok(self.waiting.write_all(b"\n")?)
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        let Self { tests, failures, errors, .. } = *self;
        writeln!(self.output, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
        writeln!(
            self.output,
            r#"<testsuites name="carelock" tests="{tests}" skipped="0" failures="{failures}" errors="{errors}">"#
        )?;
        let mut waiting = self.waiting.into_inner().map_err(io::IntoInnerError::into_error)?;
        waiting.seek(SeekFrom::Start(0))?;
        io::copy(&mut BufReader::new(waiting), &mut self.output)?;
        writeln!(self.output, "{END}")?;
        self.output.finish()
    }
}
