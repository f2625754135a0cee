//! The web app: the built program is started and spoken to over HTTP.
#![cfg(feature = "web")]

mod abuse;
mod api;
mod roles;
mod wire;
