//! The options of `carelock delete`.

use clap::Args;

use super::DatabaseArgument;

#[derive(Debug, Args)]
#[command(after_long_help = DELETE_EXAMPLES)]
pub(crate) struct DeleteArguments {
    /// The name of the run.
    #[arg(value_name = "RUN", required_unless_present = "clear", conflicts_with = "clear")]
    pub(crate) run: Option<String>,

    /// Ids of chats: only they are deleted, and the run stays.
    #[arg(value_name = "CHAT")]
    pub(crate) chats: Vec<String>,

    /// Do not ask.
    #[arg(long, short)]
    pub(crate) yes: bool,

    /// Only clear what earlier deletions left in the database's journal and free room.
    #[arg(long)]
    pub(crate) clear: bool,

    #[command(flatten)]
    pub(crate) database: DatabaseArgument,
}

const DELETE_EXAMPLES: &str = "\
Examples:
  carelock delete nightly
  carelock delete nightly chat-017 chat-018 --yes
  carelock delete --clear                          # where another process was in the way";
