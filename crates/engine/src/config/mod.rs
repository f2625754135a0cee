//! What judges need from outside: settings, keys, addresses and the day. Only this module reads the environment for them.

mod file;
mod find;
mod score_key;
mod value;

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, Result, anyhow, bail};
use carelock_core::problem::{Problem, Remedy};
use carelock_judge::http::{Auth, ClientOptions, FUNCTION_TABLE, Functions, LaneOptions, Secret};
use carelock_judge::provider::{self, Date, JudgeSpec, KeyNeed, ProviderInfo, Resolved, Table, Terms};

use file::ConfigFile;
pub use file::Settings;
use find::Places;
pub use score_key::ScoreKey;

/// The database of runs named in the environment.
pub fn database() -> Option<String> {
    std::env::var("CARELOCK_DB").ok().filter(|value| !value.trim().is_empty())
}

/// What is read of the process. Tests bring their own.
pub struct Surroundings<'a> {
    /// Looks up an environment variable.
    pub environment: &'a dyn Fn(&str) -> Option<String>,
    /// The current folder.
    pub folder: PathBuf,
    /// Today.
    pub today: Date,
}

/// Settings, keys, addresses and the table of providers. No way of printing it shows a key or an address.
pub struct Config {
    settings: Settings,
    table: Table,
    keys: HashMap<String, Secret>,
    base_urls: HashMap<String, String>,
    user_file: Option<PathBuf>,
    cache_dir: Option<PathBuf>,
    today: Date,
    warnings: Vec<String>,
    functions: Functions,
}

impl Config {
    /// Reads the environment, the current folder and the clock of this process, and the files they lead to.
    pub fn of_process(explicit: Option<&Path>) -> Result<Self> {
        let today = Date::from_time(SystemTime::now());
        let today =
            today.ok_or_else(|| anyhow!(Problem::new("the clock says it is before 1970").advice("set the clock")))?;
        let folder = std::env::current_dir().context("the current folder cannot be found")?;
        let environment = |name: &str| std::env::var(name).ok();
        Self::load(explicit, &Surroundings { environment: &environment, folder, today })
    }

    /// Reads the file named, or else the nearest `carelock.toml` and the user's; the nearer wins key by key.
    pub fn load(explicit: Option<&Path>, around: &Surroundings<'_>) -> Result<Self> {
        let lookup = |name: &str| (around.environment)(name).filter(|value| !value.trim().is_empty());
        let places = Places::new(&lookup, &around.folder);
        let files = match explicit {
            Some(path) => vec![ConfigFile::named(path)?],
            None => places.files()?,
        };
        let mut config = Self {
            settings: Settings::default(),
            table: Table::shipped(),
            keys: HashMap::new(),
            base_urls: HashMap::new(),
            user_file: places.user_file,
            cache_dir: places.cache_dir,
            today: around.today,
            warnings: Vec::new(),
            functions: Functions::default(),
        };
        for file in files {
            config.lay(file)?;
        }
        config.take_environment(&lookup);
        Ok(config)
    }

    fn lay(&mut self, file: ConfigFile) -> Result<()> {
        let mut table = std::mem::replace(&mut self.table, Table::shipped());
        for (name, text) in file.tables()? {
            let laid = table.with_overrides(&text);
            table = laid.map_err(|error| error.within(&name))?;
        }
        self.table = table;
        for (name, key) in file.keys(&self.table)? {
            self.keys.insert(name, key);
        }
        self.warnings.extend(file.exposure());
        self.settings.overlay(file.into_settings());
        Ok(())
    }

    fn take_environment(&mut self, lookup: &dyn Fn(&str) -> Option<String>) {
        for provider in self.table.providers() {
            if let Some(key) = provider.key_variables.iter().find_map(|variable| lookup(variable)) {
                self.keys.insert(provider.name.clone(), Secret::new(key));
            }
            if let Some(url) = provider.base_url_variable.as_deref().and_then(lookup) {
                self.base_urls.insert(provider.name.clone(), url.trim().to_owned());
            }
        }
    }

    /// The same, for those who may not learn where its files lie.
    pub fn without_places(self) -> Self {
        Self { user_file: None, ..self }
    }

