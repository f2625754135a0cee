//! A bot that is a model behind an API: OpenAI's format or Anthropic's, hosted or on one's own machine.

use carelock_judge::ask::{Failure, Talker};
use carelock_judge::http::Client;
use carelock_judge::provider::Cost;
use carelock_judge::wire::{Chat, Message};

use super::{BotFailure, BotReply};
use crate::conversation::Conversation;

/// A model with its instructions.
pub struct ModelBot {
    talker: Talker<Client>,
    system: Option<String>,
    max_tokens: u32,
}

impl ModelBot {
    /// A bot; without instructions it is asked as it is.
    pub fn new(talker: Talker<Client>, system: Option<String>, max_tokens: u32) -> Self {
        Self { talker, system, max_tokens }
    }

    pub(super) async fn reply(&self, conversation: &Conversation, key: &str) -> Result<BotReply, BotFailure> {
        let messages = conversation.history().into_iter();
        let messages = messages.map(|line| Message { from_model: line.from_bot, text: line.text.to_owned() }).collect();
        let chat =
            Chat { system: self.system.clone(), messages, max_tokens: self.max_tokens, temperature: None, seed: None };
        match self.talker.say(&chat, key).await {
            Ok(said) => Ok(BotReply { text: said.text, nanos: nanos(said.cost) }),
            // A bot that says nothing has said so.
            Err(failure) if matches!(failure.kind(), Failure::Empty) => Ok(BotReply::default()),
            Err(failure) => Err(to_failure(&failure)),
        }
    }
}

fn to_failure(failure: &Failure) -> BotFailure {
    let what = failure.to_string();
    match failure.kind() {
        Failure::CostCap(_) => BotFailure::CostCap(what),
        Failure::Misconfigured(_) => BotFailure::Everything(what),
        Failure::Unavailable(_) => BotFailure::Later(what),
        _ => BotFailure::ThisChat(what),
    }
}

fn nanos(cost: Cost) -> u64 {
    u64::try_from(cost.picodollars() / 1000).unwrap_or(u64::MAX)
}
