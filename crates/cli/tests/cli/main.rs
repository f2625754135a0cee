//! The `carelock` command from the outside: what it prints, where it writes, how it exits.
//!
//! Files here: commands on files. `judges_eval`: LLM judges; `run`: runs in a database; `manage`: commands around runs;
//! `probe`: simulated users; `serve`: the web app.

#![expect(clippy::unwrap_used, reason = "in tests, also in the functions they share, a panic is the right answer")]

mod agree;
mod bad_input;
mod builtin;
mod ci;
mod compare;
mod environment;
mod eval;
mod eval_options;
mod evidence;
mod explain;
mod help;

mod judges;
mod judges_eval;
mod large_input;
mod manage;
mod outputs;
mod panel;
mod probe;
mod prompt;
mod readme;
mod rubric;
mod run;
mod samples;
#[cfg(feature = "web")]
mod serve;
mod sheet;
mod turns;
mod unreadable;
mod verdict_files;
mod verify;
