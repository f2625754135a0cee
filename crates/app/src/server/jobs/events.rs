//! Progress as it happens: server-sent events, until the run is through or nobody listens any more.

use std::convert::Infallible;
use std::time::Duration;

use axum::Extension;
use axum::extract::{Path, State};
use axum::http::{HeaderName, HeaderValue};
use axum::response::IntoResponse as _;
use axum::response::sse::{Event, KeepAlive, Sse};
use carelock_store::RunKey;
use futures_util::stream;
use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, watch};

use super::view::{View, view};
use crate::server::guard::access::Who;
use crate::server::refusal::Answer;
use crate::server::state::Shared;

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
    _place: OwnedSemaphorePermit,
}

/// The progress of a run as events.
pub(crate) async fn events(
    State(server): State<Shared>,
    Extension(who): Extension<Who>,
    Path(run): Path<i64>,
) -> Answer {
    let run = server.store.run_numbered(RunKey(run)).await?.key;
    let place = std::sync::Arc::clone(&server.jobs.listeners).try_acquire_owned();
    let place = place.map_err(|_| super::busy("Too many browsers listen to progress."))?;
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
                let open = crate::server::pages::progress::address(&self.server, self.run, &now).await.ok()?;
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
