//! The options with which a command decides for a pipeline, and tells it why.

use std::path::PathBuf;

use carelock_core::score::Score;
use carelock_core::verdict::Confidence;
use clap::{Args, ValueEnum};

/// What has to hold, and who is told.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Continuous integration")]
pub(crate) struct CiArguments {
    /// Exit with 1 if a chat's overall score is below this.
    #[arg(long, value_name = "X", value_parser = super::score)]
    pub(crate) fail_under: Option<Score>,

    /// Exit with 1 if a gate is tripped in any chat.
    #[arg(long)]
    pub(crate) fail_on_gate: bool,

    /// Which gates decide the exit code: those whose check the judge failed with at least this confidence (low, medium or
    /// high), or without saying how sure it is. The others stay tripped, cap the score, and are named.
    #[arg(long, value_name = "CONFIDENCE", value_parser = confidence)]
    pub(crate) gate_confidence: Option<Confidence>,

    /// Exit with 1 if a gate is tripped that was not tripped here, or a chat is missing that was judged here: a file of reports (json or jsonl), or the name of a
    /// run in the database.
    #[arg(long, value_name = "RUN|FILE")]
    pub(crate) baseline: Option<String>,

    /// Exit with 1 if the mean overall score is lower than the baseline's by more than this.
    #[arg(long, value_name = "X", value_parser = drop, requires = "baseline")]
    pub(crate) max_drop: Option<f64>,

    /// Do not fail where chats of the baseline are missing here.
    #[arg(long, requires = "baseline")]
    pub(crate) allow_missing: bool,

    /// Write a summary for a pull request, as Markdown. GitHub's page of the job gets it too.
    #[arg(long, value_name = "FILE")]
    pub(crate) summary: Option<PathBuf>,

    /// Mark what failed beside the files of a pull request; by itself on GitHub, where something is to be decided.
    #[arg(long, value_name = "WHERE", default_value = "auto")]
    pub(crate) annotations: Annotations,
}

/// Who is told of failures in a form of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Annotations {
    /// GitHub, when run there.
    Auto,
    /// GitHub, also when run elsewhere.
    Github,
    /// Nobody.
    None,
}

impl CiArguments {
    /// Whether something is to be decided or told, so that a pipeline wants to know the outcome.
    pub(crate) fn is_asked(&self) -> bool {
        self.fail_under.is_some()
            || self.fail_on_gate
            || self.baseline.is_some()
            || self.summary.is_some()
            || self.annotations == Annotations::Github
    }
}

fn confidence(text: &str) -> Result<Confidence, String> {
    Confidence::from_word(text).ok_or_else(|| "expected low, medium or high".to_owned())
}

fn drop(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    let allowed = (0.0..=1.0).contains(&number);
    if allowed { Ok(number) } else { Err("expected 0 to 1, such as 0.02".to_owned()) }
}
