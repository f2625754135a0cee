//! Reports in the format asked for: drawn in parallel, written in order.

use anyhow::Result;
use carelock_core::report::{
    Report, TextStyle, checks_header, checks_rows, csv_header, csv_row, junit, junit_refused, junit_suite, markdown,
    text,
};
use carelock_core::rubric::Rubric;
use carelock_core::score::Score;
use quick_junit::TestSuite;

use crate::destination::{Destination, Flushed};
use crate::pages::Pages;

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum ReportFormat {
    /// For a terminal.
    Text,
    /// One object, or an array of them for several chats.
    Json,
    /// One report a line.
    Jsonl,
    /// For pull requests.
    Md,
    /// A table of scores.
    Csv,
    /// For CI servers.
    Junit,
    /// One page for a browser, with the chat and all evidence; needs nothing else.
    Html,
}

/// How a report is drawn.
pub struct Renderer {
    /// The format.
    pub format: ReportFormat,
    /// Whether a table has a row for each check.
    pub checks: bool,
    /// How text looks.
    pub style: TextStyle,
    /// The score below which a chat fails.
    pub fail_under: Option<Score>,
}

/// One report, drawn.
pub enum Rendered {
    /// Ready to be written.
    Text(Vec<u8>),
    /// A suite of a JUnit file, which is written when all are known.
    Suite(Box<TestSuite>),
    /// Drawn only when its place on the page is known.
    Page(Box<Report>),
}

impl Renderer {
    /// Draws a report.
    pub fn render(&self, report: &Report, rubric: &Rubric) -> Result<Rendered> {
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
pub fn whole(
    report: &Report,
    rubric: &Rubric,
    format: ReportFormat,
    checks: bool,
    fail_under: Option<Score>,
) -> Result<Vec<u8>> {
    let renderer = Renderer { format, checks, style: TextStyle::default(), fail_under };
    let mut bytes = Vec::new();
    let mut writer = Writer::new(Box::new(Flushed(&mut bytes)), &renderer, rubric);
    writer.write(renderer.render(report, rubric)?)?;
    writer.finish()?;
    Ok(bytes)
}

/// Writes drawn reports one after the other, with what their format wants around and between them.
pub struct Writer<'a> {
    output: Box<dyn Destination + 'a>,
    renderer: &'a Renderer,
    rubric: &'a Rubric,
    /// A single report is an object, several are an array; which it is shows only with the second.
    first: Option<Vec<u8>>,
    suites: Vec<TestSuite>,
    pages: Pages,
    written: usize,
}

impl<'a> Writer<'a> {
    /// A writer that has written nothing yet.
    pub fn new(output: Box<dyn Destination + 'a>, renderer: &'a Renderer, rubric: &'a Rubric) -> Self {
        Self { output, renderer, rubric, first: None, suites: Vec::new(), pages: Pages::default(), written: 0 }
    }

    /// Takes in that a chat could not be evaluated, where the format has a place for errors.
    pub fn refuse(&mut self, origin: &str, problem: &str) {
        if self.renderer.format == ReportFormat::Junit {
            self.suites.push(junit_refused(origin, problem));
        }
    }

    /// Whether there is nothing to write: then no file may appear as if something had been judged.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.written == 0 && self.suites.is_empty()
    }

    /// Writes the next report, or holds it until its place is known.
    pub fn write(&mut self, rendered: Rendered) -> Result<()> {
        let bytes = match rendered {
            Rendered::Suite(suite) => {
                self.suites.push(*suite);
                return Ok(());
            }
            Rendered::Page(report) => {
                self.written += 1;
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
    pub fn finish(mut self) -> Result<()> {
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
