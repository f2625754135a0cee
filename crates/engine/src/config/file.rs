//! One `carelock.toml`: read strictly, and trusted as far as its place allows.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use carelock_core::problem::{PlainWords, Problem, Remedy, Setting, place, toml_place};
use carelock_core::remedy;
use carelock_judge::http::Secret;
use carelock_judge::provider::Table;
use carelock_judge::wire::redact_keys;
use indexmap::IndexMap;
use serde::Deserialize;
use toml::Spanned;

use super::value::{Amount, Judges, Positive, canonical};
use crate::judge_kind::JudgeKind;
use crate::options::{JudgeOptions, Redact};

/// Where a file comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// The user named it.
    Named,
    /// The user's own settings.
    User,
    /// Found in the current folder or above. It may have come with somebody else's project, so it must not be able to
    /// send keys to another address.
    Project,
}

/// Fields of a provider that decide which key goes where.
const TRUSTED_FIELDS: [&str; 5] = ["base_url", "base_url_variable", "key_variables", "plain_http", "auth"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    judge: Option<Spanned<Judges>>,
    fallback: Option<Spanned<String>>,
    concurrency: Option<Positive>,
    max_cost: Option<Amount>,
    second_look: Option<bool>,
    redact: Option<Redact>,
    lock: Option<PathBuf>,
    timeout: Option<Positive>,
    proxy: Option<Spanned<Secret>>,
    certificates: Option<Spanned<PathBuf>>,
    providers: Option<Spanned<PathBuf>>,
    #[serde(default)]
    keys: IndexMap<Spanned<String>, Spanned<Secret>>,
    #[serde(default)]
    provider: Vec<toml::Table>,
    #[serde(default)]
    model: Vec<toml::Table>,
}

/// What can be set for good; everything has a default, and whoever calls wins.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// How judges are asked.
    pub judging: JudgeOptions,
    /// A proxy for everything but this machine.
    pub proxy: Option<Secret>,
    /// A file of certificates to trust besides the system's.
    pub certificates: Option<PathBuf>,
}

impl Settings {
    /// Takes over what a nearer file states.
    pub(super) fn overlay(&mut self, nearer: Self) {
        self.judging = nearer.judging.or(&self.judging);
        self.proxy = nearer.proxy.or(self.proxy.take());
        self.certificates = nearer.certificates.or(self.certificates.take());
    }
}

/// A file that could be read.
pub(super) struct ConfigFile {
    path: PathBuf,
    origin: Origin,
    text: String,
    raw: Raw,
}

impl ConfigFile {
    /// Reads the file the user named.
    pub(super) fn named(path: &Path) -> Result<Self> {
        if !path.is_file() {
            bail!(
                Problem::new(format!("{}: no such file", path.display()))
                    .with(remedy!["check the path given with ", Setting::Config])
            );
        }
        Self::read(path, Origin::Named)
    }

