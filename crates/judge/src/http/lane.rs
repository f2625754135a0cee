//! What all calls to one judge share: its key, its limits and its breaker.

use std::fmt;
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex as Turnstile, Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout_at};

use super::breaker::{Breaker, BreakerOptions, Pass};
use super::pace::Pacer;
use super::{Auth, Limits};
use crate::outcome::Outcome;
use crate::wire::Request;

/// What can be set about a lane.
#[derive(Clone, Debug)]
pub struct LaneOptions {
    /// The key, and how it is shown.
    pub auth: Auth,
    /// The most calls at once.
    pub concurrency: usize,
    /// The most requests in any minute.
    pub requests_per_minute: Option<u32>,
    /// The most tokens in any minute, questions and answers together.
    pub tokens_per_minute: Option<u64>,
    /// Tokens to reserve for an answer until its true size is known.
    pub answer_tokens: u64,
    /// When the judge is left alone.
    pub breaker: BreakerOptions,
}

impl Default for LaneOptions {
    fn default() -> Self {
        Self {
            auth: Auth::None,
            concurrency: 8,
            requests_per_minute: None,
            tokens_per_minute: None,
            answer_tokens: 2_500,
            breaker: BreakerOptions::default(),
        }
    }
}

/// The way to one judge, shared by all calls to it.
pub struct Lane {
    auth: Auth,
    answer_tokens: u64,
    permits: Semaphore,
    /// Calls pass one after the other in the order they came, so that a large one is not overtaken for ever.
    turnstile: Turnstile<()>,
    pacer: Mutex<Pacer>,
    breaker: Breaker,
    /// Whether anything ever came back.
    answered: AtomicBool,
}

impl fmt::Debug for Lane {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Lane").field("auth", &self.auth).field("breaker", &self.breaker).finish_non_exhaustive()
    }
}

impl Lane {
    /// Opens a lane.
    pub fn new(options: LaneOptions) -> Self {
        Self {
            auth: options.auth,
            answer_tokens: options.answer_tokens,
            permits: Semaphore::new(options.concurrency.clamp(1, Semaphore::MAX_PERMITS)),
            turnstile: Turnstile::new(()),
            pacer: Mutex::new(Pacer::new(options.requests_per_minute, options.tokens_per_minute)),
            breaker: Breaker::new(options.breaker),
            answered: AtomicBool::new(false),
        }
    }

    /// Closes the lane for the rest of the run: every later call gets this outcome, and nothing is sent.
    pub fn close(&self, outcome: Outcome) {
        self.breaker.close(self.auth.scrub_outcome(outcome));
    }

    /// The outcome that closed the lane, if one did.
    pub fn closed(&self) -> Option<Outcome> {
        self.breaker.closed()
    }

    /// Hides this lane's key where a server's words repeat it.
    pub(crate) fn scrub(&self, outcome: Outcome) -> Outcome {
        self.auth.scrub_outcome(outcome)
    }

    /// Notes that the server has sent a response, whatever it says.
    pub(super) fn note_answer(&self) {
        self.answered.store(true, Ordering::Relaxed);
    }

    /// Whether the server has ever sent a response.
    pub(super) fn has_answered(&self) -> bool {
        self.answered.load(Ordering::Relaxed)
    }

    pub(super) fn auth(&self) -> &Auth {
        &self.auth
    }

    pub(super) async fn permit(&self) -> Option<SemaphorePermit<'_>> {
        // The semaphore is never closed, so there always is a permit in the end.
        self.permits.acquire().await.ok()
    }

    /// About how many tokens a request and its answer take: four bytes of text are about one token.
    pub(super) fn estimate(&self, request: &Request) -> u64 {
        let mut size = ByteCount(0);
        // Counting bytes cannot fail, and an estimate of what was counted would do.
        let _ = serde_json::to_writer(&mut size, &request.body);
        self.answer_tokens.saturating_add(size.0 / 4)
    }

    /// Waits until a request may be sent; an error is the outcome that closed the lane.
    pub(super) async fn admit(&self, tokens: u64) -> Result<Admission<'_>, Outcome> {
        let _turn = self.turnstile.lock().await;
        loop {
            if let Some(outcome) = self.breaker.closed() {
                return Err(outcome);
            }
            let busy_until = self.pacer().busy_until(tokens, Instant::now());
            if let Some(until) = busy_until {
                self.rest_until(until).await;
                continue;
            }
            let pass = self.breaker.pass().await?;
            let taken = self.pacer().take(tokens, Instant::now());
            if let Ok(ticket) = taken {
                return Ok(Admission { lane: self, pass, ticket });
            }
        }
    }

    /// Waits, but not for a lane that is closed meanwhile.
    pub(super) async fn rest_until(&self, until: Instant) {
        drop(timeout_at(until, self.breaker.until_closed()).await);
    }

    fn pacer(&self) -> MutexGuard<'_, Pacer> {
        self.pacer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Leave to send one request.
#[derive(Debug)]
pub(super) struct Admission<'lane> {
    lane: &'lane Lane,
    pass: Pass<'lane>,
    ticket: u64,
}

impl Admission<'_> {
    /// Takes over what the response says about the provider's limits.
    pub(super) fn limits(&self, limits: &Limits) {
        self.lane.pacer().report(limits, Instant::now());
    }

    /// The judge is there, and this is what it used.
    pub(super) fn worked(self, tokens: Option<u64>) {
        if let Some(tokens) = tokens {
            self.lane.pacer().settle(self.ticket, tokens);
        }
        self.pass.worked();
    }

    /// The judge failed; a pause that it asks for holds for all calls, because the limit it speaks of is theirs too.
    pub(super) fn failed(self, asked: Option<Duration>, what: &str) {
        if let Some(asked) = asked {
            self.lane.pacer().hold(Instant::now() + asked);
        }
        self.pass.failed(asked, what);
    }

    /// The judge can never answer.
    pub(super) fn hopeless(self, outcome: Outcome) {
        self.lane.close(outcome);
        self.pass.worked();
    }
}

struct ByteCount(u64);

impl io::Write for ByteCount {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
