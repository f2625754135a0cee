//! `carelock serve`: the web app.

use std::io::Write as _;
use std::process::{Command, Stdio};

use anyhow::Result;
use carelock_engine::config::Config;
use carelock_engine::rubric_file::load_rubric;
use carelock_engine::runs;
use carelock_guard::policy::Policy;
use carelock_web::{Messages, ServeOptions, Start, serve};

use crate::cli::ServeArguments;
use crate::exit;
use crate::interrupt;
use crate::message::{say, say_error};
use crate::output::Output;
use crate::panics;

pub(super) fn run(arguments: &ServeArguments) -> Result<u8> {
    let config = Config::of_process(arguments.config.as_deref())?;
    config.warnings().iter().for_each(say);
    let start = Start {
        options: options(arguments),
        config: config.without_places(),
        rubric: load_rubric(arguments.rubric.file.as_deref())?,
        location: runs::location(arguments.database.db.as_deref())?,
        messages: Messages { say: |text| say(text), say_error: |text| say_error(text) },
        guard: arguments.guard.as_deref().map(|path| Policy::read(path)?.checked()).transpose()?,
        is_stopped: interrupt::was_asked,
    };
    interrupt::ask_first();
    panics::say_places_only();
    serve(start, |url| {
        let mut output = Output::open(None)?;
        writeln!(output, "listening on {url}")?;
        output.finish()?;
        if arguments.open {
            open(url);
        }
        Ok(())
    })?;
    Ok(exit::DONE)
}

fn options(arguments: &ServeArguments) -> ServeOptions {
    ServeOptions {
        port: arguments.port,
        listen: arguments.listen,
        origins: arguments.origin.clone(),
        auth: arguments.auth,
        log: arguments.log,
        max_body: arguments.max_body,
        max_connections: arguments.max_connections,
        max_evaluations: arguments.max_evaluations,
        judge_seconds: arguments.judge_seconds,
        request_seconds: arguments.request_seconds,
        head_seconds: arguments.head_seconds,
    }
}

/// Opens the page in the user's browser; where that does not work, the address stands there to be clicked.
fn open(url: &str) {
    let (program, before): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(before).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if command.spawn().is_err() {
        say(format_args!("no browser could be started; open {url} in one"));
    }
}
