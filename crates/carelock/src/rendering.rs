//! Reports as text in any format, and reports checked again.

use carelock_core::problem::Problem;
use carelock_core::report::Report;
use carelock_core::rubric::Rubric;
use carelock_core::verify::Verification;
use carelock_engine::embedded::Embedded;
use carelock_engine::error::problem;
use carelock_engine::render::{ReportFormat, whole};
use carelock_engine::{rubric_file, verification};

use crate::Result;

/// A report as the command writes it, byte by byte.
///
/// ```
/// let chat = carelock::parse("Human: I feel low.\nAI: I'm sorry to hear that. What happened?")?;
/// let report = carelock::evaluate(&chat)?;
/// let page = carelock::render(&report, &carelock::Rubric::care_lock(), carelock::ReportFormat::Html)?;
/// assert!(page.starts_with("<!doctype html>") || page.starts_with("<!DOCTYPE html>"));
/// # Ok::<(), carelock::Error>(())
/// ```
pub fn render(report: &Report, rubric: &Rubric, format: ReportFormat) -> Result<String> {
    let bytes = whole(report, rubric, format, false, None).map_err(|error| problem(&error))?;
    String::from_utf8(bytes).map_err(|_| Problem::new("the report is not UTF-8"))
}

/// Derives every number of a report in JSON again, looks every quote up, and where the embedded judge of this version
/// answered, asks it again.
///
/// ```
/// let chat = carelock::parse("Human: I feel low.\nAI: I'm sorry to hear that. What happened?")?;
/// let rubric = carelock::Rubric::care_lock();
/// let json = carelock::render(&carelock::evaluate(&chat)?, &rubric, carelock::ReportFormat::Json)?;
/// assert!(carelock::verify(&json, &rubric)?.holds());
/// # Ok::<(), carelock::Error>(())
/// ```
pub fn verify(json: &str, rubric: &Rubric) -> Result<Verification> {
    verification::verify(json, rubric, Some(&Embedded::default()))
}

/// The rubric as the command prints it in JSON, with its digest.
pub fn rubric_json(rubric: &Rubric) -> Result<String> {
    rubric_file::rubric_json(rubric).map_err(|error| problem(&error))
}
