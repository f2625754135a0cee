//! A switch that stops all calls, thrown when the user has had enough.

use std::sync::Arc;

use tokio::sync::watch;

/// A switch shared by its copies: once thrown, calls end at once and what is done stays done.
#[derive(Clone, Debug)]
pub struct Cancel(Arc<watch::Sender<bool>>);

impl Default for Cancel {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Cancel {
    /// A switch that nobody has thrown yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Throws the switch; there is no way back.
    pub fn cancel(&self) {
        self.0.send_replace(true);
    }

    /// Whether it has been thrown.
    pub fn is_cancelled(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits until it is thrown.
    pub async fn cancelled(&self) {
        let mut receiver = self.0.subscribe();
        if receiver.wait_for(|thrown| *thrown).await.is_err() {
            // The sender lives in `self`, so this is out of reach; never returning is the safe reading of it.
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn throwing_the_switch_wakes_those_who_wait_and_those_who_come_later() {
        let cancel = Cancel::new();
        let waiting = tokio::spawn({
            let cancel = cancel.clone();
            async move { cancel.cancelled().await }
        });
        tokio::task::yield_now().await;
        assert!(!cancel.is_cancelled());
        cancel.cancel();
        waiting.await.expect("the waiter ends");
        cancel.cancelled().await;
        assert!(cancel.is_cancelled());
    }
}
