//! What batches need of the judges: the business with a provider, and the questions about a chat.

use std::sync::Arc;
use std::time::SystemTime;

use anyhow::{Result, anyhow};
use carelock_core::rubric::Rubric;
use carelock_judge::batch::{Job, WaitOptions};
use carelock_judge::http::Lane;
use carelock_judge::provider::Cost;
use carelock_judge::redact::Redaction;
use carelock_judge::wire::Question;

use super::asking::redaction;
use super::{Judge, Judging, Model, Subject};

impl Judging {
    /// The business with a judge's batches; an error where its provider takes none.
    pub fn job(&self, judge: usize, options: WaitOptions) -> Result<Job> {
        let (model, _) = self.model(judge)?;
        // A lane of its own: a batch that is gone must not stop direct calls.
        let lane = Lane::new(self.lanes.get(judge).cloned().unwrap_or_default());
        Ok(Job::new(model.resolved().clone(), lane, Arc::clone(&self.caller), options, SystemTime::now)?)
    }

    /// How many judges there are.
    pub fn judges(&self) -> usize {
        self.judges.len()
    }

    /// A judge's name and its provider's.
    pub fn names(&self, judge: usize) -> Result<(String, String)> {
        let (model, _) = self.model(judge)?;
        Ok((model.name(), model.resolved().provider.name.clone()))
    }

    /// Whether so much more can be spent.
    pub fn allows(&self, cost: Cost) -> Result<(), String> {
        self.budget.allows(cost)
    }

    /// What a judge is asked first about a chat; nothing where its answers are known or nothing is left to ask.
    pub fn questions(&self, rubric: &Rubric, subject: &Subject, judge: usize) -> Result<Vec<Question>> {
        let (model, divides) = self.model(judge)?;
        let only = divides.then(|| subject.division(rubric).ask);
        if only.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Vec::new());
        }
        let asked = self.record.asked(&subject.transcript, model, self.redact.is_some(), only.as_deref());
        let found = self.record.find(&asked, rubric)?;
        if found.complete.is_some() {
            return Ok(Vec::new());
        }
        let redaction = self.redact.map(|_| redaction(subject));
        let sent = redaction.as_ref().map_or(&subject.transcript, Redaction::redacted);
        // A chat that does not fit the model is told so where it is asked directly.
        Ok(model.first_questions(rubric, sent, found.ask.as_deref().or(only.as_deref())).unwrap_or_default())
    }

    /// A model, and whether it is asked only what the embedded judge is not sure of.
    fn model(&self, judge: usize) -> Result<(&Model, bool)> {
        match self.judges.get(judge) {
            Some(Judge::Model(model)) => Ok((model, false)),
            Some(Judge::Cascade(model)) => Ok((model, true)),
            _ => Err(anyhow!("there is no model in place {judge}")),
        }
    }
}
