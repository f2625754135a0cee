//! `carelock cache`: the answers of models that are recorded on this computer, listed and removed.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::{Duration, SystemTime};

use anyhow::{Result, bail};
use carelock_core::problem::Problem;
use carelock_core::report::safe_text::one_line;
use carelock_engine::config::Config;
use carelock_engine::figures::{Align, Table};
use carelock_engine::runs::moment_for_people;
use carelock_judge::lock::{Store, StoreRead, StoredFile};
use serde_json::json;

use crate::cli::{CacheArguments, CacheCommand, CachePlace, Colour};
use crate::exit;
use crate::message::{is_agreed, say};
use crate::output::Output;
use crate::terminal;

/// The name of the format of `cache list --json`.
const SCHEMA: &str = "carelock/cache/1";
const DAY: Duration = Duration::from_secs(86_400);
const MIB: u64 = 1024 * 1024;

pub(super) fn run(arguments: &CacheArguments) -> Result<u8> {
    match &arguments.command {
        CacheCommand::List { all, json, place } => list(&store(place)?, *all, *json)?,
        CacheCommand::Clear { judge, yes, place } => clear(&store(place)?, judge.as_deref(), *yes)?,
        CacheCommand::Prune { max_size, older_than, place } => {
            let store = store(place)?;
            let now = SystemTime::now();
            let mut removed = match older_than {
                Some(days) => remove(&store, |record| record.file.written.is_some_and(|at| at + DAY * *days < now))?,
                None => Removed::default(),
            };
            if let Some(mib) = max_size {
                let pruned = store.prune(mib * MIB, now - DAY)?;
                removed.count += pruned.entries;
                removed.bytes += pruned.bytes;
            }
            removed.say();
        }
    }
    Ok(exit::DONE)
}

/// The store in the folder that was named, or where `eval` and `run` keep theirs.
fn store(place: &CachePlace) -> Result<Store> {
    if let Some(folder) = &place.folder {
        if !folder.is_dir() {
            bail!(Problem::new(format!("{}: there is no such folder", folder.display())).advice("check its name"));
        }
        return Ok(Store::at(folder));
    }
    let config = Config::of_process(None)?;
    let Some(folder) = config.cache_dir() else {
        bail!(Problem::new("there is no cache directory").advice("set XDG_CACHE_HOME or HOME, or name the folder"));
    };
    Ok(Store::at(folder.join("answers")))
}

/// One recorded answer; a file that cannot be read has no judge and no chat.
struct Record {
    file: StoredFile,
    judge: String,
    chat: String,
}

fn records(store: &Store) -> Result<Vec<Record>> {
    let read = |file: StoredFile| match store.get(&file.key) {
        StoreRead::Entry(entry) => {
            Record { judge: entry.asked().judge.clone(), chat: entry.asked().chat.clone(), file }
        }
        StoreRead::Nothing | StoreRead::Damaged(_) => {
            Record { judge: "(damaged)".to_owned(), chat: String::new(), file }
        }
    };
    let mut all: Vec<Record> = store.list()?.into_iter().map(read).collect();
    all.sort_by(|left, right| (&left.judge, &left.chat).cmp(&(&right.judge, &right.chat)));
    Ok(all)
}

fn list(store: &Store, all: bool, as_json: bool) -> Result<()> {
    let records = records(store)?;
    let total: u64 = records.iter().map(|record| record.file.bytes).sum();
    let mut output = Output::open(None)?;
    if as_json {
        let entry = |record: &Record| {
            let Record { file, judge, chat } = record;
            json!({ "key": file.key.as_str(), "judge": judge, "chat": chat, "bytes": file.bytes, "written": date(file.written) })
        };
        let entries: Vec<_> = records.iter().map(entry).collect();
        let folder = store.folder().display().to_string();
        writeln!(output, "{}", json!({ "schema": SCHEMA, "folder": folder, "bytes": total, "entries": entries }))?;
        return output.finish();
    }
    writeln!(output, "{}: {}, {}", store.folder().display(), answers(records.len()), size(total))?;
    if !records.is_empty() {
        let table = if all { each(&records) } else { by_judge(&records) };
        write!(output, "\n{}", table.listing(terminal::text_style(Colour::Never, false).width, false))?;
    }
    output.finish()
}

