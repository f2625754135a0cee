//! Progress as it happens: server-sent events, until the run is through or nobody listens any more.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::{HeaderName, HeaderValue};
use axum::response::IntoResponse as _;
use axum::response::sse::{Event, KeepAlive, Sse};
use carelock_store::RunKey;
use futures_util::stream;
use serde_json::json;
use tokio::sync::watch;

use super::view::{View, view};
use crate::api_error::ApiResult;
use crate::middleware::access::Who;
use crate::queue::ListenerPermit;
use crate::state::Shared;

/// How often a run of this server is looked at.
const OWN: Duration = Duration::from_millis(200);
/// How often the database is asked about a run that others work on.
const OTHERS: Duration = Duration::from_secs(1);
/// How often a quiet stream says that it is alive.
const ALIVE: Duration = Duration::from_secs(10);

/// One browser that listens.
struct Listener {
    server: Shared,
    run: RunKey,
    who: Who,
    shown: Option<View>,
    is_over: bool,
    ending: watch::Receiver<bool>,
    _place: ListenerPermit,
}

/// The address to open when the work has ended: of a single chat its report, else the run.
pub(crate) async fn address(server: &Shared, run: RunKey, view: &View) -> ApiResult<String> {
    if view.state == "done" {
        let mut chats = server.store.chats_after(run, None, 2).await?;
        if let (Some(chat), true) = (chats.pop(), chats.is_empty()) {
            return Ok(format!("/runs/{}/chats/{}", run.0, chat.key.0));
        }
    }
    Ok(format!("/runs/{}", run.0))
}

/// The progress of a run as events.
pub(crate) async fn events(State(server): State<Shared>, who: Who, Path(run): Path<i64>) -> ApiResult {
    let run = server.store.run_numbered(RunKey(run)).await?.key;
    let place = server.jobs.listeners.enter(who.name.as_deref())?;
    let ending = server.jobs.ending.subscribe();
    let listener = Listener { server, run, who, shown: None, is_over: false, ending, _place: place };
    let told = stream::unfold(listener, |mut listener| async move {
        let event = listener.next().await?;
        Some((Ok::<_, Infallible>(event), listener))
    });
    let mut response = Sse::new(told).keep_alive(KeepAlive::new().interval(ALIVE).text("alive")).into_response();
    // Proxies would hold events back until there are many.
    let (name, value) = (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    response.headers_mut().insert(name, value);
    Ok(response)
}

impl Listener {
    /// The next event, once there is something new; none when all is said.
    async fn next(&mut self) -> Option<Event> {
        if self.is_over {
            return None;
        }
        loop {
            let now = view(&self.server, self.run, &self.who).await.ok()?;
            if self.shown.as_ref() != Some(&now) {
                let event = Event::default().event("progress").data(json!(now).to_string());
                self.shown = Some(now);
                return Some(event);
            }
            if !now.is_under_way() {
                self.is_over = true;
                let open = address(&self.server, self.run, &now).await.ok()?;
                return Some(Event::default().event("done").data(json!({ "open": open }).to_string()));
            }
            let pause = if self.server.jobs.is_at(self.run) { OWN } else { OTHERS };
            tokio::select! {
                () = tokio::time::sleep(pause) => {}
                _ = self.ending.wait_for(|ending| *ending) => return None,
            }
        }
    }
}
