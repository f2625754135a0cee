//! Calls that are tried again where that can help, and only there.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::error::End;
use super::lane::Admission;
use super::pace::sensible;
use super::{Auth, CancellationToken, Lane, Limits, Transport, TransportError};
use crate::outcome::{Outcome, Retry};
use crate::wire::{Request, Response};

/// How often and for how long a call is tried.
#[derive(Clone, Copy, Debug)]
pub struct RetryPolicy {
    /// The most attempts, the first one counted.
    pub attempts: u32,
    /// The pause after the first attempt; each one doubles it.
    pub first_pause: Duration,
    /// The longest pause of our own; a server may ask for a longer one.
    pub longest_pause: Duration,
    /// The longest that all attempts together may take, from the moment the first one is let through. Waiting in line
    /// before it does not count: the last of a thousand chats waits its turn without harm.
    pub total: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            attempts: 4,
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(8),
            total: Duration::from_secs(600),
        }
    }
}

/// A source of small differences between pauses, so that calls which failed together do not come back together. The same
/// seed gives the same pauses.
#[derive(Debug)]
pub struct Jitter(AtomicU64);

impl Jitter {
    /// A source with a seed, which the application chooses.
    pub fn seeded(seed: u64) -> Self {
        Self(AtomicU64::new(seed))
    }

    /// A number from 0 up to 1.
    fn fraction(&self) -> f64 {
        // A Weyl sequence, its bits mixed: no statistics depend on it, only that neighbours differ.
        const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut bits = self.0.fetch_add(STEP, Ordering::Relaxed).wrapping_add(STEP);
        bits = (bits ^ (bits >> 31)).wrapping_mul(0xd6e8_feb8_6659_fd93);
        bits ^= bits >> 32;
        (bits >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// What a response says: the outcome, and what is left of the provider's limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What came of the call.
    pub outcome: Outcome,
    /// What the headers say about limits.
    pub limits: Limits,
}

impl From<Outcome> for Answer {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, limits: Limits::default() }
    }
}

impl From<(Outcome, Limits)> for Answer {
    fn from((outcome, limits): (Outcome, Limits)) -> Self {
        Self { outcome, limits }
    }
}

/// What a call took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallStats {
    /// How many requests were sent.
    pub attempts: u32,
    /// The status of the last response, where there was one.
    pub status: Option<u16>,
    /// How long it took in all, waiting in line and pauses included.
    pub elapsed: Duration,
    /// How much of that was waiting in line before the first request.
    pub queued: Duration,
    /// Whether the user stopped it.
    pub cancelled: bool,
}

/// What is sent at every attempt of a call.
pub(super) trait Attempt: Send {
    /// Sends it once.
    fn send(&mut self, auth: &Auth) -> impl Future<Output = Result<Response, TransportError>> + Send;

    /// On which terms it is sent.
    fn terms(&self, lane: &Lane) -> Terms;
}

/// On which terms something is sent.
#[derive(Clone, Copy)]
pub(super) struct Terms {
    /// The tokens it takes of the lane's allowance.
    pub(super) tokens: u64,
    /// How much longer than the policy says all attempts together may take.
    pub(super) patience: Duration,
    /// Whether a server that wants to be left alone for very long is not asked again in this run.
    pub(super) gives_up: bool,
    /// Whether it does no harm to send it again when nobody knows whether it arrived.
    pub(super) repeatable: bool,
}

/// A question to a model.
struct Ask<'call, T> {
    transport: &'call T,
    request: &'call Request,
}

impl<T: Transport> Attempt for Ask<'_, T> {
    async fn send(&mut self, auth: &Auth) -> Result<Response, TransportError> {
        self.transport.send(self.request, auth).await
    }

    fn terms(&self, lane: &Lane) -> Terms {
        Terms { tokens: lane.estimate(self.request), patience: Duration::ZERO, gives_up: true, repeatable: true }
    }
}

