//! What all requests share.

use std::sync::Arc;
use std::time::Duration;

use carelock_core::rubric::Rubric;
use carelock_engine::config::Config;
use carelock_engine::embedded::Embedded;
use carelock_guard::sessions::Sessions as Live;
use carelock_store::Store;
use tokio::sync::Semaphore;

use super::cache::Cache;
use super::computed::{Agreed, Compared, Figures, ListedRun};
use super::metrics::Metrics;
use super::queue::Jobs;
use super::visitors::attempts::Attempts;
use super::visitors::host::Origins;
use super::visitors::sessions::Sessions;
use super::work::Work;
use crate::messages::Messages;
use crate::options::RequestLog;

/// How long things may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// The head of a request; a connection that waits for one ends after it too.
    pub(crate) head: Duration,
    /// A request, or where its handler has a limit of its own, the body of it.
    pub(crate) body: Duration,
    /// The judges of a chat while a client waits.
    pub(crate) judges: Duration,
}

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
    /// Chats that go on.
    pub(crate) live: Arc<Live>,
    /// Runs this server works on.
    pub(crate) jobs: Jobs,
    /// What is counted.
    pub(crate) metrics: Arc<Metrics>,
    /// What was computed for the pages of runs.
    pub(crate) figures: Cache<Figures>,
    /// What was computed for the list of runs.
    pub(crate) listed: Cache<ListedRun>,
    /// Comparisons that were computed.
    pub(crate) compared: Cache<Compared>,
    /// How far raters agree with others.
    pub(crate) agreed: Cache<Agreed>,
    /// How many downloads of whole runs there may be at once.
    pub(crate) exports: Arc<Semaphore>,
    /// How messages are said.
    pub(crate) messages: Messages,
    /// What is said about requests.
    pub(crate) log: RequestLog,
    /// What is judged while clients wait.
    pub(crate) work: Work,
    /// How long things may take.
    pub(crate) limits: Limits,
    /// Tokens that were wrong.
    pub(crate) attempts: Attempts,
    /// The largest request in bytes.
    pub(crate) most_bytes: usize,
}

impl Server {
    /// The most that an archive in a request may unpack to. Chats shrink to about a fifth; what shrinks to far less is
    /// made to fill the memory.
    pub(crate) fn most_unpacked(&self) -> u64 {
        8 * self.most_bytes as u64
    }
}
