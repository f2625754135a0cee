//! A breaker: a judge that keeps failing is left alone for a while, then tried with a single call.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};

use super::pace::LONGEST_HOLD;
use crate::outcome::{Outcome, Retry};

/// When a judge is left alone, for how long, and when it is given up.
#[derive(Clone, Copy, Debug)]
pub struct BreakerOptions {
    /// So many failures in a row, over all calls, and the judge is left alone.
    pub failures: u32,
    /// The first pause; every failed try doubles it.
    pub first_pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
    /// So many failed tries in a row, and the judge is given up for the rest of the run.
    pub tries: u32,
}

impl Default for BreakerOptions {
    fn default() -> Self {
        Self { failures: 5, first_pause: Duration::from_secs(2), longest_pause: Duration::from_secs(60), tries: 8 }
    }
}

#[derive(Debug)]
enum State {
    Working { failures: u32 },
    Paused { until: Instant, tries: u32 },
    Trying { tries: u32 },
    GivenUp(Outcome),
}

/// The breaker of one judge.
#[derive(Debug)]
pub(super) struct Breaker {
    options: BreakerOptions,
    state: watch::Sender<State>,
}

impl Breaker {
    pub(super) fn new(options: BreakerOptions) -> Self {
        Self { options, state: watch::Sender::new(State::Working { failures: 0 }) }
    }

    /// Waits until a call may be made. Once the judge is closed, every call gets the outcome that closed it.
    pub(super) async fn pass(&self) -> Result<Pass<'_>, Outcome> {
        let mut changes = self.state.subscribe();
        loop {
            match self.try_pass() {
                Entry::Pass(trial) => return Ok(Pass { breaker: self, trial, reported: false }),
                Entry::GivenUp(outcome) => return Err(outcome),
                // Whether time is up or the state changed, it is looked at anew; the sender outlives this borrow.
                Entry::Wait(Some(until)) => drop(timeout_at(until, changes.changed()).await),
                Entry::Wait(None) => drop(changes.changed().await),
            }
        }
    }

    fn try_pass(&self) -> Entry {
        let mut entry = Entry::Wait(None);
        self.state.send_if_modified(|state| {
            entry = match state {
                State::Working { .. } => Entry::Pass(false),
                State::Trying { .. } => Entry::Wait(None),
                State::GivenUp(outcome) => Entry::GivenUp(outcome.clone()),
                State::Paused { until, .. } if Instant::now() < *until => Entry::Wait(Some(*until)),
                State::Paused { tries, .. } => {
                    *state = State::Trying { tries: *tries };
                    Entry::Pass(true)
                }
            };
            matches!(entry, Entry::Pass(true))
        });
        entry
    }

    /// Closes the judge for good. The first reason stays.
    pub(super) fn close(&self, outcome: Outcome) {
        self.state.send_if_modified(|state| {
            let open = !matches!(state, State::GivenUp(_));
            if open {
                *state = State::GivenUp(outcome);
            }
            open
        });
    }

    pub(super) fn closed(&self) -> Option<Outcome> {
        match &*self.state.borrow() {
            State::GivenUp(outcome) => Some(outcome.clone()),
            _ => None,
        }
    }

    /// Waits until the judge is closed.
    pub(super) async fn until_closed(&self) {
        // The sender outlives this borrow, so the wait cannot fail.
        let _ = self.state.subscribe().wait_for(|state| matches!(state, State::GivenUp(_))).await;
    }

    fn pause(&self, tries: u32, asked: Option<Duration>) -> Duration {
        let doubled =
            self.options.first_pause.saturating_mul(2u32.saturating_pow(tries)).min(self.options.longest_pause);
        doubled.max(asked.unwrap_or_default().min(LONGEST_HOLD))
    }

    fn worked(&self, trial: bool) {
        self.state.send_if_modified(|state| {
            let resets = match state {
                State::Working { failures } => *failures > 0,
                // Calls that began before the pause say nothing about now; the single trial does.
                State::Trying { .. } => trial,
                State::Paused { .. } | State::GivenUp(_) => false,
            };
            if resets {
                *state = State::Working { failures: 0 };
            }
            resets
        });
    }

    fn failed(&self, trial: bool, asked: Option<Duration>, what: &str) {
        self.state.send_if_modified(|state| {
            let next = match *state {
                State::Working { failures } if failures + 1 < self.options.failures => {
                    State::Working { failures: failures + 1 }
                }
                State::Working { .. } => State::Paused { until: Instant::now() + self.pause(0, asked), tries: 0 },
                State::Trying { tries } if trial && tries + 1 >= self.options.tries => State::GivenUp(given_up(what)),
                State::Trying { tries } if trial => {
                    let tries = tries + 1;
                    State::Paused { until: Instant::now() + self.pause(tries, asked), tries }
                }
                _ => return false,
            };
            *state = next;
            true
        });
    }

    fn abandoned(&self) {
        self.state.send_if_modified(|state| {
            let State::Trying { tries } = *state else { return false };
            *state = State::Paused { until: Instant::now(), tries };
            true
        });
    }
}

