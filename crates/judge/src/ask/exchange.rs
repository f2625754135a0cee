//! One question and everything that can follow it: another mechanism, more room, being asked again.

use std::sync::Mutex;

use carelock_core::rubric::Rubric;

use super::failure::Failure;
use super::purse::Spent;
use super::{Judge, lock};
use crate::http::{self, Transport};
use crate::outcome::{Outcome, Reply, Usage};
use crate::prompt::{ReadAnswer, answer_schema, bounded_answer_schema, estimate_tokens, read_answer, reask_message};
use crate::provider::StructuredOutput;
use crate::wire::{self, Limits, Message, Question, Response};

/// What the exchanges about one chat took and showed.
#[derive(Debug, Default)]
pub(super) struct Tally {
    pub(super) spent: Spent,
    pub(super) model: Option<String>,
    pub(super) fingerprint: Option<String>,
    pub(super) repaired: bool,
    pub(super) notes: Vec<String>,
}

impl Tally {
    /// Notes something a report should say, once.
    pub(super) fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
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
        let mut room = room;
        let mut doubled = false;
        let mut reasks = 0;
        loop {
            let outcome = self.call(&messages, room, tally).await?;
            let may_reask = reasks < self.judge.options.reasks;
            match outcome {
                Outcome::Answered(reply) => {
                    tally.model = reply.model.clone().or(tally.model.take());
                    tally.fingerprint = reply.fingerprint.clone().or(tally.fingerprint.take());
                    match self.read(reply, may_reask, tally)? {
                        Read::Usable(answer) => return Ok(answer),
                        Read::AskAgain(exchange) => messages.extend(exchange),
                    }
                    reasks += 1;
                }
                Outcome::Truncated if !doubled => {
                    doubled = true;
                    room = self
                        .judge
                        .resolved
                        .model
                        .max_output
                        .map_or(room * 2, |most| u32::try_from(most).unwrap_or(u32::MAX).min(room * 2));
                }
                // The plan had no room for a second exchange; the question alone fits.
                Outcome::TooLong { .. } if messages.len() > 1 => messages = shortened(&messages),
                Outcome::Empty | Outcome::Invalid { .. } if may_reask => reasks += 1,
                other => match Failure::of(other) {
                    Some(failure) => return Err(failure),
                    None => return Err(Failure::Invalid("the answer was lost".to_owned())),
                },
            }
        }
    }

    fn read(&self, reply: Reply, may_reask: bool, tally: &mut Tally) -> Result<Read, Failure> {
        match read_answer(&reply.text, self.rubric, self.checks) {
            Ok(answer) => {
                tally.repaired |= answer.repaired;
                Ok(Read::Usable(answer))
            }
            Err(error) if may_reask => {
                let again = reask_message(&error);
                let said = Message { from_model: true, text: reply.text };
                Ok(Read::AskAgain([said, Message { from_model: false, text: again }]))
            }
            Err(error) => {
                let what = error.to_string();
                let Some(answer) = error.usable() else { return Err(Failure::Invalid(what)) };
                tally.note(format!("used as far as it could be: {what}"));
                tally.repaired |= answer.repaired;
                Ok(Read::Usable(answer))
            }
        }
    }

    /// One call, by the strongest mechanism the server takes.
    async fn call(&self, messages: &[Message], room: u32, tally: &mut Tally) -> Result<Outcome, Failure> {
        loop {
            let mechanism = *lock(&self.judge.mechanism);
            let (outcome, weaker) = self.call_with(mechanism, messages, room, tally).await?;
            let Some(weaker) = weaker else { return Ok(outcome) };
            tally.note(format!("the server does not take {}; asked with {}", mechanism.name(), weaker.name()));
            *lock(&self.judge.mechanism) = weaker;
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
        let asked = wire::Asked::from(&judge.resolved);
        let question = self.question(messages, room);
        let prompt_tokens = estimate_tokens(&question.system)
            + question.messages.iter().map(|message| estimate_tokens(&message.text)).sum::<usize>();
        let reserved = judge.purse.reserve(price, prompt_tokens as u64, u64::from(room)).map_err(Failure::CostCap)?;
        let request = wire::to_request(&question, &asked, mechanism);
        let seen = Mutex::new(Seen::default());
        let classify = |response: &Response| {
            let now = (judge.clock)();
            let mut seen = lock(&seen);
            if let Some(usage) = wire::to_usage(response, judge.resolved.provider.wire) {
                add(&mut seen.usage, &usage);
                seen.last = usage;
            }
            seen.weaker = wire::next_mechanism(response, mechanism, &asked);
            let limits = limits(&Limits::read(response, now));
            if seen.weaker.is_some() {
                // Trying the same again would be refused again; the caller takes the next mechanism instead.
                let what = "the server does not take this way of asking for JSON".to_owned();
                return (Outcome::Invalid { what }, limits);
            }
            (wire::to_outcome(response, &asked, now), limits)
        };
        let (outcome, stats) = judge.caller.call(&judge.lane, &request, classify).await;
        let Seen { usage, last, weaker } = *lock(&seen);
        let cost = judge.purse.settle(reserved, price, &usage);
        tally.spent.add(Spent { tokens: usage.tokens, cost, calls: stats.attempts });
        Ok((self.explained(outcome, &last, room), weaker))
    }

    /// An own server stops writing where its context ends and calls that the answer's limit. The tokens it counted tell
    /// the two apart, and how large the context is; more room for the answer would not help.
    fn explained(&self, outcome: Outcome, last: &Usage, room: u32) -> Outcome {
        let (asked, written) = (last.tokens.input, last.tokens.output);
        let own_server = self.judge.resolved.provider.own_server;
        if outcome != Outcome::Truncated || !own_server || written == 0 || written >= u64::from(room) {
            return outcome;
        }
        let limit = asked.saturating_add(written);
        let what = format!("the answer was cut off where the server's context ends, after {limit} tokens in all");
        Outcome::TooLong { what, limit: Some(limit), asked: Some(asked) }
    }

    fn question(&self, messages: &[Message], room: u32) -> Question {
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

/// What the responses to one call showed.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// What all of them took.
    usage: Usage,
    /// What the last one took.
    last: Usage,
    /// What to try instead.
    weaker: Option<StructuredOutput>,
}

enum Read {
    Usable(ReadAnswer),
    AskAgain([Message; 2]),
}

/// The question and what was wrong with the last answer, without the answers themselves.
fn shortened(messages: &[Message]) -> Vec<Message> {
    let ours = messages.iter().filter(|message| !message.from_model);
    let (first, last) = (ours.clone().next(), ours.last().filter(|_| messages.len() > 1));
    let texts: Vec<&str> = first.into_iter().chain(last).map(|message| message.text.as_str()).collect();
    vec![Message { from_model: false, text: texts.join("\n\n") }]
}

fn add(total: &mut Usage, usage: &Usage) {
    total.tokens.input += usage.tokens.input;
    total.tokens.cached += usage.tokens.cached;
    total.tokens.output += usage.tokens.output;
    total.cache_written += usage.cache_written;
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
