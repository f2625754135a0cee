//! How much is judged at once: a bounded number of requests, and no more than there are cores.

use std::sync::Arc;
use std::thread::available_parallelism;

use axum::http::StatusCode;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::api_error::{ApiError, ApiResult};
use super::blocking::blocking;

/// The places where chats are judged while a client waits.
pub(crate) struct Work {
    inside: Arc<Semaphore>,
    cores: Arc<Semaphore>,
}

impl Work {
    /// Room for so many requests.
    pub(crate) fn new(most: usize) -> Self {
        let cores = available_parallelism().map_or(1, std::num::NonZero::get);
        Self { inside: Arc::new(Semaphore::new(most)), cores: Arc::new(Semaphore::new(cores)) }
    }

    /// A place for a request, before anything of its body is read; whoever finds none comes again later.
    pub(crate) fn enter(&self) -> ApiResult<OwnedSemaphorePermit> {
        Arc::clone(&self.inside).try_acquire_owned().map_err(|_| {
            let status = StatusCode::SERVICE_UNAVAILABLE;
            ApiError::new(status, "The server is judging as many chats as it can.", "send it again in a few seconds")
        })
    }

    /// Does work that keeps a core busy, when one is free. The core counts as taken until the work is done, even where
    /// nobody waits for it any more.
    pub(crate) async fn on_a_core<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> ApiResult<T> {
        let core = Arc::clone(&self.cores).acquire_owned().await;
        let core = core.map_err(|error| ApiError::failed(&error.into()))?;
        blocking(move || {
            let _core = core;
            work()
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_finds_no_place_is_told_to_come_again() {
        let work = Work::new(1);
        let inside = work.enter().expect("a place");
        let refused = work.enter().expect_err("no place");
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
        drop(inside);
        assert!(work.enter().is_ok());
    }
}
