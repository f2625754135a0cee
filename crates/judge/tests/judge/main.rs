//! Judging over real HTTP, against servers of our own on loopback that answer, misbehave and take batches.

mod batch;
mod faults;
mod http;
mod http_tls;
mod own_server;
mod real_model;
