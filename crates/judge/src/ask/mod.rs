//! Asking a model about a chat: from the prompt to answers that are complete, validated and counted, or to a stated failure.

mod budget;
mod exchange;
mod failure;
mod info;
mod plan;
mod talk;

use std::sync::Arc;
use std::time::SystemTime;

use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;
use carelock_core::verdict::Submission;

pub use budget::{Budget, Spent};
pub use failure::Failure;
pub use talk::{Said, Talker};

use crate::batch::Prepared;
use crate::http::{Caller, Lane, Transport};
use crate::lock::Circumstances;
use crate::prompt::{Prompt, doubtful, merge, second_look, settle};
use crate::provider::{JudgeSpec, Resolved, StructuredOutput};
use crate::wire::{Message, Question};
use exchange::{Exchange, Tally};
use plan::Plan;

/// How a judge is asked.
#[derive(Clone, Copy, Debug)]
pub struct AskOptions {
    /// Whether answers that contradict each other or rest on nothing are asked once more.
    pub second_look: bool,
    /// How often an answer that cannot be used is asked for again.
    pub reasks: u32,
    /// How many turns one part of a long chat shares with the next.
    pub overlap: usize,
    /// The model's context in tokens, where the table does not know it or knows it wrongly.
    pub context: Option<u64>,
}

impl Default for AskOptions {
    fn default() -> Self {
        Self { second_look: true, reasks: 2, overlap: 4, context: None }
    }
}

/// A model that can be asked.
pub struct Judge<T> {
    spec: JudgeSpec,
    resolved: Resolved,
    lane: Lane,
    caller: Arc<Caller<T>>,
    budget: Arc<Budget>,
    options: AskOptions,
    clock: fn() -> SystemTime,
    /// The mechanism that works with this server; learned once, then used for every chat.
    mechanism: std::sync::Mutex<StructuredOutput>,
    /// The context the server has told us about, where it is smaller than we thought.
    context: std::sync::Mutex<Option<u64>>,
}

/// Answers that can be used, and how they came about.
#[derive(Clone, Debug)]
pub struct Graded {
    /// The answers.
    pub submission: Submission,
    /// How they came about.
    pub circumstances: Circumstances,
    /// What they took.
    pub spent: Spent,
}

impl<T: Transport> Judge<T> {
    /// Puts a judge together.
    pub fn new(
        spec: JudgeSpec,
        resolved: Resolved,
        lane: Lane,
        caller: Arc<Caller<T>>,
        budget: Arc<Budget>,
        options: AskOptions,
        clock: fn() -> SystemTime,
    ) -> Self {
        let mechanism = std::sync::Mutex::new(resolved.model.structured);
        let context = std::sync::Mutex::new(options.context.or(resolved.model.context));
        Self { spec, resolved, lane, caller, budget, options, clock, mechanism, context }
    }

    /// The judge's name.
    pub fn name(&self) -> String {
        self.spec.to_string()
    }

    /// What is known about the model and its provider.
    pub fn resolved(&self) -> &Resolved {
        &self.resolved
    }

    /// Everything beside the prompt that can change an answer: part of the key under which answers are kept.
    pub fn parameters(&self) -> serde_json::Map<String, serde_json::Value> {
        info::parameters(&self.resolved, &self.options)
    }

    /// Asks about a chat: all checks, or only some of them.
    pub async fn judge(
        &self,
        rubric: &Rubric,
        transcript: &Transcript,
        only: Option<&[String]>,
    ) -> Result<Graded, Failure> {
        self.judge_with(rubric, transcript, only, Prepared::default()).await
    }

    /// The questions that are asked about a chat first, for a batch. What follows depends on the answers.
    pub fn first_questions(
        &self,
        rubric: &Rubric,
        transcript: &Transcript,
        only: Option<&[String]>,
    ) -> Result<Vec<Question>, Failure> {
        // Not what was learned of the server meanwhile: after a restart the same questions must come out.
        let context = self.options.context.or(self.resolved.model.context);
        let plan = Plan::make(rubric, transcript, only, context, &self.resolved, self.options.overlap)?;
        let of_group = |group: &plan::Group| {
            let (system, checks) = (group.prompt.system(), group.prompt.checks());
            let exchange = Exchange { judge: self, rubric, system, checks };
            let room = exchange.within_reach(group.room);
            let question = |planned: &plan::Planned| {
                exchange.question(&[Message { from_model: false, text: planned.message.clone() }], room)
            };
            group.questions.iter().map(question).collect::<Vec<_>>()
        };
        Ok(plan.groups.iter().flat_map(of_group).collect())
    }

    /// Asks about a chat with answers of a batch at hand: where there is one for a question, it is read as if the
    /// model had just given it. Everything else is asked directly.
    pub async fn judge_with(
        &self,
        rubric: &Rubric,
        transcript: &Transcript,
        only: Option<&[String]>,
        prepared: Prepared,
    ) -> Result<Graded, Failure> {
        let mut tally = Tally { prepared, ..Tally::default() };
        let result = self.answers(rubric, transcript, only, &mut tally).await;
        let (submission, windows) = match result {
            Ok(answered) => answered,
            Err(failure) => return Err(failure.with_spent(tally.spent)),
        };
        let submission = Submission { judge: info::judge(self, &tally), ..submission };
        let circumstances = Circumstances {
            created: None,
            fingerprint: tally.fingerprint.clone(),
            repaired: tally.repaired,
            windows,
            notes: tally.notes.clone(),
        };
        Ok(Graded { submission, circumstances, spent: tally.spent })
    }

