//! The options of `carelock token`.

use clap::{Args, Subcommand, ValueEnum};

use super::DatabaseArgument;

#[derive(Debug, Args)]
#[command(after_long_help = TOKEN_EXAMPLES)]
pub(crate) struct TokenArguments {
    #[command(subcommand)]
    pub(crate) command: TokenCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TokenCommand {
    /// Make a token and print it once; only its digest is kept.
    Create {
        /// Whose it is; ratings made with it bear this name.
        name: String,
        /// What its owner may do.
        #[arg(long, value_name = "ROLE", default_value = "read")]
        role: RoleName,
        #[command(flatten)]
        database: DatabaseArgument,
    },
    /// List the tokens: names, roles, when they were made.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        database: DatabaseArgument,
    },
    /// Take a token back; from now on it opens nothing.
    Revoke {
        /// Whose it is.
        name: String,
        #[command(flatten)]
        database: DatabaseArgument,
    },
}

/// What the owner of a token may do; each role may also do what those before it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RoleName {
    /// Read runs, reports and comparisons.
    Read,
    /// Rate chats by hand.
    Rate,
    /// Have chats judged, which may cost money.
    Judge,
    /// Delete.
    Admin,
}

const TOKEN_EXAMPLES: &str = "\
Examples:
  carelock token create anna --role rate
  carelock token list
  carelock token revoke anna";
