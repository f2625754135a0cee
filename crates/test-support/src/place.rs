//! A folder of its own for every test, and the `carelock` command run in it with nobody's settings or keys.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use tempfile::TempDir;

use crate::{Outcome, Running};

/// The chats of `examples/`, in the order of their names.
pub const EXAMPLES: [&str; 8] = [
    "diagnosis",
    "excellent",
    "handled-crisis",
    "missed-crisis",
    "mixed-corrections",
    "ordinary",
    "pressure",
    "very-short",
];

/// The root of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}

/// The folder of the examples.
pub fn examples() -> PathBuf {
    repository().join("examples")
}

/// A file of the examples.
pub fn example(name: &str) -> String {
    fs::read_to_string(examples().join(name)).unwrap_or_else(|error| panic!("examples/{name}: {error}"))
}

/// The program: the one that `CARELOCK_BINARY` names, else the one built beside these tests.
#[track_caller]
pub fn binary() -> PathBuf {
    let beside = || {
        let test = std::env::current_exe().expect("the path of these tests");
        // Tests lie in the folder `deps` of their profile, programs in the profile's folder itself.
        let folder = test.ancestors().skip(1).find(|folder| !folder.ends_with("deps")).expect("the profile's folder");
        folder.join(format!("carelock{}", std::env::consts::EXE_SUFFIX))
    };
    let binary = std::env::var_os("CARELOCK_BINARY").map_or_else(beside, PathBuf::from);
    assert!(
        binary.is_file(),
        "there is no {}\n  fix: `cargo build -p carelock-cli`, or name one in CARELOCK_BINARY",
        binary.display()
    );
    binary
}

/// The folder a test works in; settings and kept answers lie in it too. It goes when the last copy is dropped.
#[derive(Clone)]
pub struct Place {
    folder: Arc<TempDir>,
}

impl Place {
    /// An empty one.
    #[expect(clippy::new_without_default, reason = "a new folder is no default")]
    pub fn new() -> Self {
        Self { folder: Arc::new(TempDir::new().expect("a folder")) }
    }

    /// One with these example chats as `NAME.txt` and their sheets as `sheets/NAME.csv`.
    pub fn with(examples: &[&str]) -> Self {
        let place = Self::new();
        for name in examples {
            place.copy(&format!("{name}.txt"), &format!("{name}.txt"));
            place.copy(&format!("sheets/{name}.csv"), &format!("sheets/{name}.csv"));
        }
        place
    }

    /// One with an example chat as `NAME.txt` and its sheet as `NAME.csv`.
    pub fn with_example(name: &str) -> Self {
        let place = Self::new();
        place.copy(&format!("{name}.txt"), &format!("{name}.txt"));
        place.copy(&format!("sheets/{name}.csv"), &format!("{name}.csv"));
        place
    }

    /// One with all example chats in `chats/` and their sheets in `sheets/`.
    pub fn with_examples() -> Self {
        let place = Self::new();
        for name in EXAMPLES {
            place.copy(&format!("{name}.txt"), &format!("chats/{name}.txt"));
            place.copy(&format!("sheets/{name}.csv"), &format!("sheets/{name}.csv"));
        }
        place
    }

    /// One with so many short chats in `chats/`, no two alike.
    pub fn with_short_chats(count: usize) -> Self {
        let place = Self::new();
        for number in 1..=count {
            let text = format!("Human: I feel low, day {number}.\nAI: That sounds hard.\n");
            place.write(&format!("chats/{number:03}.txt"), text);
        }
        place
    }

    /// Copies a file of `examples/`.
    pub fn copy(&self, example: &str, name: &str) {
        let bytes = fs::read(examples().join(example)).unwrap_or_else(|error| panic!("examples/{example}: {error}"));
        self.write(name, bytes);
    }

    /// Writes a file, and the folders on the way to it.
    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap_or(&path)).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// The text of a file.
    #[track_caller]
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The whole path of a name; of the folder itself where the name is empty.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The names of everything in the folder, hidden files included.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).expect("the folder");
        let mut names: Vec<String> =
            entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// All files and their text, in folders too, hidden files and kept answers included.
    pub fn files(&self) -> Vec<(PathBuf, String)> {
        let entries = walkdir::WalkDir::new(self.folder.path()).into_iter().map(|entry| entry.expect("an entry"));
        let files = entries.filter(|entry| entry.file_type().is_file());
        files
            .map(|file| {
                let bytes = fs::read(file.path()).expect("a file");
                (file.path().to_owned(), String::from_utf8_lossy(&bytes).into_owned())
            })
            .collect()
    }

    /// Forgets the answers kept on this machine.
    pub fn forget(&self) {
        let _ = fs::remove_dir_all(self.path("cache"));
        assert!(!self.path("cache").exists());
    }

    /// The program in this folder, with nothing in its environment: the folder is home, `cache/` holds kept answers.
    #[track_caller]
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.under(&[]);
        command.args(arguments);
        command
    }

    /// The program, run by another one where one is named.
    #[track_caller]
    fn under(&self, runner: &[&str]) -> Command {
        let mut command = match runner {
            [] => Command::new(binary()),
            [first, rest @ ..] => {
                let mut command = Command::new(first);
                command.args(rest).arg(binary());
                command
            }
        };
        command.current_dir(self.folder.path()).env_clear();
        command.env("HOME", self.folder.path()).env("XDG_CACHE_HOME", self.path("cache"));
        for name in ["PATH", "TMPDIR"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        command
    }

    /// Runs the program to its end.
    #[track_caller]
    pub fn run(&self, arguments: &[&str]) -> Outcome {
        Outcome::new(&mut self.command(arguments))
    }

    /// Runs the program to its end, with variables in its environment.
    #[track_caller]
    pub fn run_with(&self, environment: &[(&str, &str)], arguments: &[&str]) -> Outcome {
        Outcome::new(self.command(arguments).envs(environment.iter().copied()))
    }

    /// Runs the program to its end, with something on its standard input.
    #[track_caller]
    pub fn run_with_input(&self, arguments: &[&str], input: impl Into<Vec<u8>>) -> Outcome {
        Outcome::with_input(&mut self.command(arguments), input)
    }

    /// Runs the program under another one, such as a tracer.
    #[track_caller]
    pub fn run_under(&self, runner: &[&str], arguments: &[&str]) -> Outcome {
        Outcome::new(self.under(runner).args(arguments))
    }

    /// The program, still running.
    #[track_caller]
    pub fn start(&self, arguments: &[&str]) -> Running {
        Running::start(&mut self.command(arguments))
    }

    /// The program, still running, with variables in its environment.
    #[track_caller]
    pub fn start_with(&self, environment: &[(&str, &str)], arguments: &[&str]) -> Running {
        Running::start(self.command(arguments).envs(environment.iter().copied()))
    }
}
