//! From chats to reports: the quick judges answer, the models are asked, and the verdicts are scored.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Instant;

use anyhow::{Context as _, Result};
use carelock_core::report::{Heading, Report, Source};
use carelock_core::transcript::Transcript;
use carelock_core::transcript::formats::ReadOptions;
use carelock_core::verdict::{Submission, Verdicts};
use futures_util::StreamExt as _;
use rayon::prelude::*;

use crate::error::problem;
use crate::event::{Event, Events};
pub use crate::input::ChatInput;
use crate::input::{Batches, Chat, Unread};
use crate::judging::{Stop, Subject};
use crate::panel::{JudgePanel, QuickChat, Recorded};
use crate::runs::Scoring;

/// Chats that are judged, and whose reports are drawn, at a time.
const TOGETHER: usize = 256;

/// Judges, and what their verdicts are scored with.
pub struct Evaluator {
    /// What reports are computed with.
    pub scoring: Scoring,
    /// Who judges.
    pub panel: JudgePanel,
    /// Where events go.
    pub events: Events,
}

/// A chat with the verdicts that need no asking.
pub struct Prepared {
    /// What the conversation is called in its data.
    title: Option<String>,
    subject: Subject,
    dropped: BTreeMap<String, usize>,
    /// By place; none where a model is to be asked.
    verdicts: Vec<Option<Verdicts>>,
}

impl Prepared {
    /// The chat.
    #[must_use]
    pub fn transcript(&self) -> &Transcript {
        &self.subject.transcript
    }

    /// The chat as models are asked about it.
    #[must_use]
    pub fn into_subject(self) -> Subject {
        self.subject
    }

    /// The same chat once more, with nothing asked yet.
    #[must_use]
    pub fn again(&self) -> Self {
        Self {
            title: self.title.clone(),
            subject: self.subject.again(),
            dropped: self.dropped.clone(),
            verdicts: self.verdicts.clone(),
        }
    }
}

impl Evaluator {
    /// The report on one chat.
    pub async fn evaluate(&self, chat: ChatInput) -> Result<Report> {
        self.evaluate_among(chat, true).await
    }

    /// The report on a chat; `only` says whether it is the only chat there is.
    pub async fn evaluate_among(&self, chat: ChatInput, only: bool) -> Result<Report> {
        let mut prepared = self.prepare(chat, only)?;
        self.ask(&mut prepared).await.map_err(Stop::into_error)?;
        self.report(prepared)
    }

    /// The report on a chat by judges that ask nobody.
    pub fn evaluate_at_once(&self, chat: ChatInput, only: bool) -> Result<Report> {
        anyhow::ensure!(self.panel.models().is_none(), "a model must be asked, which takes time");
        self.report(self.prepare(chat, only)?)
    }

    /// The report on one chat, for callers that wait.
    pub fn evaluate_blocking(&self, chat: ChatInput) -> Result<Report> {
        if self.panel.models().is_none() {
            return self.evaluate_at_once(chat, true);
        }
        runtime()?.block_on(self.evaluate(chat))
    }

