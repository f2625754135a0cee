//! `carelock token`: who may use the web app, and for what.

use std::io::Write as _;

use anyhow::{Result, bail};
use carelock_core::problem::Problem;
use carelock_engine::runs::{Database, moment, now};
use carelock_store::{NewToken, OpenMode, Role, Token};
use carelock_web::{new_token, token_digest};
use serde_json::json;

use crate::cli::{DatabaseArgument, RoleName, TokenArguments, TokenCommand};
use crate::exit;
use crate::message::{harmless, say};
use crate::output::Output;

/// The longest name.
const LONGEST: usize = 100;

pub(super) fn run(arguments: &TokenArguments) -> Result<u8> {
    match &arguments.command {
        TokenCommand::Create { name, role, database } => create(name.trim(), (*role).into(), database)?,
        TokenCommand::List { json, database } => list(*json, database)?,
        TokenCommand::Revoke { name, database } => revoke(name.trim(), database)?,
    }
    Ok(exit::DONE)
}

fn create(name: &str, role: Role, argument: &DatabaseArgument) -> Result<()> {
    if name.is_empty() || name.len() > LONGEST || name.chars().any(char::is_control) {
        bail!(
            Problem::new(format!("{name:?}: cannot be a name"))
                .advice(format!("use up to {LONGEST} letters, digits and signs"))
        );
    }
    let database = Database::open(argument.db.as_deref(), OpenMode::Create)?;
    let token = new_token()?;
    let new = NewToken { name: name.to_owned(), role, hash: token_digest(&token), created: now() };
    database.wait(database.store().add_token(&new))?;
    let mut output = Output::open(None)?;
    writeln!(output, "{token}")?;
    output.finish()?;
    say(format_args!("the token of {name}, role {role}, stands above; it is not kept and not shown again"));
    Ok(())
}

fn list(as_json: bool, argument: &DatabaseArgument) -> Result<()> {
    let database = Database::open(argument.db.as_deref(), OpenMode::Existing)?;
    let tokens = database.wait(database.store().tokens())?;
    let mut output = Output::open(None)?;
    if as_json {
        let one =
            |token: &Token| json!({ "name": token.name, "role": token.role.to_string(), "created": token.created });
        writeln!(output, "{:#}", json!(tokens.iter().map(one).collect::<Vec<_>>()))?;
    } else {
        for token in &tokens {
            writeln!(output, "{:<6} {}  {}", token.role, moment(token.created), harmless(&token.name))?;
        }
    }
    output.finish()?;
    if tokens.is_empty() && !as_json {
        say("there are no tokens; make one with `carelock token create NAME --role read`");
    }
    Ok(())
}

fn revoke(name: &str, argument: &DatabaseArgument) -> Result<()> {
    let database = Database::open(argument.db.as_deref(), OpenMode::Existing)?;
    if !database.wait(database.store().revoke_token(name))? {
        bail!(
            Problem::new(format!("there is no token of {name:?}"))
                .advice("look at the names with `carelock token list`")
        );
    }
    say(format_args!("the token of {name} opens nothing any more"));
    Ok(())
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::Read => Self::Read,
            RoleName::Rate => Self::Rate,
            RoleName::Judge => Self::Judge,
            RoleName::Admin => Self::Admin,
        }
    }
}
