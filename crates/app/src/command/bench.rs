//! Who judges in `carelock eval` beside the verdicts that lie ready.

use anyhow::{Result, bail};

use crate::cli::{EvalArguments, JudgeArguments};
use crate::config::Config;
use crate::judging::{Judging, Seat};

/// The judges of a run.
pub(super) enum Bench {
    /// None is named: a chat without verdicts in its own record is left to the embedded judge.
    Default,
    /// Verdicts are given, and they alone count.
    Given,
    /// The embedded judge is named, and nobody else.
    Embedded,
    /// Models are asked, with or without the embedded judge beside them.
    Models { judging: Box<Judging>, screens: bool },
}

/// What the embedded judge does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// Nothing.
    None,
    /// It judges chats on which there are no verdicts.
    Default,
    /// It judges every chat.
    Member,
    /// It reads every chat for the others on the bench.
    Screen,
}

impl Bench {
    /// The judges named on the command line, or in the settings where no verdicts are given.
    pub(super) fn appoint(arguments: &EvalArguments) -> Result<Self> {
        let judging = &arguments.judging;
        if judging.judge.is_empty() && !arguments.verdicts.is_empty() {
            return needs_no_judge(judging).map(|()| Self::Given);
        }
        let config = Config::of_process(judging.connection.config.as_deref())?;
        let named = if judging.judge.is_empty() { &config.settings().judges } else { &judging.judge };
        let seats: Vec<Seat> = named.iter().map(|name| Seat::parse(name)).collect::<Result<_, _>>()?;
        if seats.iter().filter(|seat| **seat == Seat::Embedded).count() > 1 {
            bail!("judge {} is named twice\n  fix: name it once; it never says anything else", Seat::Embedded);
        }
        if seats.is_empty() {
            return needs_no_judge(judging).map(|()| Self::Default);
        }
        if seats.iter().all(|seat| seat.model().is_none()) {
            return sends_nothing(judging).map(|()| Self::Embedded);
        }
        let screens = seats.iter().any(Seat::screens);
        let judging = Judging::prepare(&seats, judging, &config)?;
        Ok(Self::Models { judging: Box::new(judging), screens })
    }

    /// The models to be asked.
    pub(super) fn judging(&self) -> Option<&Judging> {
        match self {
            Self::Models { judging, .. } => Some(judging),
            _ => None,
        }
    }

    /// What the embedded judge does.
    pub(super) fn role(&self) -> Role {
        match self {
            Self::Default => Role::Default,
            Self::Embedded => Role::Member,
            Self::Models { screens: true, .. } => Role::Screen,
            Self::Given | Self::Models { .. } => Role::None,
        }
    }
}

fn needs_no_judge(arguments: &JudgeArguments) -> Result<()> {
    let asked_for = arguments.locked || arguments.dry_run || arguments.refresh;
    if asked_for || arguments.fallback.is_some() || arguments.redact.is_some() {
        bail!("this option goes with a judge\n  fix: name one with --judge, such as --judge openai:gpt-4.1-mini");
    }
    Ok(())
}

/// Refuses what only makes sense where something is sent. To be `--locked` is what the embedded judge always is.
pub(super) fn sends_nothing(arguments: &JudgeArguments) -> Result<()> {
    if arguments.dry_run || arguments.refresh || arguments.fallback.is_some() || arguments.redact.is_some() {
        bail!(
            "this option goes with a model; {} sends nothing and needs no record\n  \
             fix: leave the option out, or name a model with --judge",
            Seat::Embedded
        );
    }
    Ok(())
}
