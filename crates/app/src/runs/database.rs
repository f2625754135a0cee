//! The database of runs: where it lies, and waiting for it.

use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result};
use carelock_store::{Location, OpenMode, Store};
#[cfg(feature = "web")]
use tokio::runtime::Handle;
use tokio::runtime::{Builder, Runtime};

use super::naming::{database_option, shell_word};
use crate::cli::DatabaseArgument;
use crate::config;

/// The file in the current folder where no other database is named.
const USUAL: &str = "carelock.db";

/// An open database, and what waits for its answers.
pub(crate) struct Database {
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
    #[cfg(feature = "web")]
    Server(Handle),
}

impl Database {
    /// Opens the database that is named on the command line, else in CARELOCK_DB, else the one in this folder.
    pub(crate) fn open(argument: &DatabaseArgument, mode: OpenMode) -> Result<Self> {
        let location = location(argument)?;
        let runtime = Builder::new_current_thread().enable_all().build().context("no thread can be started")?;
        let store = runtime.block_on(Store::open(&location, mode))?;
        let option = database_option(argument.db.as_deref());
        Ok(Self { store, option, waiting: Waiting::Alone(runtime) })
    }

    /// A server's database, for work on a thread that may be kept busy.
    #[cfg(feature = "web")]
    pub(crate) fn of_server(store: Store, handle: Handle) -> Self {
        Self { store, option: String::new(), waiting: Waiting::Server(handle) }
    }

    /// The same database once more, for those who keep it.
    #[cfg(feature = "web")]
    pub(crate) fn shared(&self) -> Self {
        let handle = match &self.waiting {
            Waiting::Alone(runtime) => runtime.handle().clone(),
            Waiting::Server(handle) => handle.clone(),
        };
        Self { store: self.store.clone(), option: self.option.clone(), waiting: Waiting::Server(handle) }
    }

    /// The database itself.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// A run's name as it can be typed in a command, with the option that names this database.
    pub(crate) fn typed(&self, run: &str) -> String {
        shell_word(run) + &self.option
    }

    /// Waits for what is asked of the database.
    pub(crate) fn wait<F: Future>(&self, asked: F) -> F::Output {
        match &self.waiting {
            Waiting::Alone(runtime) => runtime.block_on(asked),
            #[cfg(feature = "web")]
            Waiting::Server(handle) => handle.block_on(asked),
        }
    }

    /// Ends all connections.
    pub(crate) fn close(self) {
        drop(self);
    }
}

/// Where the database lies: named on the command line, else in CARELOCK_DB, else in this folder.
pub(crate) fn location(argument: &DatabaseArgument) -> Result<Location> {
    let named = argument.db.clone().or_else(config::database);
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
pub(crate) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