/// Makes calls on lanes and tries again where that can help.
#[derive(Debug)]
pub struct Caller<T> {
    pub(super) transport: T,
    policy: RetryPolicy,
    jitter: Jitter,
    cancel: CancellationToken,
}

impl<T: Transport> Caller<T> {
    /// Puts together what calls need.
    pub fn new(transport: T, policy: RetryPolicy, jitter: Jitter, cancel: CancellationToken) -> Self {
        Self { transport, policy, jitter, cancel }
    }

    /// Asks a judge. Whatever happens, it ends in an outcome: after the attempts and the time of the policy at the
    /// latest, once it is through the line. Dropping the future stops the call.
    pub async fn call<R: Into<Answer>>(
        &self,
        lane: &Lane,
        request: &Request,
        classify: impl Fn(&Response) -> R,
    ) -> (Outcome, CallStats) {
        self.run(lane, Ask { transport: &self.transport, request }, classify).await
    }
}

impl<T> Caller<T> {
    /// The switch that stops all calls.
    pub(crate) fn cancel(&self) -> &CancellationToken {
        &self.cancel
    }

    /// Tries until there is an outcome.
    pub(super) async fn run<R: Into<Answer>>(
        &self,
        lane: &Lane,
        mut attempt: impl Attempt,
        classify: impl Fn(&Response) -> R,
    ) -> (Outcome, CallStats) {
        let started = Instant::now();
        let mut stats = CallStats::default();
        let classify = |response: &Response| classify(response).into();
        let finished = tokio::select! {
            biased;
            () = self.cancel.cancelled() => None,
            outcome = self.attempts(lane, &mut attempt, &classify, &mut stats) => Some(outcome),
        };
        stats.elapsed = started.elapsed();
        stats.cancelled = finished.is_none();
        if stats.attempts == 0 {
            stats.queued = stats.elapsed;
        }
        (finished.unwrap_or_else(cancelled), stats)
    }

    async fn attempts(
        &self,
        lane: &Lane,
        sent: &mut impl Attempt,
        classify: &impl Fn(&Response) -> Answer,
        stats: &mut CallStats,
    ) -> Outcome {
        let queued_at = Instant::now();
        let _permit = lane.permit().await;
        let terms = sent.terms(lane);
        let mut admission = match lane.admit(terms.tokens).await {
            Ok(admission) => admission,
            Err(outcome) => return outcome,
        };
        stats.queued = queued_at.elapsed();
        let deadline = Instant::now() + self.policy.total.saturating_add(terms.patience);
        loop {
            stats.attempts += 1;
            let outcome = self.attempt(lane, (&mut *sent, terms), classify, admission, deadline, stats).await;
            let Some(pause) = self.pause_before_retry(&outcome, stats.attempts) else { return outcome };
            // A pause that outlasts the time is not begun: the answer is known already.
            let resume = Instant::now() + pause;
            if resume >= deadline {
                return outcome;
            }
            lane.rest_until(resume).await;
            admission = match timeout_at(deadline, lane.admit(terms.tokens)).await {
                Ok(Ok(admission)) => admission,
                Ok(Err(closed)) => return closed,
                Err(_) => return outcome,
            };
        }
    }

    async fn attempt(
        &self,
        lane: &Lane,
        (sent, terms): (&mut impl Attempt, Terms),
        classify: &impl Fn(&Response) -> Answer,
        admission: Admission<'_>,
        deadline: Instant,
        stats: &mut CallStats,
    ) -> Outcome {
        let mut arrived = true;
        let mut nobody = false;
        let (status, outcome) = match timeout_at(deadline, sent.send(lane.auth())).await {
            Ok(Ok(response)) => {
                let answer = classify(&response);
                admission.limits(&answer.limits);
                arrived = response.status != 429;
                (Some(response.status), answer.outcome)
            }
            Ok(Err(error)) => {
                arrived = !matches!(error.end, End::NoConnection | End::NobodyHere);
                // A server of this machine that has answered before may be starting again; one that never did is not there.
                nobody = error.end == End::NobodyHere && !lane.has_answered();
                (None, error.outcome())
            }
            Err(_) => (None, out_of_time(self.policy.total.saturating_add(terms.patience))),
        };
        stats.status = status;
        if status.is_some() {
            lane.note_answer();
        }
        let outcome = if nobody || (arrived && !terms.repeatable) { once(outcome) } else { outcome };
        let outcome = lane.auth().scrub_outcome(outcome);
        let hopeless = if nobody { Some(outcome.clone()) } else { too_long_a_wait(&outcome) };
        match hopeless.filter(|_| terms.gives_up) {
            Some(given_up) => {
                admission.hopeless(given_up.clone());
                given_up
            }
            None => {
                record(admission, status, &outcome);
                outcome
            }
        }
    }

