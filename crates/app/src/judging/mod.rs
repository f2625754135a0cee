//! Judges on the command line: which are asked, with which keys, and what becomes of their answers.

mod estimate;
mod record;
mod seat;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use anyhow::{Result, anyhow, bail};
use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;
use carelock_core::verdict::{JudgeInfo, Submission, Tokens, Verdicts};
use carelock_judge::ask::{self, AskOptions, Failure, Graded, Purse};
use carelock_judge::http::{Caller, Cancel, Client, Jitter, Lane, LaneOptions, RetryPolicy};
use carelock_judge::provider::{Cost, Date, JudgeSpec, Resolved, Terms};
use carelock_judge::redact::{RedactOptions, Redaction};
use futures_util::StreamExt as _;

use crate::cli::{JudgeArguments, Redact};
use crate::config::Config;
use crate::embedded::Screening;
use crate::message::say;
use record::{Record, Standing};
pub(crate) use seat::Seat;

/// A chat to be judged and the labels its speakers have.
pub(crate) struct Subject {
    pub(crate) transcript: Transcript,
    pub(crate) labels: Vec<String>,
    /// What the embedded judge makes of it, where it takes part.
    pub(crate) screening: Option<Screening>,
}

/// A judge in its place.
enum Judge {
    Embedded,
    Model(Box<Model>),
}

/// A model that can be asked over the network.
type Model = ask::Judge<Client>;

/// All judges of a run.
pub(crate) struct Judging {
    judges: Vec<Judge>,
    fallback: Option<Model>,
    record: Record,
    redact: Option<Redact>,
    at_once: usize,
    cancel: Cancel,
    purse: Arc<Purse>,
    /// The kinds of failure that were said, with the judge.
    said: Mutex<HashSet<String>>,
}

impl Judging {
    /// Looks every judge up and makes sure that it can be asked; nothing is sent yet.
    pub(crate) fn prepare(seats: &[Seat], arguments: &JudgeArguments, config: &Config) -> Result<Self> {
        config.warnings().iter().for_each(say);
        let settings = config.settings();
        let purse = Arc::new(Purse::new(cap(arguments)?.or(settings.max_cost)));
        let cancel = Cancel::new();
        let mut options = config.client_options()?;
        if let Some(seconds) = arguments.timeout {
            options.call_timeout = Duration::from_secs(seconds);
        }
        let policy = RetryPolicy { total: options.call_timeout.saturating_mul(2), ..RetryPolicy::default() };
        let client = Client::new(&options).map_err(|error| anyhow!("{error}"))?;
        let caller = Arc::new(Caller::new(client, policy, Jitter::seeded(seed()), cancel.clone()));
        let second_look = match (arguments.second_look, arguments.no_second_look) {
            (true, _) => true,
            (_, true) => false,
            _ => settings.second_look.unwrap_or(true),
        };
        let build = |spec: &JudgeSpec| -> Result<Model> {
            let resolved = resolve(spec, arguments, config)?;
            let lane = Lane::new(lane(&resolved, arguments, config)?);
            let options = AskOptions { second_look, context: arguments.context, ..AskOptions::default() };
            // A server of one's own costs nothing that could be capped; that its price is unknown is no news.
            if !resolved.provider.own_server {
                resolved.warnings.iter().for_each(say);
            }
            Ok(Model::new(
                spec.clone(),
                resolved,
                lane,
                Arc::clone(&caller),
                Arc::clone(&purse),
                options,
                SystemTime::now,
            ))
        };
        let seat = |seat: &Seat| match seat {
            Seat::Embedded => Ok(Judge::Embedded),
            Seat::Model(spec) => build(spec).map(|model| Judge::Model(Box::new(model))),
        };
        let judges: Vec<_> = seats.iter().map(seat).collect::<Result<_>>()?;
        let fallback = arguments.fallback.as_ref().or(settings.fallback.as_ref());
        let fallback = fallback.map(|name| build(&stand_in(name)?)).transpose()?;
        let at_once = models(&judges).map(|judge| judge.resolved().provider.concurrency).max().unwrap_or(1);
        let at_once = settings.concurrency.unwrap_or(at_once);
        let at_once = arguments.concurrency.unwrap_or(usize::try_from(at_once)?).max(1);
        let record = Record::open(arguments, config)?;
        let redact = arguments.redact.or(settings.redact.unwrap_or(false).then_some(Redact::On));
        Ok(Self { judges, fallback, record, redact, at_once, cancel, purse, said: Mutex::default() })
    }

    /// What the run would cost, without asking anything.
    pub(crate) fn estimate(&self, rubric: &Rubric, subjects: &[Subject]) -> String {
        subjects.iter().for_each(|subject| self.show_redaction(subject));
        let known = |judge: &Model, subject: &Subject| {
            let asked = self.record.asked(&subject.transcript, judge, self.redact.is_some());
            self.record.find(&asked, rubric).is_ok_and(|known| known.complete.is_some())
        };
        estimate::text(models(&self.judges), rubric, subjects, known)
    }

