//! Judges on the command line: which are asked, with which keys, and what becomes of their answers.

mod asking;
mod batching;
mod estimate;
mod prepare;
mod record;
mod seat;

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use anyhow::Result;
use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;
use carelock_core::verdict::{Submission, Verdicts};
use carelock_judge::ask::{self, Purse};
use carelock_judge::batch::Prepared;
use carelock_judge::cascade::{self, Division};
use carelock_judge::http::{Caller, Cancel, Client, LaneOptions};
use carelock_judge::provider::Cost;
use futures_util::StreamExt as _;

use crate::cli::Redact;
use crate::message::say;
use estimate::Inquiry;
use record::Record;
pub(crate) use seat::Seat;

/// A chat to be judged and the labels its speakers have.
pub(crate) struct Subject {
    pub(crate) transcript: Transcript,
    pub(crate) labels: Vec<String>,
    /// What the embedded judge answers, where it takes part.
    pub(crate) screening: Option<Submission>,
    /// Answers that a batch has brought, for the first questions of the judge that is asked next.
    pub(crate) prepared: Mutex<Prepared>,
}

impl Subject {
    /// A chat on which nothing is known yet.
    pub(crate) fn new(transcript: Transcript, labels: Vec<String>, screening: Option<Submission>) -> Self {
        Self { transcript, labels, screening, prepared: Mutex::default() }
    }

    /// Who answers what in a cascade. Nothing is sure where the embedded judge has not read the chat.
    fn division(&self, rubric: &Rubric) -> Division {
        match &self.screening {
            Some(answers) => cascade::divide(rubric, answers),
            None => cascade::divide(rubric, &Submission::default()),
        }
    }
}

/// A judge in its place.
enum Judge {
    Embedded,
    Model(Box<Model>),
    /// The embedded judge, and a model for the rest.
    Cascade(Box<Model>),
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
    caller: Arc<Caller<Client>>,
    /// How each judge is reached.
    lanes: Vec<LaneOptions>,
    cancel: Cancel,
    purse: Arc<Purse>,
    /// Whether a judge that cannot answer is an error instead of answers without verdicts.
    failing: bool,
    /// The kinds of failure that were said, with the judge.
    said: Mutex<HashSet<String>>,
}

impl Judging {
    /// What the run would cost, without asking anything.
    pub(crate) fn estimate(&self, rubric: &Rubric, subjects: &[Subject]) -> String {
        subjects.iter().for_each(|subject| self.show_redaction(subject));
        let inquiries: Vec<Inquiry<'_>> =
            self.judges.iter().filter_map(|judge| self.inquiry(rubric, subjects, judge)).collect();
        estimate::text(rubric, subjects.len(), &inquiries)
    }

    /// What a judge would have to be asked; nothing for one that is never asked.
    fn inquiry<'a>(&self, rubric: &Rubric, subjects: &'a [Subject], judge: &'a Judge) -> Option<Inquiry<'a>> {
        let (model, divides) = match judge {
            Judge::Embedded => return None,
            Judge::Model(model) => (model, false),
            Judge::Cascade(model) => (model, true),
        };
        let mut inquiry = Inquiry { model, divides, answered: 0, open: Vec::new() };
        for subject in subjects {
            let only = divides.then(|| subject.division(rubric)).map(|division| {
                inquiry.answered += division.sure.len();
                division.ask
            });
            let asked = self.record.asked(&subject.transcript, model, self.redact.is_some(), only.as_deref());
            let is_known = self.record.find(&asked, rubric).is_ok_and(|known| known.complete.is_some());
            if !is_known && only.as_ref().is_none_or(|checks| !checks.is_empty()) {
                inquiry.open.push((subject, only));
            }
        }
        Some(inquiry)
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
                    Err(Stop::ThisChat(error) | Stop::CostCap(error)) => Err(error),
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

    /// The same judges, but one that cannot answer is an error instead of answers without verdicts: it can be asked
    /// again later.
    pub(crate) fn failing(self) -> Self {
        Self { failing: true, ..self }
    }

    /// The same judges, but nothing that was answered before is looked up, and nothing is kept.
    pub(crate) fn without_record(self) -> Self {
        Self { record: Record::default(), ..self }
    }

    /// How many chats are judged at the same time.
    pub(crate) fn at_once(&self) -> usize {
        self.at_once
    }

    /// What has been spent so far.
    pub(crate) fn spent(&self) -> Cost {
        self.purse.spent()
    }

    /// Counts what was spent before towards the cap.
    pub(crate) fn charge(&self, spent: Cost) {
        self.purse.charge(spent);
    }

    /// Calls nobody any more; calls that are under way end.
    pub(crate) fn stop(&self) {
        self.cancel.cancel();
    }

    /// Writes the lock, if one is kept.
    pub(crate) fn keep_lock(&self) -> Result<()> {
        self.record.finish()
    }

    /// What one judge answers on one chat.
    pub(crate) async fn answer(&self, rubric: &Rubric, subject: &Subject, judge: usize) -> Result<Submission, Stop> {
        if judge == 0 {
            self.show_redaction(subject);
        }
        match self.judges.get(judge) {
            Some(judge) => self.submission(rubric, subject, judge).await,
            None => Err(Stop::Everything(anyhow::anyhow!("there is no judge {judge}"))),
        }
    }

    async fn panel(&self, rubric: &Rubric, subject: &Subject) -> Result<Vec<Verdicts>, Stop> {
        self.show_redaction(subject);
        let asked = self.judges.iter().map(|judge| self.verdicts(rubric, subject, judge));
        let answers = futures_util::future::join_all(asked).await;
        answers.into_iter().collect()
    }

    /// What the judge in one place says.
    async fn verdicts(&self, rubric: &Rubric, subject: &Subject, judge: &Judge) -> Result<Verdicts, Stop> {
        admit(rubric, subject, self.submission(rubric, subject, judge).await?)
    }

    async fn submission(&self, rubric: &Rubric, subject: &Subject, judge: &Judge) -> Result<Submission, Stop> {
        match judge {
            Judge::Embedded => Ok(subject.screening.clone().unwrap_or_default()),
            Judge::Model(model) => self.ask(rubric, subject, model, None).await,
            Judge::Cascade(model) => self.cascade(rubric, subject, model).await,
        }
    }

    /// The embedded judge's answers as far as it is sure of them, and the model's to the rest.
    async fn cascade(&self, rubric: &Rubric, subject: &Subject, model: &Model) -> Result<Submission, Stop> {
        let division = subject.division(rubric);
        let second = match division.ask.as_slice() {
            [] => None,
            checks => Some(self.ask(rubric, subject, model, Some(checks)).await?),
        };
        let first = subject.screening.clone().unwrap_or_default();
        let name = cascade::name(&model.name());
        Ok(cascade::combine(rubric, &subject.transcript, &name, first, second, &division))
    }
}

/// What an error ends.
pub(crate) enum Stop {
    /// This judge has no answer on this chat.
    ThisChat(anyhow::Error),
    /// No chat can be judged as things are.
    Everything(anyhow::Error),
    /// The money is spent.
    CostCap(anyhow::Error),
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
        Judge::Model(model) | Judge::Cascade(model) => Some(&**model),
    })
}

#[cfg(test)]
mod tests;
