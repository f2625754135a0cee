//! The `carelock` command: reads files and the environment, asks the core, writes what comes out.
mod ci;
mod cli;
mod command;
mod exit;
mod interrupt;
mod message;
mod output;
mod panics;
mod terminal;

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
            message::say_error(message::told(&error));
            ExitCode::from(exit::BAD_INPUT)
        }
    }
}
