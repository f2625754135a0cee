//! Lines that models said as simulated users, kept in a file beside a project, so that the same chat can be played again without them.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, Result, bail};
use carelock_core::problem::Problem;
use carelock_probe::played::Instructions;
use serde::{Deserialize, Serialize};

/// The file that is used where none is named.
const USUAL: &str = "carelock-users.lock";

/// A kept line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Kept {
    key: String,
    persona: String,
    model: String,
    text: String,
}

/// The lines that are known, and the file they are kept in.
#[derive(Debug, Default)]
pub(super) struct Lines {
    path: Option<PathBuf>,
    locked: bool,
    known: Mutex<BTreeMap<String, Kept>>,
}

impl Lines {
    /// Opens the file; without a name, the usual one where it exists. `locked`: nothing may be asked.
    pub(super) fn open(named: Option<&Path>, locked: bool) -> Result<Self> {
        let usual = Path::new(USUAL);
        let path = named.or_else(|| (locked || usual.exists()).then_some(usual)).map(Path::to_owned);
        let mut known = BTreeMap::new();
        match &path {
            Some(path) if path.exists() => {
                let shown = path.display();
                let text = std::fs::read_to_string(path).with_context(|| format!("{shown}: cannot be read"))?;
                for (number, line) in text.lines().enumerate() {
                    let kept: Kept = serde_json::from_str(line).map_err(|error| {
                        let at = format!("{shown}:{}", number + 1);
                        Problem::located(at, error.to_string(), "restore the file, or remove the line")
                    })?;
                    known.insert(kept.key.clone(), kept);
                }
            }
            Some(path) if locked => {
                let what = format!("{}: there is no lock of users' lines", path.display());
                bail!(Problem::new(what).advice("run once without --locked and with --user-lock to make it"));
            }
            _ => {}
        }
        Ok(Self { path, locked, known: Mutex::new(known) })
    }

    /// What names a line: all that the model was told, the model, and which try it is.
    pub(super) fn key(told: &Instructions, model: &str, seed: u64, attempt: u32) -> String {
        let mut hasher = blake3::Hasher::new();
        let mut add = |text: &str| {
            hasher.update(&(text.len() as u64).to_le_bytes());
            hasher.update(text.as_bytes());
        };
        add("carelock/user-line/1");
        add(model);
        add(&format!("{seed} {attempt}"));
        add(&told.system);
        for (from_model, text) in &told.messages {
            add(if *from_model { "person" } else { "bot" });
            add(text);
        }
        format!("blake3:{}", hasher.finalize().to_hex())
    }

    /// A line that is known; an error where it is not and nothing may be asked.
    pub(super) fn find(&self, key: &str, persona: &str) -> Result<Option<String>> {
        let found = self.known.lock().unwrap_or_else(PoisonError::into_inner).get(key).map(|kept| kept.text.clone());
        if found.is_none() && self.locked {
            let what = format!("persona {persona}: its next line is not in the lock; has the bot replied differently?");
            bail!(Problem::new(what).advice("run again without --locked, or follow scripts by leaving --user out"));
        }
        Ok(found)
    }

    pub(super) fn keep(&self, key: String, persona: &str, model: &str, text: &str) {
        let kept =
            Kept { key: key.clone(), persona: persona.to_owned(), model: model.to_owned(), text: text.to_owned() };
        self.known.lock().unwrap_or_else(PoisonError::into_inner).insert(key, kept);
    }

    /// Writes the file, whole or not at all.
    pub(super) fn write(&self) -> Result<()> {
        let Some(path) = self.path.as_ref().filter(|_| !self.locked) else { return Ok(()) };
        let shown = path.display();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut file =
            tempfile::NamedTempFile::new_in(folder).with_context(|| format!("{shown}: cannot be written"))?;
        for kept in self.known.lock().unwrap_or_else(PoisonError::into_inner).values() {
            writeln!(file, "{}", serde_json::to_string(kept)?)?;
        }
        file.persist(path).with_context(|| format!("{shown}: cannot be written"))?;
        Ok(())
    }
}
