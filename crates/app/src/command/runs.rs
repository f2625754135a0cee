//! `carelock runs`: the runs of a database, the newest first.

use std::io::Write as _;

use anyhow::Result;
use carelock_store::OpenMode;
use serde_json::{Value, json};

use super::table::{Column, draw};
use crate::cli::{Colour, ListFormat, RunsArguments};
use crate::exit;
use crate::message::say;
use crate::output::Output;
use crate::runs::{Database, Overview, mean_for_people, moment, moment_for_people};
use crate::terminal;

pub(super) fn run(arguments: &RunsArguments, colour: Colour) -> Result<u8> {
    let database = Database::open(&arguments.database, OpenMode::Existing)?;
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
        ListFormat::Json => format!("{:#}\n", json(overviews.iter())),
    };
    let mut output = Output::open(None)?;
    output.write_all(text.as_bytes())?;
    output.finish()?;
    Ok(exit::DONE)
}

/// Runs as JSON.
pub(crate) fn json<'a>(overviews: impl Iterator<Item = &'a Overview>) -> Value {
    let runs: Vec<Value> = overviews.map(object).collect();
    json!({ "schema": "carelock/runs/1", "runs": runs })
}

/// The day of a moment, `2026-11-15`; the time is shown by `carelock show`, and a name must never be cut for it.
const DAY: usize = 10;

const HEADING: [Column; 8] = [
    Column::text("Run"),
    Column::text("Begun"),
    Column::text("State"),
    Column::number("Chats"),
    Column::long("Judges"),
    Column::number("Overall"),
    Column::number("Gates"),
    Column::number("Spent"),
];

fn table(overviews: &[Overview], width: usize, color: bool) -> String {
    let row = |overview: &Overview| {
        let (results, chats) = (overview.results(), overview.run.chats);
        vec![
            overview.run.name.clone(),
            moment_for_people(overview.run.created).chars().take(DAY).collect(),
            overview.state().to_owned(),
            format!("{results}/{chats}"),
            overview.judges.join(", "),
            mean_for_people(overview.overall()),
            overview.gated().to_string(),
            overview.cost_for_people(),
        ]
    };
    let rows: Vec<Vec<String>> = overviews.iter().map(row).collect();
    draw(&HEADING, &rows, width, color)
}

fn object(overview: &Overview) -> Value {
    json!({
        "number": overview.run.key.0,
        "name": overview.run.name,
        "created": moment(overview.run.created),
        "state": overview.state(),
        "chats": overview.run.chats,
        "done": overview.results(),
        "failed": overview.progress.failed,
        "judges": overview.judges,
        "mean_overall": overview.overall().mean(),
        "gated": overview.gated(),
        "unscored": overview.unscored(),
        "cost_usd": overview.cost().to_number(),
    })
}
