//! Putting the judges of a run together: looked up, with their keys, and nothing sent yet.

use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use anyhow::{Result, anyhow, bail};
use carelock_core::problem::{Problem, Setting};
use carelock_core::remedy;
use carelock_judge::ask::{AskOptions, Budget};
use carelock_judge::http::{Caller, CancellationToken, Client, Jitter, Lane, LaneOptions, RetryPolicy};
use carelock_judge::provider::{Cost, Date, JudgeSpec, Resolved, Terms};

use super::record::Record;
use super::share;
use super::{Judge, JudgeKind, Judging, Model};
use crate::config::Config;
use crate::event::Events;
use crate::options::JudgeOptions;

impl Judging {
    /// Looks every model up and makes sure that it can be asked; nothing is sent yet. What the options leave open is
    /// taken from the settings.
    pub fn prepare(models: &[JudgeKind], options: &JudgeOptions, config: &Config, events: &Events) -> Result<Self> {
        config.warnings().iter().for_each(|warning| events.warn(warning));
        let options = &options.clone().or(&config.settings().judging);
        let budget = Arc::new(Budget::new(cap(options)?));
        let cancel = CancellationToken::new();
        let caller = Arc::new(caller(options, config, &cancel)?);
        let second_look = options.second_look.unwrap_or(true);
        let build = |spec: &JudgeSpec| -> Result<Model> {
            let resolved = priced(resolve(spec, options, config)?, spec, options, config)?;
            let lane = Lane::new(lane(&resolved, options, config)?);
            let ask = AskOptions { second_look, context: options.context, ..AskOptions::default() };
            // A server of one's own costs nothing that could be capped; that its price is unknown is no news.
            if !resolved.provider.own_server {
                resolved.warnings.iter().for_each(|warning| events.warn(&warning.to_string()));
            }
            let (caller, budget) = (Arc::clone(&caller), Arc::clone(&budget));
            Ok(Model::new(spec.clone(), resolved, lane, caller, budget, ask, SystemTime::now))
        };
        let judge = |kind: &JudgeKind| -> Result<Judge> {
            match kind {
                JudgeKind::Embedded => bail!("{kind} is no model"),
                JudgeKind::Model(spec) => Ok(Judge::Model(Box::new(build(spec)?))),
                JudgeKind::Cascade(spec) => Ok(Judge::Cascade(Box::new(build(spec)?))),
            }
        };
        let specs = models.iter().filter_map(JudgeKind::model);
        let lanes = specs.map(|spec| lane(&resolve(spec, options, config)?, options, config));
        let lanes = lanes.collect::<Result<_>>()?;
        let judges: Vec<_> = models.iter().map(judge).collect::<Result<_>>()?;
        let fallback = options.fallback.as_ref().map(|name| build(&stand_in(name)?)).transpose()?;
        let at_once = judges.iter().map(|judge| judge.model().resolved().provider.concurrency).max().unwrap_or(1);
        let at_once = options.concurrency.unwrap_or(usize::try_from(at_once)?);
        let at_once = share::at_once(at_once, options.workers);
        let record = Record::open(options, config, events.clone())?;
        let redact = options.redact.filter(|redact| redact.is_on());
        Ok(Self {
            judges,
            fallback,
            record,
            redact,
            at_once,
            caller,
            lanes,
            cancel,
            budget,
            events: events.clone(),
            failing: false,
            shares: options.workers.is_some(),
            said: Mutex::default(),
        })
    }
}

/// The judge that stands in where another refuses.
fn stand_in(name: &str) -> Result<JudgeSpec> {
    match JudgeKind::parse(name)? {
        JudgeKind::Model(spec) => Ok(spec),
        kind => bail!(Problem::new(format!("--fallback {kind}: only a model can stand in for a model")).with(remedy![
            "name one such as ollama:llama3.2; ",
            carelock_builtin::NAME,
            " can sit beside it with ",
            Setting::Judge
        ])),
    }
}

pub(crate) fn resolve(spec: &JudgeSpec, options: &JudgeOptions, config: &Config) -> Result<Resolved> {
    if !options.locked {
        return config.resolve(spec, options.allow_plain_http);
    }
    // What is locked can be read again after the model is gone, and from where it would be asked does not matter.
    let today = Date::EPOCH;
    let terms = Terms { allow_plain_http: true, ..Terms::on(today) };
    let resolved = config.table().resolve(spec, &terms)?;
    Ok(Resolved { warnings: Vec::new(), ..resolved })
}

pub(crate) fn lane(resolved: &Resolved, options: &JudgeOptions, config: &Config) -> Result<LaneOptions> {
    if options.locked || options.dry_run {
        // Nothing is sent, so no key is needed.
        return Ok(LaneOptions::default());
    }
    let mut lane = config.lane_options(resolved)?;
    if let Some(concurrency) = options.concurrency {
        lane.concurrency = concurrency;
    }
    share::lane(lane, options.workers)
}

/// The model with its price, where the user gave one and none is known. A cap that cannot hold is an error.
pub(crate) fn priced(
    mut resolved: Resolved,
    spec: &JudgeSpec,
    options: &JudgeOptions,
    config: &Config,
) -> Result<Resolved> {
    if let Some(price) = options.price.as_deref().filter(|_| resolved.model.price.is_none()) {
        resolved.model.price = Some(price.parse().map_err(|error| anyhow!("--price: {error}"))?);
        // That it is not known is no longer true.
        resolved.warnings = resolved.model.end_warning(config.today()).into_iter().collect();
    }
    if resolved.model.price.is_none() && options.max_cost.is_some() && !options.locked {
        let what = format!("what {spec} costs is not known, so the cap on the cost cannot hold");
        bail!(Problem::new(what).with(remedy![
            "say it with ",
            Setting::Price,
            ", in dollars for a million tokens in and out, such as 0.15,0.60, or 0 for a server of your own; or give the \
             model a price in the settings (docs/judges/providers.md)"
        ]));
    }
    Ok(resolved)
}

pub(crate) fn cap(options: &JudgeOptions) -> Result<Option<Cost>> {
    let Some(text) = &options.max_cost else { return Ok(None) };
    let cost = text.parse().map_err(|error| anyhow!("--max-cost: {error}"))?;
    Ok(Some(share::cap(cost, options.workers)))
}

pub(crate) fn caller(options: &JudgeOptions, config: &Config, cancel: &CancellationToken) -> Result<Caller<Client>> {
    let mut client = config.client_options()?;
    if let Some(seconds) = options.timeout {
        client.call_timeout = Duration::from_secs(seconds);
    }
    let policy = RetryPolicy { total: client.call_timeout.saturating_mul(2), ..RetryPolicy::default() };
    let client = Client::new(&client).map_err(|error| anyhow!("{error}"))?;
    Ok(Caller::new(client, policy, Jitter::seeded(seed()), cancel.clone()))
}

/// Calls that failed together should not come back together, nor do so in two processes alike.
fn seed() -> u64 {
    u64::from(std::process::id())
}
