//! One question and everything that can follow it: another mechanism, more room, being asked again.

use std::sync::Mutex;

use carelock_core::rubric::Rubric;
use carelock_core::verdict::Tokens;

use super::budget::Spent;
use super::failure::Failure;
use super::{Judge, lock};
use crate::batch::Prepared;
use crate::http::{self, Transport};
use crate::outcome::{Outcome, Reply, Usage};
use crate::prompt::{
    AnswerError, ReadAnswer, answer_schema, bounded_answer_schema, estimate_tokens, read_answer, reask_message,
};
use crate::provider::{Cost, StructuredOutput};
use crate::wire::{self, Limits, Message, Question, Response};

/// What the exchanges about one chat took and showed.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) spent: Spent,
    pub(super) model: Option<String>,
    pub(super) fingerprint: Option<String>,
    pub(super) repaired: bool,
    /// The mechanism by which the latest answer was held to its schema.
    pub(super) mechanism: Option<StructuredOutput>,
    pub(super) notes: Vec<String>,
    /// Answers that a batch brought, for the questions they were given to.
    pub(super) prepared: Prepared,
}

impl Tally {
    /// Notes something a report should say, once.
    pub(super) fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Remembers who answered.
    fn saw(&mut self, reply: &Reply) {
        self.model = reply.model.clone().or(self.model.take());
        self.fingerprint = reply.fingerprint.clone().or(self.fingerprint.take());
    }

    /// Remembers how an answer that is used came about.
    fn took(&mut self, answer: ReadAnswer) -> ReadAnswer {
        self.repaired |= answer.repaired;
        answer
    }
}

/// A question about some checks.
pub(super) struct Exchange<'a, T> {
    pub(super) judge: &'a Judge<T>,
    pub(super) rubric: &'a Rubric,
    pub(super) system: &'a str,
    pub(super) checks: &'a [String],
}

