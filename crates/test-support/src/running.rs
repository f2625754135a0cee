//! A program that runs beside a test: all it says is kept, it ends with the test, and no wait for it is without a limit.

use std::fs;
use std::io::Write as _;
use std::process::{Child, Command, ExitStatus, Stdio};

use tempfile::TempDir;

use crate::wait::wait_at_most;
use crate::{LIMIT, Outcome};

/// A started program; killed when dropped.
pub struct Running {
    child: Child,
    name: String,
    said: TempDir,
}

impl Running {
    /// Starts a program. What it says goes to files, so that it never waits for a reader.
    #[track_caller]
    pub fn start(command: &mut Command) -> Self {
        let name = command.get_program().display().to_string();
        let said = TempDir::with_prefix("carelock-said.").expect("a folder for what the program says");
        let file = |name| fs::File::create(said.path().join(name)).expect("a file for what the program says");
        command.stdin(Stdio::piped()).stdout(file("stdout")).stderr(file("stderr"));
        let child = command.spawn().unwrap_or_else(|error| panic!("{name} cannot be started: {error}"));
        Self { child, name, said }
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// What it has said on standard output so far.
    pub fn stdout(&self) -> String {
        self.read("stdout")
    }

    /// What it has said on standard error so far.
    pub fn stderr(&self) -> String {
        self.read("stderr")
    }

    fn read(&self, name: &str) -> String {
        let bytes = fs::read(self.said.path().join(name)).expect("what the program said");
        String::from_utf8(bytes).unwrap_or_else(|error| panic!("{}: not text: {error}", self.name))
    }

    /// Whether it has ended by itself.
    pub fn has_ended(&mut self) -> bool {
        self.status().is_some()
    }

    fn status(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("the program's state")
    }

    /// Sends it this as its whole standard input.
    pub fn tell(&mut self, input: &[u8]) {
        let mut pipe = self.child.stdin.take().expect("nothing was told before");
        pipe.write_all(input).unwrap_or_else(|error| panic!("{} takes no input: {error}", self.name));
    }

    /// The same from another thread, for input that the program may not take at once, or not in full.
    pub(crate) fn tell_meanwhile(&mut self, input: Vec<u8>) {
        let mut pipe = self.child.stdin.take().expect("nothing was told before");
        std::thread::spawn(move || {
            // A program that wants no more has closed its end.
            let _ = pipe.write_all(&input);
        });
    }

    /// Waits until a whole line of standard output is what is looked for.
    #[track_caller]
    pub fn wait_for_line<T>(&mut self, look: impl Fn(&str) -> Option<T>) -> T {
        let found = wait_at_most(LIMIT, || {
            // Looked at before what it said, so that nothing is missed that it said at its end.
            let ended = self.has_ended();
            let said = self.stdout();
            let whole = said.rsplit_once('\n').map_or("", |(whole, _)| whole);
            let found = whole.lines().find_map(&look);
            if found.is_some() || ended { Some(found) } else { None }
        });
        let (name, said) = (&self.name, self.stdout() + &self.stderr());
        found.flatten().unwrap_or_else(|| panic!("{name} never said what was waited for, but:\n{said}"))
    }

    /// Waits until it ends.
    #[track_caller]
    pub fn wait(mut self) -> Outcome {
        // Whoever still reads comes to an end.
        drop(self.child.stdin.take());
        let status = wait_at_most(LIMIT, || self.status());
        let (stdout, stderr) = (self.stdout(), self.stderr());
        let status = status.unwrap_or_else(|| panic!("{} does not end:\n{stdout}\n{stderr}", self.name));
        let code = status.code().unwrap_or_else(|| panic!("{} was killed: {status}\n{stderr}", self.name));
        Outcome { code, stdout, stderr }
    }

    /// Interrupts it as Ctrl-C does.
    #[track_caller]
    pub fn interrupt(&self) {
        let done = Command::new("kill").args(["-INT", &self.id().to_string()]).status();
        assert!(done.is_ok_and(|status| status.success()), "{} cannot be interrupted", self.name);
    }

    /// Kills it at once.
    pub fn kill(mut self) {
        self.child.kill().expect("it still runs");
        self.child.wait().expect("it ends");
    }
}

impl Outcome {
    /// Runs a command to its end, with nothing on its standard input.
    #[track_caller]
    pub fn new(command: &mut Command) -> Self {
        Running::start(command).wait()
    }

    /// Runs a command to its end, with this on its standard input.
    #[track_caller]
    pub fn with_input(command: &mut Command, input: impl Into<Vec<u8>>) -> Self {
        let mut running = Running::start(command);
        running.tell_meanwhile(input.into());
        running.wait()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Already gone is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
