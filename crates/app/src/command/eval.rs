//! `carelock eval`: one report per chat, in input order.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use carelock_core::panel::GatePolicy;
use carelock_core::report::{Report, Source};
use carelock_core::rubric::Rubric;
use carelock_core::scorecard::Weights;
use carelock_core::verdict::{Submission, Verdicts};
use rayon::prelude::*;

use super::bench::{Bench, Role};
use super::render::{Renderer, Writer};
use super::tally::{Judged, Tally};
use crate::ci::{self, Review, Standing};
use crate::cli::{Colour, EvalArguments, ReportFormat};
use crate::config::Pipeline;
use crate::embedded::Embedded;
use crate::exit;
use crate::input::{Batches, Chat, Unread, is_same_file, read_options};
use crate::judging::{Judging, Subject};
use crate::message::say;
use crate::output::{Output, named};
use crate::terminal;
use crate::verdict_source::VerdictSource;

pub(super) fn run(arguments: &EvalArguments, colour: Colour) -> Result<u8> {
    if arguments.checks && arguments.format != ReportFormat::Csv {
        bail!("--checks goes with --format csv\n  fix: add --format csv, or leave --checks out");
    }
    let bench = Bench::appoint(arguments)?;
    let judging = bench.judging();
    let evaluation = Evaluation::prepare(arguments, bench.role())?;
    let style = terminal::text_style(colour, named(arguments.output.as_deref()).is_some());
    let renderer =
        Renderer { format: arguments.format, checks: arguments.checks, style, fail_under: arguments.ci.fail_under };
    let answers: Vec<_> = evaluation.sources.iter().filter_map(VerdictSource::folder).collect();
    let mut batches = Batches::outside(&arguments.paths, arguments.reading.max_size, &answers)?;
    spare_inputs(arguments, &batches)?;
    let mut review = Review::new(&arguments.ci, ci::baseline(&arguments.ci, &arguments.database)?, &evaluation.rubric);
    let mut planned = Vec::new();
    let mut writer = Writer::new(Output::open(arguments.output.as_deref())?, &renderer, &evaluation.rubric);
    let mut tally = Tally::default();
    let options = read_options(&arguments.reading);
    let mut batch = batches.next();
    while let Some(current) = batch {
        batch = batches.next();
        let chats = current.read(&options);
        for chat in chats.iter().flatten() {
            chat.warnings.iter().for_each(|warning| say(format_args!("{}: {warning}", chat.origin)));
        }
        let only = tally.chats == 0 && chats.len() == 1 && batch.is_none();
        let prepare = |chat: Result<Chat, Unread>| chat.and_then(|chat| evaluation.prepare_chat(chat, only));
        let mut prepared: Vec<Result<Prepared, Unread>> = chats.into_par_iter().map(prepare).collect();
        if let Some(judging) = judging {
            if arguments.judging.dry_run {
                planned.extend(prepared.into_iter().flatten().map(|chat| chat.subject));
                continue;
            }
            ask(judging, &evaluation.rubric, &mut prepared)?;
        }
        let judge = |chat: Result<Prepared, Unread>| chat.and_then(|chat| evaluation.judge(chat, &renderer));
        let judged: Vec<Result<Judged, Unread>> = prepared.into_par_iter().map(judge).collect();
        for outcome in judged {
            if let Some(judged) = tally.take(outcome) {
                writer.write(judged.rendered)?;
                review.see(judged.standing);
            }
        }
    }
    if let Some(judging) = judging {
        if arguments.judging.dry_run {
            let mut output = Output::open(None)?;
            output.write_all(judging.estimate(&evaluation.rubric, &planned).as_bytes())?;
            output.finish()?;
            return Ok(exit::DONE);
        }
        judging.finish()?;
    }
    // When nothing was judged, no file may appear as if something had been.
    if tally.reports > 0 {
        writer.finish()?;
    }
    tally.say_so();
    let reasons = review.finish(&evaluation.rubric, &Pipeline::of_process(), tally.unread)?;
    Ok(tally.exit_code(!reasons.is_empty()))
}

/// Refuses to write over what is read.
fn spare_inputs(arguments: &EvalArguments, batches: &Batches) -> Result<()> {
    let read: Vec<&Path> = arguments.verdicts.iter().chain(&arguments.ci.baseline).map(Path::new).collect();
    for output in arguments.output.iter().chain(&arguments.ci.summary) {
        if batches.reads(output) || read.iter().any(|path| is_same_file(path, output)) {
            bail!("{}: is one of the files to be read\n  fix: choose another name for the output", output.display());
        }
    }
    Ok(())
}

/// Everything that stays the same from chat to chat.
struct Evaluation {
    rubric: Rubric,
    weights: Weights,
    sources: Vec<VerdictSource>,
    policy: GatePolicy,
    embedded: Embedded,
    role: Role,
}

/// A chat that can be judged, and the verdicts there are so far.
struct Prepared {
    origin: String,
    subject: Subject,
    dropped: BTreeMap<String, usize>,
    members: Vec<Verdicts>,
}