impl<T: Transport> Exchange<'_, T> {
    /// Asks until there is a usable answer or nothing more can help.
    pub(super) async fn ask(&self, message: &str, room: u32, tally: &mut Tally) -> Result<ReadAnswer, Failure> {
        let mut messages = vec![Message { from_model: false, text: message.to_owned() }];
        let mut room = self.within_reach(room);
        let mut doubled = false;
        let mut reasks = 0;
        let mut spare = None;
        loop {
            let outcome = self.call(&messages, room, tally).await?;
            let may_reask = reasks < self.judge.options.reasks;
            match outcome {
                Outcome::Answered(reply) => {
                    tally.saw(&reply);
                    let error = match read_answer(&reply.text, self.rubric, self.checks) {
                        Ok(answer) => return Ok(tally.took(answer)),
                        Err(error) => error,
                    };
                    let problem = error.to_string();
                    // Only the latest exchange goes along, so that asking again never outgrows the context.
                    messages.truncate(1);
                    messages.extend(again(&reply.text, &error));
                    spare = error.usable().map(|answer| (answer, problem.clone())).or(spare);
                    if !may_reask {
                        return make_do(spare, Failure::Invalid(problem), tally);
                    }
                    reasks += 1;
                }
                Outcome::Truncated if !doubled && self.within_reach(room.saturating_mul(2)) > room => {
                    doubled = true;
                    room = self.within_reach(room.saturating_mul(2));
                }
                // The plan had no room for a second exchange; the question alone fits.
                Outcome::TooLong { .. } if messages.len() > 1 => messages = shortened(&messages),
                Outcome::Empty | Outcome::Invalid { .. } if may_reask => reasks += 1,
                // The question fitted before; it is the room that does not.
                Outcome::TooLong { .. } if doubled => return make_do(spare, Failure::Truncated, tally),
                other => {
                    let lost = || Failure::Invalid("the answer was lost".to_owned());
                    return make_do(spare, Failure::new(other).unwrap_or_else(lost), tally);
                }
            }
        }
    }

    /// As much of the room as the model can give.
    pub(super) fn within_reach(&self, room: u32) -> u32 {
        let most = self.judge.resolved.model.max_output;
        most.map_or(room, |most| u32::try_from(most).unwrap_or(u32::MAX).min(room))
    }

    /// One call, by the strongest mechanism the server takes.
    async fn call(&self, messages: &[Message], room: u32, tally: &mut Tally) -> Result<Outcome, Failure> {
        loop {
            let mechanism = *lock(&self.judge.mechanism);
            let (outcome, weaker) = self.call_with(mechanism, messages, room, tally).await?;
            let Some(weaker) = weaker else {
                let strongest = self.judge.resolved.model.structured;
                if mechanism != strongest {
                    let (refused, taken) = (strongest.name(), mechanism.name());
                    tally.note(format!("the server does not take {refused}; asked with {taken}"));
                }
                tally.mechanism = Some(mechanism);
                return Ok(outcome);
            };
            // Another chat may have found out more meanwhile; what it learned is not undone.
            let mut known = lock(&self.judge.mechanism);
            if *known == mechanism {
                *known = weaker;
            }
        }
    }

    async fn call_with(
        &self,
        mechanism: StructuredOutput,
        messages: &[Message],
        room: u32,
        tally: &mut Tally,
    ) -> Result<(Outcome, Option<StructuredOutput>), Failure> {
        let judge = self.judge;
        let price = judge.resolved.model.price.as_ref();
        let asked = wire::CallTarget::from(&judge.resolved);
        let question = self.question(messages, room);
        let prompt_tokens = estimate_tokens(&question.system)
            + question.messages.iter().map(|message| estimate_tokens(&message.text)).sum::<usize>();
        if let Some(response) = tally.prepared.take(&question) {
            return Ok((self.read_prepared(&response, room, prompt_tokens as u64, tally), None));
        }
        let reserved = judge.budget.reserve(price, prompt_tokens as u64, u64::from(room)).map_err(Failure::CostCap)?;
        let request = wire::to_request(&question, &asked, mechanism);
        let seen = Mutex::new(ResponseSummary::default());
        let classify = |response: &Response| {
            let now = (judge.clock)();
            let mut seen = lock(&seen);
            if let Some(usage) = wire::to_usage(response, judge.resolved.provider.wire) {
                add(seen.usage.get_or_insert_default(), &usage);
                seen.last = usage;
            }
            seen.weaker = wire::next_mechanism(response, mechanism, &asked);
            let limits = limits(&Limits::read(response, now));
            if seen.weaker.is_some() {
                // Trying the same again would be refused again; the caller takes the next mechanism instead.
                let what = "the server does not take this way of asking for JSON".to_owned();
                return (Outcome::Invalid { what }, limits);
            }
            let outcome = wire::to_outcome(response, &asked, now);
            if wire::money_is_spent(response) && matches!(outcome, Outcome::Misconfigured { .. }) {
                // Some say so with the status of a bad request, which alone would not stop the next chat.
                judge.lane.close(outcome.clone());
            }
            (outcome, limits)
        };
        let (outcome, stats) = judge.caller.call(&judge.lane, &request, classify).await;
        let ResponseSummary { usage, last, weaker } = *lock(&seen);
        let usage = known_or_guessed(usage, &outcome, prompt_tokens as u64, room, tally);
        let cost = reserved.settle(price, &usage);
        tally.spent.add(Spent { tokens: usage.tokens, cost, calls: stats.attempts });
        Ok((self.explained(outcome, &last, room, prompt_tokens as u64), weaker))
    }

    /// Reads an answer that a batch brought as a direct one is read; it is charged already, at the price of batches.
    fn read_prepared(&self, response: &Response, room: u32, prompt_tokens: u64, tally: &mut Tally) -> Outcome {
        let judge = self.judge;
        let asked = wire::CallTarget::from(&judge.resolved);
        let outcome = judge.lane.scrub(wire::to_outcome(response, &asked, (judge.clock)()));
        let usage = wire::to_usage(response, judge.resolved.provider.wire);
        let last = usage.unwrap_or_default();
        let usage = known_or_guessed(usage, &outcome, prompt_tokens, room, tally);
        let price = judge.resolved.model.price.as_ref();
        let cost = price.map_or(Cost::default(), |price| price.batch_cost(&usage));
        judge.budget.charge(cost);
        tally.spent.add(Spent { tokens: usage.tokens, cost, calls: 1 });
        tally.note("answered in a batch; what followed was asked directly".to_owned());
        self.explained(outcome, &last, room, prompt_tokens)
    }

    /// An own server stops writing where its context ends and calls that the answer's limit. The tokens it counted tell
    /// the two apart, and how large the context is; more room for the answer would not help.
    fn explained(&self, outcome: Outcome, last: &Usage, room: u32, sent: u64) -> Outcome {
        let (asked, written) = (last.tokens.input, last.tokens.output);
        let own_server = self.judge.resolved.provider.own_server;
        let ended_early = written > 0 && written < u64::from(room);
        // A count far below what was sent is no count of it, and says nothing about the context.
        let is_credible = asked.saturating_mul(2) >= sent;
        if outcome != Outcome::Truncated || !own_server || !ended_early || !is_credible {
            return outcome;
        }
        let limit = asked.saturating_add(written);
        let what = format!("the answer was cut off where the server's context ends, after {limit} tokens in all");
        Outcome::TooLong { what, limit: Some(limit), asked: Some(asked) }
    }

    pub(super) fn question(&self, messages: &[Message], room: u32) -> Question {
        let own_server = self.judge.resolved.provider.own_server;
        let schema = if own_server {
            bounded_answer_schema(self.rubric, self.checks, room as usize)
        } else {
            answer_schema(self.rubric, self.checks)
        };
        Question {
            model: self.judge.resolved.model.id.clone(),
            system: self.system.to_owned(),
            messages: messages.to_vec(),
            schema,
            max_tokens: room,
        }
    }
}

