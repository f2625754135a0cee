//! Reports in the format asked for: drawn in parallel, written in order.

use std::io::Write as _;
#[cfg(feature = "web")]
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use carelock_core::report::{
    Report, TextStyle, checks_header, checks_rows, csv_header, csv_row, junit, junit_suite, markdown, text,
};
use carelock_core::rubric::Rubric;
use carelock_core::score::Score;
use quick_junit::TestSuite;

use super::pages::Pages;
use crate::cli::ReportFormat;
use crate::output::Output;

/// How a report is drawn.
pub(super) struct Renderer {
    pub(super) format: ReportFormat,
    pub(super) checks: bool,
    pub(super) style: TextStyle,
    pub(super) fail_under: Option<Score>,
}

/// One report, drawn.
pub(super) enum Rendered {
    Text(Vec<u8>),
    Suite(Box<TestSuite>),
    /// Drawn only when its place on the page is known.
    Page(Box<Report>),
}

impl Renderer {
    pub(super) fn render(&self, report: &Report, rubric: &Rubric) -> Result<Rendered> {
        Ok(Rendered::Text(match self.format {
            ReportFormat::Text => text(report, rubric, &self.style).into_bytes(),
            ReportFormat::Json => serde_json::to_vec_pretty(report)?,
            ReportFormat::Jsonl => json_line(report)?,
            ReportFormat::Md => markdown(report, rubric).into_bytes(),
            ReportFormat::Csv if self.checks => checks_rows(report, rubric).into_bytes(),
            ReportFormat::Csv => csv_row(report, rubric).into_bytes(),
            ReportFormat::Junit => {
                return Ok(Rendered::Suite(Box::new(junit_suite(report, rubric, self.fail_under))));
            }
            ReportFormat::Html => return Ok(Rendered::Page(Box::new(report.clone()))),
        }))
    }
}

fn json_line(report: &Report) -> Result<Vec<u8>> {
    let said: usize = report.turns.iter().map(|turn| turn.text.len()).sum();
    // Room for the checks and for escapes, so that the buffer seldom has to move.
    let mut line = Vec::with_capacity(said + said / 8 + (16 << 10));
    serde_json::to_writer(&mut line, report)?;
    line.push(b'\n');
    Ok(line)
}

/// A single report as `carelock show RUN CHAT` writes it to a file.
#[cfg(feature = "web")]
pub(crate) fn whole(
    report: &Report,
    rubric: &Rubric,
    format: ReportFormat,
    checks: bool,
    fail_under: Option<Score>,
) -> Result<Vec<u8>> {
    let renderer = Renderer { format, checks, style: TextStyle::default(), fail_under };
    let kept = Kept::default();
    let mut writer = Writer::new(Output::Given(Box::new(kept.clone())), &renderer, rubric);
    writer.write(renderer.render(report, rubric)?)?;
    writer.finish()?;
    Ok(std::mem::take(&mut *kept.0.lock().unwrap_or_else(PoisonError::into_inner)))
}

/// What was written, kept for whoever made it.
#[cfg(feature = "web")]
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

#[cfg(feature = "web")]
impl std::io::Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Writes drawn reports one after the other, with what their format wants around and between them.
pub(super) struct Writer<'a> {
    output: Output,
    renderer: &'a Renderer,
    rubric: &'a Rubric,
    /// A single report is an object, several are an array; which it is shows only with the second.
    first: Option<Vec<u8>>,
    suites: Vec<TestSuite>,
    pages: Pages,
    written: usize,
}

impl<'a> Writer<'a> {
    pub(super) fn new(output: Output, renderer: &'a Renderer, rubric: &'a Rubric) -> Self {
        Self { output, renderer, rubric, first: None, suites: Vec::new(), pages: Pages::default(), written: 0 }
    }

    pub(super) fn write(&mut self, rendered: Rendered) -> Result<()> {
        let bytes = match rendered {
            Rendered::Suite(suite) => {
                self.suites.push(*suite);
                return Ok(());
            }
            Rendered::Page(report) => {
                return Ok(self.output.write_all(self.pages.add(report, self.rubric)?.as_bytes())?);
            }
            Rendered::Text(bytes) => bytes,
        };
        match self.renderer.format {
            ReportFormat::Json => return self.write_json(bytes),
            ReportFormat::Csv if self.written == 0 => {
                let header = if self.renderer.checks { checks_header() } else { csv_header(self.rubric) };
                self.output.write_all(header.as_bytes())?;
            }
            ReportFormat::Text | ReportFormat::Md if self.written > 0 => self.output.write_all(b"\n")?,
            _ => {}
        }
        self.written += 1;
        Ok(self.output.write_all(&bytes)?)
    }

    fn write_json(&mut self, bytes: Vec<u8>) -> Result<()> {
        self.written += 1;
        if self.written == 1 {
            self.first = Some(bytes);
            return Ok(());
        }
        if let Some(first) = self.first.take() {
            self.output.write_all(b"[\n")?;
            self.output.write_all(&first)?;
        }
        self.output.write_all(b",\n")?;
        Ok(self.output.write_all(&bytes)?)
    }

    /// Closes what is open and makes the output appear.
    pub(super) fn finish(mut self) -> Result<()> {
        match self.renderer.format {
            ReportFormat::Json => match self.first.take() {
                Some(only) => {
                    self.output.write_all(&only)?;
                    self.output.write_all(b"\n")?;
                }
                None => self.output.write_all(b"\n]\n")?,
            },
            ReportFormat::Html => self.output.write_all(self.pages.finish(self.rubric)?.as_bytes())?,
            ReportFormat::Junit => self.output.write_all(junit(std::mem::take(&mut self.suites))?.as_bytes())?,
            _ => {}
        }
        self.output.finish()
    }
}
