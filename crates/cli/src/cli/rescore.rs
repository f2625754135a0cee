//! The options of `carelock rescore`.

use std::path::PathBuf;

use clap::Args;

use super::{DatabaseArgument, Policy, RubricFileArgument, Tie};

#[derive(Debug, Args)]
#[command(after_long_help = RESCORE_EXAMPLES)]
pub(crate) struct RescoreArguments {
    /// The name of the run.
    #[arg(value_name = "RUN")]
    pub(crate) run: String,

    #[command(flatten)]
    pub(crate) rubric: RubricFileArgument,

    /// How much each metric counts: a TOML or JSON file such as `Empathy = 2`; what is not named counts 1.
    #[arg(long, value_name = "FILE", conflicts_with = "equal_weights")]
    pub(crate) weights: Option<PathBuf>,

    /// Let all metrics count alike again.
    #[arg(long)]
    pub(crate) equal_weights: bool,

    /// When a panel trips a gate: one judge with proof is enough, or the majority decides.
    #[arg(long, visible_alias = "panel", value_name = "POLICY")]
    pub(crate) gate_policy: Option<Policy>,

    /// Who decides where a panel is divided.
    #[arg(long, value_name = "POLICY")]
    pub(crate) tie: Option<Tie>,

    /// Keep the run as it is, and make another one of this name.
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) name: Option<String>,

    #[command(flatten)]
    pub(crate) database: DatabaseArgument,
}

const RESCORE_EXAMPLES: &str = "\
Examples:
  carelock rescore nightly --weights weights.toml
  carelock rescore nightly --rubric my-rubric.toml --as nightly-mine
  carelock rescore nightly --panel majority --as nightly-majority
  carelock rescore nightly                         # the same rules, computed again by this version";
