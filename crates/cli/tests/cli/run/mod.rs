//! `carelock run` from the outside: the running program, real databases, scripted servers on this machine.

mod away;
mod bad_input;
mod batch_server;
mod batches;
mod datasets;
mod disk;
mod ending;
mod killed;
mod panel;
pub(crate) mod postgres_server;
mod shared_work;
mod stored;

use super::judges_eval::{answers, server, support};
