//! The web app: the built program is started and spoken to over HTTP.
#![cfg(feature = "web")]

mod compare;
mod report;
mod runs;
mod support;
