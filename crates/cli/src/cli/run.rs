//! The options of `carelock run` and `carelock init`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use super::{CiArguments, DatabaseArgument, JudgeArguments, Policy, ReadingArguments, RubricFileArgument, Tie};

#[derive(Debug, Args)]
#[command(after_long_help = RUN_EXAMPLES)]
pub(crate) struct RunArguments {
    /// A configuration, which ends in .toml, or chats: files, folders and patterns. Chats named here take the place of
    /// those in the configuration.
    #[arg(value_name = "CONFIG|PATH")]
    pub(crate) paths: Vec<String>,

    /// Where the group of a chat, such as the model that spoke, is taken from: `folder`, `meta:FIELD` (a field beside the
    /// conversation, or a column), or any other text, which is then the group of all.
    #[arg(long, value_name = "HOW")]
    pub(crate) group: Option<String>,

    /// The run's name; else that of the configuration, else today's date.
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Carry on with a run: what is answered stays, what failed is tried again. Start it several times and the workers
    /// share the rest.
    #[arg(long, value_name = "RUN", conflicts_with_all = [
        "paths", "group", "name", "verdicts", "judge", "fallback", "weights", "gate_policy", "tie", "file", "redact",
        "batch", "second_look", "no_second_look", "context", "dry_run", "human", "ai", "from",
    ])]
    pub(crate) resume: Option<String>,

    /// A judge's answers that lie ready: a rating sheet, a recorded answer, a JSONL of answers, or a folder of such files
    /// named like the chats. Each is one more judge.
    #[arg(long, value_name = "FILE")]
    pub(crate) verdicts: Vec<String>,

    /// A file to write when the run is done; its ending says what: .jsonl, .json, .csv, .md, .txt, .html or .xml (JUnit). May be
    /// given several times.
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Vec<PathBuf>,

    /// How much each metric counts: a TOML or JSON file such as `Empathy = 2`; what is not named counts 1.
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,

    /// When a panel trips a gate: one judge with proof is enough, or the majority decides.
    #[arg(long, value_name = "POLICY")]
    pub(crate) gate_policy: Option<Policy>,

    /// Who decides where a panel is divided: `standing` (a person, then a model, then the embedded judge; the default) or
    /// `fails`. A check that trips a gate always fails.
    #[arg(long, value_name = "POLICY")]
    pub(crate) tie: Option<Tie>,

    /// How many judges of a chat must have answered; without it all of them, and where one gave no verdict the exit code is
    /// 3.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) min_judges: Option<u32>,

    /// Send questions to the provider's batch API: half the price, up to a day's wait, and the provider keeps more.
    #[arg(long)]
    pub(crate) batch: bool,

    /// With --batch: agree to what the provider keeps of a batch.
    #[arg(long)]
    pub(crate) yes_batch: bool,

    /// The pause before the first look at a batch, in seconds; later ones are longer.
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = lease, hide = true)]
    pub(crate) batch_pause: Duration,

    /// How long chats stay with a worker that gives no sign of life, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = lease)]
    pub(crate) lease: Duration,

    #[command(flatten)]
    pub(crate) reading: ReadingArguments,

    #[command(flatten)]
    pub(crate) rubric: RubricFileArgument,

    #[command(flatten)]
    pub(crate) database: DatabaseArgument,

    #[command(flatten)]
    pub(crate) judging: JudgeArguments,

    #[command(flatten)]
    pub(crate) ci: CiArguments,
}

#[derive(Debug, Args)]
#[command(after_long_help = INIT_EXAMPLES)]
pub(crate) struct InitArguments {
    /// Where to write; a file that exists is never overwritten.
    #[arg(value_name = "FILE", default_value = "carelock-run.toml")]
    pub(crate) path: PathBuf,
}

fn lease(text: &str) -> Result<Duration, String> {
    const SHORTEST: f64 = 0.2;
    const LONGEST: f64 = 86_400.0;
    let seconds: f64 = text.parse().map_err(|_| format!("{text:?} is not a number"))?;
    if !(SHORTEST..=LONGEST).contains(&seconds) {
        return Err(format!("expected {SHORTEST} to {LONGEST} seconds"));
    }
    Ok(Duration::from_secs_f64(seconds))
}

const RUN_EXAMPLES: &str = "\
Examples:
  carelock init                                    # a commented carelock-run.toml
  carelock run carelock-run.toml                   # judge what it names
  carelock run chats/ --group folder               # without a file: the embedded judge, a group a folder
  carelock run chats.jsonl --group meta:model --judge cascade:openai:gpt-4.1-mini --max-cost 5
  carelock run chats/ --name nightly --fail-on-gate --output junit.xml
  carelock run --resume nightly                    # carry on; also as a second worker
  carelock run chats/ --db postgres://carelock@db.example/carelock

Ctrl-C ends a run when what is under way is answered, with exit code 130; a second one ends it at once. Nothing that was
answered is lost.";

const INIT_EXAMPLES: &str = "\
Examples:
  carelock init
  carelock init nightly.toml
  carelock run nightly.toml                        # once it names your chats";
