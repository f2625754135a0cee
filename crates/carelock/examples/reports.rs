//! Judges all chats of a file or folder with the embedded judge, and prints a report in JSON for each, a line each.

use std::error::Error;
use std::io::Write as _;
use std::ops::ControlFlow;

use carelock::{Evaluator, ReportFormat};

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("name a file or a folder with chats")?;
    let judge = Evaluator::builder().build()?;
    let mut outcome: Result<(), Box<dyn Error>> = Ok(());
    judge.evaluate_all([path], |report| {
        outcome = report.map_err(Into::into).and_then(|report| {
            let line = carelock::render(&report, judge.rubric(), ReportFormat::Jsonl)?;
            Ok(std::io::stdout().write_all(line.as_bytes())?)
        });
        if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    outcome
}
