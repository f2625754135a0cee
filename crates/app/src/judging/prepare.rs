//! Putting the judges of a run together: looked up, with their keys, and nothing sent yet.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use anyhow::{Result, anyhow, bail};
use carelock_judge::ask::{AskOptions, Purse};
use carelock_judge::http::{Caller, Cancel, Client, Jitter, Lane, LaneOptions, RetryPolicy};
use carelock_judge::provider::{Cost, Date, JudgeSpec, Resolved, Terms};

use super::record::Record;
use super::{Judge, Judging, Model, Seat, models};
use crate::cli::{JudgeArguments, Redact};
use crate::config::Config;
use crate::message::say;

impl Judging {
    /// Looks every judge up and makes sure that it can be asked; nothing is sent yet.
    pub(crate) fn prepare(seats: &[Seat], arguments: &JudgeArguments, config: &Config) -> Result<Self> {
        config.warnings().iter().for_each(say);
        let settings = config.settings();
        let purse = Arc::new(Purse::new(cap(arguments)?.or(settings.max_cost)));
        let cancel = Cancel::new();
        let caller = Arc::new(caller(arguments, config, &cancel)?);
        let second_look = match (arguments.second_look, arguments.no_second_look) {
            (true, _) => true,
            (_, true) => false,
            _ => settings.second_look.unwrap_or(true),
        };
        let build = |spec: &JudgeSpec| -> Result<Model> {
            let resolved = resolve(spec, arguments, config)?;
            let lane = Lane::new(lane(&resolved, arguments, config)?);
            let options = AskOptions { second_look, context: arguments.context, ..AskOptions::default() };
            // A server of one's own costs nothing that could be capped; that its price is unknown is no news.
            if !resolved.provider.own_server {
                resolved.warnings.iter().for_each(say);
            }
            Ok(Model::new(
                spec.clone(),
                resolved,
                lane,
                Arc::clone(&caller),
                Arc::clone(&purse),
                options,
                SystemTime::now,
            ))
        };
        let seat = |seat: &Seat| -> Result<Judge> {
            Ok(match seat {
                Seat::Embedded => Judge::Embedded,
                Seat::Model(spec) => Judge::Model(Box::new(build(spec)?)),
                Seat::Cascade(spec) => Judge::Cascade(Box::new(build(spec)?)),
            })
        };
        let judges: Vec<_> = seats.iter().map(seat).collect::<Result<_>>()?;
        let fallback = arguments.fallback.as_ref().or(settings.fallback.as_ref());
        let fallback = fallback.map(|name| build(&stand_in(name)?)).transpose()?;
        let at_once = models(&judges).map(|judge| judge.resolved().provider.concurrency).max().unwrap_or(1);
        let at_once = settings.concurrency.unwrap_or(at_once);
        let at_once = arguments.concurrency.unwrap_or(usize::try_from(at_once)?).max(1);
        let record = Record::open(arguments, config)?;
        let redact = arguments.redact.or(settings.redact.unwrap_or(false).then_some(Redact::On));
        Ok(Self { judges, fallback, record, redact, at_once, cancel, purse, failing: false, said: Mutex::default() })
    }
}

/// The judge that stands in where another refuses.
fn stand_in(name: &str) -> Result<JudgeSpec> {
    match Seat::parse(name)? {
        Seat::Model(spec) => Ok(spec),
        seat => bail!(
            "--fallback {seat}: only a model can stand in for a model\n  \
             fix: name one such as ollama:llama3.2; {} can sit beside it with --judge",
            carelock_builtin::NAME
        ),
    }
}

fn resolve(spec: &JudgeSpec, arguments: &JudgeArguments, config: &Config) -> Result<Resolved> {
    if !arguments.locked {
        return config.resolve(spec, arguments.connection.allow_plain_http);
    }
    // What is locked can be read again after the model is gone, and from where it would be asked does not matter.
    let today = Date::new(1970, 1, 1).unwrap_or(config.today());
    let terms = Terms { allow_plain_http: true, ..Terms::on(today) };
    let resolved = config.table().resolve(spec, &terms)?;
    Ok(Resolved { warnings: Vec::new(), ..resolved })
}

fn lane(resolved: &Resolved, arguments: &JudgeArguments, config: &Config) -> Result<LaneOptions> {
    if arguments.locked || arguments.dry_run {
        // Nothing is sent, so no key is needed.
        return Ok(LaneOptions::default());
    }
    let mut options = config.lane_options(resolved)?;
    if let Some(concurrency) = arguments.concurrency {
        options.concurrency = concurrency;
    }
    Ok(options)
}

fn cap(arguments: &JudgeArguments) -> Result<Option<Cost>> {
    let Some(text) = &arguments.max_cost else { return Ok(None) };
    let cost = text.parse().map_err(|error| anyhow!("--max-cost: {error}"))?;
    Ok(Some(cost))
}

fn caller(arguments: &JudgeArguments, config: &Config, cancel: &Cancel) -> Result<Caller<Client>> {
    let mut options = config.client_options()?;
    if let Some(seconds) = arguments.timeout {
        options.call_timeout = Duration::from_secs(seconds);
    }
    let policy = RetryPolicy { total: options.call_timeout.saturating_mul(2), ..RetryPolicy::default() };
    let client = Client::new(&options).map_err(|error| anyhow!("{error}"))?;
    Ok(Caller::new(client, policy, Jitter::seeded(seed()), cancel.clone()))
}

/// Calls that failed together should not come back together, nor do so in two processes alike.
fn seed() -> u64 {
    u64::from(std::process::id())
}
