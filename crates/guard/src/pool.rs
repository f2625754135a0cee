//! Judging beside the async threads: no more at once than there are cores, and no longer than the policy allows.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

/// Why there is no verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum NotJudged {
    /// The check took too long.
    Late,
    /// The check broke.
    Broken,
}

impl NotJudged {
    /// The reason in words.
    pub(crate) fn reason(&self) -> &'static str {
        match self {
            Self::Late => "late: the check took longer than the policy allows",
            Self::Broken => "broken: the check ended without a verdict",
        }
    }
}

/// The places where is judged.
#[derive(Clone)]
pub(crate) struct Pool {
    cores: Arc<Semaphore>,
}

impl Pool {
    pub(crate) fn new() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self { cores: Arc::new(Semaphore::new(cores)) }
    }

    /// Does work that keeps a core busy, when one is free. It goes on even where nobody waits for it any more.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        patience: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, NotJudged> {
        let cores = Arc::clone(&self.cores);
        let done = async move {
            let core = cores.acquire_owned().await.map_err(|_| NotJudged::Broken)?;
            let worked = tokio::task::spawn_blocking(move || {
                let _core = core;
                work()
            });
            worked.await.map_err(|_| NotJudged::Broken)
        };
        tokio::time::timeout(patience, done).await.unwrap_or(Err(NotJudged::Late))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn late_and_broken_checks_are_told_apart_from_verdicts() {
        let pool = Pool::new();
        assert_eq!(pool.run(Duration::from_secs(60), || 7).await, Ok(7));
        let broken = pool.run(Duration::from_secs(60), || panic!("on purpose")).await;
        assert_eq!(broken.map(|()| 0), Err(NotJudged::Broken));
        let (open, wait) = std::sync::mpsc::channel::<()>();
        let late = pool.run(Duration::from_millis(10), move || wait.recv().is_ok()).await;
        assert_eq!(late, Err(NotJudged::Late));
        drop(open);
    }
}
