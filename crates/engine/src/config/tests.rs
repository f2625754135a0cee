//! Tests of the settings.

use std::fs;

use tempfile::TempDir;

use super::*;
use crate::options::Redact;

const KEY: &str = "sk-planted-0123456789abcdef";

/// A home and a project in a repository, with an environment made up.
struct World {
    folder: TempDir,
    variables: Vec<(&'static str, String)>,
}

impl World {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        fs::create_dir_all(folder.path().join("project/.git")).unwrap();
        fs::create_dir_all(folder.path().join("project/deep/er")).unwrap();
        fs::create_dir_all(folder.path().join("home/.config/carelock")).unwrap();
        let home = folder.path().join("home").display().to_string();
        Self { folder, variables: vec![("HOME", home)] }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn project(self, text: &str) -> Self {
        fs::write(self.path("project/carelock.toml"), text).unwrap();
        self
    }

    fn user(self, text: &str) -> Self {
        fs::write(self.path("home/.config/carelock/carelock.toml"), text).unwrap();
        self
    }

    fn with(mut self, name: &'static str, value: &str) -> Self {
        self.variables.push((name, value.to_owned()));
        self
    }

    fn load_in(&self, folder: &str, explicit: Option<&Path>) -> Result<Config> {
        let environment =
            |name: &str| self.variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone());
        let today = "2026-11-15".parse().unwrap();
        Config::load(explicit, &Surroundings { environment: &environment, folder: self.path(folder), today })
    }

    fn load(&self) -> Config {
        self.load_in("project/deep/er", None).unwrap()
    }

    /// The error without the test's own folder, and never with the key.
    fn refused(&self) -> String {
        let error = format!("{:#}", self.load_in("project", None).unwrap_err());
        assert!(!error.contains("planted"), "{error}");
        error.replace(&self.folder.path().display().to_string(), "")
    }
}

fn provider<'a>(config: &'a Config, name: &str) -> &'a ProviderInfo {
    config.table().provider(name).unwrap()
}

fn key_of(config: &Config, name: &str) -> Option<bool> {
    // A key is only ever seen by what it hides.
    config.key_for(provider(config, name)).map(|key| key.scrub(KEY) == "***")
}

#[test]
fn without_files_and_variables_everything_is_as_shipped() {
    let config = World::new().load();
    assert!(config.settings().judging.judges.is_empty() && config.warnings().is_empty());
    assert_eq!(key_of(&config, "openai"), None);
    assert_eq!(config.base_url_for(provider(&config, "openai")), None);
}

#[test]
fn the_nearer_file_wins_key_by_key() {
    let world = World::new()
        .user("judge = \"openai:gpt-6-luna\"\nmax_cost = 2\nconcurrency = 3\nlock = \"mine.lock\"\n")
        .project("judge = [\"ollama:llama3.2\", \"deepseek:deepseek-flash\"]\nmax_cost = \"0.50\"\nredact = true\n");
    let config = world.load();
    let settings = &config.settings().judging;
    assert_eq!(settings.judges, ["ollama:llama3.2", "deepseek:deepseek-flash"]);
    assert_eq!(settings.max_cost, Some("0.50".to_owned()));
    assert_eq!((settings.concurrency, settings.redact, settings.second_look), (Some(3), Some(Redact::On), None));
    assert_eq!(settings.lock, Some(world.path("home/.config/carelock/mine.lock")));
}

#[test]
fn a_file_that_is_named_stands_alone() {
    let world = World::new().user("concurrency = 3\n").project("redact = true\n");
    let path = world.path("other.toml");
    fs::write(&path, "max_cost = 1.5\n").unwrap();
    let config = world.load_in("project", Some(&path)).unwrap();
    assert_eq!(config.settings().judging.max_cost, Some("1.5".to_owned()));
    assert_eq!((config.settings().judging.concurrency, config.settings().judging.redact), (None, None));
    assert!(world.load_in("project", Some(Path::new("/nowhere.toml"))).is_err());
}

#[test]
fn a_file_above_the_repository_is_not_taken() {
    let world = World::new();
    fs::write(world.path("carelock.toml"), "concurrency = 3\n").unwrap();
    assert_eq!(world.load().settings().judging.concurrency, None);
    assert_eq!(world.load_in("home", None).unwrap().settings().judging.concurrency, None);
}

#[test]
fn a_key_comes_from_the_variable_first_and_then_from_the_files() {
    let file = format!("[keys]\nopenai = \"{KEY}\"\n");
    let from_file = World::new().user(&file).load();
    assert_eq!(key_of(&from_file, "openai"), Some(true));
    assert_eq!(key_of(&from_file, "anthropic"), None);
    let both = World::new().user(&file).with("OPENAI_API_KEY", "another-key-0123").load();
    assert_eq!(key_of(&both, "openai"), Some(false));
    let empty = World::new().user(&file).with("OPENAI_API_KEY", " ").load();
    assert_eq!(key_of(&empty, "openai"), Some(true));
    let ollama = World::new().user(&format!("[keys]\nollama = \"{KEY}\"\n")).load();
    assert_eq!(key_of(&ollama, "ollama"), None);
}

