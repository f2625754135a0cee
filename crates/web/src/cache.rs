//! A cache of what takes long to compute; requests for the same value wait for one computation.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::Semaphore;

use super::api_error::{ApiError, ApiResult};

/// The most that is kept, unless fewer are asked for.
const MOST: usize = 128;
/// What took long is kept so many times longer than it took, where it may be out of date for a while.
const PATIENCE: u32 = 10;

/// How many are computed at once; the database has as many readers.
const AT_ONCE: usize = 4;

/// Computed values by key.
pub(crate) struct Cache<T> {
    slots: Mutex<HashMap<String, Slot<T>>>,
    most: usize,
    room: Arc<Semaphore>,
}

type Slot<T> = Arc<tokio::sync::Mutex<Option<Entry<T>>>>;

struct Entry<T> {
    /// What it was computed from; with another one it no longer holds.
    stamp: String,
    made: Instant,
    took: Duration,
    value: Arc<T>,
}

impl<T: Send + Sync + 'static> Default for Cache<T> {
    fn default() -> Self {
        Self::new(MOST)
    }
}

impl<T: Send + Sync + 'static> Cache<T> {
    /// Keeps at most so many.
    pub(crate) fn new(most: usize) -> Self {
        Self { slots: Mutex::default(), most, room: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// The value that is kept, where its stamp is still this one or it is not older than `stale`; otherwise a new one.
    /// Making it goes on where nobody waits any more: what takes longer than a request may would never be there else.
    pub(crate) async fn get<F: Future<Output = ApiResult<T>> + Send + 'static>(
        &self,
        of: &str,
        stamp: &str,
        stale: Duration,
        make: impl FnOnce() -> F,
    ) -> ApiResult<Arc<T>> {
        let mut entry = self.slot(of).lock_owned().await;
        if let Some(kept) = entry.as_ref() {
            let bearable = if stale.is_zero() { stale } else { stale.max(PATIENCE * kept.took) };
            if kept.stamp == stamp || kept.made.elapsed() < bearable {
                return Ok(Arc::clone(&kept.value));
            }
        }
        let room = Arc::clone(&self.room).acquire_owned().await.map_err(|error| ApiError::failed(&error.into()))?;
        let (stamp, making) = (stamp.to_owned(), make());
        let making = tokio::spawn(async move {
            let _room = room;
            let begun = Instant::now();
            let value = Arc::new(making.await?);
            let (made, took) = (Instant::now(), begun.elapsed());
            *entry = Some(Entry { stamp, made, took, value: Arc::clone(&value) });
            Ok(value)
        });
        making.await.map_err(|error| ApiError::broken(&error))?
    }

    fn slot(&self, of: &str) -> Slot<T> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.len() >= self.most && !slots.contains_key(of) {
            slots.clear();
        }
        Arc::clone(slots.entry(of.to_owned()).or_default())
    }

    /// Forgets one value, because something has happened to what it is of.
    pub(crate) fn forget(&self, of: &str) {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner).remove(of);
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
            let kept = Cache::default();
            let get = async |stamp: &str, stale, value: u32| {
                *kept.get("run", stamp, stale, || async move { Ok(value) }).await.expect("a value")
            };
            assert_eq!(get("a", Duration::ZERO, 1).await, 1);
            assert_eq!(get("a", Duration::ZERO, 2).await, 1);
            assert_eq!(get("b", Duration::from_secs(60), 3).await, 1, "not too old yet");
            assert_eq!(get("b", Duration::ZERO, 4).await, 4);
            kept.clear();
            assert_eq!(get("b", Duration::ZERO, 5).await, 5);
            kept.forget("run");
            assert_eq!(get("b", Duration::ZERO, 6).await, 6);
        });
    }

    #[test]
    fn what_nobody_waits_for_any_more_is_kept_all_the_same() {
        waited(async {
            let kept = Cache::default();
            let slow = kept.get("run", "a", Duration::ZERO, || async {
                tokio::time::sleep(Duration::from_millis(50)).await;
                Ok(1)
            });
            assert!(tokio::time::timeout(Duration::from_millis(5), slow).await.is_err());
            let next = kept.get("run", "a", Duration::ZERO, || async { Ok(2) }).await;
            assert_eq!(*next.expect("a value"), 1);
        });
    }

    #[test]
    fn only_some_are_made_at_once() {
        waited(async {
            let kept = Cache::default();
            let made = Arc::new(std::sync::atomic::AtomicUsize::new(0));
            let patience = Duration::from_millis(20);
            for number in 0..2 * AT_ONCE {
                let (made, of) = (Arc::clone(&made), number.to_string());
                let asked = kept.get(&of, "a", Duration::ZERO, || async move {
                    made.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
                    std::future::pending::<ApiResult<()>>().await
                });
                assert!(tokio::time::timeout(patience, asked).await.is_err());
            }
            assert_eq!(made.load(std::sync::atomic::Ordering::SeqCst), AT_ONCE);
        });
    }
}
