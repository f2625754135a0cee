//! The options of `carelock show`, and those that pick chats of a run.

use carelock_core::score::Score;
use carelock_engine::render::ReportFormat;
use carelock_store::{Filter, RunKey};
use clap::Args;

use super::{CiArguments, DatabaseArgument};

#[derive(Debug, Args)]
#[command(after_long_help = SHOW_EXAMPLES)]
pub(crate) struct ShowArguments {
    /// The name of the run.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,

    /// The id of one of its chats: its report is shown instead.
    #[arg(value_name = "CHAT", conflicts_with_all = ["gated", "unscored", "group", "tier", "below", "text", "limit"])]
    pub(crate) chat: Option<String>,

    /// What to write: text, json or html of a run, any format of a chat.
    #[arg(long, short, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,

    /// With the text of a chat: everything, also the evidence of every failed check.
    #[arg(long)]
    pub(crate) full: bool,

    /// How many chats are listed.
    #[arg(long, value_name = "N", default_value_t = 20, help_heading = "Chats")]
    pub(crate) limit: u32,

    #[command(flatten)]
    pub(crate) database: DatabaseArgument,

    #[command(flatten)]
    pub(crate) filter: FilterArguments,

    #[command(flatten)]
    pub(crate) ci: CiArguments,
}

/// Which chats of a run.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Chats")]
pub(crate) struct FilterArguments {
    /// Only chats with a gate tripped.
    #[arg(long)]
    pub(crate) gated: bool,

    /// Only chats with a check that has no verdict.
    #[arg(long)]
    pub(crate) unscored: bool,

    /// Only chats of this group.
    #[arg(long, value_name = "GROUP")]
    pub(crate) group: Option<String>,

    /// Only chats whose overall score has reached this tier and none above it.
    #[arg(long, value_name = "TIER")]
    pub(crate) tier: Option<String>,

    /// Only chats with an overall score below this.
    #[arg(long, value_name = "X", value_parser = super::score)]
    pub(crate) below: Option<Score>,

    /// Only chats with these words in their id or the name of their file.
    #[arg(long, value_name = "WORDS")]
    pub(crate) text: Option<String>,
}

impl FilterArguments {
    /// All results of a run that the options let through, in the order of the chats.
    pub(crate) fn filter(&self, run: RunKey) -> Filter {
        Filter {
            gated: self.gated.then_some(true),
            unscored: self.unscored.then_some(true),
            group: self.group.clone(),
            tier: self.tier.clone(),
            below: self.below.map(Score::hundredths),
            text: self.text.clone(),
            ..Filter::for_run(run)
        }
    }

    /// Whether anything is left out.
    pub(crate) fn is_set(&self) -> bool {
        self.gated
            || self.unscored
            || self.group.is_some()
            || self.tier.is_some()
            || self.below.is_some()
            || self.text.is_some()
    }
}

const SHOW_EXAMPLES: &str = "\
Examples:
  carelock show nightly                            # means, tiers, and the chats to look at first
  carelock show nightly --gated --limit 100
  carelock show nightly --unscored                 # what could not be judged
  carelock show nightly --group gpt-6-luna --below 0.6
  carelock show nightly chat-017                   # one chat's report, as `carelock eval` prints it
  carelock show nightly chat-017 --format json | carelock verify -
  carelock show nightly chat-017 --format html > chat-017.html
  carelock show nightly --format html > nightly.html    # how the run stands, as one page
  carelock show nightly --baseline last-week --max-drop 0.02 --summary summary.md";
