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
mod shared_work;
mod stored;