impl Evaluation {
    fn prepare(arguments: &EvalArguments, role: Role) -> Result<Self> {
        let files = arguments.weights.iter().chain(&arguments.rubric.file).map(PathBuf::as_path);
        let named = arguments.verdicts.iter().chain(&arguments.paths).map(Path::new);
        if files.chain(named).filter(|path| *path == Path::new("-")).count() > 1 {
            bail!("standard input (-) is named twice\n  fix: only one of the inputs can come from it");
        }
        let rubric = super::rubric::load(&arguments.rubric)?;
        let weights = match &arguments.weights {
            Some(path) => super::rubric::read_weights(&rubric, path)?,
            None => Weights::equal(&rubric),
        };
        let open = |path: &String| VerdictSource::open(&rubric, path);
        let sources = arguments.verdicts.iter().map(open).collect::<Result<_>>()?;
        let policy = arguments.gate_policy.into();
        Ok(Self { rubric, weights, sources, policy, embedded: Embedded::default(), role })
    }

    /// The chat with the verdicts that need no asking.
    fn prepare_chat(&self, mut chat: Chat, only: bool) -> Result<Prepared, Unread> {
        let origin = chat.origin.clone();
        let labels = chat.reading.speakers.iter().map(|note| note.label.clone()).collect();
        let prepared = self.submissions(&mut chat, only).and_then(|mut submissions| {
            let (transcript, dropped) = chat.into_transcript()?;
            if self.role == Role::Member || (self.role == Role::Default && submissions.is_empty()) {
                submissions.push((String::new(), self.embedded.answers(&self.rubric, &transcript)));
            }
            let screening = (self.role == Role::Screen).then(|| self.embedded.answers(&self.rubric, &transcript));
            let admit = |(name, submission): (String, Submission)| {
                let admitted = Verdicts::admit(&self.rubric, &transcript, submission);
                admitted.map_err(|error| if name.is_empty() { anyhow!("{error}") } else { anyhow!("{name}: {error}") })
            };
            let members = submissions.into_iter().map(admit).collect::<Result<Vec<_>>>()?;
            Ok((Subject::new(transcript, labels, screening), dropped, members))
        });
        let (subject, dropped, members) = prepared.map_err(|error| unread(&origin, &error))?;
        Ok(Prepared { origin, subject, dropped, members })
    }

    fn judge(&self, chat: Prepared, renderer: &Renderer) -> Result<Judged, Unread> {
        let origin = chat.origin.clone();
        let report = self.report(chat).map_err(|error| unread(&origin, &error))?;
        let rendered = renderer.render(&report, &self.rubric).map_err(|error| unread(&origin, &error))?;
        Ok(Judged {
            standing: Standing::of(&report, &self.rubric, &origin),
            below: renderer.fail_under.is_some_and(|least| report.overall.is_some_and(|score| score < least)),
            rendered,
        })
    }

    fn report(&self, chat: Prepared) -> Result<Report> {
        let Prepared { subject, dropped, mut members, .. } = chat;
        let source = Source { transcript: subject.transcript, dropped };
        Ok(match members.pop() {
            Some(member) if members.is_empty() => Report::assemble(&self.rubric, source, member, &self.weights),
            Some(member) => {
                members.push(member);
                Report::assemble_panel(&self.rubric, source, members, self.policy, &self.weights)
            }
            None => bail!("there are no verdicts on this chat"),
        })
    }

    /// Answers that lie ready, with the file they stand in: from the files named, else from the chat's own record.
    fn submissions(&self, chat: &mut Chat, only: bool) -> Result<Vec<(String, Submission)>> {
        if !self.sources.is_empty() {
            let find = |source: &VerdictSource| source.find(&self.rubric, chat.id(), &chat.fallback_id, only);
            return self.sources.iter().map(find).collect();
        }
        // Where a judge is named, what stands in the chat's own record is not that judge's answer.
        let inline = chat.reading.verdicts.take().filter(|_| self.role == Role::Default);
        let read = |inline: Box<serde_json::value::RawValue>| Ok((String::new(), Submission::from_json(inline.get())?));
        inline.into_iter().map(read).collect()
    }
}

fn unread(origin: &str, error: &anyhow::Error) -> Unread {
    Unread { origin: origin.to_owned(), message: format!("{error:#}"), passed_over: false, labels: Vec::new() }
}

/// Adds what the judges say to what is known of each chat.
fn ask(judging: &Judging, rubric: &Rubric, prepared: &mut [Result<Prepared, Unread>]) -> Result<()> {
    let mut chats = Vec::new();
    let mut places = Vec::new();
    for (place, chat) in prepared.iter_mut().enumerate() {
        if let Ok(chat) = chat {
            let labels = std::mem::take(&mut chat.subject.labels);
            let screening = chat.subject.screening.take();
            chats.push(Subject::new(chat.subject.transcript.clone(), labels, screening));
            places.push(place);
        }
    }
    let judged = judging.judge(rubric, &chats).or_else(|error| {
        // What was answered until then was paid for.
        judging.finish()?;
        Err(error)
    })?;
    for (place, verdicts) in places.into_iter().zip(judged) {
        let Ok(chat) = &mut prepared[place] else { continue };
        match verdicts {
            Ok(verdicts) => chat.members.extend(verdicts),
            Err(error) => prepared[place] = Err(unread(&chat.origin.clone(), &error)),
        }
    }
    Ok(())
}