    async fn answers(
        &self,
        rubric: &Rubric,
        transcript: &Transcript,
        only: Option<&[String]>,
        tally: &mut Tally,
    ) -> Result<(Submission, u32), Failure> {
        let stated = self.options.context.or(self.resolved.model.context);
        let mut fitting: Option<u64> = None;
        // A server that finds a question too long gets shorter ones, a few times, never for ever.
        for _ in 0..4 {
            let known = *lock(&self.context);
            if let Some(limit) = known.filter(|_| known != stated) {
                tally.note(format!("the server's context is {limit} tokens"));
            }
            let context = [known, fitting].into_iter().flatten().min();
            let plan = Plan::make(rubric, transcript, only, context, &self.resolved, self.options.overlap)?;
            match self.follow(rubric, transcript, &plan, tally).await {
                Err(Failure::TooLong { limit: Some(limit), .. }) if context.is_none_or(|known| limit < known) => {
                    let mut shared = lock(&self.context);
                    *shared = Some(shared.map_or(limit, |other| other.min(limit)));
                }
                Err(Failure::TooLong { .. }) => {
                    // It does not say what fits, so half of what did not is tried, for this chat alone: what others are
                    // asked must not depend on the order in which chats come.
                    let asked = plan.largest_question();
                    fitting = Some(context.map_or(asked, |context| context.min(asked)) / 2);
                    tally.note(format!("a question of about {asked} tokens did not fit the server's context"));
                }
                other => return other,
            }
        }
        Err(Failure::TooLong { what: "the chat does not fit the model, not even in parts".to_owned(), limit: None })
    }

    async fn follow(
        &self,
        rubric: &Rubric,
        transcript: &Transcript,
        plan: &Plan,
        tally: &mut Tally,
    ) -> Result<(Submission, u32), Failure> {
        let mut whole: Option<Submission> = None;
        let mut windows = 1;
        for group in &plan.groups {
            let mut parts = Vec::with_capacity(group.questions.len());
            for question in &group.questions {
                let exchange =
                    Exchange { judge: self, rubric, system: group.prompt.system(), checks: group.prompt.checks() };
                let answer = exchange.ask(&question.message, group.room, tally).await?;
                parts.push((question.window, answer.submission));
            }
            windows = windows.max(parts.len());
            let merged = merge(rubric, transcript, &parts).map_err(|error| Failure::Invalid(error.to_string()))?;
            match &mut whole {
                None => whole = Some(merged),
                Some(whole) => whole.verdicts.extend(merged.verdicts),
            }
        }
        let mut first = whole.unwrap_or_default();
        if windows > 1 {
            tally.note(format!("judged in {windows} overlapping parts"));
        }
        if plan.groups.len() > 1 {
            tally.note(format!("asked in {} groups of checks", plan.groups.len()));
        }
        if self.options.second_look {
            first = self.look_again(rubric, transcript, plan, first, tally).await?;
        }
        Ok((first, u32::try_from(windows).unwrap_or(u32::MAX)))
    }

    /// Asks once more, alone, what contradicts itself or rests on nothing. If that fails, the first answers stand.
    async fn look_again(
        &self,
        rubric: &Rubric,
        transcript: &Transcript,
        plan: &Plan,
        first: Submission,
        tally: &mut Tally,
    ) -> Result<Submission, Failure> {
        let invalid = |error: carelock_core::problem::Problem| Failure::Invalid(error.to_string());
        let weak = doubtful(rubric, transcript, &first).map_err(invalid)?;
        let budget = plan.chat_budget;
        let Some(look) = second_look(rubric, transcript, &first, &weak, budget).map_err(invalid)? else {
            return Ok(first);
        };
        // Where one prompt holds all checks it is used again, so that the provider's cache hits.
        let prompt = match plan.groups.as_slice() {
            [only] => only.prompt.clone(),
            _ => Prompt::focused(rubric, &look.checks),
        };
        let exchange = Exchange { judge: self, rubric, system: prompt.system(), checks: &look.checks };
        let room = plan.room_for(look.checks.len());
        match exchange.ask(&look.message, room, tally).await {
            Ok(second) => {
                let (settled, changed) = settle(rubric, transcript, first, &second.submission).map_err(invalid)?;
                tally.note(format!("second look at {} checks, {} changed", look.checks.len(), changed.len()));
                Ok(settled)
            }
            Err(failure) if failure.stops_everything() => Err(failure),
            Err(failure) => {
                tally.note(format!("the second look failed: {failure}"));
                Ok(first)
            }
        }
    }
}

/// A lock that a panic elsewhere cannot poison for us: what it guards is a plain value.
fn lock<V>(guarded: &std::sync::Mutex<V>) -> std::sync::MutexGuard<'_, V> {
    guarded.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
