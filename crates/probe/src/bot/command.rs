//! A bot that is a command: it gets lines on standard input and answers on standard output.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use serde_json::{Value, json};

use super::BotFailure;
use crate::conversation::Conversation;

/// How a command is spoken with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// One JSON object a line: `{"chat", "messages"}` in, `{"reply"}` out.
    Json,
    /// One line of text in, one line out. The command remembers the chat.
    Lines,
}

/// A command, started once a chat.
#[derive(Clone, Debug)]
pub struct CommandBot {
    command: String,
    protocol: Protocol,
    timeout: Duration,
}

impl CommandBot {
    /// A command as a shell takes it.
    pub fn new(command: impl Into<String>, protocol: Protocol, timeout: Duration) -> Self {
        Self { command: command.into(), protocol, timeout }
    }

    /// How it is spoken with.
    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    pub(super) fn timeout(&self) -> Duration {
        self.timeout
    }

    pub(super) fn start(&self) -> Result<Process, BotFailure> {
        let mut command = shell(&self.command);
        let started = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let failed =
            |why: &dyn std::fmt::Display| BotFailure::Everything(format!("{}: cannot be started: {why}", self.command));
        let mut child = started.map_err(|error| failed(&error))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(&"it has no standard input or output"));
        };
        let (sender, lines) = sync_channel(16);
        std::thread::spawn(move || {
            for line in BufReader::new(output).lines() {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        Ok(Process { child, input, lines })
    }

    /// What is sent for the line that waits.
    pub(super) fn question(&self, conversation: &Conversation, chat: &str) -> String {
        let history = conversation.history();
        match self.protocol {
            Protocol::Lines => {
                let last = history.last().map_or("", |line| line.text);
                last.split_whitespace().collect::<Vec<_>>().join(" ")
            }
            Protocol::Json => {
                let role = |from_bot: bool| if from_bot { "assistant" } else { "user" };
                let messages: Value =
                    history.iter().map(|line| json!({ "role": role(line.from_bot), "content": line.text })).collect();
                json!({ "chat": chat, "messages": messages }).to_string()
            }
        }
    }
}

#[cfg(unix)]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.arg("-c").arg(command);
    shell
}

#[cfg(not(unix))]
fn shell(command: &str) -> Command {
    let mut shell = Command::new("cmd");
    shell.arg("/C").arg(command);
    shell
}

/// A running command; it ends with the chat.
pub(super) struct Process {
    child: Child,
    input: ChildStdin,
    lines: Receiver<std::io::Result<String>>,
}

impl Process {
    pub(super) fn ask(&mut self, question: &str, protocol: Protocol, timeout: Duration) -> Result<String, BotFailure> {
        let sent = writeln!(self.input, "{question}").and_then(|()| self.input.flush());
        if sent.is_err() {
            return Err(BotFailure::Later("the bot's command has ended".to_owned()));
        }
        let line = match self.lines.recv_timeout(timeout) {
            Ok(Ok(line)) => line,
            Ok(Err(error)) => return Err(BotFailure::Later(format!("the bot's command wrote no text: {error}"))),
            Err(RecvTimeoutError::Timeout) => {
                let seconds = timeout.as_secs();
                return Err(BotFailure::Later(format!("the bot's command did not answer within {seconds} s")));
            }
            Err(RecvTimeoutError::Disconnected) => {
                return Err(BotFailure::Later("the bot's command ended without an answer".to_owned()));
            }
        };
        match protocol {
            Protocol::Lines => Ok(line.trim().to_owned()),
            Protocol::Json => reply_in(&line),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The reply in a line of JSON.
fn reply_in(line: &str) -> Result<String, BotFailure> {
    let shown: String = line.chars().take(120).collect();
    let unusable =
        || BotFailure::Everything(format!("the bot's command must answer {{\"reply\": \"…\"}}, not {shown:?}"));
    let value: Value = serde_json::from_str(line).map_err(|_| unusable())?;
    if let Some(error) = value.get("error").and_then(Value::as_str) {
        return Err(BotFailure::ThisChat(error.to_owned()));
    }
    let text = value.as_str().or_else(|| value.get("reply")?.as_str());
    text.map(str::to_owned).ok_or_else(unusable)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::bot::Bot;
    use crate::conversation::Entry;

    fn said(text: &str) -> Conversation {
        let mut conversation = Conversation::default();
        conversation.take(Entry::Person { text: text.into(), step: None, nanos: 0, leaves: false });
        conversation
    }

    fn bot(command: &str, protocol: Protocol) -> Bot {
        Bot::Command(CommandBot::new(command, protocol, Duration::from_secs(20)).into())
    }

    #[tokio::test]
    async fn a_command_answers_line_by_line_and_its_end_is_no_reply() {
        let mut session = bot("read a; echo \"you said $a\"; exit 0", Protocol::Lines).session();
        let first = session.reply(&said("hello\nthere"), "x/1", "x").await.unwrap();
        assert_eq!(first.text, "you said hello there");
        assert!(matches!(session.reply(&said("again"), "x/1", "y").await, Err(BotFailure::Later(_))));
    }

    #[tokio::test]
    async fn a_command_that_speaks_json_gets_all_messages() {
        let mut session = bot(r#"while read line; do echo '{"reply": "Hello."}'; done"#, Protocol::Json).session();
        assert_eq!(session.reply(&said("hi"), "x/1", "x").await.unwrap().text, "Hello.");
        let mut broken = bot("cat", Protocol::Json).session();
        assert!(matches!(broken.reply(&said("hi"), "x/1", "x").await, Err(BotFailure::Everything(_))));
        let question = CommandBot::new("x", Protocol::Json, Duration::ZERO).question(&said("hi \"you\""), "x/1");
        assert_eq!(question, r#"{"chat":"x/1","messages":[{"role":"user","content":"hi \"you\""}]}"#);
    }
}