    pub(super) fn read(path: &Path, origin: Origin) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| format!("{}: cannot be read", path.display()))?;
        let raw = toml::from_str::<Raw>(&text).map_err(|error| {
            let problem = Problem::located(toml_place(&text, &error), explained(error.message()), SHOWN);
            problem.within(&path.display().to_string())
        })?;
        let file = Self { path: path.to_owned(), origin, text, raw };
        file.check_trust()?;
        file.check_judges()?;
        Ok(file)
    }

    /// Refuses names that are no judge's.
    fn check_judges(&self) -> Result<()> {
        let judges = self.raw.judge.iter().flat_map(|judges| {
            let whole = judges.span().start;
            judges.get_ref().0.iter().map(move |(at, name)| (at.unwrap_or(whole), name))
        });
        let fallback = self.raw.fallback.iter().map(|name| (name.span().start, name.get_ref()));
        for (offset, name) in judges.chain(fallback) {
            if let Err(problem) = JudgeKind::parse(name) {
                let fix = redact_keys(&problem.fix(&PlainWords));
                return Err(self.error(offset, &redact_keys(&problem.what()), fix));
            }
        }
        Ok(())
    }

    fn error(&self, offset: usize, what: &str, remedy: impl Into<Remedy>) -> anyhow::Error {
        let problem = Problem::located(place(&self.text, offset), what, remedy);
        problem.within(&self.path.display().to_string()).into()
    }

    fn check_trust(&self) -> Result<()> {
        if self.origin != Origin::Project {
            return Ok(());
        }
        let proxy = self.raw.proxy.as_ref().map(|proxy| ("proxy", proxy.span().start));
        let certificates = self.raw.certificates.as_ref().map(|path| ("certificates", path.span().start));
        if let Some((name, offset)) = proxy.or(certificates) {
            return Err(self.error(offset, &format!("{name} is not taken from a project's file"), only_yours()));
        }
        self.check_provider_fields(&self.path.display().to_string(), &self.raw.provider)
    }

    fn check_provider_fields(&self, name: &str, providers: &[toml::Table]) -> Result<()> {
        let fields = providers.iter().flat_map(toml::Table::keys);
        match fields.into_iter().find(|field| TRUSTED_FIELDS.contains(&field.as_str())) {
            Some(field) if self.origin == Origin::Project => bail!(
                Problem::new(format!(
                    "{name}: a project's file cannot set {field} of a provider: keys could be sent elsewhere"
                ))
                .with(only_yours())
            ),
            _ => Ok(()),
        }
    }

    /// What this file changes in the table, with the names for error messages: another file first, then its own entries.
    pub(super) fn tables(&self) -> Result<Vec<(String, String)>> {
        let mut tables = Vec::new();
        if let Some(path) = &self.raw.providers {
            let file = self.beside(path.get_ref());
            let name = file.display().to_string();
            let Ok(text) = std::fs::read_to_string(&file) else {
                let what = format!("the provider file {name} cannot be read");
                return Err(self.error(path.span().start, &what, "correct the path; it starts at this file's folder"));
            };
            let entries = toml::from_str::<toml::Table>(&text).ok().and_then(|mut table| table.remove("provider"));
            let entries = entries.and_then(|entries| entries.try_into::<Vec<toml::Table>>().ok()).unwrap_or_default();
            self.check_provider_fields(&name, &entries)?;
            tables.push((name, text));
        }
        if !(self.raw.provider.is_empty() && self.raw.model.is_empty()) {
            tables.push((self.path.display().to_string(), self.entries()?));
        }
        Ok(tables)
    }

    /// The file with everything blanked but its `[[provider]]` and `[[model]]` sections, so that places stay true.
    fn entries(&self) -> Result<String> {
        let mut text = String::new();
        let mut inside = false;
        for line in self.text.split_inclusive('\n') {
            let start = line.trim_start();
            if start.starts_with('[') {
                let name: String = start
                    .trim_start_matches(['[', ' '])
                    .chars()
                    .take_while(|letter| letter.is_alphanumeric())
                    .collect();
                inside = name == "provider" || name == "model";
            }
            text.push_str(if inside { line } else { "\n" });
        }
        let kept = toml::from_str::<toml::Table>(&text).unwrap_or_default();
        let of = |name: &str| kept.get(name).cloned().and_then(|value| value.try_into::<Vec<toml::Table>>().ok());
        let whole = of("provider").unwrap_or_default() == self.raw.provider
            && of("model").unwrap_or_default() == self.raw.model;
        if !whole {
            let what = "providers and models are written as sections here";
            return Err(self.error(0, what, "write each as a [[provider]] or [[model]] section of its own"));
        }
        Ok(text)
    }

    /// The keys in the file by provider; every name must be one of the table's.
    pub(super) fn keys(&self, table: &Table) -> Result<Vec<(String, Secret)>> {
        let mut keys = Vec::new();
        for (name, key) in &self.raw.keys {
            if table.provider(name.get_ref()).is_none() {
                let known: Vec<&str> = table.providers().map(|provider| provider.name.as_str()).collect();
                let what = format!("there is no provider {:?}", redact_keys(name.get_ref()));
                return Err(self.error(name.span().start, &what, format!("use one of {}", known.join(", "))));
            }
            if key.get_ref().is_empty() {
                let fix = "write the key between the quotes, or leave the line out";
                return Err(self.error(key.span().start, "the key is empty", fix));
            }
            keys.push((name.get_ref().clone(), key.get_ref().clone()));
        }
        Ok(keys)
    }

    /// A warning where keys lie open to other users of the machine.
    #[cfg(unix)]
    pub(super) fn exposure(&self) -> Option<String> {
        use std::os::unix::fs::PermissionsExt as _;
        if self.raw.keys.is_empty() {
            return None;
        }
        let mode = std::fs::metadata(&self.path).ok()?.permissions().mode();
        let path = self.path.display();
        (mode & 0o077 != 0).then(|| {
            let what = Problem::new(format!("{path}: holds keys and can be read by other users"));
            what.advice(format!("chmod 600 {path}")).to_string()
        })
    }

    /// Who else can read the file is not known here.
    #[cfg(not(unix))]
    pub(super) fn exposure(&self) -> Option<String> {
        None
    }

    /// A path of the file: it starts where the file lies.
    fn beside(&self, path: &Path) -> PathBuf {
        self.path.parent().map_or_else(|| path.to_owned(), |folder| folder.join(path))
    }

    pub(super) fn into_settings(self) -> Settings {
        let lock = self.raw.lock.as_deref().map(|path| self.beside(path));
        let certificates = self.raw.certificates.as_ref().map(|path| self.beside(path.get_ref()));
        let raw = self.raw;
        let judging = JudgeOptions {
            judges: raw.judge.map(|judges| judges.into_inner().names()).unwrap_or_default(),
            fallback: raw.fallback.map(|name| canonical(name.get_ref())),
            concurrency: raw.concurrency.and_then(|number| usize::try_from(number.0).ok()),
            max_cost: raw.max_cost.map(|amount| amount.0),
            second_look: raw.second_look,
            redact: raw.redact,
            lock,
            timeout: raw.timeout.map(|seconds| u64::from(seconds.0)),
            ..JudgeOptions::default()
        };
        Settings { judging, proxy: raw.proxy.map(Spanned::into_inner), certificates }
    }
}

/// What to do about something that a project's file must not set.
fn only_yours() -> Remedy {
    remedy![
        "put it into your own settings (~/.config/carelock/carelock.toml), or name this file with ",
        Setting::Config
    ]
}

/// Where it is written what can stand in the file.
const SHOWN: &str = "docs/judges/README.md shows what this file can hold";

/// What the parser says without the values it quotes, which may be keys.
fn explained(message: &str) -> String {
    redact_keys(&match message.split_once(", expected ") {
        Some((wrong, expected)) if wrong.starts_with("invalid") => {
            format!("expected {}", expected.replace("a map", "a section"))
        }
        _ => message.to_owned(),
    })
}
