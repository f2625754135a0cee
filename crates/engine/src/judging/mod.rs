//! Judges that are asked: which they are, with which keys, and what becomes of their answers.

mod asking;
mod batching;
mod estimate;
mod listing;
pub(crate) mod prepare;
mod record;
mod share;

use std::collections::HashSet;
use std::sync::{Arc, Mutex};

use anyhow::Result;
use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;
use carelock_core::verdict::Submission;
use carelock_judge::ask::{self, Budget};
use carelock_judge::batch::Prepared;
use carelock_judge::cascade::{self, Division};
use carelock_judge::http::{Caller, CancellationToken, Client, LaneOptions};
use carelock_judge::provider::Cost;

use crate::event::{Event, Events};
pub use crate::judge_kind::JudgeKind;
use crate::options::Redact;
use estimate::Inquiry;
pub use listing::{listing, listing_json};
use record::Record;

/// A chat to be judged and the labels its speakers have.
pub struct Subject {
    /// The chat.
    pub transcript: Transcript,
    /// The labels of its speakers.
    pub labels: Vec<String>,
    /// What the embedded judge answers, where it takes part.
    pub screening: Option<Submission>,
    /// Answers that a batch has brought, for the first questions of the judge that is asked next.
    pub prepared: Mutex<Prepared>,
}

impl Subject {
    /// A chat on which nothing is known yet.
    pub fn new(transcript: Transcript, labels: Vec<String>, screening: Option<Submission>) -> Self {
        Self { transcript, labels, screening, prepared: Mutex::default() }
    }

    /// The same chat once more.
    #[must_use]
    pub fn again(&self) -> Self {
        Self::new(self.transcript.clone(), self.labels.clone(), self.screening.clone())
    }

    /// Who answers what in a cascade. Nothing is sure where the embedded judge has not read the chat.
    fn division(&self, rubric: &Rubric) -> Division {
        match &self.screening {
            Some(answers) => cascade::divide(rubric, answers),
            None => cascade::divide(rubric, &Submission::default()),
        }
    }
}

/// A model in its place.
enum Judge {
    /// It is asked everything.
    Model(Box<Model>),
    /// The embedded judge, and a model for the rest.
    Cascade(Box<Model>),
}

/// A model that can be asked over the network.
type Model = ask::Judge<Client>;

/// All models that are asked.
pub struct Judging {
    judges: Vec<Judge>,
    fallback: Option<Model>,
    record: Record,
    redact: Option<Redact>,
    at_once: usize,
    caller: Arc<Caller<Client>>,
    /// How each judge is reached.
    lanes: Vec<LaneOptions>,
    cancel: CancellationToken,
    budget: Arc<Budget>,
    events: Events,
    /// Whether a judge that cannot answer is an error instead of answers without verdicts.
    failing: bool,
    /// Whether workers share the cap, so that what an earlier try paid for counts towards it.
    shares: bool,
    /// The kinds of failure that were said, with the judge.
    said: Mutex<HashSet<String>>,
}

impl Judging {
    /// What it would cost to ask these models, if any, about these chats; nothing is asked.
    #[must_use]
    pub fn estimate(models: Option<&Self>, rubric: &Rubric, subjects: &[Subject]) -> String {
        let inquiries: Vec<Inquiry<'_>> = models.map(|models| models.inquiries(rubric, subjects)).unwrap_or_default();
        estimate::text(rubric, subjects.len(), models.map_or(1, Self::at_once), &inquiries)
    }

    fn inquiries<'a>(&'a self, rubric: &Rubric, subjects: &'a [Subject]) -> Vec<Inquiry<'a>> {
        subjects.iter().for_each(|subject| self.show_redaction(subject));
        self.judges.iter().map(|judge| self.inquiry(rubric, subjects, judge)).collect()
    }

    /// What a model would have to be asked.
    fn inquiry<'a>(&self, rubric: &Rubric, subjects: &'a [Subject], judge: &'a Judge) -> Inquiry<'a> {
        let (model, divides) = match judge {
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
        inquiry
    }

    /// Writes the lock, if one is kept, and says what was spent.
    pub fn finish(&self) -> Result<()> {
        self.record.finish()?;
        let spent = self.budget.spent();
        if spent != Cost::default() {
            self.events.tell(&Event::Spent(spent));
        }
        Ok(())
    }

    /// The same judges, but one that cannot answer is an error instead of answers without verdicts: it can be asked
    /// again later.
    pub fn failing(self) -> Self {
        Self { failing: true, ..self }
    }

    /// The same judges, but nothing that was answered before is looked up, and nothing is kept.
    pub fn without_record(self) -> Self {
        Self { record: Record::new(self.events.clone()), ..self }
    }

    /// How many chats are judged at the same time.
    pub fn at_once(&self) -> usize {
        self.at_once
    }

    /// What has been spent so far.
    pub fn spent(&self) -> Cost {
        self.budget.spent()
    }

    /// Counts what was spent before towards the cap.
    pub fn charge(&self, spent: Cost) {
        self.budget.charge(spent);
    }

    /// Calls nobody any more; calls that are under way end.
    pub fn stop(&self) {
        self.cancel.cancel();
    }

    /// Writes the lock, if one is kept.
    pub fn keep_lock(&self) -> Result<()> {
        self.record.finish()
    }

    /// What one judge answers on one chat.
    pub async fn answer(&self, rubric: &Rubric, subject: &Subject, judge: usize) -> Result<Submission, Stop> {
        if judge == 0 {
            self.show_redaction(subject);
        }
        match self.judges.get(judge) {
            Some(judge) => self.submission(rubric, subject, judge).await,
            None => Err(Stop::Everything(anyhow::anyhow!("there is no judge {judge}"))),
        }
    }

    async fn submission(&self, rubric: &Rubric, subject: &Subject, judge: &Judge) -> Result<Submission, Stop> {
        match judge {
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
pub enum Stop {
    /// This judge has no answer on this chat.
    ThisChat(anyhow::Error),
    /// No chat can be judged as things are.
    Everything(anyhow::Error),
    /// The money is spent.
    CostCap(anyhow::Error),
}

impl Stop {
    /// The error, whatever it ends.
    #[must_use]
    pub fn into_error(self) -> anyhow::Error {
        match self {
            Self::ThisChat(error) | Self::Everything(error) | Self::CostCap(error) => error,
        }
    }
}

impl Judge {
    fn model(&self) -> &Model {
        match self {
            Self::Model(model) | Self::Cascade(model) => model,
        }
    }
}

#[cfg(test)]
mod tests;
