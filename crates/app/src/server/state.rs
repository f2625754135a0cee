//! What all requests share.

use std::sync::Arc;

use carelock_core::rubric::Rubric;
use carelock_store::Store;

use super::guard::host::Origins;
use super::guard::sessions::Sessions;
use super::jobs::Jobs;
use super::metrics::Metrics;
use crate::cli::RequestLog;
use crate::config::Config;
use crate::embedded::Embedded;

/// The server, as every request has it.
pub(crate) type Shared = Arc<Server>;

/// What the server was started with, and what it keeps while it runs.
pub(crate) struct Server {
    /// Runs, chats, ratings and tokens.
    pub(crate) store: Store,
    /// Settings and keys of judges; they are never shown.
    pub(crate) config: Config,
    /// The rubric new chats are judged by.
    pub(crate) rubric: Arc<Rubric>,
    /// The embedded judge.
    pub(crate) embedded: Arc<Embedded>,
    /// The names it answers to.
    pub(crate) origins: Origins,
    /// Whether a token is needed.
    pub(crate) needs_token: bool,
    /// Browsers that have shown a token.
    pub(crate) sessions: Sessions,
    /// Runs this server works on.
    pub(crate) jobs: Jobs,
    /// What is counted.
    pub(crate) metrics: Arc<Metrics>,
    /// What is said about requests.
    pub(crate) log: RequestLog,
    /// The largest request in bytes.
    pub(crate) most_bytes: usize,
}
