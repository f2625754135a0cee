//! The database of runs: where it lies, and waiting for it.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use carelock_store::{Location, OpenMode, Store};
use tokio::runtime::{Builder, Handle, Runtime};

use super::naming::{database_option, shell_word};
use crate::config;

/// The file in the current folder where no other database is named.
const USUAL: &str = "carelock.db";

/// An open database, and what waits for its answers.
pub struct Database {
    store: Store,
    /// The option that names it in a command that is proposed.
    option: String,
    waiting: Waiting,
}

/// What waits for the answers.
enum Waiting {
    /// A command, which has nothing else to do.
    Alone(Runtime),
    /// A thread of a server that may be kept busy; the server's own threads do the waiting.
    Server(Handle),
}

impl Database {
    /// Opens the database of this name, else the one in CARELOCK_DB, else the one in this folder.
    pub fn open(named: Option<&str>, mode: OpenMode) -> Result<Self> {
        let location = location(named)?;
        let runtime = Builder::new_current_thread().enable_all().build().context("no thread can be started")?;
        let store = runtime.block_on(Store::open(&location, mode))?;
        let option = database_option(named);
        Ok(Self { store, option, waiting: Waiting::Alone(runtime) })
    }

    /// A server's database, for work on a thread that may be kept busy.
    pub fn of_server(store: Store, handle: Handle) -> Self {
        Self { store, option: String::new(), waiting: Waiting::Server(handle) }
    }

    /// The same database once more, for those who keep it.
    pub fn shared(&self) -> Self {
        let handle = match &self.waiting {
            Waiting::Alone(runtime) => runtime.handle().clone(),
            Waiting::Server(handle) => handle.clone(),
        };
        Self { store: self.store.clone(), option: self.option.clone(), waiting: Waiting::Server(handle) }
    }

    /// The database itself.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// A run's name as it can be typed in a command, with the option that names this database.
    pub fn typed(&self, run: &str) -> String {
        shell_word(run) + &self.option
    }

    /// Waits for what is asked of the database.
    pub fn wait<F: Future>(&self, asked: F) -> F::Output {
        match &self.waiting {
            Waiting::Alone(runtime) => runtime.block_on(asked),
            Waiting::Server(handle) => handle.block_on(asked),
        }
    }

    /// Ends all connections.
    pub fn close(self) {
        drop(self);
    }
}

/// Where the database lies: where it is named, else in CARELOCK_DB, else in this folder.
pub fn location(named: Option<&str>) -> Result<Location> {
    let named = named.map(str::to_owned).or_else(config::database);
    Ok(Location::parse(named.as_deref().unwrap_or(USUAL))?)
}

/// Ends all connections, however the command ends, which empties the journal beside a file. A server keeps its own.
impl Drop for Database {
    fn drop(&mut self) {
        if let Waiting::Alone(runtime) = &self.waiting {
            runtime.block_on(self.store.clone().close());
        }
    }
}

/// The time, in milliseconds since 1970.
pub fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
