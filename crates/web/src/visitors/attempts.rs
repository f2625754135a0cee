//! Wrong tokens take time, and only a few are waited for at once, so that trying them out leads nowhere.

use std::time::Duration;

use axum::http::StatusCode;
use tokio::sync::Semaphore;

use crate::api_error::{ApiError, ApiResult};

/// How long a wrong token takes.
const WAIT: Duration = Duration::from_millis(300);
/// How many wrong tokens are waited for at once.
const AT_ONCE: usize = 8;

/// Wrong tokens that were shown just now. A right one is never kept waiting, whatever others do.
pub(crate) struct Attempts(Semaphore);

impl Default for Attempts {
    fn default() -> Self {
        Self(Semaphore::new(AT_ONCE))
    }
}

impl Attempts {
    /// Lets a wrong token take its time; refused where too many come at once.
    pub(crate) async fn slow_down(&self) -> ApiResult<()> {
        let Ok(_place) = self.0.try_acquire() else {
            let what = "Too many unknown tokens were shown in a short time.";
            return Err(ApiError::new(
                StatusCode::TOO_MANY_REQUESTS,
                what,
                "wait a little, then use a token that is known",
            ));
        };
        tokio::time::sleep(WAIT).await;
        Ok(())
    }
}