    /// Every judge's verdicts on every chat, in order.
    pub(crate) fn judge(&self, rubric: &Rubric, subjects: &[Subject]) -> Result<Vec<Result<Vec<Verdicts>>>> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            let numbered = subjects.iter().enumerate();
            let work = futures_util::stream::iter(numbered)
                .map(|(place, subject)| async move { (place, self.panel(rubric, subject).await) });
            let mut judged = Vec::with_capacity(subjects.len());
            // In whatever order they end: a slow chat must not keep the others' places busy. Sorted again below.
            let mut results = work.buffer_unordered(self.at_once);
            while let Some((place, result)) = results.next().await {
                let outcome = match result {
                    // No chat can be judged as things are, so the rest is not tried.
                    Err(Stop::Everything(error)) => {
                        self.cancel.cancel();
                        return Err(error);
                    }
                    Err(Stop::ThisChat(error)) => Err(error),
                    Ok(verdicts) => Ok(verdicts),
                };
                judged.push((place, outcome));
            }
            judged.sort_by_key(|(place, _)| *place);
            Ok(judged.into_iter().map(|(_, outcome)| outcome).collect())
        })
    }

    /// Writes the lock, if one is kept, and says what was spent.
    pub(crate) fn finish(&self) -> Result<()> {
        self.record.finish()?;
        let spent = self.purse.spent();
        if spent != Cost::default() {
            say(format_args!("spent {spent}"));
        }
        Ok(())
    }

    async fn panel(&self, rubric: &Rubric, subject: &Subject) -> Result<Vec<Verdicts>, Stop> {
        self.show_redaction(subject);
        let asked = self.judges.iter().map(|judge| self.verdicts(rubric, subject, judge));
        let answers = futures_util::future::join_all(asked).await;
        answers.into_iter().collect()
    }

    /// What the judge in one place says.
    async fn verdicts(&self, rubric: &Rubric, subject: &Subject, judge: &Judge) -> Result<Verdicts, Stop> {
        match judge {
            Judge::Embedded => {
                let screening = subject.screening.clone().unwrap_or_default();
                admit(rubric, subject, screening.submission)
            }
            Judge::Model(model) => self.ask(rubric, subject, model).await,
        }
    }

    /// A model's verdicts: from the record, by asking, or from the fallback; else all checks unscored with the reason.
    async fn ask(&self, rubric: &Rubric, subject: &Subject, judge: &Model) -> Result<Verdicts, Stop> {
        let (failure, standing) = match self.answers(rubric, subject, judge).await {
            Ok(submission) => return admit(rubric, subject, submission),
            Err(Trouble::Judge(failure, standing)) => (failure, standing),
            Err(Trouble::Record(error)) => return self.locked_fallback(rubric, subject, judge, error).await,
        };
        if failure.stops_everything() {
            return Err(Stop::Everything(anyhow!("judge {}: {failure}", judge.name())));
        }
        let mut reason = failure.to_string();
        if let Some(fallback) = self.fallback.as_ref().filter(|_| failure.wants_fallback()) {
            match self.answers(rubric, subject, fallback).await {
                Ok(submission) => {
                    let because = format!("{}: {reason}", judge.name());
                    return admit(rubric, subject, in_place_of(submission, because));
                }
                Err(Trouble::Judge(second, _)) => reason = format!("{reason}; {}: {second}", fallback.name()),
                Err(Trouble::Record(error)) => return Err(Stop::ThisChat(error)),
            }
        }
        self.say_failure(subject, judge, &reason);
        match standing {
            Some(standing) => admit(rubric, subject, standing.without_the_rest(&reason)),
            None => Ok(Verdicts::unscored(rubric, after(judge, &failure), &reason)),
        }
    }

    /// A panel's report does not show at a glance that a judge is missing. Said once a kind and not once a chat, because
    /// an outage may hit thousands of them.
    fn say_failure(&self, subject: &Subject, judge: &Model, reason: &str) {
        let kind = reason.split(':').next().unwrap_or_default();
        let name = judge.name();
        if self.said.lock().unwrap_or_else(PoisonError::into_inner).insert(format!("{name} {kind}")) {
            say(format_args!("{}: no verdicts of judge {name}: {reason}", subject.transcript.id()));
        }
    }

    /// A judge that refused left nothing in the lock; what the fallback said in its place is there.
    async fn locked_fallback(
        &self,
        rubric: &Rubric,
        subject: &Subject,
        judge: &Model,
        error: anyhow::Error,
    ) -> Result<Verdicts, Stop> {
        let Some(fallback) = self.fallback.as_ref().filter(|_| self.record.is_locked()) else {
            return Err(Stop::ThisChat(error));
        };
        let Ok(submission) = self.answers(rubric, subject, fallback).await else { return Err(Stop::ThisChat(error)) };
        let because = format!("{}: no answers in the lock", judge.name());
        admit(rubric, subject, in_place_of(submission, because))
    }

    async fn answers(&self, rubric: &Rubric, subject: &Subject, judge: &Model) -> Result<Submission, Trouble> {
        let transcript = &subject.transcript;
        let asked = self.record.asked(transcript, judge, self.redact.is_some());
        let found = self.record.find(&asked, rubric).map_err(Trouble::Record)?;
        if let Some(submission) = found.complete {
            return Ok(submission);
        }
        let redaction = self.redact.map(|_| redaction(subject));
        let sent = redaction.as_ref().map_or(transcript, Redaction::redacted);
        let judged = judge.judge(rubric, sent, found.ask.as_deref()).await;
        let Graded { submission, circumstances, .. } =
            judged.map_err(|failure| Trouble::Judge(failure, found.standing.map(Box::new)))?;
        let submission = redaction
            .as_ref()
            .map_or_else(|| submission.clone(), |redaction| redaction.restore_submission(&submission));
        self.record.keep(asked, rubric, found.partial, submission, circumstances).map_err(Trouble::Record)
    }

    /// Lists what is replaced, if that is wanted: once a chat, whoever judges it and whether or not it must be asked.
    fn show_redaction(&self, subject: &Subject) {
        if self.redact == Some(Redact::Show) {
            say(format_args!("{}:\n{}", subject.transcript.id(), redaction(subject).show()));
        }
    }
}

