//! The record of answers: the store on this machine, and the lock file that can be committed.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Result, bail};
use carelock_core::problem::{Problem, Setting};
use carelock_core::remedy;
use carelock_core::rubric::Rubric;
use carelock_core::transcript::Transcript;
use carelock_core::verdict::{Answer, Pass, Submission};
use carelock_judge::cascade;
use carelock_judge::lock::{
    Circumstances, Entry, Lock, LockQuestion, Lookup, Store, StoreRead, compare, read_lock, what_changed, write_lock,
};
use carelock_judge::prompt::Prompt;

use super::Model;
use crate::config::Config;
use crate::event::{Event, Events};
use crate::options::JudgeOptions;

/// The lock file used when none is named.
const LOCK_NAME: &str = "carelock.lock";

/// Where answers are looked up and kept; by default nowhere.
#[derive(Default)]
pub(super) struct Record {
    store: Option<Store>,
    lock: Mutex<Lock>,
    lock_path: Option<PathBuf>,
    locked: bool,
    refresh: bool,
    events: Events,
}

/// What the record knows.
#[derive(Default)]
pub(super) struct Known {
    /// All answers.
    pub(super) complete: Option<Submission>,
    /// An entry some of whose answers still hold.
    pub(super) partial: Option<Entry>,
    /// The checks that must be asked; all where this is not set.
    pub(super) ask: Option<Vec<String>>,
    /// What stands if asking fails.
    pub(super) standing: Option<PartialAnswers>,
}

/// Answers that hold while others must be asked anew.
pub(super) struct PartialAnswers {
    known: Submission,
    ask: Vec<String>,
}

impl PartialAnswers {
    /// These answers alone; what should have been asked is unscored for this reason.
    pub(super) fn without_the_rest(self, reason: &str) -> Submission {
        let open = |id| (id, Answer { pass: Pass::Unscored(reason.to_owned()), ..Answer::default() });
        let mut submission = self.known;
        submission.verdicts.extend(self.ask.into_iter().map(open));
        submission
    }
}

/// The folder that was named for answers. It must be there before anything is asked and paid for.
fn named(options: &JudgeOptions) -> Result<Option<PathBuf>> {
    if let Some(folder) = &options.answers {
        std::fs::create_dir_all(folder).map_err(|error| {
            let fix = "name a folder that every worker can write to";
            Problem::located(folder.display().to_string(), format!("answers cannot be kept there: {error}"), fix)
        })?;
    }
    Ok(options.answers.clone())
}

impl Record {
    /// Nowhere: nothing is looked up, and nothing is kept.
    pub(super) fn new(events: Events) -> Self {
        Self { events, ..Self::default() }
    }

    pub(super) fn open(options: &JudgeOptions, config: &Config, events: Events) -> Result<Self> {
        let usual = Path::new(LOCK_NAME);
        let path = options.lock.clone().or_else(|| (options.locked || usual.exists()).then(|| usual.to_owned()));
        let lock = match &path {
            Some(path) if path.exists() => read_lock(path)?,
            Some(path) if options.locked => {
                bail!(Problem::new(format!("{}: there is no lock", path.display())).with(remedy![
                    "run once without ",
                    Setting::Locked,
                    " and with ",
                    Setting::Lock,
                    " to make it"
                ]))
            }
            _ => Lock::default(),
        };
        // What is locked must not depend on what else happens to lie on this machine.
        let folder = config.cache_dir().filter(|_| !options.no_cache).map(|folder| folder.join("answers"));
        let folder = named(options)?.or(folder).filter(|_| !options.locked);
        let store = folder.map(Store::at);
        let (locked, refresh) = (options.locked, options.refresh);
        Ok(Self { store, lock: Mutex::new(lock), lock_path: path, locked, refresh, events })
    }

    /// Whether nothing may be asked.
    pub(super) fn is_locked(&self) -> bool {
        self.locked
    }

