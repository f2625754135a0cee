//! Work that keeps a core busy.

use super::api_error::{ApiError, ApiResult};

/// Does work that keeps a core busy where it does not keep other requests waiting.
pub(crate) async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> ApiResult<T> {
    tokio::task::spawn_blocking(work).await.map_err(|error| ApiError::broken(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_a_panic_says_does_not_reach_the_log() {
        let refusal = blocking(|| panic!("not a boundary in \u{201c}I cannot sleep\u{201d}"))
            .await
            .map(|(): ()| ())
            .expect_err("a refusal");
        assert!(!format!("{refusal:?}").contains("sleep"), "{refusal:?}");
        assert_eq!(refusal.status, axum::http::StatusCode::INTERNAL_SERVER_ERROR);
    }
}
