//! The bots that are tried: a model behind an API, any HTTP endpoint by a template, or a command.

mod command;
mod endpoint;
mod model;

use std::fmt;
use std::sync::Arc;

pub use command::{CommandBot, Protocol};
pub use endpoint::{Endpoint, EndpointBot};
pub use model::ModelBot;

use crate::conversation::Conversation;
use command::Process;

/// A bot.
#[derive(Clone)]
pub enum Bot {
    /// A model behind an API that Care-Lock knows.
    Model(Arc<ModelBot>),
    /// An HTTP endpoint with a format of its own.
    Endpoint(Arc<EndpointBot>),
    /// A command that speaks on its standard input and output.
    Command(Arc<CommandBot>),
}

/// What a bot said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BotReply {
    /// The words; they may be none.
    pub text: String,
    /// What it cost, in thousand-millionths of a US dollar, where that is known.
    pub nanos: u64,
}

/// Why there is no reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BotFailure {
    /// The bot will not answer this message: a filter stopped it, or it declined.
    ThisChat(String),
    /// It could not be reached, or broke; the same may work later.
    Later(String),
    /// Nothing can be asked as things are.
    Everything(String),
    /// The money is spent.
    CostCap(String),
}

impl fmt::Display for BotFailure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Self::ThisChat(what) | Self::Later(what) | Self::Everything(what) | Self::CostCap(what)) = self;
        formatter.write_str(what)
    }
}

impl Bot {
    /// Whether it remembers what was said, so that a chat cannot be carried on with a new one.
    pub fn remembers(&self) -> bool {
        matches!(self, Self::Command(command) if command.protocol() == Protocol::Lines)
    }

    /// A bot for one chat.
    pub fn session(&self) -> Session {
        Session { bot: self.clone(), process: None }
    }
}

/// A bot in one chat.
pub struct Session {
    bot: Bot,
    process: Option<Process>,
}

impl Session {
    /// The reply to the line that waits. `chat` names the chat and `key` this very turn, for bots that keep from answering
    /// the same twice.
    pub async fn reply(&mut self, conversation: &Conversation, chat: &str, key: &str) -> Result<BotReply, BotFailure> {
        match &self.bot {
            Bot::Model(model) => model.reply(conversation, key).await,
            Bot::Endpoint(endpoint) => endpoint.reply(conversation, chat, key).await,
            Bot::Command(command) => {
                let process = match self.process.take() {
                    Some(process) => process,
                    None => command.start()?,
                };
                let question = command.question(conversation, chat);
                let timeout = command.timeout();
                let protocol = command.protocol();
                // A command is waited for on a thread of its own, so that the other chats go on.
                let asked = tokio::task::spawn_blocking(move || {
                    let mut process = process;
                    let reply = process.ask(&question, protocol, timeout);
                    (process, reply)
                });
                let (process, reply) =
                    asked.await.map_err(|_| BotFailure::Later("the bot's thread broke".to_owned()))?;
                if reply.is_ok() {
                    self.process = Some(process);
                }
                reply.map(|text| BotReply { text, nanos: 0 })
            }
        }
    }
}
