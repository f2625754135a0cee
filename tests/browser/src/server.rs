//! The app's own server on loopback, on a database made for the test.

use crate::process::Running;
use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// A database file in a folder of its own, filled by the binary itself; gone when it is dropped.
pub struct Database {
    folder: TempDir,
    binary: PathBuf,
}

impl Database {
    /// A fresh one, for the binary in `CARELOCK_BINARY` or else the one built beside these tests.
    pub fn new() -> Result<Self> {
        let binary = match std::env::var_os("CARELOCK_BINARY") {
            Some(binary) => binary.into(),
            None => target()?.join("debug/carelock"),
        };
        Self::of(binary)
    }

    /// A fresh one, for another binary.
    pub fn of(binary: PathBuf) -> Result<Self> {
        if !binary.is_file() {
            bail!(
                "there is no {}\nfix: `cargo build -p carelock-cli`, or name one in CARELOCK_BINARY",
                binary.display()
            );
        }
        Ok(Self { folder: TempDir::with_prefix("carelock-database.")?, binary })
    }

    /// Keeps a run in it: `database.run(["examples/diagnosis.txt", "examples/ordinary.txt"])`.
    pub fn run<T: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = T>) -> Result<Output> {
        self.carelock([OsStr::new("run")], arguments)
    }

    /// Calls the binary with arguments and this database: `database.carelock(["runs"], ["--json"])`.
    pub fn carelock<A: AsRef<OsStr>, B: AsRef<OsStr>>(
        &self,
        command: impl IntoIterator<Item = A>,
        arguments: impl IntoIterator<Item = B>,
    ) -> Result<Output> {
        let command = command.into_iter().map(|part| part.as_ref().to_owned());
        let arguments = arguments.into_iter().map(|part| part.as_ref().to_owned());
        self.call(command.chain(arguments).chain(["--db".into(), self.file().into()]))
    }

    /// Calls the binary with arguments and nothing else: `database.call(["verify", "report.json"])`.
    pub fn call<T: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = T>) -> Result<Output> {
        let mut call = self.command();
        let output =
            call.args(arguments).output().with_context(|| format!("{} could not be started", self.binary.display()))?;
        // 1 says that a threshold failed and 3 that a chat could not be judged: the run is kept all the same.
        if !matches!(output.status.code(), Some(0 | 1 | 3)) {
            bail!("{call:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
        }
        Ok(output)
    }

    /// The file.
    pub fn file(&self) -> PathBuf {
        self.folder.path().join("carelock.db")
    }

    /// The binary, in the workspace's root, without anyone's keys or settings.
    fn command(&self) -> Command {
        let mut command = Command::new(&self.binary);
        command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
        command.env_clear().env("HOME", self.folder.path());
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        command
    }
}

/// `carelock serve` under way; killed when dropped.
pub struct Server {
    address: String,
    running: Running,
}

impl Server {
    /// Serves a database on a free port.
    pub fn start(database: &Database) -> Result<Self> {
        Self::start_with(database, &[], &[])
    }

    /// Serves a database with further arguments, and with variables in its environment.
    pub fn start_with(database: &Database, arguments: &[&str], environment: &[(&str, &str)]) -> Result<Self> {
        let mut command = database.command();
        command.args(["serve", "--port", "0", "--db"]).arg(database.file()).args(arguments);
        command.envs(environment.iter().copied());
        let (running, address) = Running::start(&mut command, |line| address(line).map(Some))?;
        Ok(Self { address, running })
    }

    /// The whole address of a path: `server.at("/runs")`.
    pub fn at(&self, path: &str) -> String {
        format!("{}/{}", self.address, path.trim_start_matches('/'))
    }

    /// Everything that the server has said, on standard output and standard error.
    pub fn output(&self) -> String {
        self.running.output()
    }

    /// Its process id.
    pub fn id(&self) -> u32 {
        self.running.id()
    }
}

fn address(line: &str) -> Result<String> {
    let address = line.trim_end().strip_prefix("listening on ").map(|address| address.trim_end_matches('/'));
    match address {
        Some(address) if address.starts_with("http://127.0.0.1:") => Ok(address.to_owned()),
        _ => bail!("the first line is not `listening on http://127.0.0.1:PORT/` but {line:?}"),
    }
}

/// The folder that Cargo builds into: the tests themselves lie in its `debug/deps`, the programs in its `debug`.
pub(crate) fn target() -> Result<PathBuf> {
    let program = std::env::current_exe()?;
    let profile = program.ancestors().find(|folder| folder.ends_with("debug") || folder.ends_with("release"));
    let target = profile.and_then(Path::parent);
    target.map(Path::to_owned).with_context(|| format!("{} does not lie in a target folder", program.display()))
}

#[cfg(test)]
mod tests {
    use super::address;

    #[test]
    fn the_address_is_read_from_the_first_line_and_nothing_else_is_taken_for_it() {
        assert_eq!(address("listening on http://127.0.0.1:4000/").unwrap(), "http://127.0.0.1:4000");
        assert!(address("listening on http://0.0.0.0:4000/").is_err());
        assert!(address("http://127.0.0.1:4000/").is_err());
    }
}
