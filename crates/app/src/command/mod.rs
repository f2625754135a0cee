//! One file per subcommand.

mod agree;
mod bench;
mod compare;
mod eval;
mod explain;
mod figures;
mod help;
mod init;
mod judges;
mod prompt;
mod render;
mod rubric;
mod run;
mod schema;
mod sheet;
mod stability;
mod tally;
mod turns;
mod verify;

use anyhow::Result;

use crate::cli::{Arguments, Command};

/// Runs the command; the exit code on success.
pub(crate) fn run(arguments: Arguments) -> Result<u8> {
    let color = arguments.color;
    match arguments.command {
        Command::Eval(arguments) => eval::run(&arguments, color),
        Command::Run(arguments) => run::run(&arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments, color),
        Command::Turns(arguments) => turns::run(&arguments),
        Command::Rubric(arguments) => rubric::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Sheet(arguments) => sheet::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments, color),
        Command::Agree(arguments) => agree::run(&arguments, color),
        Command::Stability(arguments) => stability::run(&arguments, color),
        Command::Judges(arguments) => judges::run(&arguments),
        Command::Prompt(arguments) => prompt::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Completions(arguments) => help::completions(&arguments),
        Command::Man(arguments) => help::man(&arguments),
    }
}