    /// Evaluates everything that is read, batch by batch. `make` draws on each report in parallel, `take` gets the
    /// outcomes in input order and may end it.
    pub fn evaluate_all<T: Send>(
        &self,
        batches: &mut Batches,
        options: &ReadOptions,
        make: impl Fn(&str, Report) -> Result<T> + Sync,
        mut take: impl FnMut(Result<T, Unread>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        self.each_batch(batches, options, |mut prepared| {
            self.ask_all(&mut prepared)?;
            let one = |(origin, chat): (String, Result<Prepared, Unread>)| {
                let made = self.report(chat?).and_then(|report| make(&origin, report));
                made.map_err(|error| unread(&origin, &error))
            };
            let made: Vec<Result<T, Unread>> = prepared.into_par_iter().map(one).collect();
            for outcome in made {
                if take(outcome)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        })
    }

    /// What it would cost to evaluate everything that is read, in words; nothing is sent.
    pub fn estimate_all(&self, batches: &mut Batches, options: &ReadOptions) -> Result<String> {
        let mut planned = Vec::new();
        self.each_batch(batches, options, |prepared| {
            for (origin, chat) in prepared {
                match chat {
                    Ok(chat) => planned.push(chat.into_subject()),
                    Err(unread) if unread.skipped.is_some() => {}
                    Err(unread) => self.events.warn(&format!("{origin}: not in the estimate: {}", unread.problem)),
                }
            }
            Ok(ControlFlow::Continue(()))
        })?;
        Ok(self.panel.estimate(&self.scoring.rubric, &planned))
    }

    fn each_batch(
        &self,
        batches: &mut Batches,
        options: &ReadOptions,
        mut take: impl FnMut(Vec<(String, Result<Prepared, Unread>)>) -> Result<ControlFlow<()>>,
    ) -> Result<()> {
        let (mut count, mut ahead) = (0, None);
        while let Some(chats) = ahead.take().or_else(|| batches.read_next(options)) {
            for chat in chats.iter().flatten() {
                chat.warnings.iter().for_each(|warning| self.events.warn(&format!("{}: {warning}", chat.origin)));
            }
            let mut only = false;
            if count == 0 && chats.len() == 1 {
                ahead = batches.read_next(options);
                only = ahead.is_none();
            }
            // Models are asked about all of them at once; without models, few reports at a time take little memory.
            let at_once = if self.panel.models().is_some() { usize::MAX } else { TOGETHER };
            let prepare = |chat: Result<Chat, Unread>| match chat {
                Ok(Chat { origin, reading, fallback_id, .. }) => {
                    let prepared = ChatInput::new(reading, &fallback_id).and_then(|chat| self.prepare(chat, only));
                    let prepared = prepared.map_err(|error| unread(&origin, &error));
                    (origin, prepared)
                }
                Err(unread) => (unread.origin.clone(), Err(unread)),
            };
            let mut chats = chats.into_iter();
            loop {
                let some: Vec<_> = chats.by_ref().take(at_once).collect();
                if some.is_empty() {
                    break;
                }
                let prepared: Vec<_> = some.into_par_iter().map(prepare).collect();
                count += prepared
                    .iter()
                    .filter(|(_, chat)| !matches!(chat, Err(unread) if unread.skipped.is_some()))
                    .count();
                if take(prepared)?.is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// A chat with the verdicts that need no asking; `only` says whether it is the only chat there is.
    pub fn prepare(&self, chat: ChatInput, only: bool) -> Result<Prepared> {
        let ChatInput { transcript, title, dropped, labels, own, file } = chat;
        let rubric = &self.scoring.rubric;
        let recorded = self.panel.recorded(rubric, transcript.id(), &file, only)?;
        // Where a judge is named, what stands in the chat's own record is not that judge's answer.
        let own = own.filter(|_| self.panel.takes_own());
        let own = own.map(|own| Submission::from_json(own.get())).transpose()?;
        let places: Vec<u32> = self.panel.places().collect();
        let screening = self.panel.screening(rubric, &transcript, &places);
        let quick = QuickChat {
            transcript: &transcript,
            id: transcript.id(),
            file: &file,
            own: own.as_ref(),
            screening: screening.as_ref(),
            only,
        };
        let answer = |(place, recorded): (u32, Recorded)| -> Result<Option<Verdicts>> {
            if !self.panel.is_quick(place) {
                return Ok(None);
            }
            let (name, submission) = recorded.map_or_else(|| self.panel.quick(rubric, &quick, place), Ok)?;
            let admitted = Verdicts::admit(rubric, &transcript, submission);
            Ok(Some(admitted.map_err(|error| error.within(&name))?))
        };
        let verdicts = places.into_iter().zip(recorded).map(answer).collect::<Result<Vec<_>>>()?;
        Ok(Prepared { title, subject: Subject::new(transcript, labels, screening), dropped, verdicts })
    }

    /// Asks the models about a chat.
    pub async fn ask(&self, chat: &mut Prepared) -> Result<(), Stop> {
        let (rubric, subject) = (&self.scoring.rubric, &chat.subject);
        let open = (0..).zip(&chat.verdicts).filter(|(_, verdicts)| verdicts.is_none());
        let ask = |place: u32| async move {
            let submission = self.panel.ask(rubric, subject, place).await?;
            // The judge saw these very turns; under which name is the record's business, not the report's.
            let submission = Submission { transcript: None, ..submission };
            Verdicts::admit(rubric, &subject.transcript, submission).map_err(|error| Stop::ThisChat(error.into()))
        };
        let asked = futures_util::future::join_all(open.map(|(place, _)| ask(place))).await;
        let mut asked = asked.into_iter();
        for place in chat.verdicts.iter_mut().filter(|verdicts| verdicts.is_none()) {
            *place = asked.next().transpose()?;
        }
        Ok(())
    }

    /// Asks the models about all chats that can be judged, as many at a time as is set. Where no chat can be judged as
    /// things are, the rest is not tried; what was answered until then is kept.
    pub fn ask_all(&self, chats: &mut [(String, Result<Prepared, Unread>)]) -> Result<()> {
        let Some(models) = self.panel.models() else { return Ok(()) };
        let total = chats.iter().filter(|(_, chat)| chat.is_ok()).count();
        let progress = AskProgress { total, started: Instant::now() };
        let mut done = 0;
        runtime()?.block_on(async {
            let open = chats.iter_mut().filter(|(_, chat)| chat.is_ok());
            // In whatever order they end: a slow chat must not keep the others' places busy.
            let mut asked =
                futures_util::stream::iter(open).map(|chat| self.ask_one(chat)).buffer_unordered(models.at_once());
            self.events.tell(&progress.now(0));
            while let Some(outcome) = asked.next().await {
                done += 1;
                self.events.tell(&progress.now(done));
                if let Err(error) = outcome {
                    self.events.tell(&progress.now(total));
                    self.panel.stop();
                    // What was answered until then was paid for.
                    self.panel.finish()?;
                    return Err(error);
                }
            }
            Ok(())
        })
    }

    /// Asks about one of several chats; an error where no chat can be judged.
    async fn ask_one(&self, (origin, slot): &mut (String, Result<Prepared, Unread>)) -> Result<()> {
        let Ok(chat) = slot else { return Ok(()) };
        match self.ask(chat).await {
            Ok(()) => {}
            Err(Stop::Everything(error)) => return Err(error),
            Err(Stop::ThisChat(error) | Stop::CostCap(error)) => *slot = Err(unread(origin, &error)),
        }
        Ok(())
    }

    /// The report on a chat whose judges have all answered.
    pub fn report(&self, chat: Prepared) -> Result<Report> {
        let Prepared { title, subject, dropped, verdicts } = chat;
        let source = Source { transcript: subject.transcript, dropped };
        let report = self.scoring.report(source, verdicts.into_iter().flatten().collect())?;
        Ok(Report { heading: Heading { title, judged: None }, ..report })
    }
}

/// How far the asking is.
struct AskProgress {
    total: usize,
    started: Instant,
}

impl AskProgress {
    /// What there is to tell once so many chats are through.
    fn now(&self, done: usize) -> Event {
        let left = (done > 0).then(|| self.started.elapsed().mul_f64((self.total - done) as f64 / done as f64));
        Event::Asked { done, total: self.total, left }
    }
}

fn unread(origin: &str, error: &anyhow::Error) -> Unread {
    Unread::new(origin, problem(error))
}

fn runtime() -> Result<tokio::runtime::Runtime> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().context("no thread can be started")
}
