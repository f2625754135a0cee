//! The guard as a server: its own addresses, everything else passed to the upstream.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::response::Response;
use axum::routing::{get, post};
use carelock_core::problem::Problem;
use carelock_engine::session::Watcher;
use carelock_judge::http::{Client, ClientOptions};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use crate::alert::Alerts;
use crate::answer::json_response;
use crate::litellm::{self, Calls};
use crate::policy::Policy;
use crate::pool::Pool;
use crate::sessions::{Bounds, Sessions};
use crate::{moderation, proxy};

/// How long a check may take for which no client waits.
pub(crate) const UNHURRIED: Duration = Duration::from_secs(60);

/// How often idle chats are looked for.
const SWEEP: Duration = Duration::from_secs(30);

/// How messages are said.
#[derive(Clone, Copy)]
pub struct Messages {
    /// Says something to whoever runs the guard.
    pub say: fn(&str),
}

/// What all requests share.
pub struct Guard {
    pub(crate) policy: Policy,
    pub(crate) client: Client,
    pub(crate) watcher: Arc<Watcher>,
    pub(crate) sessions: Arc<Sessions>,
    pub(crate) pool: Pool,
    pub(crate) alerts: Alerts,
    pub(crate) calls: Calls,
    pub(crate) places: Arc<Semaphore>,
}

impl Guard {
    /// A guard by a policy that was checked. Chats go into `sessions` where others show them too.
    pub fn new(
        policy: Policy,
        client: &ClientOptions,
        watcher: Arc<Watcher>,
        sessions: Option<Arc<Sessions>>,
        messages: Messages,
    ) -> Result<Arc<Self>> {
        let client = Client::new(client).map_err(|error| anyhow::anyhow!("{error}"))?;
        let idle = Duration::from_secs(policy.idle_minutes * 60);
        let bounds = Bounds { most: policy.sessions.max(1), idle, warm: policy.warm };
        let sessions = sessions.unwrap_or_else(|| Arc::new(Sessions::new(Arc::clone(&watcher), bounds)));
        let alerts = Alerts::new(&policy, client.clone(), messages)?;
        let places = Arc::new(Semaphore::new(policy.requests.max(1)));
        let (pool, calls) = (Pool::new(), Calls::default());
        Ok(Arc::new(Self { policy, client, watcher, sessions, pool, alerts, calls, places }))
    }

    /// All addresses.
    pub fn router(self: &Arc<Self>) -> Router {
        let limit = DefaultBodyLimit::max(self.policy.max_body_mib << 20);
        Router::new()
            .route("/carelock/health", get(health))
            .route("/carelock/sessions", get(list))
            .route("/beta/litellm_basic_guardrail_api", post(litellm::guardrail))
            .route("/v1/moderations", post(moderation::moderations))
            .fallback(proxy::pass)
            .layer(limit)
            .with_state(Arc::clone(self))
    }

    /// Forgets idle chats from time to time, for as long as the guard lives.
    pub fn sweep(self: &Arc<Self>) {
        let sessions = Arc::clone(&self.sessions);
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(SWEEP).await;
                sessions.forget_idle();
            }
        });
    }
}

async fn health(State(guard): State<Arc<Guard>>) -> Response {
    let mode = format!("{:?}", guard.policy.mode).to_lowercase();
    json_response(StatusCode::OK, &json!({"status": "ok", "mode": mode, "sessions": guard.sessions.count()}))
}

async fn list(State(guard): State<Arc<Guard>>) -> Response {
    let sessions: Vec<_> = guard
        .sessions
        .list(100)
        .into_iter()
        .map(|(number, mut summary)| {
            // Words of a chat are for the live page, which asks who is looking.
            if let Some(cue) = &mut summary.cue {
                cue.quote = None;
            }
            json!({"session": number, "standing": summary})
        })
        .collect();
    json_response(StatusCode::OK, &json!({"sessions": sessions}))
}

/// Serves until `is_stopped`; `opened` is told the address.
pub fn serve(guard: &Arc<Guard>, is_stopped: fn() -> bool, opened: impl FnOnce(&str) -> Result<()>) -> Result<()> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().enable_all().build().context("no thread can be started")?;
    let served = runtime.block_on(async {
        let asked = guard.policy.listen;
        let listener = TcpListener::bind(asked).await.map_err(|error| {
            Problem::new(format!("{asked}: cannot be listened on: {error}"))
                .advice("choose another address with --listen; port 0 takes any that is free")
        })?;
        let watcher = Arc::clone(&guard.watcher);
        tokio::task::spawn_blocking(move || watcher.warm_up()).await.context("the embedded judge cannot be read")?;
        guard.sweep();
        opened(&format!("http://{}/", listener.local_addr()?))?;
        let stopped = async move {
            while !is_stopped() {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::select! {
            served = async { axum::serve(listener, guard.router()).await } => served.context("the server ended"),
            () = stopped => Ok(()),
        }
    });
    runtime.shutdown_timeout(Duration::from_secs(1));
    served
}
