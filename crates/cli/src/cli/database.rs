//! The option that says where runs are kept.

use clap::Args;

/// Where runs are kept.
#[derive(Clone, Debug, Args)]
pub(crate) struct DatabaseArgument {
    /// The database of runs: a file, or postgres://USER@HOST/DATABASE. Without it the one in CARELOCK_DB is used, else
    /// carelock.db in this folder.
    // Read later, not by the parser of the command line: that one would repeat a password typed here.
    #[arg(long, value_name = "DATABASE")]
    pub(crate) db: Option<String>,
}
