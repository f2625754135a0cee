//! `carelock runs`: the runs of a database, the newest first.

use std::io::Write as _;

use anyhow::Result;
use carelock_engine::figures::{Align, Table};
use carelock_engine::runs::{Database, Overview, mean_for_people, moment_for_people, runs_json};
use carelock_store::OpenMode;

use crate::cli::{Colour, ListFormat, RunsArguments};
use crate::exit;
use crate::message::say;
use crate::output::Output;
use crate::terminal;

pub(super) fn run(arguments: &RunsArguments, colour: Colour) -> Result<u8> {
    let database = Database::open(arguments.database.db.as_deref(), OpenMode::Existing)?;
    let runs = database.wait(database.store().runs())?;
    let overviews: Vec<Overview> = runs.into_iter().map(|run| Overview::load(&database, run)).collect::<Result<_>>()?;
    let text = match arguments.format {
        ListFormat::Text if overviews.is_empty() => {
            say(format_args!("{}: there are no runs yet", database.store().label()));
            String::new()
        }
        ListFormat::Text => {
            let style = terminal::text_style(colour, false);
            table(&overviews, style.width, style.color)
        }
        ListFormat::Json => format!("{:#}\n", runs_json(overviews.iter())),
    };
    let mut output = Output::open(None)?;
    output.write_all(text.as_bytes())?;
    output.finish()?;
    Ok(exit::DONE)
}

/// The day of a moment, `2026-11-15`; the time is shown by `carelock show`, and a name must never be cut for it.
const DAY: usize = 10;

fn table(overviews: &[Overview], width: usize, color: bool) -> String {
    let words = [("Run", Align::Left), ("Begun", Align::Left), ("State", Align::Left)];
    let chats = [("Chats", Align::Right), ("Judges", Align::Cut)];
    let figures = ["Overall", "Gates", "Spent"].map(|name| (name, Align::Right));
    let mut table = Table::new(&[&words[..], &chats, &figures].concat());
    for overview in overviews {
        let (results, chats) = (overview.results(), overview.run.chats);
        table.row([
            overview.run.name.clone(),
            moment_for_people(overview.run.created).chars().take(DAY).collect(),
            overview.state().to_owned(),
            format!("{results}/{chats}"),
            overview.judges.join(", "),
            mean_for_people(overview.overall()),
            overview.gated().to_string(),
            overview.cost_for_people(),
        ]);
    }
    table.listing(width, color)
}