/// What can be used of an answer, and what is wrong with the rest.
type Spare = (ReadAnswer, String);

/// The most bytes of an unusable answer that are shown to the model again.
const LONGEST_ECHO: usize = 12_000;

/// The answer that could not be used and the message that says why.
fn again(said: &str, error: &AnswerError) -> [Message; 2] {
    let mut end = said.len().min(LONGEST_ECHO);
    while !said.is_char_boundary(end) {
        end -= 1;
    }
    let echo = said[..end].to_owned();
    [Message { from_model: true, text: echo }, Message { from_model: false, text: reask_message(error) }]
}

/// Where asking again cannot help any more, what was usable of an earlier answer is used. A failure that may pass is
/// reported instead, so that the chat can be asked anew.
fn make_do(spare: Option<Spare>, failure: Failure, tally: &mut Tally) -> Result<ReadAnswer, Failure> {
    let lasting =
        matches!(failure, Failure::Invalid(_) | Failure::Empty | Failure::Truncated | Failure::TooLong { .. });
    match spare {
        Some((answer, problem)) if lasting => {
            tally.note(format!("used as far as it could be: {problem}"));
            Ok(tally.took(answer))
        }
        _ => Err(failure),
    }
}

/// What the responses to one call showed.
#[derive(Clone, Copy, Default)]
struct ResponseSummary {
    /// What all of them took.
    usage: Option<Usage>,
    /// What the last one took.
    last: Usage,
    /// What to try instead.
    weaker: Option<StructuredOutput>,
}

/// The question and what was wrong with the last answer, without the answers themselves.
fn shortened(messages: &[Message]) -> Vec<Message> {
    let mut ours = messages.iter().filter(|message| !message.from_model);
    let (first, last) = (ours.next(), ours.next_back());
    let texts: Vec<&str> = first.into_iter().chain(last).map(|message| message.text.as_str()).collect();
    vec![Message { from_model: false, text: texts.join("\n\n") }]
}

fn add(total: &mut Usage, usage: &Usage) {
    let (sum, more) = (&mut total.tokens, usage.tokens);
    sum.input = sum.input.saturating_add(more.input);
    sum.cached = sum.cached.saturating_add(more.cached);
    sum.output = sum.output.saturating_add(more.output);
    total.cache_written = total.cache_written.saturating_add(usage.cache_written);
}

/// What a call took, as the server says it or else as far as it can be told.
fn known_or_guessed(usage: Option<Usage>, outcome: &Outcome, prompt: u64, room: u32, tally: &mut Tally) -> Usage {
    let usage = usage.or_else(|| {
        let guess = guessed(outcome, prompt, room)?;
        tally.note("the server does not say how many tokens it used; they are estimated".to_owned());
        Some(guess)
    });
    usage.unwrap_or_default()
}

/// What a call took whose response does not say it; a cap on the cost must hold there too.
fn guessed(outcome: &Outcome, prompt: u64, room: u32) -> Option<Usage> {
    let output = match outcome {
        Outcome::Answered(reply) => estimate_tokens(&reply.text) as u64,
        Outcome::Truncated => u64::from(room),
        Outcome::Refused { .. } | Outcome::Empty => 0,
        _ => return None,
    };
    Some(Usage::from(Tokens { input: prompt, cached: 0, output }))
}

/// What the headers say, in the words of the layer that keeps to it.
fn limits(read: &Limits) -> http::Limits {
    let tokens = [read.tokens, read.input_tokens, read.output_tokens];
    // Where tokens are counted in several ways, the scarcest one holds.
    let scarcest = tokens.into_iter().filter(|allowance| allowance.remaining.is_some()).min_by_key(|it| it.remaining);
    http::Limits {
        remaining_requests: read.requests.remaining,
        remaining_tokens: scarcest.and_then(|allowance| allowance.remaining),
        reset_requests_s: read.requests.reset,
        reset_tokens_s: scarcest.and_then(|allowance| allowance.reset),
    }
}
