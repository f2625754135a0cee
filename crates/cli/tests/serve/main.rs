//! `carelock serve` from the outside: the running program, spoken to over HTTP.
#![cfg(feature = "web")]
#![expect(clippy::unwrap_used, reason = "in tests, also in the functions they share, a panic is the right answer")]

mod abuse;
#[expect(dead_code, reason = "other tests use all of it")]
#[path = "../judges_eval/answers.rs"]
mod answers;
mod api;
mod compare;
mod judge;
mod limits;
mod rate;
mod rate_trouble;
mod report;
mod roles;
mod runs;
#[expect(dead_code, reason = "other tests use all of it")]
#[path = "../judges_eval/server.rs"]
mod server;
mod site;
#[expect(dead_code, reason = "other tests use all of it")]
#[path = "../judges_eval/support.rs"]
mod support;
mod visitor;
mod web;
mod wire;
