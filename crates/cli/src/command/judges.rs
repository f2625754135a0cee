//! `carelock judges`: which judges there are, and whether one answers.

use std::cell::Cell;
use std::io::Write as _;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result, anyhow, bail};
use carelock_core::problem::Problem;
use carelock_engine::config::Config;
use carelock_engine::judging::{JudgeKind, listing, listing_json};
use carelock_judge::http::{CallStats, Caller, CancellationToken, Client, Jitter, Lane, RetryPolicy};
use carelock_judge::outcome::{Outcome, Reply, Usage};
use carelock_judge::provider::{Listing, Resolved, StructuredOutput};
use carelock_judge::wire::{
    CallTarget, Message, Question, Response, next_mechanism, redact_keys, to_outcome, to_request, to_usage,
};
use serde_json::{Value, json};

use crate::cli::JudgesArguments;
use crate::exit;
use crate::message::say;
use crate::output::Output;

/// The name of the format in which `--check --json` answers.
const TRIAL_SCHEMA: &str = "carelock/judge-check/1";

pub(super) fn run(arguments: &JudgesArguments) -> Result<u8> {
    let config = Config::of_process(arguments.connection.config.as_deref())?;
    config.warnings().iter().for_each(say);
    match &arguments.check {
        Some(Some(name)) => check(&config, &JudgeKind::parse(name)?, arguments),
        Some(None) => check_all(&config, arguments),
        None => {
            print(&if arguments.json {
                format!("{:#}\n", listing_json(&config))
            } else {
                list_text(&listing(&config))
            })?;
            Ok(exit::DONE)
        }
    }
}

/// The judges there are, as text: the one that is always there, then those that must be asked.
fn list_text(listing: &Listing<'_>) -> String {
    format!(
        "{} · the embedded judge · always there · no key, no network, no cost\n  \
         judges where no other judge and no verdicts are named; the same chat always gets the same answers\n  \
         cascade:PROVIDER:MODEL asks one of the models below only what it is not sure of\n\n{}",
        JudgeKind::Embedded,
        listing.text()
    )
}

fn print(text: &str) -> Result<()> {
    let mut output = Output::open(None)?;
    output.write_all(text.as_bytes())?;
    output.finish()
}

/// Checks the judges of the settings; the exit code is that of the worst.
fn check_all(config: &Config, arguments: &JudgesArguments) -> Result<u8> {
    let judges = &config.settings().judging.judges;
    if judges.is_empty() {
        bail!(
            Problem::new("no judge is named")
                .advice("name one, such as --check openai:gpt-6-luna, or set judge in carelock.toml")
        );
    }
    let mut worst = exit::DONE;
    for judge in judges {
        worst = worst.max(check(config, &JudgeKind::parse(judge)?, arguments)?);
    }
    Ok(worst)
}

fn check(config: &Config, kind: &JudgeKind, arguments: &JudgesArguments) -> Result<u8> {
    let Some(spec) = kind.model() else {
        let trial = json!({ "schema": TRIAL_SCHEMA, "judge": kind.to_string(), "outcome": "answered", "attempts": 0 });
        print(&if arguments.json {
            format!("{trial:#}\n")
        } else {
            format!("{kind}: always there; nothing was sent\n")
        })?;
        return Ok(exit::DONE);
    };
    let judge = config.resolve(spec, arguments.connection.allow_plain_http)?;
    judge.warnings.iter().for_each(say);
    let lane = Lane::new(config.lane_options(&judge)?);
    let client = Client::new(&config.client_options()?).map_err(|error| anyhow!("{error}"))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.context("no call can be made on this system")?;
    let trial = runtime.block_on(ask(&judge, &lane, client));
    let name = redact_keys(&kind.to_string());
    if arguments.json {
        print(&format!("{:#}\n", trial.json(&name, &judge)))?;
    } else if let Outcome::Misconfigured { what } = &trial.outcome {
        return Err(anyhow!("judge {name}: {what}"));
    } else {
        print(&trial.text(&name, &judge))?;
    }
    Ok(match trial.outcome {
        Outcome::Answered(_) => exit::DONE,
        Outcome::Misconfigured { .. } => exit::BAD_INPUT,
        _ => exit::UNSCORED,
    })
}

/// What came of a call.
struct Trial {
    outcome: Outcome,
    stats: CallStats,
    usage: Option<Usage>,
    mechanism: StructuredOutput,
}

