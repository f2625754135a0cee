//! `carelock verify`: re-derives every number and re-checks every quote of reports.

use std::io::Write as _;

use anyhow::{Result, bail};
use carelock_core::problem::Problem;
use carelock_core::report::safe_text::one_line;
use carelock_core::rubric::Rubric;
use carelock_core::verify::{Conclusion, Outcome, Verification};
use carelock_engine::embedded::Embedded;
use carelock_engine::input::{read_text, text_name};
use carelock_engine::rubric_file::load_rubric;
use carelock_engine::verification::verify;
use serde_json::value::RawValue;

use crate::cli::VerifyArguments;
use crate::exit;
use crate::message::{self, say_error};
use crate::output::Output;

pub(super) fn run(arguments: &VerifyArguments) -> Result<u8> {
    let rubric = load_rubric(arguments.rubric.file.as_deref())?;
    let mut settings = Settings { rubric, judge: Embedded::default(), arguments, brief: false };
    let mut output = Output::open(None)?;
    let mut tally = Tally::default();
    if arguments.paths.iter().filter(|path| *path == "-").count() > 1 {
        bail!(Problem::new("standard input (-) is named twice").advice("name it once"));
    }
    for path in &arguments.paths {
        let text = match read_text(path) {
            Ok(text) => text,
            Err(error) => {
                tally.refuse(&message::told(&error));
                continue;
            }
        };
        let path = text_name(path);
        let reports = split(&text);
        settings.brief = !arguments.verbose && (arguments.paths.len() > 1 || reports.len() > 1);
        for (number, report) in (1..).zip(&reports) {
            let name = if reports.len() > 1 { format!("{path}, report {number}") } else { path.to_owned() };
            tally.check(&name, report, &settings, &mut output)?;
        }
        if reports.is_empty() {
            let problem = Problem::new(format!("{path}: there is nothing in it"));
            tally.refuse(&problem.advice("pass a report written with --format json or jsonl").to_string());
        }
    }
    if settings.brief && !arguments.json && !message::is_quiet() {
        writeln!(output, "{}", tally.total())?;
    }
    output.finish()?;
    if tally.checked == 0 && tally.refused == 0 {
        bail!("there is nothing to verify");
    }
    Ok(tally.exit_code())
}

/// What every report is verified with.
struct Settings<'a> {
    rubric: Rubric,
    judge: Embedded,
    arguments: &'a VerifyArguments,
    /// Whether there are several reports: a line about each that does not hold, and a total.
    brief: bool,
}

/// The reports in a text: one, an array of them, or one a line.
fn split(text: &str) -> Vec<&str> {
    let start = text.trim_start_matches('\u{feff}').trim();
    if start.starts_with('[')
        && let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(start)
    {
        return items.into_iter().map(RawValue::get).collect();
    }
    let mut values = serde_json::Deserializer::from_str(start).into_iter::<&RawValue>();
    let mut found = Vec::new();
    loop {
        let begin = values.byte_offset();
        match values.next() {
            Some(Ok(value)) => found.push(value.get()),
            // What is not JSON is handed on as it is: the error about it names the place.
            Some(Err(_)) => {
                found.push(if found.is_empty() { start } else { start[begin..].trim_start() });
                return found;
            }
            None => return found,
        }
    }
}

#[derive(Default)]
struct Tally {
    checked: usize,
    broken: usize,
    open: usize,
    refused: usize,
}

impl Tally {
    fn check(&mut self, name: &str, report: &str, all: &Settings<'_>, output: &mut Output) -> Result<()> {
        let judge = (!all.arguments.no_rejudge).then_some(&all.judge);
        let verification = match verify(report, &all.rubric, judge) {
            Ok(verification) => verification,
            Err(error) => {
                self.refuse(&format!("{name}: {error}"));
                return Ok(());
            }
        };
        if message::is_quiet() {
            // The exit code says it.
        } else if all.arguments.json {
            serde_json::to_writer(&mut *output, &verification)?;
            writeln!(output)?;
        } else if all.brief {
            if let Some(line) = brief(&verification) {
                writeln!(output, "{name}: {line}")?;
            }
        } else {
            if self.checked > 0 {
                writeln!(output)?;
            }
            writeln!(output, "{name}")?;
            output.write_all(verification.to_text(all.arguments.verbose).as_bytes())?;
        }
        self.checked += 1;
        match verification.conclusion() {
            Conclusion::Holds => {}
            Conclusion::DoesNotHold => self.broken += 1,
            Conclusion::NotVerifiable => self.open += 1,
        }
        Ok(())
    }

    fn refuse(&mut self, message: &str) {
        say_error(message);
        self.refused += 1;
    }

    /// The last line where there are many reports.
    fn total(&self) -> String {
        let hold = self.checked - self.broken - self.open;
        let refused = if self.refused > 0 { format!(", {} cannot be read", self.refused) } else { String::new() };
        let (all, broken, open) = (self.checked + self.refused, self.broken, self.open);
        format!("{all} reports: {hold} hold, {broken} do not hold, {open} are not verifiable{refused}.")
    }

    fn exit_code(&self) -> u8 {
        if self.refused > 0 {
            exit::BAD_INPUT
        } else if self.broken > 0 {
            exit::NOT_MET
        } else if self.open > 0 {
            exit::UNSCORED
        } else {
            exit::DONE
        }
    }
}

/// One line about a report that does not hold or cannot be verified; nothing about one that holds.
fn brief(verification: &Verification) -> Option<String> {
    let (word, outcome) = match verification.conclusion() {
        Conclusion::Holds => return None,
        Conclusion::DoesNotHold => ("does not hold", Outcome::DoesNotHold),
        Conclusion::NotVerifiable => ("not verifiable", Outcome::CannotVerify),
    };
    let points: Vec<_> = verification.with(outcome).collect();
    let first = points.first()?;
    let id = verification.id.as_deref().map(|id| format!(" ({id})")).unwrap_or_default();
    let more = if points.len() > 1 { format!("; {} more", points.len() - 1) } else { String::new() };
    Some(one_line(&format!("{word}{id}: {}: {}{more}", first.what, first.detail)))
}
