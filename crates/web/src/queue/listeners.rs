//! Who listens to progress: so many in all, and so many of one name.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::api_error::ApiResult;

/// Who listens: so many in all, and so many of one name.
pub(crate) struct Listeners {
    all: Arc<Semaphore>,
    each: usize,
    named: Arc<Mutex<HashMap<String, usize>>>,
}

/// The place of one listener.
#[derive(Debug)]
pub(crate) struct ListenerPermit {
    _all: OwnedSemaphorePermit,
    name: Option<String>,
    named: Arc<Mutex<HashMap<String, usize>>>,
}

impl Listeners {
    pub(crate) fn new(most: usize, each: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(most)), each, named: Arc::default() }
    }

    /// A place for somebody; without tokens all are the same person on their own machine.
    pub(crate) fn enter(&self, name: Option<&str>) -> ApiResult<ListenerPermit> {
        let all = Arc::clone(&self.all).try_acquire_owned();
        let all = all.map_err(|_| super::busy("Too many browsers listen to progress."))?;
        if let Some(name) = name {
            let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
            let count = named.entry(name.to_owned()).or_default();
            if *count >= self.each {
                return Err(super::busy("Too many of your browsers listen to progress."));
            }
            *count += 1;
        }
        Ok(ListenerPermit { _all: all, name: name.map(str::to_owned), named: Arc::clone(&self.named) })
    }
}

impl Drop for ListenerPermit {
    fn drop(&mut self) {
        let Some(name) = &self.name else { return };
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = named.get_mut(name) {
            *count -= 1;
            if *count == 0 {
                named.remove(name);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_cannot_take_all_places() {
        let listeners = Listeners::new(5, 2);
        let one = listeners.enter(Some("ana")).expect("a place");
        let _two = listeners.enter(Some("ana")).expect("a place");
        assert!(listeners.enter(Some("ana")).is_err());
        let _other = listeners.enter(Some("bo")).expect("a place");
        drop(one);
        assert!(listeners.enter(Some("ana")).is_ok());
        let _local: Vec<_> = (0..3).map_while(|_| listeners.enter(None).ok()).collect();
        assert!(listeners.enter(None).is_err());
    }
}
