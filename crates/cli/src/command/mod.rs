//! One file per subcommand.

mod agree;
mod cache;
mod compare;
mod delete;
mod eval;
mod explain;
mod export;
mod figures;
#[cfg(feature = "web")]
mod guard;
mod help;
mod init;
mod judges;
mod personas;
mod probe;
mod prompt;
mod rescore;
mod rubric;
mod run;
mod runs;
mod schema;
#[cfg(feature = "web")]
mod serve;
mod sheet;
mod show;
mod stability;
mod tally;
#[cfg(feature = "web")]
mod token;
mod turns;
mod verify;

use anyhow::Result;

use crate::cli::{Arguments, Command};
use crate::message;

/// Runs the command; the exit code on success.
pub(crate) fn run(arguments: Arguments) -> Result<u8> {
    let color = arguments.color;
    message::set_quiet(arguments.quiet);
    match arguments.command {
        Command::Eval(arguments) => eval::run(&arguments, color),
        Command::Run(arguments) => run::run(&arguments),
        Command::Probe(arguments) => probe::run(&arguments),
        Command::Personas(arguments) => personas::run(&arguments),
        Command::Init(arguments) => init::run(&arguments),
        Command::Explain(arguments) => explain::run(&arguments, color),
        Command::Turns(arguments) => turns::run(&arguments),
        Command::Rubric(arguments) => rubric::run(&arguments),
        Command::Verify(arguments) => verify::run(&arguments),
        Command::Sheet(arguments) => sheet::run(&arguments),
        Command::Runs(arguments) => runs::run(&arguments, color),
        Command::Show(arguments) => show::run(&arguments, color),
        Command::Export(arguments) => export::run(&arguments),
        Command::Rescore(arguments) => rescore::run(&arguments),
        Command::Delete(arguments) => delete::run(&arguments),
        Command::Compare(arguments) => compare::run(&arguments, color),
        Command::Agree(arguments) => agree::run(&arguments, color),
        Command::Stability(arguments) => stability::run(&arguments, color),
        #[cfg(feature = "web")]
        Command::Serve(arguments) => serve::run(&arguments),
        #[cfg(feature = "web")]
        Command::Guard(arguments) => guard::run(&arguments),
        #[cfg(feature = "web")]
        Command::Token(arguments) => token::run(&arguments),
        Command::Cache(arguments) => cache::run(&arguments),
        Command::Judges(arguments) => judges::run(&arguments),
        Command::Prompt(arguments) => prompt::run(&arguments),
        Command::Schema(arguments) => schema::run(&arguments),
        Command::Completions(arguments) => help::completions(&arguments),
        Command::Man(arguments) => help::man(&arguments),
    }
}
