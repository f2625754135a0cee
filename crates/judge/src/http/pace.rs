//! How fast calls may follow each other: so many requests and tokens in any minute, and what the provider says is left.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

const MINUTE: Duration = Duration::from_secs(60);

/// Longer waits asked for by a server are not sat out: the next call shows what is true then.
pub(super) const LONGEST_HOLD: Duration = Duration::from_secs(120);

/// Counts come from servers too; beyond this they are nonsense, and sums of them could overflow.
const LARGEST: u64 = 1 << 40;

/// What a provider's headers say is left of its limits.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limits {
    /// Requests left until the reset.
    pub remaining_requests: Option<u64>,
    /// Tokens left until the reset.
    pub remaining_tokens: Option<u64>,
    /// Seconds until requests are whole again.
    pub reset_requests_s: Option<f64>,
    /// Seconds until tokens are whole again.
    pub reset_tokens_s: Option<f64>,
}

/// Seconds as a server gave them; nothing if they make no sense or are too long to wait.
pub(super) fn sensible(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok().filter(|wait| *wait <= LONGEST_HOLD)
}

/// Requests and tokens together.
#[derive(Debug)]
pub(super) struct Pacer {
    requests: Window,
    tokens: Window,
    held_until: Option<Instant>,
}

impl Pacer {
    pub(super) fn new(requests_per_minute: Option<u32>, tokens_per_minute: Option<u64>) -> Self {
        let requests = Window::new(requests_per_minute.map(u64::from));
        Self { requests, tokens: Window::new(tokens_per_minute), held_until: None }
    }

    /// Takes room for one request, or says when to ask again.
    pub(super) fn take(&mut self, tokens: u64, now: Instant) -> Result<u64, Instant> {
        if let Some(later) = self.busy_until(tokens, now) {
            return Err(later);
        }
        self.requests.take(1, now);
        Ok(self.tokens.take(tokens, now))
    }

    /// When there may be room for one request; nothing if there is now.
    pub(super) fn busy_until(&mut self, tokens: u64, now: Instant) -> Option<Instant> {
        let held = self.held_until.filter(|until| *until > now);
        [held, self.requests.busy_until(1, now), self.tokens.busy_until(tokens, now)].into_iter().flatten().max()
    }

    /// Lets nothing through before then.
    pub(super) fn hold(&mut self, until: Instant) {
        self.held_until = self.held_until.max(Some(until));
    }

    /// Puts the true number of tokens in the place of the estimate.
    pub(super) fn settle(&mut self, ticket: u64, tokens: u64) {
        self.tokens.settle(ticket, tokens);
    }

    pub(super) fn report(&mut self, limits: &Limits, now: Instant) {
        self.requests.report(limits.remaining_requests, limits.reset_requests_s, now);
        self.tokens.report(limits.remaining_tokens, limits.reset_tokens_s, now);
    }
}

/// What was taken in the last minute. It keeps every taking, so that no minute, wherever it begins, holds more than the
/// limit; a bucket that refills would let twice as much through in its first one.
#[derive(Debug)]
struct Window {
    limit: Option<u64>,
    taken: VecDeque<(Instant, u64)>,
    total: u64,
    /// The ticket of the oldest taking; the following ones count up from it.
    oldest: u64,
    reported: Option<(u64, Instant)>,
}

impl Window {
    fn new(limit: Option<u64>) -> Self {
        Self { limit, taken: VecDeque::new(), total: 0, oldest: 0, reported: None }
    }

    fn forget_the_past(&mut self, now: Instant) {
        while let Some((at, amount)) = self.taken.front().copied().filter(|(at, _)| now - *at >= MINUTE) {
            debug_assert!(at <= now);
            self.taken.pop_front();
            self.total -= amount;
            self.oldest += 1;
        }
        self.reported = self.reported.filter(|(_, until)| *until > now);
    }

    fn busy_until(&mut self, amount: u64, now: Instant) -> Option<Instant> {
        self.forget_the_past(now);
        let reported = self.reported.filter(|(left, _)| *left < amount).map(|(_, until)| until);
        reported.max(self.window_full_until(amount))
    }

