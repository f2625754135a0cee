//! `carelock compare`: runs, files of reports or groups side by side.

use anyhow::{Result, bail};
use carelock_core::problem::Problem;
use carelock_engine::comparison::{Comparison, Settings, csv, html, in_groups, markdown, text};
use carelock_engine::figures::{FigureFormat, json};
use carelock_engine::ratings::Library;

use super::figures;
use crate::cli::{Colour, CompareArguments};
use crate::exit;
use crate::terminal;

pub(super) fn run(arguments: &CompareArguments, colour: Colour) -> Result<u8> {
    let bootstrap = figures::bootstrap(&arguments.figures)?;
    match (arguments.sides.len(), arguments.by) {
        (1, None) => bail!(
            Problem::new("there is nothing to compare it with").advice("name a second run or file, or add --by group")
        ),
        (2.., Some(_)) => bail!(Problem::new("--by group is for one run").advice("name one run, or leave --by out")),
        _ => {}
    }
    if arguments.sides.iter().filter(|name| *name == "-").count() > 1 {
        bail!(Problem::new("standard input (-) is named twice").advice("name it once"));
    }
    let mut library = Library::new(arguments.database.db.as_deref(), figures::named_rubric(&arguments.rubric)?);
    let mut sides = library.open_all(&arguments.sides)?;
    if arguments.by.is_some() {
        sides = in_groups(sides)?;
    }
    let settings = Settings { changes: arguments.changes, bootstrap };
    let comparison = Comparison::new(&library.rubric(), &sides, &settings);
    let style = terminal::text_style(colour, figures::is_to_file(&arguments.figures));
    let shown = match arguments.figures.format {
        FigureFormat::Text => text(&comparison, style),
        FigureFormat::Md => markdown(&comparison),
        FigureFormat::Csv => csv(&comparison),
        FigureFormat::Json => json(&comparison)?,
        FigureFormat::Html => html(&comparison, &library.rubric())?,
    };
    figures::write(&arguments.figures, &shown)?;
    Ok(exit::DONE)
}
