//! What takes long to compute, kept until it no longer holds; several requests for the same wait for one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::refusal::Answer;

/// The most that is kept, unless fewer are asked for.
const MOST: usize = 128;
/// What took long is kept so many times longer than it took, where it may be out of date for a while.
const PATIENCE: u32 = 10;

/// Values by what they are of.
pub(crate) struct Kept<T> {
    slots: Mutex<HashMap<String, Slot<T>>>,
    most: usize,
}

type Slot<T> = Arc<tokio::sync::Mutex<Option<Entry<T>>>>;

struct Entry<T> {
    /// What it was computed from; with another one it no longer holds.
    stamp: String,
    made: Instant,
    took: Duration,
    value: Arc<T>,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self::of(MOST)
    }
}

impl<T> Kept<T> {
    /// Keeps at most so many.
    pub(crate) fn of(most: usize) -> Self {
        Self { slots: Mutex::default(), most }
    }

    /// The value that is kept, where its stamp is still this one or it is not older than `stale`; otherwise a new one.
    pub(crate) async fn get<F: Future<Output = Answer<T>>>(
        &self,
        of: &str,
        stamp: &str,
        stale: Duration,
        make: impl FnOnce() -> F,
    ) -> Answer<Arc<T>> {
        let slot = self.slot(of);
        let mut entry = slot.lock().await;
        if let Some(kept) = entry.as_ref() {
            let bearable = if stale.is_zero() { stale } else { stale.max(PATIENCE * kept.took) };
            if kept.stamp == stamp || kept.made.elapsed() < bearable {
                return Ok(Arc::clone(&kept.value));
            }
        }
        let begun = Instant::now();
        let value = Arc::new(make().await?);
        let (stamp, made, took) = (stamp.to_owned(), Instant::now(), begun.elapsed());
        *entry = Some(Entry { stamp, made, took, value: Arc::clone(&value) });
        Ok(value)
    }

    fn slot(&self, of: &str) -> Slot<T> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.len() >= self.most && !slots.contains_key(of) {
            slots.clear();
        }
        Arc::clone(slots.entry(of.to_owned()).or_default())
    }

    /// Forgets everything, because something was deleted and may not stay anywhere.
    pub(crate) fn clear(&self) {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waited<F: Future>(asked: F) -> F::Output {
        tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a thread").block_on(asked)
    }

    #[test]
    fn a_value_is_made_again_when_its_stamp_changes_or_it_was_forgotten() {
        waited(async {
            let kept = Kept::default();
            let get = async |stamp: &str, stale, value: u32| {
                *kept.get("run", stamp, stale, || async move { Ok(value) }).await.expect("a value")
            };
            assert_eq!(get("a", Duration::ZERO, 1).await, 1);
            assert_eq!(get("a", Duration::ZERO, 2).await, 1);
            assert_eq!(get("b", Duration::from_secs(60), 3).await, 1, "not too old yet");
            assert_eq!(get("b", Duration::ZERO, 4).await, 4);
            kept.clear();
            assert_eq!(get("b", Duration::ZERO, 5).await, 5);
        });
    }
}