fn redaction(subject: &Subject) -> Redaction {
    let options = RedactOptions { names: subject.labels.clone(), ..RedactOptions::default() };
    Redaction::of(&subject.transcript, &options)
}

/// Answers of a fallback, which say for whom it stands in and why.
fn in_place_of(mut submission: Submission, because: String) -> Submission {
    submission.judge.parameters.insert("fallback_for".to_owned(), because.into());
    submission
}

/// The judge after a failure: a call without an answer may have cost something too.
fn after(judge: &Model, failure: &Failure) -> JudgeInfo {
    let spent = failure.spent();
    let mut info = JudgeInfo::named(judge.name());
    if spent.tokens != Tokens::default() {
        info.tokens = Some(spent.tokens);
        info.cost = judge.resolved().model.price.as_ref().and_then(|_| spent.cost.to_number());
    }
    info
}

/// Why there are no answers: the judge's doing, or the record's.
enum Trouble {
    /// What went wrong, and the answers that stand all the same.
    Judge(Failure, Option<Box<Standing>>),
    Record(anyhow::Error),
}

/// What an error ends.
enum Stop {
    ThisChat(anyhow::Error),
    Everything(anyhow::Error),
}

fn admit(rubric: &Rubric, subject: &Subject, mut submission: Submission) -> Result<Verdicts, Stop> {
    // The judge saw these very turns; under which name is the record's business, not the report's.
    submission.transcript = None;
    Verdicts::admit(rubric, &subject.transcript, submission).map_err(|error| Stop::ThisChat(error.into()))
}

/// The models among the judges.
fn models(judges: &[Judge]) -> impl Iterator<Item = &Model> {
    judges.iter().filter_map(|judge| match judge {
        Judge::Embedded => None,
        Judge::Model(model) => Some(&**model),
    })
}

/// The judge that stands in where another refuses.
fn stand_in(name: &str) -> Result<JudgeSpec> {
    match Seat::parse(name)? {
        Seat::Model(spec) => Ok(spec),
        seat => bail!(
            "--fallback {seat}: only a model can stand in for a model\n  \
             fix: name one such as ollama:llama3.2; {} can sit beside it with --judge",
            carelock_builtin::NAME
        ),
    }
}

fn resolve(spec: &JudgeSpec, arguments: &JudgeArguments, config: &Config) -> Result<Resolved> {
    if !arguments.locked {
        return config.resolve(spec, arguments.connection.allow_plain_http);
    }
    // What is locked can be read again after the model is gone, and from where it would be asked does not matter.
    let today = Date::new(1970, 1, 1).unwrap_or(config.today());
    let terms = Terms { allow_plain_http: true, ..Terms::on(today) };
    let resolved = config.table().resolve(spec, &terms)?;
    Ok(Resolved { warnings: Vec::new(), ..resolved })
}

fn lane(resolved: &Resolved, arguments: &JudgeArguments, config: &Config) -> Result<LaneOptions> {
    if arguments.locked || arguments.dry_run {
        // Nothing is sent, so no key is needed.
        return Ok(LaneOptions::default());
    }
    let mut options = config.lane_options(resolved)?;
    if let Some(concurrency) = arguments.concurrency {
        options.concurrency = concurrency;
    }
    Ok(options)
}

fn cap(arguments: &JudgeArguments) -> Result<Option<Cost>> {
    let Some(text) = &arguments.max_cost else { return Ok(None) };
    let cost = text.parse().map_err(|error| anyhow!("--max-cost: {error}"))?;
    Ok(Some(cost))
}

/// Calls that failed together should not come back together, nor do so in two processes alike.
fn seed() -> u64 {
    u64::from(std::process::id())
}
