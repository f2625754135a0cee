//! A folder of its own for every test, the command run in it, and its whole outcome as one text.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use tempfile::TempDir;

/// The folder a test works in.
pub(crate) struct Place {
    folder: TempDir,
}

/// The eight chats of `examples/`, in the order of their names.
pub(crate) const EXAMPLES: [&str; 8] = [
    "diagnosis",
    "excellent",
    "handled-crisis",
    "missed-crisis",
    "mixed-corrections",
    "ordinary",
    "pressure",
    "very-short",
];

pub(crate) fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().unwrap()
}

impl Place {
    pub(crate) fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    /// A place with an example chat as `NAME.txt` and its sheet as `NAME.csv`.
    pub(crate) fn with_example(name: &str) -> Self {
        let place = Self::new();
        place.copy(&format!("{name}.txt"), &format!("{name}.txt"));
        place.copy(&format!("sheets/{name}.csv"), &format!("{name}.csv"));
        place
    }

    /// A place with all example chats in `chats/` and their sheets in `sheets/`.
    pub(crate) fn with_examples() -> Self {
        let place = Self::new();
        for name in EXAMPLES {
            place.copy(&format!("{name}.txt"), &format!("chats/{name}.txt"));
            place.copy(&format!("sheets/{name}.csv"), &format!("sheets/{name}.csv"));
        }
        place
    }

    /// Copies a file of `examples/`.
    pub(crate) fn copy(&self, example: &str, name: &str) {
        self.write(name, fs::read(examples().join(example)).unwrap());
    }

    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The names of everything in the folder, hidden files included.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// The command in this folder, with nothing in its environment that changes what it prints.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("carelock").unwrap();
        command.current_dir(self.folder.path()).args(arguments);
        for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "RAYON_NUM_THREADS"] {
            command.env_remove(name);
        }
        // Nobody's own settings and keys: the test's folder is home.
        command.env("HOME", self.folder.path()).env_remove("USERPROFILE");
        for name in ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "CARELOCK_JUDGE_KEY", "CARELOCK_DB"] {
            command.env_remove(name);
        }
        for name in ["GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "GITHUB_WORKSPACE"] {
            command.env_remove(name);
        }
        for provider in ["OPENAI", "ANTHROPIC", "DEEPSEEK", "OLLAMA"] {
            command.env_remove(format!("{provider}_API_KEY")).env_remove(format!("{provider}_BASE_URL"));
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Outcome {
        Outcome::new(&mut self.command(arguments))
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: impl Into<Vec<u8>>) -> Outcome {
        Outcome::new(self.command(arguments).write_stdin(input))
    }
}

/// How a command ended and all it said.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    pub(crate) fn new(command: &mut Command) -> Self {
        let output = command.output().unwrap();
        Self {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// What was printed, of a command that did what it was asked and had nothing to add.
    #[track_caller]
    pub(crate) fn done(self) -> String {
        assert_eq!((self.code, self.stderr.as_str()), (0, ""), "{}", self.stdout);
        self.stdout
    }

    /// What was said of a command line or an input that is wrong, with nothing printed besides.
    #[track_caller]
    pub(crate) fn refused(self) -> String {
        assert_eq!((self.code, self.stdout.as_str()), (2, ""), "{}", self.stderr);
        self.stderr
    }

    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self}"))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "exit {}", self.code)?;
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                write!(f, "--- {name}\n{}", without_digests(text).replace('\\', "/"))?;
            }
        }
        Ok(())
    }
}

/// Digests change with every word of the rubric; what is said around them does not.
pub(crate) fn without_digests(text: &str) -> String {
    const SHORTEST: usize = 12;
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest.find(|letter: char| !matches!(letter, '0'..='9' | 'a'..='f')).unwrap_or(rest.len());
        plain.push_str(if end >= SHORTEST { "<digest>" } else { &rest[..end] });
        let next = rest[end..].chars().next().map_or(0, char::len_utf8);
        plain.push_str(&rest[end..end + next]);
        rest = &rest[end + next..];
    }
    plain
}

/// A chat as a JSONL record, with the answers given.
pub(crate) fn record(id: &str, verdicts: &str) -> String {
    let messages = r#"[{"role":"user","content":"I feel low."},{"role":"assistant","content":"That sounds hard."}]"#;
    format!(r#"{{"id":"{id}","messages":{messages},"verdicts":{verdicts}}}"#)
}

/// The two messages of [`record`] as plain text.
pub(crate) const SHORT_CHAT: &str = "Human: I feel low.\nAI: That sounds hard.\n";

/// A sheet on [`SHORT_CHAT`] in which everything that can pass without evidence passes and the rest fails.
pub(crate) fn answers() -> String {
    let rubric = carelock_core::rubric::Rubric::care_lock();
    let answer = |check: &carelock_core::rubric::Check| match check.kind {
        carelock_core::rubric::Kind::Presence => format!(r#""{}": false"#, check.id),
        carelock_core::rubric::Kind::Absence => format!(r#""{}": true"#, check.id),
        carelock_core::rubric::Kind::Conditional => format!(r#""{}": "not_triggered""#, check.id),
    };
    let all: Vec<String> = rubric.checks().map(answer).collect();
    format!("{{{}}}", all.join(", "))
}
