//! `carelock eval`: one report per chat, in input order.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use carelock_core::panel::GatePolicy;
use carelock_core::report::{Report, Source};
use carelock_core::rubric::Rubric;
use carelock_core::scorecard::Weights;
use carelock_core::verdict::{Submission, Verdicts};
use rayon::prelude::*;

use super::render::{Rendered, Renderer, Writer};
use crate::cli::{Colour, EvalArguments, Policy, ReportFormat};
use crate::exit;
use crate::input::{Batches, Chat, Unread, is_same_file, read_options, read_text};
use crate::message::{say, say_error};
use crate::output::Output;
use crate::terminal;
use crate::verdict_source::VerdictSource;

pub(super) fn run(arguments: &EvalArguments, colour: Colour) -> Result<u8> {
    if arguments.format == ReportFormat::Html {
        bail!("html reports are not written by this version\n  fix: use --format md, json or text");
    }
    if arguments.checks && arguments.format != ReportFormat::Csv {
        bail!("--checks goes with --format csv\n  fix: add --format csv, or leave --checks out");
    }
    let evaluation = Evaluation::prepare(arguments)?;
    let style = terminal::text_style(colour, arguments.output.is_some());
    let renderer =
        Renderer { format: arguments.format, checks: arguments.checks, style, fail_under: arguments.fail_under };
    let answers: Vec<_> = evaluation.sources.iter().filter_map(VerdictSource::folder).collect();
    let mut batches = Batches::outside(&arguments.paths, arguments.reading.max_size, &answers)?;
    if let Some(output) = arguments.output.as_deref()
        && (batches.reads(output) || arguments.verdicts.iter().any(|path| is_same_file(Path::new(path), output)))
    {
        bail!("{}: is one of the files to be read\n  fix: choose another name for the output", output.display());
    }
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
        let judge = |chat: Result<Chat, Unread>| chat.and_then(|chat| evaluation.judge(chat, only, &renderer));
        let judged: Vec<Result<Judged, Unread>> = chats.into_par_iter().map(judge).collect();
        for outcome in judged {
            if let Some(rendered) = tally.take(outcome, arguments) {
                writer.write(rendered)?;
            }
        }
    }
    // When nothing was judged, no file may appear as if something had been.
    if tally.reports > 0 {
        writer.finish()?;
    }
    tally.say_so();
    Ok(tally.exit_code())
}

/// Everything that stays the same from chat to chat.
struct Evaluation {
    rubric: Rubric,
    weights: Weights,
    sources: Vec<VerdictSource>,
    policy: GatePolicy,
}

/// A chat's report, ready to be written, and what the exit code depends on.
struct Judged {
    id: String,
    origin: String,
    rendered: Rendered,
    gated: bool,
    below: bool,
    unscored: bool,
}

impl Evaluation {
    fn prepare(arguments: &EvalArguments) -> Result<Self> {
        let files = arguments.weights.iter().chain(&arguments.rubric.file).map(PathBuf::as_path);
        let named = arguments.verdicts.iter().chain(&arguments.paths).map(Path::new);
        if files.chain(named).filter(|path| *path == Path::new("-")).count() > 1 {
            bail!("standard input (-) is named twice\n  fix: only one of the inputs can come from it");
        }
        let rubric = super::rubric::load(&arguments.rubric)?;
        let weights = match &arguments.weights {
            Some(path) => {
                let path = path.display().to_string();
                Weights::parse(&rubric, &read_text(&path)?).map_err(|error| anyhow!("{path}: {error}"))?
            }
            None => Weights::equal(&rubric),
        };
        let open = |path: &String| VerdictSource::open(&rubric, path);
        let sources = arguments.verdicts.iter().map(open).collect::<Result<_>>()?;
        let policy = match arguments.gate_policy {
            Policy::Any => GatePolicy::Any,
            Policy::Majority => GatePolicy::Majority,
        };
        Ok(Self { rubric, weights, sources, policy })
    }

    fn judge(&self, chat: Chat, only: bool, renderer: &Renderer) -> Result<Judged, Unread> {
        let origin = chat.origin.clone();
        let unread =
            |error: anyhow::Error| Unread { origin: origin.clone(), message: format!("{error:#}"), passed_over: false };
        let report = self.report(chat, only).map_err(unread)?;
        let rendered = renderer.render(&report, &self.rubric).map_err(unread)?;
        Ok(Judged {
            id: report.transcript.id.clone(),
            origin: origin.clone(),
            gated: report.is_gated(),
            below: renderer.fail_under.is_some_and(|least| report.overall.is_some_and(|score| score < least)),
            unscored: report.has_unscored(),
            rendered,
        })
    }

