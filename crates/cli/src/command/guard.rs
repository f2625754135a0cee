//! `carelock guard`: watches chats while they go on.

use std::io::Write as _;
use std::sync::Arc;

use anyhow::Result;
use carelock_engine::config::Config;
use carelock_engine::rubric_file::load_rubric;
use carelock_engine::session::Watcher;
use carelock_guard::policy::Policy;
use carelock_guard::{Guard, Messages, serve};

use crate::cli::GuardArguments;
use crate::exit;
use crate::interrupt;
use crate::message::say;
use crate::output::Output;
use crate::panics;

pub(super) fn run(arguments: &GuardArguments) -> Result<u8> {
    let config = Config::of_process(arguments.config.as_deref())?;
    config.warnings().iter().for_each(say);
    let policy = policy(arguments)?;
    let watcher = Arc::new(Watcher::new(load_rubric(arguments.rubric.file.as_deref())?, Arc::default()));
    let messages = Messages { say: |text| say(text) };
    let guard = Guard::new(policy, &config, watcher, None, messages)?;
    interrupt::ask_first();
    panics::say_places_only();
    serve(&guard, interrupt::was_asked, |url| {
        let mut output = Output::open(None)?;
        writeln!(output, "listening on {url}")?;
        output.finish()
    })?;
    Ok(exit::DONE)
}

/// The policy file, with what the command line says instead.
fn policy(arguments: &GuardArguments) -> Result<Policy> {
    let file = arguments.policy.as_deref().map(Policy::read).transpose()?.unwrap_or_default();
    let upstream = arguments.upstream.clone().or_else(|| file.upstream.clone());
    let listen = arguments.listen.unwrap_or(file.listen);
    let allow_plain_http = arguments.allow_plain_http || file.allow_plain_http;
    Policy { upstream, listen, allow_plain_http, ..file }.checked()
}
