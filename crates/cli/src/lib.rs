//! The `carelock` command as a function: reads files and the environment, asks the engine, writes what comes out.

mod ci;
mod cli;
mod command;
mod exit;
mod interrupt;
mod message;
mod output;
mod panics;
mod terminal;

use std::ffi::OsString;

use clap::Parser as _;

/// Runs the command with these arguments, the first of which is its name; the exit code. From now on Ctrl-C ends the process.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    interrupt::watch();
    panics::quiet_about_damaged_tables();
    let arguments = match cli::Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are answers, not errors; a closed pipe while printing them is nobody's fault.
            let code = if error.use_stderr() { exit::BAD_INPUT } else { exit::DONE };
            let _ = error.print();
            return code;
        }
    };
    match command::run(arguments) {
        Ok(code) => code,
        Err(error) if output::is_closed_pipe(&error) => exit::DONE,
        Err(error) => {
            message::say_error(message::told(&error));
            exit::BAD_INPUT
        }
    }
}
