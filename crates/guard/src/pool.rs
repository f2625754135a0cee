//! Judging beside the async threads: no more at once than there are cores, the shortest first, no longer than the policy allows.
//!
//! A sentence for which a client waits never waits for a long chat: what is quick and what may take long have places of
//! their own.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

/// How many may wait in a line; more come too late in any case.
const WAITING: usize = 1024;

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotJudged {
    /// The check took too long.
    Late,
    /// Too many checks wait.
    Busy,
    /// The check broke.
    Broken,
}

impl NotJudged {
    /// The reason in words.
    pub(crate) fn reason(&self) -> &'static str {
        match self {
            Self::Late => "late: the check took longer than the policy allows",
            Self::Busy => "busy: too many checks wait",
            Self::Broken => "broken: the check ended without a verdict",
        }
    }
}

/// How much there is to read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effort {
    /// The last sentences of a reply that is held back.
    Sentence,
    /// New turns, of so many bytes.
    Turns(usize),
}

/// The places where is judged.
#[derive(Clone)]
pub(crate) struct Pool {
    sentences: Arc<Line>,
    turns: Arc<Line>,
}

impl Pool {
    pub(crate) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { sentences: Line::new(cores), turns: Line::new((cores / 2).max(1)) }
    }

    /// Does work that keeps a core busy, when one is free. It goes on even where nobody waits for it any more.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        patience: Duration,
        effort: Effort,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NotJudged> {
        let (line, size) = match effort {
            Effort::Sentence => (Arc::clone(&self.sentences), 0),
            Effort::Turns(bytes) => (Arc::clone(&self.turns), bytes),
        };
        let done = async move {
            let place = line.enter(size).await?;
            let worked = tokio::task::spawn_blocking(move || {
                let _place = place;
                work()
            });
            worked.await.map_err(|_| NotJudged::Broken)
        };
        tokio::time::timeout(patience, done).await.unwrap_or(Err(NotJudged::Late))
    }
}

/// Places, and those who wait for one: the smallest first, of equals the first that came.
struct Line {
    state: Mutex<Waiting>,
}

struct Waiting {
    free: usize,
    came: u64,
    waiting: BinaryHeap<Reverse<Waiter>>,
}

/// Somebody who waits.
struct Waiter {
    order: (usize, u64),
    place: oneshot::Sender<Place>,
}

impl PartialEq for Waiter {
    fn eq(&self, other: &Self) -> bool {
        self.order == other.order
    }
}

impl Eq for Waiter {}

impl PartialOrd for Waiter {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiter {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.order.cmp(&other.order)
    }
}

/// A place that goes to the next one when it is dropped.
struct Place(Option<Arc<Line>>);

impl Line {
    fn new(places: usize) -> Arc<Self> {
        Arc::new(Self { state: Mutex::new(Waiting { free: places, came: 0, waiting: BinaryHeap::new() }) })
    }

    fn state(&self) -> MutexGuard<'_, Waiting> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn enter(self: Arc<Self>, size: usize) -> Result<Place, NotJudged> {
        let given = {
            let mut state = self.state();
            if state.free > 0 {
                state.free -= 1;
                return Ok(Place(Some(Arc::clone(&self))));
            }
            // Those who gave up keep no place in the line.
            if state.waiting.len() >= WAITING {
                state.waiting.retain(|Reverse(waiter)| !waiter.place.is_closed());
            }
            if state.waiting.len() >= WAITING {
                return Err(NotJudged::Busy);
            }
            let (place, given) = oneshot::channel();
            state.came += 1;
            let order = (size, state.came);
            state.waiting.push(Reverse(Waiter { order, place }));
            given
        };
        given.await.map_err(|_| NotJudged::Broken)
    }

    /// Gives a place to the next who still waits.
    fn leave(self: &Arc<Self>) {
        let mut refused = Vec::new();
        let mut state = self.state();
        loop {
            let Some(Reverse(next)) = state.waiting.pop() else {
                state.free += 1;
                break;
            };
            match next.place.send(Place(Some(Arc::clone(self)))) {
                Ok(()) => break,
                Err(place) => refused.push(place),
            }
        }
        drop(state);
        // They hold nothing: the place went on.
        refused.iter_mut().for_each(|place| place.0 = None);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(line) = self.0.take() {
            line.leave();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn waits<T>(entering: &mut std::pin::Pin<Box<impl Future<Output = T>>>) -> bool {
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        entering.as_mut().poll(&mut context).is_pending()
    }

    #[tokio::test]
    async fn late_and_broken_checks_are_told_apart_from_verdicts() {
        let pool = Pool::new();
        assert_eq!(pool.run(LONG, Effort::Sentence, || 7).await, Ok(7));
        let broken = pool.run(LONG, Effort::Sentence, || panic!("on purpose")).await;
        assert_eq!(broken.map(|()| 0), Err(NotJudged::Broken));
        let (open, wait) = std::sync::mpsc::channel::<()>();
        let late = pool.run(Duration::from_millis(10), Effort::Turns(1), move || wait.recv().is_ok()).await;
        assert_eq!(late, Err(NotJudged::Late));
        drop(open);
    }

    #[tokio::test]
    async fn the_shortest_goes_first_and_who_gave_up_keeps_no_place() {
        let line = Line::new(1);
        let first = Arc::clone(&line).enter(5).await.unwrap();
        let mut waiting = Vec::new();
        for size in [900, 20, 20, 300] {
            let mut entering = Box::pin(Arc::clone(&line).enter(size));
            assert!(waits(&mut entering));
            waiting.push(entering);
        }
        drop(waiting.remove(3));
        drop(first);
        let second = waiting.remove(1).await.unwrap();
        assert!(waits(&mut waiting[1]));
        drop(second);
        drop(waiting.remove(1).await.unwrap());
        drop(waiting.remove(0).await.unwrap());
        assert_eq!(line.state().free, 1);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_not_joined() {
        let line = Line::new(0);
        let mut waiting = Vec::new();
        for _ in 0..WAITING {
            let mut entering = Box::pin(Arc::clone(&line).enter(1));
            assert!(waits(&mut entering));
            waiting.push(entering);
        }
        assert_eq!(Arc::clone(&line).enter(1).await.map(|_| ()), Err(NotJudged::Busy));
        waiting.pop();
        let mut entering = Box::pin(Arc::clone(&line).enter(1));
        assert!(waits(&mut entering));
    }
}
