//! The database of runs: chats, what has to be asked about them, what judges answered, and what came of it.
//!
//! One file of SQLite by default, or PostgreSQL by URL; the same SQL runs on both. Every answer is committed as it
//! arrives, work is claimed with leases, and no chat is counted twice.
//!
//! ```
//! use carelock_store::{Location, NewRun, OpenMode, Store};
//! # async fn demo(folder: &std::path::Path) -> Result<(), carelock_store::StoreError> {
//! let store = Store::open(&Location::file(folder.join("runs.db")), OpenMode::Create).await?;
//! let config = serde_json::json!({ "judges": ["builtin"] });
//! let run = store.create_run(&NewRun { name: "nightly".into(), created: 1_790_000_000_000, judges: 1, config }).await?;
//! assert!(store.runs().await?.iter().any(|found| found.key == run));
//! # Ok(())
//! # }
//! ```

mod answer;
mod batch;
mod chat;
mod classify;
mod delete;
mod distribution;
mod error;
mod lease;
mod list;
mod location;
mod migrate;
mod open;
mod pack;
mod pending;
mod probe;
mod rating;
mod result;
mod run;
mod scored;
mod spread;
mod sql;
mod summary;
mod task;
mod token;

pub use answer::{NewAnswer, Recorded, Spent, StoredAnswer};
pub use batch::{Batch, BatchItem, NewBatch};
pub use chat::{NewChat, StoredChat};
pub use delete::Deleted;
pub use distribution::{Distribution, Distributions};
pub use error::StoreError;
pub use lease::Lease;
pub use list::{BadCursor, Cursor, Filter, ListedResult, MetricPlace, Page, Sort, UnknownSort};
pub use location::Location;
pub use open::{OpenMode, Store};
pub use pending::{PendingChat, PendingState};
pub use probe::ProbeTurn;
pub use rating::{QueuedRating, RaterProgress, Rating, RatingState};
pub use result::{METRICS, NewResult, Scores};
pub use run::{NewRun, Run, RunState};
pub use scored::ScoredChat;
pub use spread::{ScoreCounts, Spreads};
pub use summary::{Sum, Summary, TierCount};
pub use task::{Claim, ClaimedTask, FailedTask, Progress, StoredFailure};
pub use token::{NewToken, Role, Token, UnknownRole};

/// The number of a run in its database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RunKey(pub i64);

/// The number of a chat in its database. Chats of a run are numbered in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ChatKey(pub i64);

/// The number of a batch job in its database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BatchKey(pub i64);

/// The number of a rating in its database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RatingKey(pub i64);
