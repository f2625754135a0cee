//! The commands around runs from the outside: what they print, write and delete.

#![expect(clippy::unwrap_used, reason = "in tests, also in the functions they share, a panic is the right answer")]

mod action;
mod ci;
mod delete;
mod export;
mod html;
mod place;
mod postgres;
#[path = "../run/postgres_server.rs"]
mod postgres_server;
mod rescore;
mod runs;
mod show;
