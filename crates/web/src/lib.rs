//! The web app and its HTTP API: one server, on this machine only unless tokens are asked for.

mod address;
mod api;
mod api_error;
mod assets;
mod blind;
mod blocking;
mod cache;
mod computed;
mod deletion;
mod evaluation;
mod health;
mod jobs;
mod judges;
mod listen;
mod messages;
mod metrics;
mod middleware;
mod options;
mod page;
mod pages;
mod queue;
mod rating;
mod routes;
mod state;
mod stored;
mod visitors;
mod words;
mod work;
mod write_timeout;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use carelock_core::problem::Problem;
use carelock_core::rubric::Rubric;
use carelock_engine::config::Config;
use carelock_engine::embedded::Embedded;
use carelock_engine::session::Watcher;
use carelock_guard::policy::Policy;
use carelock_guard::sessions::{Bounds, Sessions as Live};
use carelock_store::{Location, OpenMode, Store, StoreError};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

use cache::Cache;
pub use messages::Messages;
use metrics::Metrics;
pub use options::{RequestLog, ServeOptions};
use queue::Jobs;
use state::{Limits, Server, Shared};
use visitors::attempts::Attempts;
use visitors::host::{Origins, is_loopback_name};
pub use visitors::secret::{digest as token_digest, fresh as new_token};
use visitors::sessions::Sessions;

/// How long runs that are worked on may take to stop when the server ends.
const LAST: Duration = Duration::from_secs(10);

/// What the server is given.
pub struct Start {
    /// The options.
    pub options: ServeOptions,
    /// Settings and keys.
    pub config: Config,
    /// The rubric.
    pub rubric: Rubric,
    /// Where runs are kept.
    pub location: Location,
    /// How messages are said.
    pub messages: Messages,
    /// The policy of a guard that runs beside it, where one does.
    pub guard: Option<Policy>,
    /// Whether the user has asked it to end.
    pub is_stopped: fn() -> bool,
}

/// Serves until the user ends it; `opened` is told the address.
pub fn serve(start: Start, opened: impl FnOnce(&str) -> Result<()>) -> Result<()> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("no thread can be started")?;
    let served = runtime.block_on(run(start, opened));
    runtime.shutdown_timeout(Duration::from_secs(1));
    served
}

/// The database, which must have tokens; none is made for want of them.
async fn with_tokens(location: &Location, why: &str) -> Result<Store> {
    let store = match Store::open(location, OpenMode::Existing).await {
        Err(StoreError::Missing { .. }) => None,
        opened => Some(opened?),
    };
    match store {
        Some(store) if store.has_tokens().await? => Ok(store),
        _ => bail!(
            Problem::new(format!("{why} needs tokens, and there is none"))
                .advice("make one with `carelock token create NAME --role admin`")
        ),
    }
}

async fn run(start: Start, opened: impl FnOnce(&str) -> Result<()>) -> Result<()> {
    let Start { options, config, rubric, location, messages, guard: policy, is_stopped } = start;
    let is_local = options.listen.is_loopback();
    // Under a name beyond this machine, everybody who reaches the proxy seems to come from here.
    let is_known_beyond = options.origins.iter().any(|origin| !is_loopback_name(origin));
    let needs_token = options.auth || !is_local || is_known_beyond;
    let why = match (is_local, options.auth) {
        (false, _) => "an address beyond this machine",
        (true, true) => "--auth",
        (true, false) => "an --origin beyond this machine",
    };
    let store =
        if needs_token { with_tokens(&location, why).await? } else { Store::open(&location, OpenMode::Create).await? };
    let asked = SocketAddr::new(options.listen, options.port);
    let listener = TcpListener::bind(asked).await.map_err(|error| {
        Problem::new(format!("{asked}: cannot be listened on: {error}"))
            .advice("choose another port with --port; 0 takes any that is free")
    })?;
    let address = listener.local_addr()?;
    let metrics = Arc::new(Metrics::default());
    let embedded = Arc::new(Embedded::default());
    let watcher = Arc::new(Watcher::new(rubric.clone(), Arc::clone(&embedded)));
    let live = Arc::new(Live::new(Arc::clone(&watcher), Bounds::default()));
    if let Some(policy) = policy {
        opened_guard(policy, &config, &watcher, &live, messages).await?;
    }
    let server: Shared = Arc::new(Server {
        store,
        config,
        rubric: Arc::new(rubric),
        embedded,
        origins: Origins::new(address, &options.origins)?,
        needs_token,
        sessions: Sessions::default(),
        live,
        jobs: Jobs::default(),
        metrics: Arc::clone(&metrics),
        figures: Cache::default(),
        listed: Cache::new(pages::runs::figures::LISTED),
        agreed: Cache::default(),
        compared: Cache::new(pages::compare::KEPT),
        exports: Arc::new(Semaphore::new(pages::runs::export::AT_ONCE)),
        log: options.log,
        messages,
        work: work::Work::new(usize::try_from(options.max_evaluations)?),
        limits: limits(&options),
        attempts: Attempts::default(),
        most_bytes: usize::try_from(options.max_body << 20).unwrap_or(usize::MAX),
    });
    let url = format!("http://{address}/");
    opened(&url)?;
    tokio::spawn(jobs::discard_unfinished(server.store.clone(), messages));
    let (end, ending) = watch::channel(false);
    let served = Arc::clone(&server);
    tokio::spawn(async move {
        while !is_stopped() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        served.jobs.close();
        let _ = end.send(true);
    });
    let most = usize::try_from(options.max_connections)?;
    let bounds = listen::Bounds { most, head: server.limits.head, unread: server.limits.body };
    listen::listen(listener, routes::router(&server), bounds, metrics, ending).await;
    server.jobs.ended(LAST).await;
    server.store.clone().close().await;
    Ok(())
}

/// Starts a guard whose chats the live page shows.
async fn opened_guard(
    policy: Policy,
    config: &Config,
    watcher: &Arc<Watcher>,
    live: &Arc<Live>,
    messages: Messages,
) -> Result<()> {
    let told = carelock_guard::Messages { say: messages.say };
    let listen = policy.listen;
    let guard = carelock_guard::Guard::new(policy, config, Arc::clone(watcher), Some(Arc::clone(live)), told)?;
    let listener = TcpListener::bind(listen).await.map_err(|error| {
        Problem::new(format!("{listen}: cannot be listened on: {error}"))
            .advice("choose another address with `listen` in the policy")
    })?;
    (messages.say)(&format!("the guard listens on http://{}/", listener.local_addr()?));
    guard.sweep();
    tokio::spawn(async move { axum::serve(listener, guard.router()).await });
    Ok(())
}

fn limits(options: &ServeOptions) -> Limits {
    Limits {
        head: Duration::from_secs(options.head_seconds),
        body: Duration::from_secs(options.request_seconds),
        judges: Duration::from_secs(options.judge_seconds),
    }
}
