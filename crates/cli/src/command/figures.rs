//! What the commands that print figures share: intervals, rubric, output.

use std::io::Write as _;

use anyhow::{Result, anyhow};
use carelock_core::problem::Problem;
use carelock_core::rubric::Rubric;
use carelock_engine::rubric_file::load_rubric;
use carelock_statistics::Bootstrap;

use crate::cli::{FigureArguments, RubricFileArgument};
use crate::output::{Output, named};

/// How intervals are made.
pub(super) fn bootstrap(arguments: &FigureArguments) -> Result<Bootstrap> {
    let mut bootstrap = Bootstrap::default();
    if let Some(seed) = arguments.seed {
        bootstrap = bootstrap.with_seed(seed);
    }
    let set = bootstrap.with_confidence(arguments.confidence).and_then(|set| set.with_resamples(arguments.resamples));
    Ok(set.map_err(|error| Problem::new(format!("--{}", error.what())).advice(error.fix()))?)
}

/// The rubric the user named, if any.
pub(super) fn named_rubric(argument: &RubricFileArgument) -> Result<Option<Rubric>> {
    argument.file.is_some().then(|| load_rubric(argument.file.as_deref())).transpose()
}

/// What is said where figures have no page for a browser.
pub(super) fn no_page() -> anyhow::Error {
    anyhow!(Problem::new("--format html is for comparisons").advice("use --format md, json, csv or text"))
}

/// Whether figures go to a file.
pub(super) fn is_to_file(arguments: &FigureArguments) -> bool {
    named(arguments.output.as_deref()).is_some()
}

/// Writes to standard output, or to the file named.
pub(super) fn write(arguments: &FigureArguments, text: &str) -> Result<()> {
    let mut output = Output::open(arguments.output.as_deref())?;
    output.write_all(text.as_bytes())?;
    output.finish()
}