    /// The same, with functions of the program that are asked as judges are, by the name `function:NAME`.
    pub fn with_functions(mut self, functions: Functions) -> Result<Self> {
        self.table = self.table.with_overrides(FUNCTION_TABLE)?;
        self.functions = functions;
        Ok(self)
    }

    /// The settings of the files; the command line wins over them.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Providers and models, with what the files change in them.
    pub fn table(&self) -> &Table {
        &self.table
    }

    /// Today, read once.
    pub fn today(&self) -> Date {
        self.today
    }

    /// What the user should know about the files.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Where answers may be kept between runs; none where there is no home.
    pub fn cache_dir(&self) -> Option<&Path> {
        self.cache_dir.as_deref()
    }

    /// A provider's key: from its variables, else from a file.
    pub fn key_for(&self, provider: &ProviderInfo) -> Option<Secret> {
        self.keys.get(&provider.name).filter(|_| provider.key != KeyNeed::None).cloned()
    }

    /// Another address for a provider, from its variable.
    pub fn base_url_for(&self, provider: &ProviderInfo) -> Option<&str> {
        self.base_urls.get(&provider.name).map(String::as_str)
    }

    /// A judge by its name, with the address that holds here.
    pub fn resolve(&self, spec: &JudgeSpec, allow_plain_http: bool) -> Result<Resolved> {
        let provider = spec.provider().and_then(|name| self.table.provider(name));
        let base_url = provider.and_then(|provider| self.base_url_for(provider)).map(str::to_owned);
        let terms = Terms { allow_plain_http, base_url, ..Terms::on(self.today) };
        Ok(self.table.resolve(spec, &terms)?)
    }

    /// How calls to a judge show who is asking; an error where its key is missing.
    pub fn auth_for(&self, judge: &Resolved) -> Result<Auth> {
        let Resolved { provider, model, .. } = judge;
        let Some(key) = self.key_for(provider) else {
            if provider.key != KeyNeed::Required {
                return Ok(Auth::None);
            }
            let name = &provider.name;
            let file = self.user_file.as_ref().map(|path| path.display().to_string());
            let file = file.unwrap_or_else(|| "carelock.toml".to_owned());
            let what = format!("judge {name}:{}: there is no key for {}", model.id, provider.title);
            let variables = provider.key_variables.clone();
            bail!(Problem::new(what).with(Remedy::SetKey { provider: name.clone(), variables, file }));
        };
        Ok(match provider.auth {
            provider::Auth::None => Auth::None,
            provider::Auth::Bearer => Auth::Bearer(key),
            provider::Auth::XApiKey => Auth::x_api_key(key),
            provider::Auth::ApiKey => Auth::Header { name: "api-key", key },
        })
    }

    /// What all calls to a judge share: its key and the pace its provider allows, or the number of calls at once set here.
    pub fn lane_options(&self, judge: &Resolved) -> Result<LaneOptions> {
        let concurrency = self.settings.judging.concurrency;
        Ok(LaneOptions {
            auth: self.auth_for(judge)?,
            concurrency: concurrency.map_or_else(|| usize::try_from(judge.provider.concurrency), Ok)?,
            requests_per_minute: judge.provider.requests_per_minute,
            tokens_per_minute: judge.provider.tokens_per_minute,
            ..LaneOptions::default()
        })
    }

    /// How calls are made: time limit, proxy and certificates.
    pub fn client_options(&self) -> Result<ClientOptions> {
        let mut options = ClientOptions {
            proxy: self.settings.proxy.clone(),
            functions: self.functions.clone(),
            ..ClientOptions::default()
        };
        if let Some(seconds) = self.settings.judging.timeout {
            options.call_timeout = Duration::from_secs(seconds);
        }
        if let Some(path) = &self.settings.certificates {
            let shown = path.display();
            options.extra_roots.push(std::fs::read(path).with_context(|| format!("{shown}: cannot be read"))?);
        }
        Ok(options)
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut keys: Vec<&String> = self.keys.keys().collect();
        keys.sort();
        f.debug_struct("Config").field("settings", &self.settings).field("keys", &keys).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
