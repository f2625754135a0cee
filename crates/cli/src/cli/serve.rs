//! The options of `carelock serve`.

use std::net::IpAddr;
use std::path::PathBuf;

use carelock_web::RequestLog;
use clap::Args;

use super::{DatabaseArgument, RubricFileArgument};

#[derive(Debug, Args)]
#[command(after_long_help = SERVE_EXAMPLES)]
pub(crate) struct ServeArguments {
    /// Open the page in the browser.
    #[arg(long)]
    pub(crate) open: bool,

    /// The port; 0 takes any that is free.
    #[arg(long, value_name = "PORT", default_value_t = 8420)]
    pub(crate) port: u16,

    /// The address to listen on. Beyond this machine's own only with tokens, which `carelock token create` makes.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub(crate) listen: IpAddr,

    /// A name under which browsers reach the server, such as `https://carelock.example.org` behind a proxy; may be
    /// given several times.
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) origin: Vec<String>,

    /// Ask for a token on this machine too.
    #[arg(long)]
    pub(crate) auth: bool,

    /// What is said about requests on standard error; never what is in them.
    #[arg(long, value_name = "WHAT", default_value = "refused")]
    pub(crate) log: RequestLog,

    /// The largest request in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 32, value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(crate) max_body: u64,

    /// How many connections are kept open at once; the longest idle one makes room for a new one.
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(8..=100_000))]
    pub(crate) max_connections: u32,

    /// How many requests may have chats judged at once while they wait for the report.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) max_evaluations: u32,

    /// How long judges may take over a chat while a request waits for the report, in seconds.
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) judge_seconds: u64,

    /// Run a guard beside the web app, by this policy; the page Live shows its chats.
    #[arg(long, value_name = "POLICY")]
    pub(crate) guard: Option<PathBuf>,

    /// How long a request may take, in seconds.
    #[arg(long, hide = true, value_name = "SECONDS", default_value_t = 30)]
    pub(crate) request_seconds: u64,

    /// How long a client may take over the head of a request, in seconds.
    #[arg(long, hide = true, value_name = "SECONDS", default_value_t = 15)]
    pub(crate) head_seconds: u64,

    /// A settings file instead of the carelock.toml of this project and of your own.
    #[arg(long = "config", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) rubric: RubricFileArgument,

    #[command(flatten)]
    pub(crate) database: DatabaseArgument,
}

const SERVE_EXAMPLES: &str = "\
Examples:
  carelock serve --open                          # on this machine only: http://127.0.0.1:8420/
  carelock serve --port 0 --db runs.db
  carelock token create anna --role rate         # then for a team, behind a proxy that speaks https:
  carelock serve --listen 10.0.0.5 --origin https://carelock.example.org --db postgres://carelock@db/carelock";
