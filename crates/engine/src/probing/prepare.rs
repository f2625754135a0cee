//! Putting a probe together: the bot, the users, one budget for both, and nothing sent yet.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Result, anyhow, bail};
use carelock_builtin::Judge;
use carelock_core::problem::Problem;
use carelock_judge::ask::{Budget, Talker};
use carelock_judge::http::{Auth, CancellationToken, Client, Lane, LaneOptions, Secret};
use carelock_judge::provider::{Cost, JudgeSpec};
use carelock_probe::Observer;
use carelock_probe::bot::{Bot, CommandBot, EndpointBot, ModelBot, Protocol};

use super::lines::Lines;
use crate::config::Config;
use crate::event::Events;
use crate::judging::prepare as talking;
use crate::options::JudgeOptions;
use crate::runs::ProbeConfig;

/// A command that speaks JSON, one object a line.
const COMMAND: &str = "cmd:";
/// A command that speaks plain lines.
const LINES: &str = "lines:";
/// The most tokens of a bot's reply.
const BOT_TOKENS: u32 = 2_000;
/// Chats at once, where nothing else is said.
const AT_ONCE: usize = 4;

/// What holds for one process of a probe.
#[derive(Clone, Debug, Default)]
pub struct ProbeOptions {
    /// How models are asked, and what they may cost.
    pub judging: JudgeOptions,
    /// The file of users' lines.
    pub user_lock: Option<PathBuf>,
}

/// Everything a probe talks with.
pub struct Prober {
    pub(super) bot: Bot,
    pub(super) user: Option<Arc<Talker<Client>>>,
    pub(super) observer: Observer,
    pub(super) lines: Lines,
    pub(super) at_once: usize,
    budget: Arc<Budget>,
    cancel: CancellationToken,
}

impl Prober {
    /// Looks the bot and the users up, and makes sure that they can be asked; nothing is sent yet.
    pub fn prepare(probe: &ProbeConfig, options: &ProbeOptions, config: &Config, events: &Events) -> Result<Self> {
        let judging = options.judging.clone().or(&config.settings().judging);
        let cancel = CancellationToken::new();
        let budget = Arc::new(Budget::new(talking::cap(&judging)?));
        let caller = Arc::new(talking::caller(&judging, config, &cancel)?);
        let talker = |name: &str, locked: bool| -> Result<Talker<Client>> {
            let spec = JudgeSpec::parse(name)?;
            let options = JudgeOptions { locked, ..judging.clone() };
            let resolved = talking::priced(talking::resolve(&spec, &options, config)?, &spec, &options, config)?;
            if !resolved.provider.own_server {
                resolved.warnings.iter().for_each(|warning| events.warn(&warning.to_string()));
            }
            let lane = Lane::new(talking::lane(&resolved, &options, config)?);
            Ok(Talker::new(spec, resolved, lane, Arc::clone(&caller), Arc::clone(&budget), SystemTime::now))
        };
        let user = probe.user.as_deref().map(|name| talker(name, judging.locked)).transpose()?.map(Arc::new);
        let lines = match &probe.user {
            Some(_) => Lines::open(options.user_lock.as_deref(), judging.locked)?,
            None => Lines::default(),
        };
        let timeout = Duration::from_secs(judging.timeout.unwrap_or(300));
        let bot = if let Some(endpoint) = &probe.endpoint {
            let lane = Lane::new(LaneOptions { auth: auth(endpoint)?, ..LaneOptions::default() });
            Bot::Endpoint(Arc::new(EndpointBot::new(endpoint.clone(), lane, Arc::clone(&caller), Arc::clone(&budget))))
        } else if let Some(command) = probe.bot.strip_prefix(COMMAND) {
            Bot::Command(Arc::new(CommandBot::new(command, Protocol::Json, timeout)))
        } else if let Some(command) = probe.bot.strip_prefix(LINES) {
            Bot::Command(Arc::new(CommandBot::new(command, Protocol::Lines, timeout)))
        } else {
            // What is locked are the users' lines; the bot that is tried is always asked.
            Bot::Model(Arc::new(ModelBot::new(talker(&probe.bot, false)?, probe.system.clone(), BOT_TOKENS)))
        };
        if probe.system.is_some() && !matches!(bot, Bot::Model(_)) {
            bail!(
                Problem::new("--bot-system goes with a model")
                    .advice("give a bot of your own its instructions where it runs")
            );
        }
        let observer = Observer::new(Arc::new(Judge::embedded()));
        let at_once = judging.concurrency.unwrap_or(AT_ONCE);
        Ok(Self { bot, user, observer, lines, at_once, budget, cancel })
    }

    /// What replies are looked at with.
    pub fn observer(&self) -> &Observer {
        &self.observer
    }

    /// What users and bot have cost together.
    pub fn spent(&self) -> Cost {
        self.budget.spent()
    }

    /// Counts what was spent before towards the cap.
    pub(super) fn charge(&self, nanos: u64) {
        self.budget.charge(Cost::from_picodollars(u128::from(nanos) * 1000));
    }

    /// Ends all calls.
    pub fn stop(&self) {
        self.cancel.cancel();
    }

    /// Writes the users' lines, where they are kept.
    pub fn keep_lines(&self) -> Result<()> {
        self.lines.write()
    }
}

fn auth(endpoint: &carelock_probe::bot::Endpoint) -> Result<Auth> {
    let Some(variable) = &endpoint.key_variable else { return Ok(Auth::None) };
    let key = std::env::var(variable).ok().filter(|key| !key.trim().is_empty()).ok_or_else(|| {
        anyhow!(Problem::new(format!("the bot's key is not in ${variable}")).advice(format!("export {variable}=…")))
    })?;
    let key = Secret::new(key);
    Ok(match &endpoint.key_header {
        // The name of one header in the whole life of the process.
        Some(header) => Auth::Header { name: Box::leak(header.to_lowercase().into_boxed_str()), key },
        None => Auth::Bearer(key),
    })
}
