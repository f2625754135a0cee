//! `carelock stability`: the same judge, asked again and again.

use std::collections::BTreeMap;
use std::io::Write as _;

use anyhow::{Result, anyhow, bail};
use carelock_core::panel::GatePolicy;
use carelock_core::report::Source;
use carelock_core::scorecard::Weights;
use carelock_core::transcript::Transcript;
use carelock_core::verdict::Verdicts;

use super::figures;
use crate::cli::{Colour, FigureFormat, JudgeArguments, StabilityArguments};
use crate::config::Config;
use crate::embedded::Embedded;
use crate::exit;
use crate::input::{Batches, read_options};
use crate::judging::{Judging, Seat, Subject};
use crate::message::{say, say_error};
use crate::output::Output;
use crate::ratings::Rating;
use crate::runs::Scoring;
use crate::stability::{Repeats, Stability, csv, markdown, text};
use crate::terminal;

pub(super) fn run(arguments: &StabilityArguments, colour: Colour) -> Result<u8> {
    let bootstrap = figures::bootstrap(&arguments.figures)?;
    let (judging, seats) = judges(&arguments.judging)?;
    let rubric = super::rubric::load(&arguments.rubric)?;
    let scoring = Scoring { weights: Weights::equal(&rubric), rubric, policy: GatePolicy::Any };
    let (subjects, refused) = subjects(arguments, &scoring, seats.iter().any(Seat::screens))?;
    if arguments.judging.dry_run {
        let mut output = Output::open(None)?;
        writeln!(output, "each of {} repeats:", arguments.repeat)?;
        output.write_all(judging.estimate(&scoring.rubric, &subjects).as_bytes())?;
        output.finish()?;
        return Ok(exit::DONE);
    }
    let mut chats: Vec<Repeats> = subjects
        .iter()
        .map(|subject| Repeats { id: subject.transcript.id().to_owned(), ratings: Vec::new() })
        .collect();
    for _ in 0..arguments.repeat {
        let judged = judging.judge(&scoring.rubric, &subjects)?;
        for ((chat, subject), verdicts) in chats.iter_mut().zip(&subjects).zip(judged) {
            chat.ratings.push(rating(&scoring, &subject.transcript, verdicts));
        }
    }
    judging.finish()?;
    let name = seats.iter().map(Seat::to_string).collect::<Vec<_>>().join(" + ");
    let stability = Stability::of(&scoring.rubric, name, &chats, arguments.divided, &bootstrap);
    let shown = match arguments.figures.format {
        FigureFormat::Text => text(&stability, terminal::text_style(colour, figures::is_to_file(&arguments.figures))),
        FigureFormat::Md => markdown(&stability),
        FigureFormat::Csv => csv(&stability),
        FigureFormat::Json => figures::json(&stability)?,
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
fn judges(arguments: &JudgeArguments) -> Result<(Judging, Vec<Seat>)> {
    if arguments.lock.is_some() || arguments.locked || arguments.refresh {
        bail!(
            "answers from a lock never change, so it has no place here\n  \
             fix: leave --lock, --locked and --refresh out; nothing that is kept is read or changed"
        );
    }
    let config = Config::of_process(arguments.connection.config.as_deref())?;
    let named = if arguments.judge.is_empty() { &config.settings().judges } else { &arguments.judge };
    let seats: Vec<Seat> = named.iter().map(|name| Seat::parse(name)).collect::<Result<_, _>>()?;
    if seats.is_empty() {
        bail!("there is no judge to ask\n  fix: name one with --judge, such as --judge openai:gpt-4.1-mini");
    }
    if seats.iter().all(|seat| seat.model().is_none()) {
        say(format_args!("{} always says the same; this only shows it", Seat::Embedded));
    }
    Ok((Judging::prepare(&seats, arguments, &config)?.without_record(), seats))
}

/// All chats, and whether one could not be read.
fn subjects(arguments: &StabilityArguments, scoring: &Scoring, screens: bool) -> Result<(Vec<Subject>, bool)> {
    let options = read_options(&arguments.reading);
    let mut batches = Batches::new(&arguments.paths, arguments.reading.max_size)?;
    let embedded = Embedded::default();
    let (mut subjects, mut refused) = (Vec::new(), false);
    while let Some(batch) = batches.next() {
        for read in batch.read(&options) {
            let chat = match read {
                Ok(chat) => chat,
                Err(unread) if unread.passed_over => continue,
                Err(unread) => {
                    say_error(format_args!("{}: {}", unread.origin, unread.message));
                    refused = true;
                    continue;
                }
            };
            let origin = chat.origin.clone();
            let labels = chat.reading.speakers.iter().map(|note| note.label.clone()).collect();
            let (transcript, _) = chat.into_transcript().map_err(|error| anyhow!("{origin}: {error}"))?;
            let screening = screens.then(|| embedded.answers(&scoring.rubric, &transcript));
            subjects.push(Subject::new(transcript, labels, screening));
        }
    }
    if subjects.is_empty() {
        bail!("there is no chat to judge\n  fix: check the paths");
    }
    Ok((subjects, refused))
}

/// What was said this time; nothing where nobody could say anything.
fn rating(scoring: &Scoring, transcript: &Transcript, verdicts: Result<Vec<Verdicts>>) -> Option<Rating> {
    let source = Source { transcript: transcript.clone(), dropped: BTreeMap::new() };
    let report = verdicts.and_then(|members| scoring.report(source, members));
    match report {
        Ok(report) => {
            let rating = Rating::of_report(&scoring.rubric, &report);
            Some(rating).filter(|rating| rating.outcomes.iter().any(Option::is_some))
        }
        Err(error) => {
            say_error(format_args!("{}: {error:#}", transcript.id()));
            None
        }
    }
}
