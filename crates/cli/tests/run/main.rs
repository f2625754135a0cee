//! `carelock run` from the outside: the running program, real databases, scripted servers on this machine.

#![expect(clippy::unwrap_used, reason = "in tests, also in the functions they share, a panic is the right answer")]

#[expect(dead_code, reason = "other tests use all of it")]
#[path = "../judges_eval/answers.rs"]
mod answers;
mod away;
mod bad_input;
mod batch_server;
mod batches;
mod datasets;
mod disk;
mod ending;
mod killed;
mod panel;
mod postgres_server;
#[expect(dead_code, reason = "other tests use all of it")]
#[path = "../judges_eval/server.rs"]
mod server;
mod shared_work;
mod stored;
#[expect(dead_code, reason = "other tests use all of it")]
#[path = "../judges_eval/support.rs"]
mod support;
