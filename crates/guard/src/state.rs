//! What all requests of the guard share.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Result;
use carelock_engine::config::Config;
use carelock_engine::session::Watcher;
use carelock_judge::http::{Client, ClientOptions};
use tokio::sync::Semaphore;

use crate::alert::{Alerts, Messages};
use crate::behind::Behind;
use crate::calls::Calls;
use crate::policy::Policy;
use crate::pool::Pool;
use crate::sessions::{Bounds, Sessions};

/// How long a check may take for which no client waits.
pub(crate) const UNHURRIED: Duration = Duration::from_secs(60);

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
    /// The model that is asked about chats, where the policy names one.
    pub(crate) behind: Option<Arc<Behind>>,
    /// Addresses of which was said that they are not watched.
    pub(crate) unwatched: Mutex<BTreeSet<&'static str>>,
}

impl Guard {
    /// A guard by a policy that was checked. Chats go into `sessions` where others show them too.
    pub fn new(
        policy: Policy,
        config: &Config,
        watcher: Arc<Watcher>,
        sessions: Option<Arc<Sessions>>,
        messages: Messages,
    ) -> Result<Arc<Self>> {
        // A chat is passed on once: it must not go out on a connection that the model's server has just closed.
        let options = ClientOptions { keeps_connections: false, ..config.client_options()? };
        let client = Client::new(&options).map_err(|error| anyhow::anyhow!("{error}"))?;
        let idle = Duration::from_secs(policy.idle_minutes * 60);
        let bounds = Bounds { most: policy.sessions.max(1), idle, warm: policy.warm };
        let sessions = sessions.unwrap_or_else(|| Arc::new(Sessions::new(Arc::clone(&watcher), bounds)));
        let alerts = Alerts::new(&policy, client.clone(), messages)?;
        let places = Arc::new(Semaphore::new(policy.requests.max(1)));
        let (pool, calls) = (Pool::new(), Calls::default());
        let behind = Behind::new(&policy, config, &watcher)?.map(Arc::new);
        let unwatched = Mutex::default();
        Ok(Arc::new(Self { policy, client, watcher, sessions, pool, alerts, calls, places, behind, unwatched }))
    }
}
