//! `carelock serve` from the outside: the running program, spoken to over HTTP.

mod abuse;
mod api;
mod compare;
mod judge;
mod limits;
mod rate;
mod rate_trouble;
mod report;
mod roles;
mod runs;
mod site;
mod visitor;
mod web;
mod wire;

use super::judges_eval::{answers, server, support};
