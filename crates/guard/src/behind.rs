//! The judge behind the guard: a model that is asked about a chat after each reply, and for which no stream waits.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use carelock_core::problem::Problem;
use carelock_core::report::{GateReport, Report};
use carelock_core::scorecard::Weights;
use carelock_core::transcript::{Speaker, Transcript};
use carelock_engine::config::Config;
use carelock_engine::evaluate::Evaluator;
use carelock_engine::event::Events;
use carelock_engine::judging::{JudgeKind, Stop};
use carelock_engine::options::JudgeOptions;
use carelock_engine::panel::JudgePanel;
use carelock_engine::runs::Scoring;
use carelock_engine::session::{Change, ChangeKind, Watcher};
use tokio::sync::Semaphore;

use crate::policy::Policy;
use crate::pool::{Effort, Pool};
use crate::sessions::Entry;

/// How many chats may wait for each one that is asked about.
const WAITING: usize = 32;

/// How long a chat may take to be made ready for it.
const PREPARED: Duration = Duration::from_secs(60);

/// A model, and how many chats it is asked about at once.
pub(crate) struct Behind {
    name: String,
    evaluator: Arc<Evaluator>,
    at_once: Semaphore,
    waiting: Semaphore,
}

impl Behind {
    /// The judge that a policy names, where it names one. Keys are looked up; nothing is sent yet.
    pub(crate) fn new(policy: &Policy, config: &Config, watcher: &Watcher) -> Result<Option<Self>> {
        let Some(name) = policy.judge.as_deref() else { return Ok(None) };
        let kind = JudgeKind::parse(name).map_err(|problem| problem.within("judge"))?;
        if kind.model().is_none() {
            let problem = Problem::located(
                "judge",
                format!("{name} is no model"),
                "name a model; the guard reads chats with the embedded judge in any case",
            );
            return Err(problem.into());
        }
        // Nothing of a chat is kept on this machine.
        let options = JudgeOptions {
            no_cache: true,
            timeout: Some(policy.judge_seconds.max(1)),
            allow_plain_http: policy.allow_plain_http,
            ..JudgeOptions::default()
        };
        let events = Events::default();
        let panel = JudgePanel::new(&[kind], &options, config, &events)?.without_record().failing();
        let rubric = watcher.rubric().clone();
        let scoring =
            Scoring { weights: Weights::equal(&rubric), rubric, rules: carelock_core::panel::PanelRules::default() };
        let at_once = policy.judge_at_once.max(1);
        Ok(Some(Self {
            name: name.trim().to_owned(),
            evaluator: Arc::new(Evaluator { scoring, panel, events }),
            at_once: Semaphore::new(at_once),
            waiting: Semaphore::new(at_once * WAITING),
        }))
    }

    /// What the judge says about a chat that has so many turns now: gates that it had not found before, or that it gave no
    /// answer. Nothing where the chat has gone on since, because then it is asked about again.
    pub(crate) async fn ask(&self, number: &str, entry: &Entry, turns: usize, pool: &Pool) -> Vec<Change> {
        let Ok(_place) = self.waiting.try_acquire() else {
            return vec![self.silent(turns, "too many chats wait for it".to_owned())];
        };
        let Ok(_turn) = self.at_once.acquire().await else { return Vec::new() };
        match self.answer(number, entry, turns, pool).await {
            Ok(Some(report)) => self.found(entry, turns, &report),
            Ok(None) => Vec::new(),
            Err(error) => vec![self.silent(turns, format!("{error:#}"))],
        }
    }

    async fn answer(&self, number: &str, entry: &Entry, turns: usize, pool: &Pool) -> Result<Option<Report>> {
        let said: Vec<(Speaker, String)> = {
            let session = entry.session.lock().await;
            if session.turns().len() != turns {
                return Ok(None);
            }
            session.turns().iter().map(|turn| (turn.speaker, turn.text.clone())).collect()
        };
        let size = said.iter().map(|(_, text)| text.len()).sum();
        let chat = Transcript::new(number, said)?;
        let evaluator = Arc::clone(&self.evaluator);
        let prepared = pool.run(PREPARED, Effort::Turns(size), move || evaluator.prepare(chat.into(), true)).await;
        let mut prepared = prepared.map_err(|error| anyhow::anyhow!(error.reason()))??;
        self.evaluator.ask(&mut prepared).await.map_err(Stop::into_error)?;
        Ok(Some(self.evaluator.report(prepared)?))
    }

    fn found(&self, entry: &Entry, turns: usize, report: &Report) -> Vec<Change> {
        let rubric = &self.evaluator.scoring.rubric;
        let gates: Vec<String> = report.gates.iter().map(|gate| gate.check.to_string()).collect();
        let new = entry.found_by_model(&gates);
        let is_new = |gate: &&GateReport| new.iter().any(|check| **check == *gate.check);
        let change = |gate: &GateReport| Change {
            check: Some(gate.check.to_string()),
            title: rubric.position(&gate.check).map(|place| rubric.check(place).title.clone()),
            quote: gate.quote.clone(),
            turns: gate.turns.clone(),
            why: gate.why.clone(),
            judge: Some(self.name.clone()),
            ..Change::new(ChangeKind::Gate, turn(turns))
        };
        report.gates.iter().filter(is_new).map(change).collect()
    }

    fn silent(&self, turns: usize, why: String) -> Change {
        Change { why, judge: Some(self.name.clone()), ..Change::new(ChangeKind::NoAnswer, turn(turns)) }
    }
}

fn turn(turns: usize) -> u32 {
    u32::try_from(turns).unwrap_or(u32::MAX)
}
