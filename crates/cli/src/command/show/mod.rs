//! `carelock show`: a run in numbers with the chats to look at first, or the report of one chat.

mod page;

use std::io::Write as _;

use anyhow::{Result, bail};
use carelock_core::problem::Problem;
use carelock_core::report::TextStyle;
use carelock_core::report::safe_text::one_line;
use carelock_engine::render::{Renderer, ReportFormat, Writer};
use carelock_engine::runs::{Database, OpenRun, shell_word};
use carelock_engine::show::{Reports, Shown, html_page, json};
use carelock_store::{Filter, OpenMode};

use crate::ci;
use crate::cli::{Colour, ShowArguments};
use crate::exit;
use crate::output::Output;
use crate::terminal;

pub(super) fn run(arguments: &ShowArguments, colour: Colour) -> Result<u8> {
    let database = Database::open(arguments.database.db.as_deref(), OpenMode::Existing)?;
    let open = OpenRun::find(&database, &arguments.run)?;
    let code = match &arguments.chat {
        Some(chat) => show_chat(&database, &open, chat, arguments, colour)?,
        None => show_run(&database, open, arguments, colour)?,
    };
    Ok(code)
}

fn show_chat(database: &Database, open: &OpenRun, chat: &str, arguments: &ShowArguments, colour: Colour) -> Result<u8> {
    if arguments.ci.is_asked() {
        bail!(
            Problem::new("thresholds and baselines are for whole runs")
                .advice("leave out the id of the chat, or these options")
        );
    }
    let Some((_, report)) = open.report(database, chat)? else {
        let like = Filter { text: Some(chat.to_owned()), ..Filter::for_run(open.run.key) };
        let like = database.wait(database.store().list(&like, 3))?.results;
        let like: Vec<String> = like.iter().map(|result| one_line(&result.name)).collect();
        let fix = if like.is_empty() {
            format!("`carelock show {} --text WORDS` looks for chats", shell_word(&open.run.name))
        } else {
            format!("did you mean {}?", like.join(" or "))
        };
        bail!(Problem::new(format!("run {:?} has no chat {chat:?}", open.run.name)).advice(fix.clone()));
    };
    let style = TextStyle { full: arguments.full, ..terminal::text_style(colour, false) };
    let fail_under = open.config.thresholds.fail_under;
    let renderer = Renderer { format: arguments.format, checks: false, style, fail_under };
    let mut writer = Writer::new(Box::new(Output::open(None)?), &renderer, &open.scoring.rubric);
    writer.write(renderer.render(&report, &open.scoring.rubric)?)?;
    writer.finish()?;
    Ok(exit::DONE)
}

fn show_run(database: &Database, open: OpenRun, arguments: &ShowArguments, colour: Colour) -> Result<u8> {
    if !matches!(arguments.format, ReportFormat::Text | ReportFormat::Json | ReportFormat::Html) {
        bail!(
            Problem::new("a run is shown as text, json or html").advice(format!(
                "`carelock export {}` writes its reports in other formats",
                shell_word(&open.run.name)
            ))
        );
    }
    let tiers: Vec<&str> = open.scoring.rubric.file().tier.iter().map(|tier| tier.label.as_str()).collect();
    if let Some(tier) = arguments.filter.tier.as_deref().filter(|tier| !tiers.contains(tier)) {
        bail!(
            Problem::new(format!("--tier {tier}: the rubric has no such tier"))
                .advice(format!("name one of {}", tiers.join(", ")))
        );
    }
    let filter = arguments.filter.filter(open.run.key);
    let shown = Shown::load(database, open, &filter, arguments.limit)?;
    let text = match arguments.format {
        ReportFormat::Json => format!("{:#}\n", json::object(&shown)),
        ReportFormat::Html => html_page(database, &shown, Reports::Without)?,
        _ => page::text(&shown, &terminal::text_style(colour, false)),
    };
    let mut output = Output::open(None)?;
    output.write_all(text.as_bytes())?;
    output.finish()?;
    ci::review_run(database, &shown.open, &arguments.ci, &arguments.database)
}
