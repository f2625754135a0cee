//! `carelock verify`: re-derives every number and re-checks every quote of reports.

use std::io::Write as _;

use anyhow::{Result, bail};
use carelock_core::problem::Problem;
use carelock_core::rubric::Rubric;
use carelock_core::verify::verify;
use carelock_engine::input::{read_text, text_name};
use carelock_engine::rubric_file::load_rubric;
use serde_json::value::RawValue;

use crate::cli::VerifyArguments;
use crate::exit;
use crate::message::{self, say_error};
use crate::output::Output;

pub(super) fn run(arguments: &VerifyArguments) -> Result<u8> {
    let rubric = load_rubric(arguments.rubric.file.as_deref())?;
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
        for (number, report) in (1..).zip(&reports) {
            let name = if reports.len() > 1 { format!("{path}, report {number}") } else { path.to_owned() };
            tally.check(&name, report, &rubric, arguments, &mut output)?;
        }
        if reports.is_empty() {
            let problem = Problem::new(format!("{path}: there is nothing in it"));
            tally.refuse(&problem.advice("pass a report written with --format json or jsonl").to_string());
        }
    }
    output.finish()?;
    if tally.checked == 0 && tally.refused == 0 {
        bail!("there is nothing to verify");
    }
    Ok(tally.exit_code())
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
    refused: usize,
}

impl Tally {
    fn check(
        &mut self,
        name: &str,
        report: &str,
        rubric: &Rubric,
        arguments: &VerifyArguments,
        output: &mut Output,
    ) -> Result<()> {
        let verification = match verify(report, rubric) {
            Ok(verification) => verification,
            Err(error) => {
                self.refuse(&format!("{name}: {error}"));
                return Ok(());
            }
        };
        if arguments.json {
            serde_json::to_writer(&mut *output, &verification)?;
            writeln!(output)?;
        } else {
            if self.checked > 0 {
                writeln!(output)?;
            }
            writeln!(output, "{name}")?;
            output.write_all(verification.to_text(arguments.verbose).as_bytes())?;
        }
        self.checked += 1;
        self.broken += usize::from(!verification.holds());
        Ok(())
    }

    fn refuse(&mut self, message: &str) {
        say_error(message);
        self.refused += 1;
    }

    fn exit_code(&self) -> u8 {
        if self.refused > 0 {
            exit::BAD_INPUT
        } else if self.broken > 0 {
            exit::NOT_MET
        } else {
            exit::DONE
        }
    }
}
