//! A folder of its own for every test, the command run in it with nobody's settings or keys, and its outcome.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A hosted model whose price is known.
pub(crate) const HOSTED: &str = "openai:gpt-4.1-mini";

/// The chats of `examples/`, in the order of their names.
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

pub(crate) fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    fs::read_to_string(path).unwrap()
}

/// The folder a test works in; settings and kept answers lie in it too.
pub(crate) struct Place {
    folder: TempDir,
}

impl Place {
    /// A place with these example chats as `NAME.txt` and their sheets as `NAME.csv` in `sheets/`.
    pub(crate) fn with(examples: &[&str]) -> Self {
        let place = Self { folder: TempDir::new().unwrap() };
        for name in examples {
            place.write(&format!("{name}.txt"), example(&format!("{name}.txt")));
            place.write(&format!("sheets/{name}.csv"), example(&format!("sheets/{name}.csv")));
        }
        place
    }

    /// A place with so many short chats in `chats/`, no two alike.
    pub(crate) fn with_short_chats(count: usize) -> Self {
        let place = Self::with(&[]);
        for number in 1..=count {
            let text = format!("Human: I feel low, day {number}.\nAI: That sounds hard.\n");
            place.write(&format!("chats/{number:03}.txt"), text);
        }
        place
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

    /// Everything that lies in the place, hidden files and kept answers included.
    pub(crate) fn files(&self) -> Vec<(PathBuf, String)> {
        let entries = walkdir::WalkDir::new(self.folder.path()).into_iter().map(Result::unwrap);
        let files = entries.filter(|entry| entry.file_type().is_file());
        files
            .map(|file| (file.path().to_owned(), String::from_utf8_lossy(&fs::read(file.path()).unwrap()).into_owned()))
            .collect()
    }

    /// Forgets the answers kept on this machine.
    pub(crate) fn forget(&self) {
        let _ = fs::remove_dir_all(self.path("cache"));
        assert!(!self.path("cache").exists());
    }

    /// The program, run by another one where one is named.
    fn program(&self, runner: &[&str]) -> Command {
        let program = env!("CARGO_BIN_EXE_carelock");
        let mut command = match runner {
            [] => Command::new(program),
            [first, rest @ ..] => {
                let mut command = Command::new(first);
                command.args(rest).arg(program);
                command
            }
        };
        command.current_dir(self.folder.path()).env_clear().env("HOME", self.path("home"));
        command.env("XDG_CACHE_HOME", self.path("cache")).env("XDG_CONFIG_HOME", self.path("config"));
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Outcome {
        self.run_with(&[], arguments)
    }

    pub(crate) fn run_with(&self, environment: &[(&str, &str)], arguments: &[&str]) -> Outcome {
        Outcome::new(self.program(&[]).args(arguments).envs(environment.iter().copied()))
    }

    /// The program, still running.
    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.start_with(&[], arguments)
    }

    /// The program, still running; it can be told something, and what it says can be read when it has ended.
    pub(crate) fn start_with(&self, environment: &[(&str, &str)], arguments: &[&str]) -> Child {
        let mut program = self.program(&[]);
        program.args(arguments).envs(environment.iter().copied());
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    /// The program under another one, such as a tracer.
    pub(crate) fn run_under(&self, runner: &[&str], arguments: &[&str]) -> Outcome {
        Outcome::new(self.program(runner).args(arguments))
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
    fn new(command: &mut Command) -> Self {
        let output = command.output().unwrap_or_else(|error| panic!("{}: {error}", command.get_program().display()));
        Self {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The same, of a command that must have ended with this code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.code, code, "{self}");
        self
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self}"))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit {}\n--- stdout\n{}\n--- stderr\n{}", self.code, self.stdout, self.stderr)
    }
}

/// All checks of a report: id and what is said of it.
pub(crate) fn checks(report: &Value) -> Vec<(String, Value)> {
    let metrics = report["metrics"].as_object().unwrap().values();
    let all = metrics.flat_map(|metric| metric["checks"].as_object().unwrap());
    all.map(|(id, check)| (id.clone(), check.clone())).collect()
}

/// The reasons why checks are unscored; as many as there are such checks.
pub(crate) fn unscored(report: &Value) -> Vec<String> {
    checks(report).iter().filter_map(|(_, check)| check["unscored"].as_str().map(str::to_owned)).collect()
}
