//! The options of `carelock guard`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::RubricFileArgument;

#[derive(Debug, Args)]
#[command(after_long_help = GUARD_EXAMPLES)]
pub(crate) struct GuardArguments {
    /// The model's address, such as http://127.0.0.1:8000/v1; everything is passed to it as it came.
    #[arg(long, value_name = "URL")]
    pub(crate) upstream: Option<String>,

    /// Where the guard listens; port 0 takes any that is free.
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) listen: Option<SocketAddr>,

    /// What the guard may do (TOML); without one it only watches.
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,

    /// Whether an upstream beyond this machine may be reached over plain HTTP.
    #[arg(long)]
    pub(crate) allow_plain_http: bool,

    /// A settings file instead of the carelock.toml of this project and of your own.
    #[arg(long = "config", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) rubric: RubricFileArgument,
}

const GUARD_EXAMPLES: &str = "\
Examples:
  carelock guard --upstream http://127.0.0.1:8000/v1                 # watch only; the bot now uses http://127.0.0.1:8430/v1
  carelock guard --upstream https://api.openai.com/v1 --listen 127.0.0.1:9000
  carelock guard --policy examples/guard.toml                        # hold, replace, alert
  carelock guard                                                     # only the LiteLLM and moderation addresses

A guard is a help, no medical device: it misses crises, and it does not replace people.";
