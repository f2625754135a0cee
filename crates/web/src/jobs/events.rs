//! Progress as it happens: server-sent events, until the run is through or nobody listens any more.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::extract::{Path, State};
use axum::http::{HeaderName, HeaderValue};
use axum::response::IntoResponse as _;
use axum::response::sse::{Event, KeepAlive, Sse};
use carelock_store::RunKey;
use futures_util::stream;
use serde_json::json;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};

use super::view::{View, view};
use crate::api_error::ApiResult;
use crate::guard::access::Who;
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

/// Who listens: so many in all, and so many of one name.
pub(super) struct Listeners {
    all: Arc<Semaphore>,
    each: usize,
    named: Arc<Mutex<HashMap<String, usize>>>,
}

/// The place of one listener.
#[derive(Debug)]
struct ListenerPermit {
    _all: OwnedSemaphorePermit,
    name: Option<String>,
    named: Arc<Mutex<HashMap<String, usize>>>,
}

impl Listeners {
    pub(super) fn new(most: usize, each: usize) -> Self {
        Self { all: Arc::new(Semaphore::new(most)), each, named: Arc::default() }
    }

    /// A place for somebody; without tokens all are the same person on their own machine.
    fn enter(&self, name: Option<&str>) -> ApiResult<ListenerPermit> {
        let all = Arc::clone(&self.all).try_acquire_owned();
        let all = all.map_err(|_| super::busy("Too many browsers listen to progress."))?;
        if let Some(name) = name {
            let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
            let count = named.entry(name.to_owned()).or_default();
            if *count >= self.each {
                return Err(super::busy("Too many of your browsers listen to progress."));
            }
            *count += 1;
        }
        Ok(ListenerPermit { _all: all, name: name.map(str::to_owned), named: Arc::clone(&self.named) })
    }
}

impl Drop for ListenerPermit {
    fn drop(&mut self) {
        let Some(name) = &self.name else { return };
        let mut named = self.named.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = named.get_mut(name) {
            *count -= 1;
            if *count == 0 {
                named.remove(name);
            }
        }
    }
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
                let open = crate::pages::progress::address(&self.server, self.run, &now).await.ok()?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_cannot_take_all_places() {
        let listeners = Listeners::new(5, 2);
        let one = listeners.enter(Some("ana")).expect("a place");
        let _two = listeners.enter(Some("ana")).expect("a place");
        assert!(listeners.enter(Some("ana")).is_err());
        let _other = listeners.enter(Some("bo")).expect("a place");
        drop(one);
        assert!(listeners.enter(Some("ana")).is_ok());
        let _local: Vec<_> = (0..3).map_while(|_| listeners.enter(None).ok()).collect();
        assert!(listeners.enter(None).is_err());
    }
}