/// Asks for a word of JSON, with the next weaker mechanism where the server does not know one.
async fn ask(judge: &Resolved, lane: &Lane, client: Client) -> Trial {
    // A person waits for the answer: a judge that needs more than this is not ready.
    let policy = RetryPolicy { attempts: 2, total: Duration::from_secs(120), ..RetryPolicy::default() };
    let caller = Caller::new(client, policy, Jitter::seeded(0), CancellationToken::new());
    let asked = CallTarget::from(judge);
    let question = question(&judge.model.id);
    let mut mechanism = judge.model.structured;
    loop {
        let weaker = Cell::new(None);
        let usage = Cell::new(None);
        let classify = |response: &Response| {
            weaker.set(next_mechanism(response, mechanism, &asked));
            usage.set(to_usage(response, asked.provider.wire));
            match weaker.get() {
                // Asked again at once in other words, so nothing is to be retried as it is.
                Some(_) => Outcome::Invalid { what: format!("the server does not know {}", mechanism.name()) },
                None => to_outcome(response, &asked, SystemTime::now()),
            }
        };
        let (outcome, stats) = caller.call(lane, &to_request(&question, &asked, mechanism), classify).await;
        match weaker.get() {
            Some(next) => mechanism = next,
            None => return Trial { outcome, stats, usage: usage.get(), mechanism },
        }
    }
}

fn question(model: &str) -> Question {
    let text = "Answer with the JSON object {\"ok\": true} and nothing else.".to_owned();
    Question {
        model: model.to_owned(),
        system: "You answer with JSON.".to_owned(),
        messages: vec![Message { from_model: false, text }],
        schema: json!({
            "type": "object",
            "properties": { "ok": { "type": "boolean" } },
            "required": ["ok"],
            "additionalProperties": false,
        }),
        // Room for a short thought, where a model cannot help it.
        max_tokens: 256,
    }
}

impl Trial {
    fn text(&self, name: &str, judge: &Resolved) -> String {
        let seconds = self.stats.elapsed.as_secs_f64();
        let Outcome::Answered(reply) = &self.outcome else {
            let (word, why) = told(&self.outcome);
            let attempts = if self.stats.attempts == 1 { "1 attempt" } else { "2 attempts" };
            let colon = if why.is_empty() { "" } else { ": " };
            return format!("{name}: {word} after {seconds:.1} s and {attempts}{colon}{why}\n");
        };
        let mut parts = Vec::new();
        parts.extend(reply.model.as_deref().map(|model| format!("model {}", redact_keys(model))));
        if let Some(usage) = self.usage {
            parts.push(format!("{} tokens in, {} out", usage.tokens.input, usage.tokens.output));
            parts.extend(judge.model.price.map(|price| price.cost(&usage).to_string()));
        }
        parts.push(format!("answers by {}", self.mechanism.name()));
        let mut text = format!("{name}: answered in {seconds:.1} s\n  {}\n", parts.join(" · "));
        if !is_as_asked(reply) {
            text.push_str("  the answer is not the JSON asked for: expect re-asks\n");
        }
        text
    }

    fn json(&self, name: &str, judge: &Resolved) -> Value {
        let (outcome, what) = told(&self.outcome);
        let mut value = json!({
            "schema": TRIAL_SCHEMA,
            "judge": name,
            "outcome": outcome,
            "answers_by": self.mechanism.name(),
            "attempts": self.stats.attempts,
            "seconds": (self.stats.elapsed.as_secs_f64() * 1000.0).round() / 1000.0,
        });
        if !what.is_empty() {
            value["what"] = what.into();
        }
        if let Some(usage) = self.usage {
            value["tokens"] = json!(usage.tokens);
            let cost = judge.model.price.and_then(|price| price.cost(&usage).to_number());
            value["cost_usd"] = json!(cost);
        }
        if let Outcome::Answered(reply) = &self.outcome {
            value["model"] = json!(reply.model.as_deref().map(redact_keys));
            value["as_asked"] = is_as_asked(reply).into();
        }
        value
    }
}

fn is_as_asked(reply: &Reply) -> bool {
    serde_json::from_str::<Value>(&reply.text).is_ok_and(|answer| answer["ok"].is_boolean())
}

/// An outcome's name and what is known about it.
fn told(outcome: &Outcome) -> (&'static str, String) {
    match outcome {
        Outcome::Answered(_) => ("answered", String::new()),
        Outcome::Refused { reason } => ("refused", reason.clone()),
        Outcome::Filtered { stage, category } => {
            ("filtered", category.as_ref().map_or_else(|| (*stage).to_owned(), |name| format!("{stage}, {name}")))
        }
        Outcome::Truncated => ("truncated", "the model had not finished within 256 tokens".to_owned()),
        Outcome::TooLong { what, .. } => ("too long", what.clone()),
        Outcome::Empty => ("empty", "the model said nothing".to_owned()),
        Outcome::Invalid { what } => ("invalid", what.clone()),
        Outcome::Unavailable { what, .. } => ("unavailable", what.clone()),
        Outcome::Misconfigured { what } => ("misconfigured", what.clone()),
    }
}
