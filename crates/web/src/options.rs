//! What the server is started with.

use std::net::IpAddr;

/// How the server listens, and what it allows.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// The port; 0 takes any that is free.
    pub port: u16,
    /// The address to listen on.
    pub listen: IpAddr,
    /// Names under which browsers reach the server.
    pub origins: Vec<String>,
    /// Whether a token is asked for on this machine too.
    pub auth: bool,
    /// What is said about requests.
    pub log: RequestLog,
    /// The largest request in MiB.
    pub max_body: u64,
    /// How many connections are kept open at once.
    pub max_connections: u32,
    /// How many requests may have chats judged at once.
    pub max_evaluations: u32,
    /// How long judges may take over a chat while a request waits, in seconds.
    pub judge_seconds: u64,
    /// How long a request may take, in seconds.
    pub request_seconds: u64,
    /// How long a client may take over the head of a request, in seconds.
    pub head_seconds: u64,
}

/// What is said about requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum RequestLog {
    /// Nothing.
    None,
    /// Those that were refused or failed.
    Refused,
    /// All.
    All,
}
