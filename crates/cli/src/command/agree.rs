//! `carelock agree`: how far raters agree.

use anyhow::{Result, bail};
use carelock_core::problem::Problem;
use carelock_engine::agreement::{By, Settings, Study, csv, markdown, text};
use carelock_engine::figures::{FigureFormat, json};
use carelock_engine::ratings::Library;

use super::figures;
use crate::cli::{AgreeArguments, Colour, Part};
use crate::exit;
use crate::message::say_error;
use crate::terminal;

pub(super) fn run(arguments: &AgreeArguments, colour: Colour) -> Result<u8> {
    let bootstrap = figures::bootstrap(&arguments.figures)?;
    let names: Vec<String> = std::iter::once(&arguments.labels).chain(&arguments.raters).cloned().collect();
    if names.iter().filter(|name| *name == "-").count() > 1 {
        bail!(Problem::new("standard input (-) is named twice").advice("name it once"));
    }
    let named = figures::named_rubric(&arguments.rubric)?;
    let mut library = Library::new(arguments.database.db.as_deref(), named);
    let raters = library.open_all(&names)?;
    let by = arguments.by.map(|part| match part {
        Part::Check => By::Check,
        Part::Metric => By::Metric,
        Part::Source => By::Source,
    });
    let settings = Settings { by, worst: arguments.worst, bootstrap };
    let study = Study::new(&library.rubric(), &raters, &settings)?;
    let style = terminal::text_style(colour, figures::is_to_file(&arguments.figures));
    let shown = match arguments.figures.format {
        FigureFormat::Text => text(&study, style),
        FigureFormat::Md => markdown(&study),
        FigureFormat::Csv => csv(&study),
        FigureFormat::Json => json(&study)?,
        FigureFormat::Html => return Err(figures::no_page()),
    };
    figures::write(&arguments.figures, &shown)?;
    if study.compared() == 0 {
        say_error(
            Problem::new("no chat is in both")
                .advice("give both the same ids, or files that carry the turns of the chats"),
        );
        return Ok(exit::BAD_INPUT);
    }
    Ok(exit::DONE)
}
