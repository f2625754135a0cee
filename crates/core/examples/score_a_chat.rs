//! Scores a chat from a judge's answers, prints the report, and verifies it again.

use std::error::Error;
use std::io::Write as _;

use carelock_core::report::{Report, TextStyle, text};
use carelock_core::rubric::Rubric;
use carelock_core::scorecard::Weights;
use carelock_core::transcript::formats::{ReadOptions, read};
use carelock_core::verdict::{Submission, Verdicts, read_sheet};
use carelock_core::verify::verify;

const CHAT: &str = include_str!("../../../examples/ordinary.txt");
const SHEET: &str = include_str!("../../../examples/sheets/ordinary.csv");

fn main() -> Result<(), Box<dyn Error>> {
    let rubric = Rubric::care_lock();

    let mut document = read(CHAT.as_bytes(), &ReadOptions::default())?;
    let reading = document.readings.pop().ok_or("the file holds no chat")??;
    let transcript = reading.into_transcript("ordinary")?;

    let proof = transcript.cite(2, "that sounds really HUMILIATING")?;
    let mut out = std::io::stdout().lock();
    writeln!(
        out,
        "turn {}, {}: {:?}, differs in: {:?}",
        proof.turn(),
        proof.speaker(),
        proof.quote(),
        proof.differences()
    )?;

    let submission: Submission = read_sheet(&rubric, SHEET)?.pop().ok_or("the sheet is empty")?;
    let verdicts = Verdicts::admit(&rubric, &transcript, submission)?;
    let report = Report::assemble(&rubric, transcript, verdicts, &Weights::equal(&rubric));
    match (report.overall, &report.undetermined) {
        (Some(overall), _) => writeln!(out, "overall {overall}, gates tripped: {}", report.gates.len())?,
        (None, reason) => writeln!(out, "undetermined: {}", reason.as_deref().unwrap_or("no reason given"))?,
    }

    let verification = verify(&serde_json::to_string(&report)?, &rubric)?;
    writeln!(out, "verified: {}\n", verification.holds())?;
    let style = TextStyle::default();
    Ok(write!(out, "{}", text(&report, &rubric, &style))?)
}
