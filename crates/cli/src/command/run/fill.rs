//! Filling a run with its chats, and making sure on a resume that they are still the same.

use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, sync_channel};
use std::time::Duration;

use anyhow::{Context as _, Result, anyhow, bail};
use carelock_core::problem::Problem;
use carelock_engine::input::Unread;
use carelock_engine::runs::{Database, Scoring, StoredConfig};
use carelock_engine::working::{Answered, DatasetDigest, DatasetReader, ReadChat, results};
use carelock_store::{NewAnswer, NewChat, Run, RunState, Store, StoreError};

use super::progress::show_reading;
use crate::interrupt;
use crate::message::{self, counted, say, say_error, say_left_out};

/// Chats in one transaction.
const AT_ONCE: usize = 512;
/// How long a run without all its chats is watched for another process that stores them.
const WATCHED: Duration = Duration::from_secs(1);
/// Chats of a kind that are named in a message.
const NAMED: usize = 5;

/// What came of filling a run.
#[derive(Debug, Default)]
pub(super) struct Filled {
    /// Inputs that could not be read.
    pub(super) unread: Vec<Unread>,
    /// Files that are no chats.
    pub(super) left_out: usize,
    /// Chats that this process has added to the run.
    pub(super) added: u64,
    /// Those of them whose answers stood in their own records.
    pub(super) brought: u64,
    /// Whether the user stopped it.
    pub(super) interrupted: bool,
}

/// Adds the chats a run does not have yet, and opens it for work.
pub(super) fn fill(
    database: &Database,
    run: &Run,
    stored: &StoredConfig,
    scoring: &Scoring,
    reader: DatasetReader,
    filled: &mut Filled,
) -> Result<()> {
    let store = database.store();
    let mut there = Stored { store, run, position: None, page: Vec::new().into_iter(), left: run.chats };
    let mut digest = DatasetDigest::default();
    let mut count = 0;
    while_reading(reader, |batches| {
        for batch in batches {
            let mut fresh = Vec::new();
            for chat in batch {
                let Some(chat) = understood(chat, filled) else { continue };
                digest.add(&chat.chat);
                count += 1;
                match database.wait(there.next())? {
                    Some(known) if known.name == chat.chat.name && known.digest == chat.chat.digest => {}
                    Some(_) => return Err(changed(database, run, stored)),
                    None => fresh.push(chat),
                }
            }
            for some in fresh.chunks(AT_ONCE) {
                database.wait(add(database, run, stored, scoring, some, filled))?;
            }
            show_reading(count);
            if interrupt::was_asked() {
                filled.interrupted = true;
                return Ok(());
            }
        }
        Ok(())
    })?;
    show_reading(0);
    if filled.left_out > 0 {
        say(format_args!("{} left out", counted(filled.left_out, "file")));
    }
    if filled.interrupted {
        return Ok(());
    }
    if filled.brought > 0 {
        let brought = if filled.brought == 1 { "1 chat".to_owned() } else { format!("{} chats", filled.brought) };
        say(format_args!("{brought} with answers in the records, which count; --judge builtin judges anew"));
    }
    if there.left > 0 {
        return Err(changed(database, run, stored));
    }
    if count == 0 {
        bail!(Problem::new("there is no chat to judge").advice("name files that hold chats"));
    }
    database.wait(store.seal(run.key, &digest.finish())).map_err(|error| refused(error, database, run))
}

/// Reads in a thread of its own, so that the database is not waited for.
fn while_reading(
    mut reader: DatasetReader,
    mut take: impl FnMut(Receiver<Vec<Result<ReadChat, Unread>>>) -> Result<()>,
) -> Result<()> {
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(2);
        scope.spawn(move || {
            while let Some(batch) = reader.next_batch() {
                if sender.send(batch).is_err() {
                    break;
                }
            }
        });
        take(receiver)
    })
}

fn understood(chat: Result<ReadChat, Unread>, filled: &mut Filled) -> Option<ReadChat> {
    match chat {
        Ok(chat) => Some(chat),
        Err(unread) if unread.skipped.is_some() => {
            filled.left_out += 1;
            say_left_out(&unread);
            None
        }
        Err(unread) => {
            say_error(message::unread(&unread));
            filled.unread.push(unread);
            None
        }
    }
}

/// Adds chats, and the answers that came in their own records.
async fn add(
    database: &Database,
    run: &Run,
    stored: &StoredConfig,
    scoring: &Scoring,
    chats: &[ReadChat],
    filled: &mut Filled,
) -> Result<()> {
    let store = database.store();
    let new: Vec<NewChat> = chats.iter().map(|chat| chat.chat.clone()).collect();
    let keys = store.add_chats(run.key, &new).await.map_err(|error| refused(error, database, run))?;
    filled.added += keys.len() as u64;
    if !stored.inline {
        return Ok(());
    }
    let (mut answers, mut rows) = (Vec::new(), Vec::new());
    for (key, chat) in keys.into_iter().zip(chats) {
        let Some(submission) = chat.inline.clone() else { continue };
        let source =
            carelock_core::report::Source { transcript: chat.transcript.clone(), dropped: chat.chat.dropped.clone() };
        let answered = Answered::new(scoring, &source, key, 0, submission)
            .map_err(|error| error.context(chat.chat.origin.clone()))?;
        rows.extend(results(scoring, key, source, vec![(0, answered.verdicts)])?);
        answers.push(NewAnswer { from_record: true, ..answered.answer });
    }
    filled.brought += answers.len() as u64;
    store.record(&answers, &rows).await?;
    Ok(())
}