    fn report(&self, mut chat: Chat, only: bool) -> Result<Report> {
        let submissions = self.submissions(&mut chat, only)?;
        let (transcript, dropped) = chat.into_transcript()?;
        let admit = |(name, submission): (String, Submission)| {
            let admitted = Verdicts::admit(&self.rubric, &transcript, submission);
            admitted.map_err(|error| if name.is_empty() { anyhow!("{error}") } else { anyhow!("{name}: {error}") })
        };
        let mut members = submissions.into_iter().map(admit).collect::<Result<Vec<_>>>()?;
        let source = Source { transcript, dropped };
        Ok(match members.pop() {
            Some(member) if members.is_empty() => Report::assemble(&self.rubric, source, member, &self.weights),
            Some(member) => {
                members.push(member);
                Report::assemble_panel(&self.rubric, source, members, self.policy, &self.weights)
            }
            None => bail!("there are no verdicts on this chat"),
        })
    }

    /// The judges' answers with the file they stand in: from the files named, else from the chat's own record.
    fn submissions(&self, chat: &mut Chat, only: bool) -> Result<Vec<(String, Submission)>> {
        if !self.sources.is_empty() {
            let find = |source: &VerdictSource| source.find(&self.rubric, chat.id(), &chat.fallback_id, only);
            return self.sources.iter().map(find).collect();
        }
        let Some(inline) = chat.reading.verdicts.take() else {
            bail!(
                "there are no verdicts on this chat\n  fix: write a sheet with `carelock sheet PATH -o sheet.csv`, \
                 fill it in, and pass it with --verdicts sheet.csv"
            );
        };
        Ok(vec![(String::new(), Submission::from_json(inline.get())?)])
    }
}

/// What has been seen so far.
#[derive(Default)]
struct Tally {
    chats: usize,
    reports: usize,
    unread: usize,
    gated: usize,
    below: usize,
    unscored: usize,
    gate_failed: bool,
    /// Digests instead of the ids themselves keep a run of millions small.
    ids: HashSet<u64>,
}

impl Tally {
    /// Counts an outcome; what is to be written of it.
    fn take(&mut self, outcome: Result<Judged, Unread>, arguments: &EvalArguments) -> Option<Rendered> {
        let judged = match outcome {
            Ok(judged) => judged,
            Err(unread) if unread.passed_over => {
                say(format_args!("passed over {}: not a transcript", unread.origin));
                return None;
            }
            Err(unread) => return self.refuse(&unread.origin, &unread.message),
        };
        let mut hasher = DefaultHasher::new();
        judged.id.hash(&mut hasher);
        if !self.ids.insert(hasher.finish()) {
            let message =
                format!("the id {:?} is that of an earlier chat\n  fix: give every chat its own id", judged.id);
            return self.refuse(&judged.origin, &message);
        }
        self.chats += 1;
        self.reports += 1;
        self.gated += usize::from(judged.gated);
        self.below += usize::from(judged.below);
        self.unscored += usize::from(judged.unscored);
        self.gate_failed |= judged.gated && arguments.fail_on_gate;
        Some(judged.rendered)
    }

    fn refuse(&mut self, origin: &str, message: &str) -> Option<Rendered> {
        self.chats += 1;
        self.unread += 1;
        say_error(format_args!("{origin}: {message}"));
        None
    }

    /// One line at the end, where there is something to say that the reports do not show at a glance.
    fn say_so(&self) {
        if self.chats > 1 {
            let reports = if self.reports == 1 { "1 report".to_owned() } else { format!("{} reports", self.reports) };
            let mut parts = vec![format!("{} chats", self.chats), reports];
            let counts = [
                (self.gated, "with a gate tripped"),
                (self.below, "below the threshold"),
                (self.unscored, "not fully judged"),
                (self.unread, "could not be evaluated"),
            ];
            parts.extend(counts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
            say(parts.join(", "));
        }
    }

    fn exit_code(&self) -> u8 {
        if self.unread > 0 || self.reports == 0 {
            exit::BAD_INPUT
        } else if self.gate_failed || self.below > 0 {
            exit::NOT_MET
        } else if self.unscored > 0 {
            exit::UNSCORED
        } else {
            exit::DONE
        }
    }
}
