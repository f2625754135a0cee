//! The web app and its HTTP API: one server, on this machine only unless tokens are asked for.

mod api;
mod assets;
mod deletion;
mod evaluation;
pub(crate) mod guard;
mod health;
mod jobs;
mod judges;
mod kept;
mod listen;
mod metrics;
mod page;
mod pages;
mod patient;
mod rating;
mod refusal;
mod routes;
mod state;
mod stored;
mod work;

use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use carelock_core::rubric::Rubric;
use carelock_store::{Location, OpenMode, Store, StoreError};
use tokio::net::TcpListener;
use tokio::sync::{Semaphore, watch};

use crate::cli::ServeArguments;
use crate::interrupt;
use crate::output::Output;
use carelock_engine::config::Config;
use carelock_engine::embedded::Embedded;
use guard::attempts::Attempts;
use guard::host::{Origins, is_loopback_name};
use guard::sessions::Sessions;
use jobs::Jobs;
use kept::Kept;
use metrics::Metrics;
use state::{Limits, Server, Shared};

/// How long runs that are worked on may take to stop when the server ends.
const LAST: Duration = Duration::from_secs(10);

/// What the server is given.
pub(crate) struct Start<'a> {
    /// The options.
    pub(crate) arguments: &'a ServeArguments,
    /// Settings and keys.
    pub(crate) config: Config,
    /// The rubric.
    pub(crate) rubric: Rubric,
    /// Where runs are kept.
    pub(crate) location: Location,
}

/// Serves until the user ends it.
pub(crate) fn serve(start: Start<'_>, opened: impl FnOnce(&str)) -> Result<()> {
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
            "{why} needs tokens, and there is none\n  fix: make one with `carelock token create NAME --role admin`"
        ),
    }
}

async fn run(start: Start<'_>, opened: impl FnOnce(&str)) -> Result<()> {
    let Start { arguments, config, rubric, location } = start;
    let is_local = arguments.listen.is_loopback();
    // Under a name beyond this machine, everybody who reaches the proxy seems to come from here.
    let is_known_beyond = arguments.origin.iter().any(|origin| !is_loopback_name(origin));
    let needs_token = arguments.auth || !is_local || is_known_beyond;
    let why = match (is_local, arguments.auth) {
        (false, _) => "an address beyond this machine",
        (true, true) => "--auth",
        (true, false) => "an --origin beyond this machine",
    };
    let store =
        if needs_token { with_tokens(&location, why).await? } else { Store::open(&location, OpenMode::Create).await? };
    let asked = SocketAddr::new(arguments.listen, arguments.port);
    let listener = TcpListener::bind(asked).await.with_context(|| {
        format!("{asked}: cannot be listened on\n  fix: choose another port with --port; 0 takes any that is free")
    })?;
    let address = listener.local_addr()?;
    let metrics = Arc::new(Metrics::default());
    let server: Shared = Arc::new(Server {
        store,
        config,
        rubric: Arc::new(rubric),
        embedded: Arc::new(Embedded::default()),
        origins: Origins::new(address, &arguments.origin)?,
        needs_token,
        sessions: Sessions::default(),
        jobs: Jobs::default(),
        metrics: Arc::clone(&metrics),
        figures: Kept::default(),
        listed: Kept::of(pages::runs::figures::LISTED),
        agreed: Kept::default(),
        compared: Kept::of(pages::compare::KEPT),
        exports: Arc::new(Semaphore::new(pages::runs::export::AT_ONCE)),
        log: arguments.log,
        work: work::Work::new(usize::try_from(arguments.max_evaluations)?),
        limits: limits(arguments),
        attempts: Attempts::default(),
        most_bytes: usize::try_from(arguments.max_body << 20).unwrap_or(usize::MAX),
    });
    let url = format!("http://{address}/");
    let mut output = Output::open(None)?;
    writeln!(output, "listening on {url}")?;
    output.finish()?;
    opened(&url);
    tokio::spawn(jobs::discard_unfinished(server.store.clone()));
    let (end, ending) = watch::channel(false);
    let served = Arc::clone(&server);
    tokio::spawn(async move {
        while !interrupt::was_asked() {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        served.jobs.close();
        let _ = end.send(true);
    });
    let most = usize::try_from(arguments.max_connections)?;
    let bounds = listen::Bounds { most, head: server.limits.head, unread: server.limits.body };
    listen::listen(listener, routes::router(&server), bounds, metrics, ending).await;
    server.jobs.ended(LAST).await;
    server.store.clone().close().await;
    Ok(())
}

fn limits(arguments: &ServeArguments) -> Limits {
    Limits {
        head: Duration::from_secs(arguments.head_seconds),
        body: Duration::from_secs(arguments.request_seconds),
        judges: Duration::from_secs(arguments.judge_seconds),
    }
}
