//! `carelock eval`: one report per chat, in input order.

use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use carelock_core::panel::PanelRules;
use carelock_core::problem::Problem;
use carelock_core::report::{Report, TextStyle, names};
use carelock_core::scorecard::Weights;
use carelock_engine::config::Config;
use carelock_engine::evaluate::Evaluator;
use carelock_engine::input::{Batches, is_same_file};
use carelock_engine::judging::JudgeKind;
use carelock_engine::options::{JudgeOptions, ReadingOptions};
use carelock_engine::panel::JudgePanel;
use carelock_engine::render::{Renderer, ReportFormat, Writer};
use carelock_engine::rubric_file::{load_rubric, read_weights};
use carelock_engine::runs::Scoring;
use carelock_engine::verdict_source::VerdictSource;

use super::tally::{Judged, Taken, Tally};
use crate::ci::{self, Pipeline, Review, Standing};
use crate::cli::{Colour, EvalArguments};
use crate::exit;
use crate::message::{self, CommandLine};
use crate::output::{Output, named};
use crate::terminal;

pub(super) fn run(arguments: &EvalArguments, colour: Colour) -> Result<u8> {
    if arguments.checks && arguments.format != ReportFormat::Csv {
        bail!(Problem::new("--checks goes with --format csv").advice("add --format csv, or leave --checks out"));
    }
    let evaluator = evaluator(arguments)?;
    let rubric = &evaluator.scoring.rubric;
    let style = terminal::text_style(colour, named(arguments.output.as_deref()).is_some());
    let style = TextStyle { full: arguments.full, ..style };
    let renderer =
        Renderer { format: arguments.format, checks: arguments.checks, style, fail_under: arguments.ci.fail_under };
    let batches = Batches::outside(&arguments.paths, arguments.reading.max_size, &evaluator.panel.folders())?;
    let mut batches = batches.skipping_unreadable(arguments.reading.skip_unreadable);
    spare_inputs(arguments, &batches)?;
    let mut review = Review::new(&arguments.ci, ci::baseline(&arguments.ci, &arguments.database)?, &evaluator.scoring);
    let options = ReadingOptions::from(&arguments.reading).reader()?;
    let mut writer = Writer::new(Box::new(Output::open(arguments.output.as_deref())?), &renderer, rubric);
    if arguments.judging.dry_run && evaluator.panel.models().is_some() {
        let estimate = evaluator.estimate_all(&mut batches, &options)?;
        let mut output = Output::open(None)?;
        output.write_all(estimate.as_bytes())?;
        output.finish()?;
        return Ok(exit::DONE);
    }
    let is_mute = message::is_quiet() && named(arguments.output.as_deref()).is_none();
    let mut tally = Tally::default();
    let judges = evaluator.panel.judges();
    let make = |origin: &str, report: Report| {
        Ok(Judged {
            is_short_of_judges: names::judges_that_answered(&report)
                < arguments.min_judges.unwrap_or(judges).min(judges),
            rendered: renderer.render(&report, rubric)?,
            standing: Standing::new(&report, rubric, origin),
            below: renderer.fail_under.is_some_and(|least| report.overall.is_some_and(|score| score < least)),
        })
    };
    evaluator.evaluate_all(&mut batches, &options, make, |outcome| {
        match tally.take(outcome) {
            Taken::Judged(judged) => {
                if !is_mute {
                    writer.write(judged.rendered)?;
                }
                review.see(judged.standing);
            }
            Taken::Refused(_) if is_mute => {}
            Taken::Refused(unread) => writer.refuse(&unread.origin, &unread.problem.worded(&CommandLine)),
            Taken::LeftOut => {}
        }
        Ok(ControlFlow::Continue(()))
    })?;
    evaluator.panel.finish()?;
    // When nothing was judged, no file may appear as if something had been.
    if !writer.is_empty() {
        writer.finish()?;
    }
    tally.say_so();
    let reasons = review.finish(rubric, &Pipeline::of_process(), tally.unread)?;
    Ok(tally.exit_code(!reasons.is_empty()))
}