fn given_up(what: &str) -> Outcome {
    let what = format!("given up after many failures in a row; the last one: {what}");
    Outcome::Unavailable { what, retry: Retry::Never }
}

enum Entry {
    Pass(bool),
    Wait(Option<Instant>),
    GivenUp(Outcome),
}

/// Leave to make one call, to be given back with what came of it.
#[derive(Debug)]
pub(super) struct Pass<'breaker> {
    breaker: &'breaker Breaker,
    trial: bool,
    reported: bool,
}

impl Pass<'_> {
    /// The judge answered, whatever it said.
    pub(super) fn worked(mut self) {
        self.reported = true;
        self.breaker.worked(self.trial);
    }

    /// The judge failed, and perhaps asked for a pause.
    pub(super) fn failed(mut self, asked: Option<Duration>, what: &str) {
        self.reported = true;
        self.breaker.failed(self.trial, asked, what);
    }
}

impl Drop for Pass<'_> {
    /// A trial that was cancelled leaves its place to the next call, or nobody would ever try again.
    fn drop(&mut self) {
        if self.trial && !self.reported {
            self.breaker.abandoned();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breaker(tries: u32) -> Breaker {
        Breaker::new(BreakerOptions { failures: 3, tries, ..BreakerOptions::default() })
    }

    async fn fail(breaker: &Breaker) {
        breaker.pass().await.expect("open").failed(None, "HTTP 529");
    }

    #[tokio::test(start_paused = true)]
    async fn failures_in_a_row_pause_the_judge_and_each_failed_trial_doubles_the_pause() {
        let breaker = breaker(8);
        for _ in 0..3 {
            fail(&breaker).await;
        }
        for expected in [2, 4, 8, 16, 32, 60, 60] {
            let before = Instant::now();
            fail(&breaker).await;
            assert_eq!(before.elapsed().as_secs(), expected);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_success_in_between_starts_the_count_again() {
        let breaker = breaker(8);
        let before = Instant::now();
        for _ in 0..5 {
            fail(&breaker).await;
            fail(&breaker).await;
            breaker.pass().await.expect("open").worked();
        }
        assert_eq!(before.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn only_one_call_tries_and_the_others_follow_when_it_works() {
        let breaker = breaker(8);
        for _ in 0..3 {
            fail(&breaker).await;
        }
        let trial = breaker.pass().await.expect("open");
        let second = tokio::time::timeout(Duration::from_secs(500), breaker.pass()).await;
        assert!(second.is_err(), "nobody else passes while one tries");
        trial.worked();
        breaker.pass().await.expect("open").worked();
    }

    #[tokio::test(start_paused = true)]
    async fn a_cancelled_trial_leaves_its_place_to_the_next_call() {
        let breaker = breaker(8);
        for _ in 0..3 {
            fail(&breaker).await;
        }
        drop(breaker.pass().await.expect("open"));
        let before = Instant::now();
        breaker.pass().await.expect("open").worked();
        assert_eq!(before.elapsed(), Duration::ZERO);
    }

    #[tokio::test(start_paused = true)]
    async fn a_judge_that_never_comes_back_is_given_up() {
        let breaker = breaker(2);
        for _ in 0..5 {
            fail(&breaker).await;
        }
        let outcome = breaker.pass().await.expect_err("closed");
        assert!(matches!(&outcome, Outcome::Unavailable { what, retry: Retry::Never } if what.contains("HTTP 529")));
        assert_eq!(breaker.closed(), Some(outcome));
    }

    #[tokio::test(start_paused = true)]
    async fn a_pause_asked_for_by_the_server_counts_if_it_is_longer() {
        let breaker = breaker(8);
        for _ in 0..3 {
            breaker.pass().await.expect("open").failed(Some(Duration::from_secs(30)), "HTTP 429");
        }
        let before = Instant::now();
        breaker.pass().await.expect("open").worked();
        assert_eq!(before.elapsed().as_secs(), 30);
    }
}
