//! What people answered about the chats of a run, and the reports made of it.

use std::collections::HashMap;

use anyhow::{Context as _, Result, bail};
use carelock_core::problem::Problem;
use carelock_core::report::Report;
use carelock_core::verdict::{Submission, Verdicts};
use carelock_store::{ChatKey, ListedResult, Rating, Run, StoredChat};

use super::report::{heading, scores_of};
use super::{Database, OpenRun, Scoring, StoredReport, shell_word, source_of, trace_of};

/// The answers of a rating, as they are stored.
pub fn answers_of_person(body: &str) -> Result<Submission> {
    serde_json::from_str(body).context("a rating in the database cannot be read")
}

/// The report of a person who has rated a stored chat.
pub fn report_of_person(chat: &StoredChat, answers: Submission, scoring: &Scoring) -> Result<Report> {
    let name = &chat.chat.name;
    let source = source_of(chat.chat.clone()).map_err(|error| error.context(format!("chat {name:?}")))?;
    let judge = answers.judge.name.clone();
    let admitted = Verdicts::admit(&scoring.rubric, &source.transcript, answers);
    let verdicts = admitted.map_err(|error| error.within(&format!("chat {name:?}, judge {judge}")))?;
    let report = scoring.report(source, vec![verdicts])?;
    Ok(Report { heading: heading(chat, None), ..report })
}

/// The finished ratings of a person, in the order of the chats, with their chats.
pub fn finished_by(database: &Database, run: &Run, rater: &str) -> Result<Vec<(StoredChat, Submission)>> {
    let store = database.store();
    let ratings = database.wait(store.finished_ratings(run.key, Some(rater)))?;
    if ratings.is_empty() {
        let database = store.label();
        let name = shell_word(&run.name);
        bail!(
            Problem::new(format!("{database}: nobody called {rater:?} has finished a rating in the run {name}"))
                .advice("see who rates in the web app (`carelock serve`), under Rate")
        );
    }
    let keys: Vec<ChatKey> = ratings.iter().map(|rating| rating.queued.chat).collect();
    let mut bodies: HashMap<ChatKey, Rating> = ratings.into_iter().map(|rating| (rating.queued.chat, rating)).collect();
    let mut found = Vec::with_capacity(keys.len());
    for chat in database.wait(store.chats(&keys))? {
        if let Some(body) = bodies.remove(&chat.key).and_then(|rating| rating.body) {
            found.push((chat, answers_of_person(&body)?));
        }
    }
    Ok(found)
}

impl OpenRun {
    /// Hands on the reports of a person, one after the other; how many that were.
    pub fn each_by(
        &self,
        database: &Database,
        rater: &str,
        mut take: impl FnMut(StoredReport) -> Result<()>,
    ) -> Result<u64> {
        let mut number = 0;
        for (chat, answers) in finished_by(database, &self.run, rater)? {
            let report = report_of_person(&chat, answers, &self.scoring)?;
            let trace = trace_of(&chat.chat);
            let listed = ListedResult {
                chat: chat.key,
                name: chat.chat.name,
                digest: chat.chat.digest,
                origin: chat.chat.origin,
                position: chat.position,
                group: chat.chat.group,
                judge: report.judge.name.clone(),
                scores: scores_of(&self.scoring.rubric, &report),
            };
            number += 1;
            take(StoredReport { listed, report, trace })?;
        }
        Ok(number)
    }
}