/// What the database refused, in words that fit here. Whether a run may be removed after this, only the database can
/// tell ([`Store::discard_run`]).
fn refused(error: StoreError, database: &Database, run: &Run) -> anyhow::Error {
    match error {
        StoreError::ChatTwice { name, origin, .. } => anyhow!(
            Problem::new(format!("{origin}: the id {name:?} is that of an earlier chat"))
                .advice("give every chat its own id, or put chats that share ids into groups with --group")
        ),
        StoreError::Sealed { .. } => anyhow!(
            Problem::new("another process has filled this run")
                .advice(format!("work on it with `carelock run --resume {}`", database.typed(&run.name)))
        ),
        error => error.into(),
    }
}

/// The chats a run already has, in their order.
struct Stored<'a> {
    store: &'a Store,
    run: &'a Run,
    position: Option<u64>,
    page: std::vec::IntoIter<NewChat>,
    left: u64,
}

impl Stored<'_> {
    async fn next(&mut self) -> Result<Option<NewChat>> {
        if self.left == 0 {
            return Ok(None);
        }
        if self.page.len() == 0 {
            let most = u32::try_from(AT_ONCE).unwrap_or(u32::MAX);
            let page = self.store.chats_after(self.run.key, self.position, most).await?;
            self.position = page.last().map(|chat| chat.position);
            self.page = page.into_iter().map(|chat| chat.chat).collect::<Vec<_>>().into_iter();
        }
        self.left -= 1;
        Ok(self.page.next())
    }
}

/// Waits a moment where a run lacks some of its chats: one that gets more meanwhile is being filled by another process.
pub(super) fn watched(database: &Database, run: Run) -> Result<Run> {
    if run.state != RunState::Filling {
        return Ok(run);
    }
    std::thread::sleep(WATCHED);
    let later = database.wait(database.store().run(&run.name))?;
    if later.state == RunState::Filling && later.chats != run.chats {
        bail!(Problem::new("another process is storing the chats of this run").advice("try again when it is through"));
    }
    Ok(later)
}

/// Whether any of a run's files can be found here; standard input can be read only once.
pub(super) fn can_be_read(stored: &StoredConfig) -> bool {
    let there = |path: &String| {
        let matches = || glob::glob(path).is_ok_and(|mut found| found.next().is_some());
        path != "-" && (Path::new(path).exists() || (path.contains(['*', '?', '[']) && matches()))
    };
    let mut paths = stored.datasets.iter().flat_map(|dataset| &dataset.paths);
    !paths.clone().any(|path| path == "-") && paths.any(there)
}

/// An error where the files hold other chats than the run was filled with.
pub(super) fn check_unchanged(
    database: &Database,
    run: &Run,
    stored: &StoredConfig,
    reader: DatasetReader,
    filled: &mut Filled,
) -> Result<()> {
    let mut digest = DatasetDigest::default();
    while_reading(reader, |batches| {
        for batch in batches {
            let chats = batch.into_iter().filter_map(|chat| understood(chat, filled));
            chats.for_each(|chat| digest.add(&chat.chat));
            if interrupt::was_asked() {
                break;
            }
        }
        Ok(())
    })?;
    if interrupt::was_asked() || run.dataset.as_ref() == Some(&digest.finish()) {
        return Ok(());
    }
    Err(changed(database, run, stored))
}

/// What changed, in words.
fn changed(database: &Database, run: &Run, stored: &StoredConfig) -> anyhow::Error {
    match differences(database, run, stored) {
        Ok(what) => anyhow!(Problem::new(format!("the chats have changed since run \"{}\" began: {what}", run.name)).advice("put the files back as they were, or start a new run with another --name; nothing in this one was changed")),
        Err(error) => error.context(format!("the chats of run \"{}\" cannot be compared with the files", run.name)),
    }
}

fn differences(database: &Database, run: &Run, stored: &StoredConfig) -> Result<String> {
    let store = database.store();
    let mut known = HashMap::new();
    let mut there = Stored { store, run, position: None, page: Vec::new().into_iter(), left: run.chats };
    while let Some(chat) = database.wait(there.next())? {
        known.insert(chat.name, chat.digest);
    }
    let (mut added, mut altered) = (Vec::new(), Vec::new());
    let mut reader = DatasetReader::open(stored, &[], &message::events()).context("its files")?;
    while let Some(batch) = reader.next_batch() {
        for chat in batch.into_iter().flatten() {
            match known.remove(&chat.chat.name) {
                None => added.push(chat.chat.name),
                Some(digest) if digest != chat.chat.digest => altered.push(chat.chat.name),
                Some(_) => {}
            }
        }
    }
    let mut removed: Vec<String> = known.into_keys().collect();
    removed.sort();
    // While chats are still being added, those that are missing have not been added yet.
    let is_filling = run.dataset.is_none();
    let added = if is_filling { Vec::new() } else { added };
    let parts = [(altered, "changed"), (removed, "removed"), (added, "added")];
    let parts = parts.iter().filter(|(names, _)| !names.is_empty()).map(|(names, what)| listed(names, what));
    let parts: Vec<String> = parts.collect();
    Ok(if parts.is_empty() { "they come in another order".to_owned() } else { parts.join("; ") })
}

fn listed(names: &[String], what: &str) -> String {
    let shown: Vec<String> = names.iter().take(NAMED).map(|name| format!("{name:?}")).collect();
    let more = if names.len() > NAMED { ", …" } else { "" };
    format!("{} {what} ({}{more})", names.len(), shown.join(", "))
}
