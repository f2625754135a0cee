//! `carelock eval` with LLM judges, from the outside: the running program against scripted servers on this machine.

#![expect(clippy::unwrap_used, reason = "in tests, also in the functions they share, a panic is the right answer")]

mod answers;
mod builtin;
mod cache;
mod cascade;
mod cost;
mod interrupted;
mod keys;
mod locked;
mod offline;
mod panel;
mod prompts;
mod redaction;
mod rubric_edit;
mod scores;
mod server;
mod stability;
mod support;
mod trouble;