fn each(records: &[Record]) -> Table {
    let mut table =
        Table::new(&[("Chat", Align::Cut), ("Judge", Align::Left), ("Written", Align::Left), ("Size", Align::Right)]);
    for Record { judge, chat, file } in records {
        table.row([chat.clone(), judge.clone(), date(file.written), size(file.bytes)]);
    }
    table
}

fn by_judge(records: &[Record]) -> Table {
    let words = ["Judge", "Oldest", "Newest"].map(|name| (name, Align::Left));
    let mut table = Table::new(&[&words[..], &["Answers", "Size"].map(|name| (name, Align::Right))].concat());
    let mut judges: BTreeMap<&str, Vec<&StoredFile>> = BTreeMap::new();
    for record in records {
        judges.entry(&record.judge).or_default().push(&record.file);
    }
    for (judge, files) in judges {
        let oldest = date(files.iter().filter_map(|file| file.written).min());
        let newest = date(files.iter().filter_map(|file| file.written).max());
        let bytes = files.iter().map(|file| file.bytes).sum();
        table.row([judge.to_owned(), oldest, newest, files.len().to_string(), size(bytes)]);
    }
    table
}

fn clear(store: &Store, judge: Option<&str>, yes: bool) -> Result<()> {
    let chosen = |record: &Record| judge.is_none_or(|judge| record.judge == judge);
    let records = records(store)?;
    let count = records.iter().filter(|record| chosen(record)).count();
    if count == 0 {
        let known: Vec<&str> = records.iter().map(|record| record.judge.as_str()).collect();
        return match judge {
            Some(judge) if !known.is_empty() => bail!(
                Problem::new(format!("no answers of {} are recorded", one_line(judge)))
                    .advice("`carelock cache list` names the judges")
            ),
            _ => {
                say("nothing is recorded");
                Ok(())
            }
        };
    }
    let whose = judge.map(|judge| format!(" of {}", one_line(judge))).unwrap_or_default();
    if !yes && !is_agreed(&format!("remove {}{whose} from {}?", answers(count), store.folder().display()))? {
        bail!(Problem::new("nothing was removed").advice("answer y, or add --yes"));
    }
    remove(store, chosen)?.say();
    Ok(())
}

#[derive(Default)]
struct Removed {
    count: usize,
    bytes: u64,
}

impl Removed {
    fn say(&self) {
        say(format_args!("removed {}, {}", answers(self.count), size(self.bytes)));
    }
}

fn remove(store: &Store, chosen: impl Fn(&Record) -> bool) -> Result<Removed> {
    let mut removed = Removed::default();
    for record in records(store)?.iter().filter(|record| chosen(record)) {
        if store.remove(&record.file.key)? {
            removed.count += 1;
            removed.bytes += record.file.bytes;
        }
    }
    Ok(removed)
}

fn answers(count: usize) -> String {
    if count == 1 { "1 recorded answer".to_owned() } else { format!("{count} recorded answers") }
}

fn size(bytes: u64) -> String {
    match bytes {
        0..1024 => format!("{bytes} B"),
        1024..MIB => format!("{:.1} KiB", bytes as f64 / 1024.0),
        _ => format!("{:.1} MiB", bytes as f64 / MIB as f64),
    }
}

/// The day, as in 2026-11-16; empty where the file system does not know it.
fn date(at: Option<SystemTime>) -> String {
    let since = at.and_then(|at| at.duration_since(SystemTime::UNIX_EPOCH).ok());
    let milliseconds = since.and_then(|since| i64::try_from(since.as_millis()).ok());
    milliseconds.map(|at| moment_for_people(at).chars().take(10).collect()).unwrap_or_default()
}
