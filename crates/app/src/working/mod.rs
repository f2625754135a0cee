//! Working on a run: claiming its chats, having them judged, and committing every answer, whoever asked for it.

mod bench;
mod chat;
mod commit;
mod name;
mod progress;
mod ready;
mod work;

pub(crate) use bench::{Bench, READY};
pub(crate) use chat::{DatasetDigest, ReadChat};
pub(crate) use commit::{Commit, settle_state, settle_the_rest};
pub(crate) use name::run_name;
pub(crate) use progress::{Audience, Progress, Standing, Wish};
pub(crate) use ready::{Answered, Ready, cost_of, results};
pub(crate) use work::{Ending, Shared, Worker};
