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
use serde_json::json;
use tokio::net::TcpListener;

use crate::answer::json_response;
use crate::state::Guard;
use crate::{litellm, moderation, proxy};

/// How often idle chats are looked for.
const SWEEP: Duration = Duration::from_secs(30);

impl Guard {
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
