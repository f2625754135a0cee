//! Simulated users against a live bot: personas, the scripts they follow, the bots they talk with, and whether they stayed in their role.
//!
//! A [`Persona`] is data. What it says next is computed from what was said so far, by a [`Script`] or, where a model plays it, by
//! [`played`]; so a conversation can be carried on wherever it was left. Everything is pure but for the bots.

pub mod bot;
mod condition;
pub mod conversation;
mod exchange;
mod persona;
mod persona_check;
pub mod played;
mod script;
pub mod simulator;
mod words;

pub use condition::{Condition, Conditions, Observer};
pub use conversation::{Conversation, Ending, Entry};
pub use exchange::Exchange;
pub use persona::{Disclosure, Language, Mode, Persona, Risk, Step, Style, Trait, Way};
pub use persona_check::{check, hints};
pub use script::{Next, Script, choose};