    fn pause_before_retry(&self, outcome: &Outcome, attempts: u32) -> Option<Duration> {
        let Outcome::Unavailable { retry, .. } = outcome else { return None };
        if attempts >= self.policy.attempts {
            return None;
        }
        match retry {
            Retry::Never => None,
            // A senseless number is no instruction; one too long for us ends the call.
            Retry::After(seconds) if *seconds >= 0.0 => sensible(*seconds),
            Retry::After(_) | Retry::Later => Some(self.usual_pause(attempts)),
        }
    }

    fn usual_pause(&self, attempts: u32) -> Duration {
        let doubled = self.policy.first_pause.saturating_mul(2u32.saturating_pow(attempts.saturating_sub(1)));
        doubled.min(self.policy.longest_pause).mul_f64(1.0 - 0.25 * self.jitter.fraction())
    }
}

/// Tells the lane how the judge is doing.
fn record(admission: Admission<'_>, status: Option<u16>, outcome: &Outcome) {
    match outcome {
        Outcome::Misconfigured { .. } if !about_one_request(status) => admission.hopeless(outcome.clone()),
        Outcome::Unavailable { what, retry } => {
            let asked = match retry {
                Retry::After(seconds) => sensible(*seconds),
                Retry::Later | Retry::Never => None,
            };
            admission.failed(asked, what);
        }
        Outcome::Answered(reply) => {
            let tokens = reply.tokens.as_ref().map(|tokens| tokens.input.saturating_add(tokens.output));
            admission.worked(tokens);
        }
        _ => admission.worked(None),
    }
}

/// Whether a status can speak of this request alone (too long, a field not understood) rather than of key or model: the
/// next chat, or the same one asked in simpler words, may well be answered.
fn about_one_request(status: Option<u16>) -> bool {
    matches!(status, Some(400 | 413 | 422))
}

/// What a server's wish to be left alone comes to where nobody waits that long; the other chats are not asked about either.
fn too_long_a_wait(outcome: &Outcome) -> Option<Outcome> {
    let Outcome::Unavailable { what, retry: Retry::After(seconds) } = outcome else { return None };
    if *seconds < 0.0 || sensible(*seconds).is_some() || seconds.is_nan() {
        return None;
    }
    let wait = match seconds.ceil() {
        seconds if seconds < 7_200.0 => format!("{} minutes", (seconds / 60.0).ceil()),
        seconds => format!("{} hours", (seconds / 3_600.0).ceil()),
    };
    let what =
        format!("{what}; the server wants to be left alone for {wait}, so nothing more is asked; try again then");
    Some(Outcome::Unavailable { what, retry: Retry::Never })
}

/// The outcome of what must not be sent again blindly.
fn once(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Unavailable { what, .. } => Outcome::Unavailable { what, retry: Retry::Never },
        other => other,
    }
}

fn cancelled() -> Outcome {
    Outcome::Unavailable { what: "the run was stopped before this call was done".to_owned(), retry: Retry::Never }
}

fn out_of_time(total: Duration) -> Outcome {
    let what = format!("no answer within the {} s that all attempts together may take", total.as_secs_f64());
    Outcome::Unavailable { what, retry: Retry::Later }
}

#[cfg(test)]
#[path = "caller_tests.rs"]
mod tests;
