//! `carelock eval` with LLM judges, from the outside: the running program against scripted servers on this machine.

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
mod stability;
mod trouble;