#[test]
fn no_way_of_printing_the_settings_shows_a_key() {
    let world = World::new()
        .user(&format!("proxy = \"http://me:{KEY}@proxy\"\n[keys]\nopenai = \"{KEY}\"\n"))
        .with("ANTHROPIC_API_KEY", KEY)
        .with("DEEPSEEK_BASE_URL", &format!("https://x:{KEY}@host"));
    let config = world.load();
    let printed = format!("{config:?} {config:#?} {:?}", config.warnings());
    assert!(!printed.contains("planted"), "{printed}");
    let spec = "deepseek:deepseek-flash".parse().unwrap();
    let error = format!("{:#}", config.resolve(&spec, false).unwrap_err());
    assert!(error.contains("user name or password") && !error.contains("planted"), "{error}");
}

#[cfg(unix)]
#[test]
fn keys_that_others_can_read_are_warned_about() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new().user(&format!("[keys]\nopenai = \"{KEY}\"\n"));
    let path = world.path("home/.config/carelock/carelock.toml");
    let set = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
    set(0o640);
    let warnings = world.load().warnings().to_vec();
    assert_eq!(warnings.len(), 1);
    assert!(warnings[0].contains("chmod 600") && !warnings[0].contains("planted"), "{warnings:?}");
    set(0o600);
    assert!(world.load().warnings().is_empty());
}

#[test]
fn mistakes_are_named_with_line_and_column() {
    let refusals = [
        "judge = \"openai:gpt-6-luna\"\nconcurency = 2\n".to_owned(),
        "concurrency = 0\n".to_owned(),
        "\nmax_cost = \"a lot\"\n".to_owned(),
        "judge = \"gpt\"\n".to_owned(),
        format!("keys = \"{KEY}\"\n"),
        format!("[keys]\nopnai = \"{KEY}\"\n"),
        "[keys]\nopenai = \"\"\n".to_owned(),
        format!("[keys]\nopenai = \"{KEY}\n"),
        format!("judge = \"{KEY}\"\n"),
        "redact = true\n\n[[model]]\nprovider = \"openai\"\nid = \"m\"\ncontexts = 5\n".to_owned(),
        "model = [{ provider = \"openai\", id = \"m\" }]\n".to_owned(),
        "providers = \"gone.toml\"\n".to_owned(),
    ];
    let said: Vec<String> = refusals.iter().map(|text| World::new().project(text).refused()).collect();
    insta::assert_snapshot!(said.join("\n"));
}

#[test]
fn models_and_providers_are_laid_over_the_table() {
    let world = World::new()
        .user("providers = \"more.toml\"\n\n[[model]]\nprovider = \"house\"\nid = \"big\"\ncontext = 9000\n")
        .project("redact = true\n[[model]]\nprovider = \"house\"\nid = \"big\"\nmax_output = 500\n")
        .with("HOUSE_KEY", KEY);
    let house = "[[provider]]\nname = \"house\"\nwire = \"openai-chat\"\nbase_url = \"https://llm.example.org/v1\"\n\
                 key = \"required\"\nkey_variables = [\"HOUSE_KEY\"]\n";
    fs::write(world.path("home/.config/carelock/more.toml"), house).unwrap();
    let config = world.load();
    let judge = config.resolve(&"house:big".parse().unwrap(), false).unwrap();
    assert_eq!((judge.model.context, judge.model.max_output), (Some(9000), Some(500)));
    assert!(matches!(config.auth_for(&judge).unwrap(), Auth::Bearer(_)));
    assert_eq!(config.lane_options(&judge).unwrap().concurrency, 4);
}

#[test]
fn a_project_cannot_send_keys_elsewhere() {
    for text in [
        "[[provider]]\nname = \"openai\"\nbase_url = \"https://evil.example\"\n",
        "[[provider]]\nname = \"mine\"\nwire = \"openai-chat\"\nkey_variables = [\"OPENAI_API_KEY\"]\n",
        "proxy = \"http://evil.example\"\n",
        "certificates = \"evil.pem\"\n",
        "providers = \"evil.toml\"\n",
    ] {
        let world = World::new().project(text);
        let evil = "[[provider]]\nname = \"openai\"\nbase_url = \"https://evil.example\"\n";
        fs::write(world.path("project/evil.toml"), evil).unwrap();
        let error = world.refused();
        assert!(error.contains("project's file") && error.contains("`config`"), "{error}");
        let named = world.path("project/carelock.toml");
        assert!(world.load_in("project", Some(&named)).is_ok(), "{text}");
    }
}

#[test]
fn the_cache_has_its_usual_place() {
    let world = World::new();
    assert_eq!(world.load().cache_dir(), Some(&*world.path("home/.cache/carelock")));
    let stated = World::new().with("XDG_CACHE_HOME", "/var/cache/me");
    assert_eq!(stated.load().cache_dir(), Some(Path::new("/var/cache/me/carelock")));
    let relative = World::new().with("XDG_CACHE_HOME", "me");
    assert_eq!(relative.load().cache_dir(), Some(&*relative.path("home/.cache/carelock")));
}

#[test]
fn the_example_in_the_documentation_can_be_read() {
    let page = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/judges/README.md")).unwrap();
    let (_, after) = page.split_once("```toml\n").unwrap();
    let (example, _) = after.split_once("```").unwrap();
    let world = World::new().user(example);
    fs::write(world.path("home/.config/carelock/providers.toml"), "").unwrap();
    let config = world.load();
    let settings = &config.settings().judging;
    assert_eq!(settings.judges, ["openai:gpt-6-luna"]);
    assert_eq!((settings.timeout, settings.second_look), (Some(300), Some(true)));
    assert!(config.client_options().is_err(), "the certificates of the example are not there");
    let ollama = config.resolve(&"ollama:llama3.2".parse().unwrap(), false).unwrap();
    assert_eq!(ollama.model.context, Some(16384));
}
