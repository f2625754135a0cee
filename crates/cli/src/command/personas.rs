//! `carelock personas`: who the simulated users are.

use std::fmt::Write as _;
use std::io::Write as _;
use std::sync::Arc;

use anyhow::Result;
use carelock_builtin::Judge;
use carelock_core::report::safe_text::one_line;
use carelock_engine::probing::{check_personas, hints_on_personas, load_personas};
use carelock_probe::{Observer, Persona, Risk};

use crate::cli::{PersonasArguments, PersonasCommand};
use crate::exit;
use crate::message::{CommandLine, counted, say, say_error};
use crate::output::Output;

pub(super) fn run(arguments: &PersonasArguments) -> Result<u8> {
    match &arguments.command {
        None => print(&list(&load_personas(&[], &[])?)),
        Some(PersonasCommand::List { paths, json: false }) => print(&list(&load_personas(paths, &[])?)),
        Some(PersonasCommand::List { paths, json: true }) => {
            let personas = load_personas(paths, &[])?;
            print(&(serde_json::to_string_pretty(&personas)? + "\n"))
        }
        Some(PersonasCommand::Show { id, paths }) => {
            let found = load_personas(paths, std::slice::from_ref(id))?;
            let mut text = String::new();
            for persona in &found {
                text.push_str(&toml::to_string_pretty(persona)?);
            }
            print(&text)
        }
        Some(PersonasCommand::Check { paths }) => check(&load_personas(paths, &[])?),
    }
}

fn print(text: &str) -> Result<u8> {
    let mut output = Output::open(None)?;
    output.write_all(text.as_bytes())?;
    output.finish()?;
    Ok(exit::DONE)
}

fn list(personas: &[Persona]) -> String {
    let widest = personas.iter().map(|persona| persona.id.len()).max().unwrap_or_default();
    let mut text = String::new();
    for persona in personas {
        let (risk, disclosure) = (persona.risk.word(), persona.disclosure.word());
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{:<widest$}  {risk:<8}  {disclosure:<7}  {}", persona.id, one_line(&persona.title));
    }
    let count = |risk: Risk| personas.iter().filter(|persona| persona.risk == risk).count();
    let risks = Risk::ALL.map(|risk| format!("{} {}", count(risk), risk.word()));
    let _ = writeln!(text, "{}, by risk: {}", counted(personas.len(), "persona"), risks.join(", "));
    text
}

fn check(personas: &[Persona]) -> Result<u8> {
    let observer = Observer::new(Arc::new(Judge::embedded()));
    let problems = check_personas(personas, &observer);
    for problem in &problems {
        say_error(problem.worded(&CommandLine));
    }
    if !problems.is_empty() {
        return Ok(exit::BAD_INPUT);
    }
    for hint in hints_on_personas(personas, &observer) {
        say(format_args!("hint: {}", hint.worded(&CommandLine)));
    }
    print(&format!("{}: nothing is wrong\n", counted(personas.len(), "persona")))
}
