//! `carelock stability`: the same judge, asked again and again.

use std::io::Write as _;

use anyhow::{Result, bail};
use carelock_core::panel::PanelRules;
use carelock_core::problem::Problem;
use carelock_core::scorecard::Weights;
use carelock_engine::config::Config;
use carelock_engine::error::problem;
use carelock_engine::evaluate::{Evaluator, Prepared};
use carelock_engine::figures::{FigureFormat, json};
use carelock_engine::input::{Batches, ChatInput, Unread};
use carelock_engine::judging::JudgeKind;
use carelock_engine::options::ReadingOptions;
use carelock_engine::panel::JudgePanel;
use carelock_engine::ratings::Rating;
use carelock_engine::rubric_file::load_rubric;
use carelock_engine::runs::Scoring;
use carelock_engine::stability::{Repeats, Stability, csv, markdown, text};

use super::figures;
use crate::cli::{Colour, JudgeArguments, StabilityArguments};
use crate::exit;
use crate::message::{self, say, say_error};
use crate::output::Output;
use crate::terminal;

pub(super) fn run(arguments: &StabilityArguments, colour: Colour) -> Result<u8> {
    let bootstrap = figures::bootstrap(&arguments.figures)?;
    let (panel, kinds) = judges(&arguments.judging)?;
    let rubric = load_rubric(arguments.rubric.file.as_deref())?;
    let scoring = Scoring { weights: Weights::equal(&rubric), rubric, rules: PanelRules::default() };
    let evaluator = Evaluator { scoring, panel, events: message::events() };
    let (prepared, refused) = chats(arguments, &evaluator)?;
    if arguments.judging.dry_run {
        let subjects: Vec<_> = prepared.into_iter().map(Prepared::into_subject).collect();
        let mut output = Output::open(None)?;
        writeln!(output, "each of {} repeats:", arguments.repeat)?;
        output.write_all(evaluator.panel.estimate(&evaluator.scoring.rubric, &subjects).as_bytes())?;
        output.finish()?;
        return Ok(exit::DONE);
    }
    let unrated = |chat: &Prepared| Repeats { id: chat.transcript().id().to_owned(), ratings: Vec::new() };
    let mut chats: Vec<Repeats> = prepared.iter().map(unrated).collect();
    for _ in 0..arguments.repeat {
        let mut again: Vec<_> =
            prepared.iter().map(|chat| (chat.transcript().id().to_owned(), Ok(chat.again()))).collect();
        evaluator.ask_all(&mut again)?;
        for (chat, (id, asked)) in chats.iter_mut().zip(again) {
            chat.ratings.push(rating(&evaluator, &id, asked));
        }
    }
    evaluator.panel.finish()?;
    let name = kinds.iter().map(JudgeKind::to_string).collect::<Vec<_>>().join(" + ");
    let stability = Stability::new(&evaluator.scoring.rubric, name, &chats, arguments.divided, &bootstrap);
    let shown = match arguments.figures.format {
        FigureFormat::Text => text(&stability, terminal::text_style(colour, figures::is_to_file(&arguments.figures))),
        FigureFormat::Md => markdown(&stability),
        FigureFormat::Csv => csv(&stability),
        FigureFormat::Json => json(&stability)?,
        FigureFormat::Html => return Err(figures::no_page()),
    };
    figures::write(&arguments.figures, &shown)?;
    Ok(match (refused, stability.is_incomplete()) {
        (true, _) => exit::BAD_INPUT,
        (_, true) => exit::UNSCORED,
        _ => exit::DONE,
    })
}

/// The judges, which neither look up what was answered before nor keep what they answer now.
fn judges(arguments: &JudgeArguments) -> Result<(JudgePanel, Vec<JudgeKind>)> {
    if arguments.lock.is_some() || arguments.locked || arguments.refresh {
        bail!(
            Problem::new("answers from a lock never change, so it has no place here")
                .advice("leave --lock, --locked and --refresh out; nothing that is kept is read or changed")
        );
    }
    let config = Config::of_process(arguments.connection.config.as_deref())?;
    let named = if arguments.judge.is_empty() { &config.settings().judging.judges } else { &arguments.judge };
    let kinds: Vec<JudgeKind> = named.iter().map(|name| JudgeKind::parse(name)).collect::<Result<_, _>>()?;
    if kinds.is_empty() {
        bail!(
            Problem::new("there is no judge to ask")
                .advice("name one with --judge, such as --judge openai:gpt-4.1-mini")
        );
    }
    if kinds.iter().all(|kind| kind.model().is_none()) {
        say(format_args!("{} always says the same; this only shows it", JudgeKind::Embedded));
    }
    let panel = JudgePanel::new(&kinds, &arguments.into(), &config, &message::events())?;
    Ok((panel.without_record(), kinds))
}

/// All chats, and whether one could not be read.
fn chats(arguments: &StabilityArguments, evaluator: &Evaluator) -> Result<(Vec<Prepared>, bool)> {
    let options = ReadingOptions::from(&arguments.reading).reader()?;
    let mut batches = Batches::new(&arguments.paths, arguments.reading.max_size)?
        .skipping_unreadable(arguments.reading.skip_unreadable);
    let (mut chats, mut refused) = (Vec::new(), false);
    while let Some(batch) = batches.read_next(&options) {
        for read in batch {
            match read {
                Ok(chat) => {
                    let origin = chat.origin.clone();
                    let prepared = ChatInput::try_from(chat).and_then(|chat| evaluator.prepare(chat, false));
                    chats.push(prepared.map_err(|error| problem(&error).within(&origin))?);
                }
                Err(unread) if unread.skipped.is_some() => message::say_left_out(&unread),
                Err(unread) => {
                    say_error(message::unread(&unread));
                    refused = true;
                }
            }
        }
    }
    if chats.is_empty() {
        bail!(Problem::new("there is no chat to judge").advice("check the paths"));
    }
    Ok((chats, refused))
}

/// What was said this time; nothing where nobody could say anything.
fn rating(evaluator: &Evaluator, id: &str, asked: Result<Prepared, Unread>) -> Option<Rating> {
    let report = asked.map_err(|unread| unread.problem.into()).and_then(|chat| evaluator.report(chat));
    match report {
        Ok(report) => {
            let rating = Rating::of_report(&evaluator.scoring.rubric, &report);
            Some(rating).filter(|rating| rating.outcomes.iter().any(Option::is_some))
        }
        Err(error) => {
            say_error(format_args!("{id}: {}", message::told(&error)));
            None
        }
    }
}
