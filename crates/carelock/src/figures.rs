//! Figures over many chats: how far raters agree, and how runs differ.

use std::path::PathBuf;

use carelock_core::problem::Problem;
use carelock_core::report::TextStyle;
use carelock_core::rubric::Rubric;
use carelock_engine::error::problem;
use carelock_engine::figures::json;
use carelock_engine::ratings::Library;
use carelock_engine::rubric_file::load_rubric;
use carelock_engine::{agreement, comparison};
use carelock_statistics::Bootstrap;

use crate::Result;

/// How figures are made.
#[derive(Clone, Debug)]
pub struct FigureOptions {
    /// The confidence level of the intervals.
    pub confidence: f64,
    /// How many bootstrap resamples an interval is computed from.
    pub resamples: usize,
    /// The seed of the resampling; none for the default one.
    pub seed: Option<u64>,
    /// How many disagreements or changes are listed.
    pub listed: usize,
    /// The database of runs, where runs are named and it is not the usual one.
    pub database: Option<String>,
    /// The rubric's file, where it is not the built-in one.
    pub rubric: Option<PathBuf>,
}

impl Default for FigureOptions {
    fn default() -> Self {
        Self { confidence: 0.95, resamples: 2000, seed: None, listed: 10, database: None, rubric: None }
    }
}

impl FigureOptions {
    fn bootstrap(&self) -> Result<Bootstrap> {
        let bootstrap = self.seed.map_or_else(Bootstrap::default, |seed| Bootstrap::default().with_seed(seed));
        let set = bootstrap.with_confidence(self.confidence).and_then(|set| set.with_resamples(self.resamples));
        set.map_err(|error| Problem::new(error.what()).advice(error.fix()))
    }

    fn library(&self) -> Result<Library> {
        let named = self.rubric.as_deref().map(|path| load_rubric(Some(path))).transpose();
        Ok(Library::new(self.database.as_deref(), named.map_err(|error| problem(&error))?))
    }
}

/// Figures in the forms the command writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Everything, as one JSON object.
    pub json: String,
    /// For a terminal.
    pub text: String,
    /// For pull requests.
    pub markdown: String,
}

/// How far raters agree with the first of them: files of labels, rating sheets or reports, or names of runs. `by` breaks the
/// figures down by `check`, `metric` or `source`.
///
/// ```
/// # let examples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
/// let sheets = format!("{examples}/sheets");
/// let figures = carelock::agreement(&[sheets.clone(), sheets], None, &carelock::FigureOptions::default())?;
/// assert!(figures.json.contains("carelock/agreement/1"));
/// # Ok::<(), carelock::Error>(())
/// ```
pub fn agreement(raters: &[String], by: Option<&str>, options: &FigureOptions) -> Result<Figures> {
    let by = by.map(part).transpose()?;
    let settings = agreement::Settings { by, worst: options.listed, bootstrap: options.bootstrap()? };
    let mut library = options.library()?;
    let made = || -> anyhow::Result<Figures> {
        let raters = library.open_all(raters)?;
        let study = agreement::Study::new(&library.rubric(), &raters, &settings)?;
        if study.compared() == 0 {
            let advice = "give both the same ids, or files that carry the turns of the chats";
            anyhow::bail!(Problem::new("no chat is in both").advice(advice));
        }
        let (text, markdown) = (agreement::text(&study, TextStyle::default()), agreement::markdown(&study));
        Ok(Figures { json: json(&study)?, text, markdown })
    };
    told(made)
}

/// How files of reports or runs differ from the first of them; with `in_groups`, how the groups of one run differ.
pub fn compare(sides: &[String], in_groups: bool, options: &FigureOptions) -> Result<Figures> {
    let settings = comparison::Settings { changes: options.listed, bootstrap: options.bootstrap()? };
    if sides.len() < 2 && !in_groups {
        return Err(Problem::new("there is nothing to compare it with").advice("name a second run or file"));
    }
    let mut library = options.library()?;
    let made = || -> anyhow::Result<Figures> {
        let mut sides = library.open_all(sides)?;
        if in_groups {
            sides = comparison::in_groups(sides)?;
        }
        let rubric: Rubric = library.rubric();
        let made = comparison::Comparison::new(&rubric, &sides, &settings);
        let (text, markdown) = (comparison::text(&made, TextStyle::default()), comparison::markdown(&made));
        Ok(Figures { json: json(&made)?, text, markdown })
    };
    told(made)
}

fn part(name: &str) -> Result<agreement::By> {
    match name {
        "check" => Ok(agreement::By::Check),
        "metric" => Ok(agreement::By::Metric),
        "source" => Ok(agreement::By::Source),
        other => {
            Err(Problem::new(format!("figures cannot be broken down by {other:?}"))
                .advice("use check, metric or source"))
        }
    }
}

fn told(made: impl FnOnce() -> anyhow::Result<Figures>) -> Result<Figures> {
    made().map_err(|error| problem(&error))
}
