//! The options that have to do with judges.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use carelock_engine::options::{JudgeOptions, Redact};
use carelock_judge::provider::Cost;
use clap::Args;

use super::{ReadingArguments, RubricFileArgument};

/// Where settings come from and what may be called.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ConnectionArguments {
    /// A settings file instead of the carelock.toml of this project and of your own.
    #[arg(long = "config", value_name = "FILE")]
    pub(crate) config: Option<PathBuf>,

    /// Allow http:// to another machine, which sends chats and keys in the clear.
    #[arg(long)]
    pub(crate) allow_plain_http: bool,
}

#[derive(Debug, Args)]
#[command(after_long_help = JUDGES_EXAMPLES)]
pub(crate) struct JudgesArguments {
    /// Make one tiny real call to this judge, or else to those of the settings, and say what came of it.
    // Read later, not by the parser of the command line: that one would repeat a key typed here by mistake.
    #[arg(long, value_name = "JUDGE", num_args = 0..=1)]
    pub(crate) check: Option<Option<String>>,

    /// Print JSON.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) connection: ConnectionArguments,
}

#[derive(Debug, Args)]
#[command(after_long_help = PROMPT_EXAMPLES)]
pub(crate) struct PromptArguments {
    /// The file of the chat to ask about.
    #[arg(value_name = "PATH")]
    pub(crate) path: String,

    /// The id of the chat, where the file holds several.
    #[arg(long, value_name = "ID")]
    pub(crate) chat: Option<String>,

    /// Replace names, numbers and addresses by placeholders, as `eval --redact` does before it sends anything; `show` lists
    /// on standard error what is replaced.
    #[arg(long, value_name = "HOW", num_args = 0..=1, default_missing_value = "on", require_equals = true)]
    pub(crate) redact: Option<Redact>,

    /// Print the parts and the schema of the answer as JSON.
    #[arg(long)]
    pub(crate) json: bool,

    /// Where to write; the file appears whole or not at all.
    #[arg(long, short, value_name = "OUT")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) reading: ReadingArguments,

    #[command(flatten)]
    pub(crate) rubric: RubricFileArgument,
}

/// Which models are asked, and how.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Judges")]
pub(crate) struct JudgeArguments {
    /// Who judges: builtin, the embedded judge, which `eval` and `run` also take where nothing else is named; or a model,
    /// such as openai:gpt-4.1-mini, anthropic:claude-sonnet-5-5, deepseek:deepseek-flash, ollama:llama3.2, or
    /// http://127.0.0.1:8080/v1#model; or cascade:openai:gpt-4.1-mini, where the model is asked only what the embedded
    /// judge is not sure of. Given several times, the judges form a panel.
    #[arg(long, value_name = "JUDGE")]
    pub(crate) judge: Vec<String>,

    /// The judge to ask when another one refuses or a content filter stops it.
    #[arg(long, value_name = "JUDGE")]
    pub(crate) fallback: Option<String>,

    /// Ask once more what contradicts itself or whose evidence does not stand in the chat; on unless settings say otherwise.
    #[arg(long, overrides_with = "no_second_look")]
    pub(crate) second_look: bool,

    /// Do not ask anything once more.
    #[arg(long, overrides_with = "second_look")]
    pub(crate) no_second_look: bool,

    /// Replace names, numbers and addresses by placeholders before anything is sent; `show` lists what is replaced.
    #[arg(long, value_name = "HOW", num_args = 0..=1, default_missing_value = "on", require_equals = true)]
    pub(crate) redact: Option<Redact>,

    /// A lock file of answers to read and to write; carelock.lock in this folder is used where it exists.
    #[arg(long, value_name = "FILE")]
    pub(crate) lock: Option<PathBuf>,

    /// Take all answers from the lock: no key, no network, and the same reports every time.
    #[arg(long, conflicts_with = "refresh")]
    pub(crate) locked: bool,

    /// Ask again what is known already, and say what changed.
    #[arg(long)]
    pub(crate) refresh: bool,

    /// Neither use nor keep answers on this machine.
    #[arg(long)]
    pub(crate) no_cache: bool,

    /// How many chats are judged at the same time.
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub(crate) concurrency: Option<usize>,

    /// Ask nothing that could bring the cost above this, in US dollars.
    #[arg(long, value_name = "USD", value_parser = amount)]
    pub(crate) max_cost: Option<String>,

    /// What models cost whose price is not known: dollars for a million tokens in and out, such as 0.15,0.60, or 0 for a
    /// server of your own. A cap needs a price.
    #[arg(long, value_name = "IN,OUT")]
    pub(crate) price: Option<String>,

    /// Say what it would take and cost, and send nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// The longest one call may take, in seconds; 300 unless set otherwise.
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub(crate) timeout: Option<u64>,

    /// The model's context in tokens, where it is not known or smaller than it could be.
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) context: Option<u64>,

    #[command(flatten)]
    pub(crate) connection: ConnectionArguments,
}

/// An amount as it is handed on; whether it is one is known before anything else is done.
fn amount(text: &str) -> Result<String, String> {
    text.parse::<Cost>().map(|_| text.to_owned()).map_err(|error| error.to_string())
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse::<NonZeroUsize>().map(usize::from).map_err(|_| "expected a whole number from 1 on".to_owned())
}

impl From<&JudgeArguments> for JudgeOptions {
    fn from(arguments: &JudgeArguments) -> Self {
        let second_look = arguments.second_look || arguments.no_second_look;
        Self {
            judges: arguments.judge.clone(),
            fallback: arguments.fallback.clone(),
            second_look: second_look.then_some(arguments.second_look),
            redact: arguments.redact,
            concurrency: arguments.concurrency,
            max_cost: arguments.max_cost.clone(),
            price: arguments.price.clone(),
            timeout: arguments.timeout,
            context: arguments.context,
            lock: arguments.lock.clone(),
            batch: false,
            locked: arguments.locked,
            refresh: arguments.refresh,
            no_cache: arguments.no_cache,
            dry_run: arguments.dry_run,
            allow_plain_http: arguments.connection.allow_plain_http,
            answers: None,
            workers: None,
        }
    }
}

const JUDGES_EXAMPLES: &str = "\
Examples:
  carelock judges                                        # the embedded judge, providers, models, prices, keys
  carelock judges --check openai:gpt-6-luna              # one tiny real call
  carelock judges --check http://127.0.0.1:8080/v1#model
  carelock judges --json";

const PROMPT_EXAMPLES: &str = "\
Examples:
  carelock prompt chat.txt -o prompt.txt           # paste it into any chat window
  carelock eval chat.txt --verdicts answer.json    # what the model answered, saved
  carelock prompt chat.txt --json                  # system, user, schema
  carelock prompt chats.jsonl --chat c7 --redact   # one chat of several, without names";
