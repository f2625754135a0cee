//! Reports: drawn in every format, and verified.

use std::sync::Arc;

use carelock::{ReportFormat, Rubric};
use pyo3::prelude::*;

use crate::error::exception;

/// A report and the rubric it was made with.
#[pyclass(frozen, module = "carelock._native")]
pub(crate) struct Report {
    pub(crate) report: Arc<carelock::Report>,
    pub(crate) rubric: Arc<Rubric>,
}

#[pymethods]
impl Report {
    /// The report in a text of JSON, with the rubric it was made with.
    #[staticmethod]
    fn from_json(json: &str, rubric: Option<&str>) -> PyResult<Self> {
        let report = serde_json::from_str(json).map_err(|error| {
            let problem = carelock::Error::json(&error).within("report");
            exception(&problem.advice("pass a report as to_json() or `carelock eval --format json` gives it"))
        })?;
        Ok(Self { report: Arc::new(report), rubric: Arc::new(read_rubric(rubric)?) })
    }

    /// The report in a format of the command: json, jsonl, text, md, csv, junit or html.
    fn render(&self, py: Python<'_>, format: &str) -> PyResult<String> {
        let format = match format {
            "text" => ReportFormat::Text,
            "jsonl" => ReportFormat::Jsonl,
            "md" => ReportFormat::Md,
            "csv" => ReportFormat::Csv,
            "junit" => ReportFormat::Junit,
            "html" => ReportFormat::Html,
            _ => ReportFormat::Json,
        };
        let drawn = py.detach(|| carelock::render(&self.report, &self.rubric, format));
        drawn.map_err(|error| exception(&error))
    }

    /// The rubric as JSON where it is not the built-in one.
    fn other_rubric(&self) -> PyResult<Option<String>> {
        if self.rubric.digest() == Rubric::care_lock().digest() {
            return Ok(None);
        }
        let text = serde_json::to_string(self.rubric.file());
        text.map(Some).map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))
    }
}

/// The rubric in a text, TOML or JSON; the built-in one without it.
pub(crate) fn read_rubric(text: Option<&str>) -> PyResult<Rubric> {
    let read = match text {
        None => return Ok(Rubric::care_lock()),
        Some(text) if text.trim_start().starts_with('{') => Rubric::from_json(text),
        Some(text) => Rubric::from_toml(text),
    };
    read.map_err(|error| exception(&error.within("rubric")))
}

/// What `carelock verify --json` says about a report.
#[pyfunction]
pub(crate) fn verify(py: Python<'_>, json: &str, rubric: Option<&str>) -> PyResult<String> {
    let rubric = read_rubric(rubric)?;
    let verification = py.detach(|| carelock::verify(json, &rubric)).map_err(|error| exception(&error))?;
    serde_json::to_string(&verification).map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))
}

/// The rubric as `carelock rubric --format json` prints it.
#[pyfunction]
pub(crate) fn rubric(text: Option<&str>) -> PyResult<String> {
    carelock::rubric_json(&read_rubric(text)?).map_err(|error| exception(&error))
}
