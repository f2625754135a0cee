//! `carelock serve` from the outside: the running program, spoken to over HTTP.

mod abuse;
mod api;
mod compare;
mod finding;
mod judge;
mod limits;
mod rate;
mod rate_trouble;
mod rating;
mod report;
mod roles;
mod runs;
mod sharing;
mod site;
mod web;

use carelock_test_support::{Place, Server};

/// A server over an empty database, with these options.
fn started(options: &[&str]) -> Server {
    Server::start(&Place::new(), options)
}
