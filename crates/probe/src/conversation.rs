//! A conversation as it is kept while it goes on: one entry for every line of the person and every reply of the bot.

use serde::{Deserialize, Serialize};

use crate::exchange::Exchange;
use crate::simulator::Failure;

/// What is written down of a conversation, one after the other. Nothing is asked before what went before is safe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Entry {
    /// A line of the person.
    Person {
        /// The words.
        text: String,
        /// The step of the script.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        step: Option<String>,
        /// What it cost, in thousand-millionths of a US dollar.
        #[serde(default, skip_serializing_if = "is_zero")]
        nanos: u64,
        /// Whether the person ends the chat with this line.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        leaves: bool,
    },
    /// A reply of the bot.
    Bot {
        /// The words.
        text: String,
        /// What it cost.
        #[serde(default, skip_serializing_if = "is_zero")]
        nanos: u64,
    },
    /// The end.
    End {
        /// How it ended.
        how: Ending,
    },
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it over like this")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// How a conversation ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// The script has no more to say.
    Script,
    /// The person left.
    Left,
    /// All turns were used.
    Turns,
    /// The simulated person broke down; the chat says nothing about the bot.
    Simulator(Failure),
    /// The bot gave no reply, for this reason.
    Bot(String),
}

/// A conversation so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    /// What was said and answered.
    pub said: Vec<Exchange>,
    /// A line that has no reply yet.
    pub waiting: Option<Exchange>,
    /// Whether the person ends the chat with the last line.
    pub leaves: bool,
    /// How it ended, where it has.
    pub ending: Option<Ending>,
    /// How many entries there are.
    pub entries: u32,
    /// What the person's lines cost, in thousand-millionths of a US dollar.
    pub person_nanos: u64,
    /// What the bot's replies cost.
    pub bot_nanos: u64,
}

impl Conversation {
    /// Takes in the next entry.
    pub fn take(&mut self, entry: Entry) {
        self.entries += 1;
        match entry {
            Entry::Person { text, step, nanos, leaves } => {
                self.waiting = Some(Exchange { step, person: text, reply: String::new() });
                self.leaves = leaves;
                self.person_nanos = self.person_nanos.saturating_add(nanos);
            }
            Entry::Bot { text, nanos } => {
                let exchange = self.waiting.take().unwrap_or_default();
                self.said.push(Exchange { reply: text, ..exchange });
                self.bot_nanos = self.bot_nanos.saturating_add(nanos);
            }
            Entry::End { how } => self.ending = Some(how),
        }
    }

    /// Whether the bot has said anything.
    pub fn has_reply(&self) -> bool {
        self.said.iter().any(|exchange| crate::words::has_words(&exchange.reply))
    }

    /// What a bot is sent: all lines and replies, and the line that waits.
    pub fn history(&self) -> Vec<Line<'_>> {
        let mut lines = Vec::with_capacity(self.said.len() * 2 + 1);
        for exchange in &self.said {
            lines.push(Line { from_bot: false, text: &exchange.person });
            lines.push(Line { from_bot: true, text: &exchange.reply });
        }
        lines.extend(self.waiting.iter().map(|waiting| Line { from_bot: false, text: &waiting.person }));
        lines
    }
}

/// One message of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Whether the bot wrote it; otherwise the person did.
    pub from_bot: bool,
    /// The words.
    pub text: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_is_the_same_after_it_was_kept_and_read_again() {
        let entries = [
            Entry::Person { text: "Hi.".into(), step: Some("opening".into()), nanos: 0, leaves: false },
            Entry::Bot { text: "Hello.".into(), nanos: 12 },
            Entry::Person { text: "Bye.".into(), step: None, nanos: 3, leaves: true },
            Entry::Bot { text: "Bye.".into(), nanos: 0 },
            Entry::End { how: Ending::Simulator(Failure::Repeats) },
        ];
        let (mut first, mut second) = (Conversation::default(), Conversation::default());
        for entry in entries {
            let kept = serde_json::to_string(&entry).unwrap();
            second.take(serde_json::from_str(&kept).unwrap());
            first.take(entry);
        }
        assert_eq!(first, second);
        assert_eq!((first.said.len(), first.entries, first.person_nanos, first.bot_nanos), (2, 5, 3, 12));
        assert!(first.leaves && first.has_reply() && first.waiting.is_none());
    }
}
