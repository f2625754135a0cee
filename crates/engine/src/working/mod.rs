//! Working on a run: claiming its chats, having them judged, and committing every answer, whoever asked for it.

mod batches;
mod chat;
mod commit;
mod dataset;
mod identity;
mod name;
mod peers;
mod progress;
mod quick;
mod ready;
mod reconnect;
mod work;

pub use batches::{BatchRun, retention, work_in_batches};
pub use chat::{DatasetDigest, ReadChat};
pub use commit::{Commit, settle_state, settle_the_rest};
pub use dataset::DatasetReader;
pub use name::run_name;
pub use peers::take_back_from_gone;
pub use progress::{Progress, ProgressObserver, Standing, StopMode};
pub use quick::Shared;
pub use ready::{Answered, Ready, cost_of, results};
pub use work::{Ending, Worker};
