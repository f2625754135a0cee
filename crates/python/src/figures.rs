//! Figures over many chats: agreement and comparison.

use std::path::PathBuf;

use carelock::{FigureOptions, Figures};
use pyo3::prelude::*;

use crate::error::exception;
use crate::waiting::in_own_pool;

/// How figures are made, as keyword arguments give it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Settings {
    confidence: f64,
    resamples: usize,
    seed: Option<u64>,
    listed: usize,
    database: Option<String>,
    rubric: Option<PathBuf>,
}

impl From<Settings> for FigureOptions {
    fn from(settings: Settings) -> Self {
        let Settings { confidence, resamples, seed, listed, database, rubric } = settings;
        Self { confidence, resamples, seed, listed, database, rubric }
    }
}

/// Figures as JSON, text and Markdown.
type Shown = (String, String, String);

/// How far raters agree with the first of them.
#[pyfunction]
pub(crate) fn agreement(
    py: Python<'_>,
    raters: Vec<String>,
    by: Option<&str>,
    settings: Settings,
    threads: usize,
) -> PyResult<Shown> {
    let options = FigureOptions::from(settings);
    shown(py.detach(move || in_own_pool(threads, move || carelock::agreement(&raters, by, &options)))?)
}

/// How files of reports or runs differ from the first of them.
#[pyfunction]
pub(crate) fn compare(
    py: Python<'_>,
    sides: Vec<String>,
    in_groups: bool,
    settings: Settings,
    threads: usize,
) -> PyResult<Shown> {
    let options = FigureOptions::from(settings);
    shown(py.detach(move || in_own_pool(threads, move || carelock::compare(&sides, in_groups, &options)))?)
}

fn shown(figures: Result<Figures, carelock::Error>) -> PyResult<Shown> {
    let Figures { json, text, markdown } = figures.map_err(|error| exception(&error))?;
    Ok((json, text, markdown))
}