    fn window_full_until(&self, amount: u64) -> Option<Instant> {
        let limit = self.limit?;
        // What is larger than the whole limit goes alone, or it would wait for ever.
        let room = limit.saturating_sub(amount);
        let mut total = self.total;
        let mut until = None;
        for (at, taken) in &self.taken {
            if total <= room {
                break;
            }
            total -= taken;
            until = Some(*at + MINUTE);
        }
        until
    }

    fn take(&mut self, amount: u64, now: Instant) -> u64 {
        let amount = amount.min(LARGEST);
        if let Some((left, _)) = &mut self.reported {
            *left = left.saturating_sub(amount);
        }
        self.taken.push_back((now, amount));
        self.total += amount;
        self.oldest + self.taken.len() as u64 - 1
    }

    fn settle(&mut self, ticket: u64, amount: u64) {
        let amount = amount.min(LARGEST);
        let place = ticket.checked_sub(self.oldest).and_then(|place| usize::try_from(place).ok());
        if let Some((_, taken)) = place.and_then(|place| self.taken.get_mut(place)) {
            self.total = self.total - *taken + amount;
            *taken = amount;
        }
    }

    fn report(&mut self, remaining: Option<u64>, reset: Option<f64>, now: Instant) {
        if let (Some(remaining), Some(reset)) = (remaining, reset.and_then(sensible)) {
            self.reported = Some((remaining, now + reset));
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn seconds(count: f64) -> Duration {
        Duration::from_secs_f64(count)
    }

    proptest! {
        #[test]
        fn no_minute_ever_holds_more_than_the_limit(limit in 1u64..50, amounts in prop::collection::vec(1u64..60, 1..60)) {
            let start = Instant::now();
            let mut pacer = Pacer::new(None, Some(limit));
            let mut now = start;
            let mut log: Vec<(Instant, u64)> = Vec::new();
            for amount in amounts {
                while let Err(later) = pacer.take(amount, now) {
                    prop_assert!(later > now, "waiting must move on");
                    now = later;
                }
                log.push((now, amount));
            }
            for (at, amount) in &log {
                let minute: u64 = log.iter().filter(|(other, _)| other <= at && *at - *other < MINUTE).map(|(_, n)| n).sum();
                prop_assert!(minute <= limit || minute == *amount, "{minute} of {limit}");
            }
        }
    }

    #[test]
    fn the_estimate_gives_way_to_the_truth() {
        let now = Instant::now();
        let mut pacer = Pacer::new(None, Some(100));
        let ticket = pacer.take(90, now).expect("there is room");
        assert!(pacer.take(50, now).is_err());
        pacer.settle(ticket, 10);
        assert!(pacer.take(50, now).is_ok());
        pacer.settle(ticket + 99, 1_000_000);
        assert!(pacer.take(30, now).is_ok(), "an unknown ticket changes nothing");
    }

    #[test]
    fn what_the_provider_says_is_left_is_believed_until_its_reset() {
        let now = Instant::now();
        let mut pacer = Pacer::new(None, None);
        let limits = Limits { remaining_requests: Some(1), reset_requests_s: Some(7.0), ..Limits::default() };
        pacer.report(&limits, now);
        assert!(pacer.take(1, now).is_ok());
        assert_eq!(pacer.take(1, now), Err(now + seconds(7.0)));
        assert!(pacer.take(1, now + seconds(7.0)).is_ok());
    }

    #[test]
    fn senseless_or_endless_resets_are_ignored() {
        let now = Instant::now();
        for reset in [f64::NAN, -1.0, f64::INFINITY, 86_400.0] {
            let mut pacer = Pacer::new(None, None);
            let limits = Limits { remaining_tokens: Some(0), reset_tokens_s: Some(reset), ..Limits::default() };
            pacer.report(&limits, now);
            assert!(pacer.take(1, now).is_ok(), "{reset}");
        }
    }

    #[test]
    fn a_hold_stops_everything_and_the_longest_one_counts() {
        let now = Instant::now();
        let mut pacer = Pacer::new(Some(10), None);
        pacer.hold(now + seconds(5.0));
        pacer.hold(now + seconds(2.0));
        assert_eq!(pacer.take(1, now), Err(now + seconds(5.0)));
        assert!(pacer.take(1, now + seconds(5.0)).is_ok());
    }
}