/// Refuses to write over what is read.
fn spare_inputs(arguments: &EvalArguments, batches: &Batches) -> Result<()> {
    let read: Vec<&Path> = arguments.verdicts.iter().chain(&arguments.ci.baseline).map(Path::new).collect();
    for output in arguments.output.iter().chain(&arguments.ci.summary) {
        if batches.reads(output) || read.iter().any(|path| is_same_file(path, output)) {
            bail!(
                Problem::new(format!("{}: is one of the files to be read", output.display()))
                    .advice("choose another name for the output")
            );
        }
    }
    Ok(())
}

/// The judges, and what their verdicts are scored with: the judges named on the command line, or in the settings where no
/// verdicts are given.
fn evaluator(arguments: &EvalArguments) -> Result<Evaluator> {
    let events = message::events();
    let options = JudgeOptions::from(&arguments.judging);
    let panel = if options.judges.is_empty() && !arguments.verdicts.is_empty() {
        needs_no_judge(&options)?;
        JudgePanel::empty()
    } else {
        let config = Config::of_process(arguments.judging.connection.config.as_deref())?;
        let kinds = judges(&options, &config)?;
        JudgePanel::new(&kinds, &options, &config, &events)?
    };
    refuse_stdin_twice(arguments)?;
    let rubric = load_rubric(arguments.rubric.file.as_deref())?;
    let weights = match &arguments.weights {
        Some(path) => read_weights(&rubric, path)?,
        None => Weights::equal(&rubric),
    };
    let open = |path: &String| VerdictSource::open(&rubric, path);
    let sources = arguments.verdicts.iter().map(open).collect::<Result<_>>()?;
    let scoring = Scoring {
        rubric,
        weights,
        rules: PanelRules { gate_policy: arguments.gate_policy.into(), tie: arguments.tie.into() },
    };
    Ok(Evaluator { scoring, panel: panel.led_by(sources), events })
}

fn refuse_stdin_twice(arguments: &EvalArguments) -> Result<()> {
    let files = arguments.weights.iter().chain(&arguments.rubric.file).map(PathBuf::as_path);
    let named = arguments.verdicts.iter().chain(&arguments.paths).map(Path::new);
    if files.chain(named).filter(|path| *path == Path::new("-")).count() > 1 {
        bail!(Problem::new("standard input (-) is named twice").advice("only one of the inputs can come from it"));
    }
    Ok(())
}

/// The judges that are named, none or several, with options that suit them.
fn judges(options: &JudgeOptions, config: &Config) -> Result<Vec<JudgeKind>> {
    let named = if options.judges.is_empty() { &config.settings().judging.judges } else { &options.judges };
    let kinds: Vec<JudgeKind> = named.iter().map(|name| JudgeKind::parse(name)).collect::<Result<_, _>>()?;
    if kinds.iter().filter(|kind| **kind == JudgeKind::Embedded).count() > 1 {
        bail!(
            Problem::new(format!("judge {} is named twice", JudgeKind::Embedded))
                .advice("name it once; it never says anything else")
        );
    }
    if kinds.is_empty() {
        needs_no_judge(options)?;
    } else if kinds.iter().all(|kind| kind.model().is_none()) {
        sends_nothing(options)?;
    }
    Ok(kinds)
}

fn needs_no_judge(options: &JudgeOptions) -> Result<()> {
    let asked_for = options.locked || options.dry_run || options.refresh;
    if asked_for || options.fallback.is_some() || options.redact.is_some() {
        bail!(
            Problem::new("this option goes with a judge")
                .advice("name one with --judge, such as --judge openai:gpt-4.1-mini")
        );
    }
    Ok(())
}

/// Refuses what only makes sense where something is sent. To be `--locked` is what the embedded judge always is.
pub(super) fn sends_nothing(options: &JudgeOptions) -> Result<()> {
    if options.dry_run || options.refresh || options.fallback.is_some() || options.redact.is_some() {
        bail!(
            Problem::new(format!(
                "this option goes with a model; {} sends nothing and needs no record",
                JudgeKind::Embedded
            ))
            .advice("leave the option out, or name a model with --judge")
        );
    }
    Ok(())
}
