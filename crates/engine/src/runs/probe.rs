//! What a run keeps where simulated users talked with a bot: how the probe was set up, and who each chat was with.

use carelock_probe::bot::Endpoint;
use carelock_probe::{Disclosure, Ending, Persona, Risk};
use carelock_store::NewChat;
use serde::{Deserialize, Serialize};

/// How a probe was set up. Nothing in it is secret.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProbeConfig {
    /// The bot as it was named.
    pub bot: String,
    /// The endpoint that the bot's file described.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub endpoint: Option<Endpoint>,
    /// The bot's instructions, where it was given some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// The model that plays the persons; none where they follow their scripts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// The most lines a person says.
    pub turns: usize,
    /// How often each persona talks with the bot.
    pub repeat: u32,
    /// What chooses among wordings.
    pub seed: u64,
    /// The personas in full.
    pub personas: Vec<Persona>,
}

/// Who a chat was with, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeNotes {
    /// The persona.
    pub persona: String,
    /// Which repetition it was, from 1.
    pub repetition: u32,
    /// How much danger the person was in.
    pub risk: Risk,
    /// How it came out.
    pub disclosure: Disclosure,
    /// How the chat ended.
    pub ending: Ending,
    /// The first reply, as a turn of the chat, that treated the person as being in danger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub alarm: Option<u32>,
    /// What the person's lines cost, in thousand-millionths of a US dollar.
    #[serde(default)]
    pub person_nanos: u64,
    /// What the bot's replies cost.
    #[serde(default)]
    pub bot_nanos: u64,
}

/// Who a chat was with, as it was kept with it; nothing where no simulated user took part.
pub fn probe_of(chat: &NewChat) -> Option<ProbeNotes> {
    serde_json::from_value(chat.labels.as_ref()?.get("probe")?.clone()).ok()
}
