//! `carelock serve`: the web app.

use std::process::{Command, Stdio};

use anyhow::Result;

use crate::cli::ServeArguments;
use crate::exit;
use crate::interrupt;
use crate::message::say;
use crate::panics;
use crate::server::{Start, serve};
use carelock_engine::config::Config;
use carelock_engine::rubric_file::load_rubric;
use carelock_engine::runs;

pub(super) fn run(arguments: &ServeArguments) -> Result<u8> {
    let config = Config::of_process(arguments.config.as_deref())?;
    config.warnings().iter().for_each(say);
    let start = Start {
        arguments,
        config: config.without_places(),
        rubric: load_rubric(arguments.rubric.file.as_deref())?,
        location: runs::location(arguments.database.db.as_deref())?,
    };
    interrupt::ask_first();
    panics::say_places_only();
    serve(start, |url| {
        if arguments.open {
            open(url);
        }
    })?;
    Ok(exit::DONE)
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
