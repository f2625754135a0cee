//! The `carelock` command: reads files and the environment, asks the core, writes what comes out.
#![cfg_attr(
    not(feature = "web"),
    expect(
        dead_code,
        unused_imports,
        irrefutable_let_patterns,
        reason = "some of what commands share only the web app uses whole"
    )
)]

mod agreement;
mod ci;
mod cli;
mod command;
mod comparison;
mod config;
mod embedded;
mod exit;
mod input;
mod interrupt;
mod judging;
mod message;
mod output;
mod panics;
mod ratings;
mod runs;
#[cfg(feature = "web")]
mod server;
mod shown;
mod stability;
mod terminal;
mod verdict_source;
mod working;

use std::process::ExitCode;

use clap::Parser as _;

/// Reports are made of many small strings; this allocator takes a third off the time of a large evaluation.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    interrupt::watch();
    panics::quiet_about_damaged_tables();
    let arguments = match cli::Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are answers, not errors; a closed pipe while printing them is nobody's fault.
            let code = if error.use_stderr() { exit::BAD_INPUT } else { exit::DONE };
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    match command::run(arguments) {
        Ok(code) => ExitCode::from(code),
        Err(error) if output::is_closed_pipe(&error) => ExitCode::from(exit::DONE),
        Err(error) => {
            message::say_error(format_args!("{error:#}"));
            ExitCode::from(exit::BAD_INPUT)
        }
    }
}
