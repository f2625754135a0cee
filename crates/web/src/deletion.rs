//! Deleting: nobody begins to work on a run meanwhile, and nothing of it stays in memory.

use std::sync::Arc;

use carelock_store::{Deleted, RunKey, StoreError};
use tokio::task::JoinHandle;

use super::api_error::ApiResult;
use super::state::Shared;

/// Deletes something of a run, on a task of its own that goes on to the end even where the client has gone: half of it
/// would leave traces. Refused while the server works on the run.
pub(crate) fn deleting(
    server: &Shared,
    run: RunKey,
    work: impl Future<Output = Result<Deleted, StoreError>> + Send + 'static,
) -> ApiResult<JoinHandle<Result<Deleted, StoreError>>> {
    server.jobs.close_run(run)?;
    let closed = ClosedRun { server: Arc::clone(server), run };
    Ok(tokio::spawn(async move {
        let deleted = work.await;
        let server = &closed.server;
        server.figures.clear();
        server.listed.clear();
        server.compared.clear();
        server.agreed.clear();
        deleted
    }))
}

/// A run that no job may begin on; with its end, some may again.
struct ClosedRun {
    server: Shared,
    run: RunKey,
}

impl Drop for ClosedRun {
    fn drop(&mut self) {
        self.server.jobs.open_run(self.run);
    }
}