    /// What is asked of whom about a chat; where only some checks are, the model is asked as the end of a cascade.
    pub(super) fn asked(
        &self,
        transcript: &Transcript,
        judge: &Model,
        redacted: bool,
        only: Option<&[String]>,
    ) -> LockQuestion {
        let mut parameters = judge.parameters();
        if redacted {
            parameters.insert("redact".to_owned(), true.into());
        }
        let asked = |judge: String| LockQuestion::new(transcript, judge, parameters, Prompt::digest());
        match only {
            Some(checks) => asked(cascade::name(&judge.name())).only(checks),
            None => asked(judge.name()),
        }
    }

    /// The answers that are known already.
    pub(super) fn find(&self, asked: &LockQuestion, rubric: &Rubric) -> Result<Known> {
        let lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        if self.locked {
            return Ok(Known { complete: Some(lock.locked(asked, rubric)?), ..Known::default() });
        }
        if self.refresh {
            return Ok(Known::default());
        }
        let entry = lock.get(asked).cloned();
        drop(lock);
        let Some(entry) = entry.or_else(|| self.stored(asked)) else { return Ok(Known::default()) };
        Ok(match entry.lookup(asked, rubric) {
            Lookup::Complete(submission) => {
                self.remember(entry);
                Known { complete: Some(submission), ..Known::default() }
            }
            Lookup::Partial { known, ask } => {
                let ask: Vec<String> = ask.into_iter().map(|ask| ask.id).collect();
                let standing = Some(PartialAnswers { known, ask: ask.clone() });
                Known { partial: Some(entry), ask: Some(ask), complete: None, standing }
            }
            Lookup::Absent => Known::default(),
        })
    }

    fn stored(&self, asked: &LockQuestion) -> Option<Entry> {
        match self.store.as_ref()?.get(&asked.key()) {
            StoreRead::Entry(entry) => Some(*entry),
            StoreRead::Damaged(damaged) => {
                self.events.tell(&Event::DamagedAnswer(damaged.to_string()));
                None
            }
            StoreRead::Nothing => None,
        }
    }

    /// Keeps answers; the answers to be used, with those that still held put in.
    pub(super) fn keep(
        &self,
        asked: LockQuestion,
        rubric: &Rubric,
        partial: Option<Entry>,
        submission: Submission,
        circumstances: Circumstances,
    ) -> Result<Submission> {
        let submission = Submission { transcript: None, ..submission };
        let made = match partial {
            Some(old) => old.updated(rubric, submission.clone(), circumstances),
            None => Entry::new(asked, rubric, submission.clone(), circumstances),
        };
        // Answers of which none is a verdict are shown, but never kept.
        let Ok(entry) = made else { return Ok(submission) };
        let entry = entry.settled(rubric);
        if self.refresh {
            self.show_changes(&entry);
        }
        if let Some(store) = &self.store
            && let Err(error) = store.put(&entry)
        {
            self.events.tell(&Event::NotCached(error.to_string()));
        }
        let mut whole = entry.submission();
        whole.judge.cached = Some(false);
        self.remember(entry);
        Ok(whole)
    }

    fn show_changes(&self, entry: &Entry) {
        let kept = self.lock.lock().unwrap_or_else(PoisonError::into_inner).get(entry.asked()).cloned();
        if let Some(old) = kept.or_else(|| self.stored(entry.asked())) {
            let changed = what_changed(&entry.asked().chat, &entry.asked().judge, &compare(&old, entry));
            self.events.tell(&Event::Changed(changed));
        }
    }

    fn remember(&self, entry: Entry) {
        if self.lock_path.is_some() {
            self.lock.lock().unwrap_or_else(PoisonError::into_inner).insert(entry);
        }
    }

    /// Writes the lock where it changed.
    pub(super) fn finish(&self) -> Result<()> {
        if let Some(path) = self.lock_path.as_ref().filter(|_| !self.locked) {
            write_lock(path, &self.lock.lock().unwrap_or_else(PoisonError::into_inner))?;
        }
        Ok(())
    }
}
