//! `carelock delete`: a run, or some of its chats, with everything that was stored about them.

use anyhow::{Result, bail};
use carelock_core::problem::Problem;
use carelock_core::report::safe_text::one_line;
use carelock_engine::runs::{Database, shell_word};
use carelock_store::{ChatKey, Deleted, OpenMode, Run};

use crate::cli::DeleteArguments;
use crate::exit;
use crate::message::{is_agreed, say};

pub(super) fn run(arguments: &DeleteArguments) -> Result<u8> {
    let database = Database::open(arguments.database.db.as_deref(), OpenMode::Existing)?;
    let is_cleared = match &arguments.run {
        Some(name) => delete(&database, name, arguments)?,
        None => database.wait(database.store().clear_traces())?,
    };
    if !is_cleared {
        bail!(Problem::new(format!("{}: another process is using the database, or its disk is full, so traces of what was deleted may still be in its files", database.store().label())).advice("when that process has ended or there is room, run `carelock delete --clear`"));
    }
    Ok(exit::DONE)
}

fn delete(database: &Database, name: &str, arguments: &DeleteArguments) -> Result<bool> {
    let store = database.store();
    let run = database.wait(store.run(name))?;
    let keys = chats(database, &run, &arguments.chats)?;
    let what = if arguments.chats.is_empty() {
        format!("the run {} with {}", one_line(name), number(run.chats))
    } else {
        format!("{} of the run {}", number(keys.len() as u64), one_line(name))
    };
    let question = format!("delete {what}, their answers and results? This cannot be undone.");
    if !arguments.yes && !is_agreed(&question)? {
        bail!(Problem::new("nothing was deleted").advice("answer y, or add --yes"));
    }
    let deleted = if arguments.chats.is_empty() {
        database.wait(store.delete_run(run.key))?
    } else {
        database.wait(store.delete_chats(run.key, &keys))?
    };
    let Deleted { chats, cleared } = deleted;
    let run = if arguments.chats.is_empty() { format!("the run {} and ", one_line(name)) } else { String::new() };
    say(format_args!("deleted {run}{}, with their answers and results", number(chats)));
    Ok(cleared)
}

/// The chats of these ids; one that is not there stops everything before anything is deleted.
fn chats(database: &Database, run: &Run, names: &[String]) -> Result<Vec<ChatKey>> {
    let mut keys = Vec::new();
    for name in names {
        let Some(key) = database.wait(database.store().chat_named(run.key, name))? else {
            bail!(
                Problem::new(format!("run {:?} has no chat {name:?}; nothing was deleted", run.name))
                    .advice(format!("`carelock show {} --text WORDS` looks for chats", shell_word(&run.name)))
            );
        };
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    Ok(keys)
}

fn number(chats: u64) -> String {
    if chats == 1 { "1 chat".to_owned() } else { format!("{chats} chats") }
}
