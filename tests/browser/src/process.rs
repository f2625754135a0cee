//! A program that runs beside a test: its output is kept, and it ends with the test.

use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

const START: Duration = Duration::from_secs(30);

/// A started program; killed when dropped.
pub(crate) struct Running {
    child: Child,
    output: Output,
}

impl Running {
    /// Starts a program and waits until `recognise` finds what it looks for in a line of standard output.
    pub(crate) fn start<T>(
        command: &mut Command,
        mut recognise: impl FnMut(&str) -> Result<Option<T>>,
    ) -> Result<(Self, T)> {
        let name = command.get_program().to_string_lossy().into_owned();
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().with_context(|| {
                format!("{name} could not be started\nfix: tests/browser/run prepares what is needed")
            })?;
        let output = Output::default();
        let lines = child.stdout.take().map(|pipe| output.follow(pipe));
        child.stderr.take().map(|pipe| output.follow(pipe));
        let running = Self { child, output };
        let lines = lines.context("no standard output to read")?;
        let until = Instant::now() + START;
        loop {
            match lines.recv_timeout(until.saturating_duration_since(Instant::now())) {
                Ok(line) => {
                    if let Some(found) = recognise(&line).with_context(|| running.story(&name))? {
                        return Ok((running, found));
                    }
                }
                Err(RecvTimeoutError::Timeout) => bail!("{name} was not ready in time; {}", running.story(&name)),
                Err(RecvTimeoutError::Disconnected) => bail!("{name} was never ready; {}", running.story(&name)),
            }
        }
    }

    /// Everything said so far, on standard output and standard error.
    pub(crate) fn output(&self) -> String {
        self.output.text()
    }

    /// The process id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    fn story(&self, name: &str) -> String {
        // The other pipe may still be on its way.
        std::thread::sleep(Duration::from_millis(100));
        format!("{name} said:\n{}", self.output())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Already gone is as good.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[derive(Clone, Default)]
struct Output(Arc<Mutex<String>>);

impl Output {
    /// Keeps every line, and goes on reading when nobody listens, so that the program never waits for a full pipe.
    fn follow(&self, pipe: impl Read + Send + 'static) -> Receiver<String> {
        let (send, receive) = channel();
        let kept = self.clone();
        std::thread::spawn(move || {
            for line in BufReader::new(pipe).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8_lossy(&line).into_owned();
                kept.add(&line);
                let _ = send.send(line);
            }
        });
        receive
    }

    fn add(&self, line: &str) {
        let mut text = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        text.push_str(line);
        text.push('\n');
    }

    fn text(&self) -> String {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
