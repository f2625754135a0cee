//! Asking a model about a chat, with everything that can stand in for its answer: the record, the fallback, the reason.

use std::sync::PoisonError;

use anyhow::anyhow;
use carelock_core::rubric::Rubric;
use carelock_core::verdict::{Answer, JudgeInfo, Pass, Submission, Tokens};
use carelock_judge::ask::{Failure, Graded};
use carelock_judge::redact::{RedactOptions, Redaction};

use super::record::PartialAnswers;
use super::{Judging, Model, Stop, Subject, share};
use crate::event::Event;
use crate::options::Redact;

impl Judging {
    /// A model's answers to all checks or only some: from the record, by asking, or from the fallback; else what was asked
    /// is unscored with the reason.
    pub(super) async fn ask(
        &self,
        rubric: &Rubric,
        subject: &Subject,
        judge: &Model,
        only: Option<&[String]>,
    ) -> Result<Submission, Stop> {
        let (failure, standing) = match self.answers(rubric, subject, judge, only).await {
            Ok(submission) => return Ok(submission),
            Err(Trouble::Judge(failure, standing)) => (failure, standing),
            Err(Trouble::Record(error)) => return self.locked_fallback(rubric, subject, judge, only, error).await,
        };
        if failure.stops_everything() {
            return Err(Stop::Everything(anyhow!("judge {}: {failure}", judge.name())));
        }
        let mut reason = failure.to_string();
        if let Some(fallback) = self.fallback.as_ref().filter(|_| failure.wants_fallback()) {
            match self.answers(rubric, subject, fallback, only).await {
                Ok(submission) => {
                    let because = format!("{}: {reason}", judge.name());
                    return Ok(in_place_of(submission, because));
                }
                Err(Trouble::Judge(second, _)) => reason = format!("{reason}; {}: {second}", fallback.name()),
                Err(Trouble::Record(error)) => return Err(Stop::ThisChat(error)),
            }
        }
        if self.failing {
            let error = anyhow!("judge {}: {reason}", judge.name());
            let capped = matches!(failure.kind(), Failure::CostCap(_));
            return Err(if capped { Stop::CostCap(error) } else { Stop::ThisChat(error) });
        }
        self.say_failure(subject, judge, &reason);
        Ok(match standing {
            Some(standing) => standing.without_the_rest(&reason),
            None => unscored(rubric, only, after(judge, &failure), &reason),
        })
    }

    /// A panel's report does not show at a glance that a judge is missing. Said once a kind and not once a chat, because
    /// an outage may hit thousands of them.
    fn say_failure(&self, subject: &Subject, judge: &Model, reason: &str) {
        let kind = reason.split(':').next().unwrap_or_default();
        let name = judge.name();
        if self.said.lock().unwrap_or_else(PoisonError::into_inner).insert(format!("{name} {kind}")) {
            let (chat, reason) = (subject.transcript.id().to_owned(), reason.to_owned());
            self.events.tell(&Event::NoVerdicts { chat, judge: name, reason });
        }
    }

    /// A judge that refused left nothing in the lock; what the fallback said in its place is there.
    async fn locked_fallback(
        &self,
        rubric: &Rubric,
        subject: &Subject,
        judge: &Model,
        only: Option<&[String]>,
        error: anyhow::Error,
    ) -> Result<Submission, Stop> {
        let Some(fallback) = self.fallback.as_ref().filter(|_| self.record.is_locked()) else {
            return Err(Stop::ThisChat(error));
        };
        let found = self.answers(rubric, subject, fallback, only).await;
        let Ok(submission) = found else { return Err(Stop::ThisChat(error)) };
        let because = format!("{}: no answers in the lock", judge.name());
        Ok(in_place_of(submission, because))
    }

    async fn answers(
        &self,
        rubric: &Rubric,
        subject: &Subject,
        judge: &Model,
        only: Option<&[String]>,
    ) -> Result<Submission, Trouble> {
        let transcript = &subject.transcript;
        let asked = self.record.asked(transcript, judge, self.redact.is_some(), only);
        let found = self.record.find(&asked, rubric).map_err(Trouble::Record)?;
        if let Some(submission) = found.complete {
            if self.shares {
                self.charge(share::paid(&submission));
            }
            return Ok(submission);
        }
        let redaction = self.redact.map(|_| redaction(subject));
        let sent = redaction.as_ref().map_or(transcript, Redaction::redacted);
        let prepared = std::mem::take(&mut *subject.prepared.lock().unwrap_or_else(PoisonError::into_inner));
        let judged = judge.judge_with(rubric, sent, found.ask.as_deref().or(only), prepared).await;
        let Graded { submission, circumstances, .. } =
            judged.map_err(|failure| Trouble::Judge(failure, found.standing.map(Box::new)))?;
        let submission = redaction
            .as_ref()
            .map_or_else(|| submission.clone(), |redaction| redaction.restore_submission(&submission));
        self.record.keep(asked, rubric, found.partial, submission, circumstances).map_err(Trouble::Record)
    }

    /// Lists what is replaced, if that is wanted: once a chat, whoever judges it and whether or not it must be asked.
    pub(super) fn show_redaction(&self, subject: &Subject) {
        if self.redact == Some(Redact::Show) {
            let chat = subject.transcript.id().to_owned();
            self.events.tell(&Event::Redacted { chat, list: redaction(subject).show() });
        }
    }
}

pub(super) fn redaction(subject: &Subject) -> Redaction {
    let options = RedactOptions { names: subject.labels.clone(), ..RedactOptions::default() };
    Redaction::new(&subject.transcript, &options)
}

/// Answers of a fallback, which say for whom it stands in and why.
fn in_place_of(mut submission: Submission, because: String) -> Submission {
    submission.judge.parameters.insert("fallback_for".to_owned(), because.into());
    submission
}

/// No answer to anything that was asked.
fn unscored(rubric: &Rubric, only: Option<&[String]>, judge: JudgeInfo, reason: &str) -> Submission {
    let asked = rubric.checks().map(|check| &check.id).filter(|id| only.is_none_or(|only| only.contains(id)));
    let open = |id: &String| (id.clone(), Answer { pass: Pass::Unscored(reason.to_owned()), ..Answer::default() });
    Submission { judge, verdicts: asked.map(open).collect(), ..Submission::default() }
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
    Judge(Failure, Option<Box<PartialAnswers>>),
    Record(anyhow::Error),
}
