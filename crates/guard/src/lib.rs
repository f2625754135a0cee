//! The guard: watches chats while they go on, and does about them what the operator chose.
//!
//! [`sessions`] keeps the chats that go on; [`serve`] passes requests to a model through, looks at chats (`chat`, `stream`),
//! and answers by the [`policy`]: what was blocked and what could not be judged are different answers (`answer`).

pub mod policy;
pub mod sessions;

mod alert;
mod answer;
mod behind;
mod calls;
mod chat;
mod events;
mod litellm;
mod moderation;
mod pool;
mod proxy;
mod reply;
mod serve;
mod state;
mod stream;

pub use alert::Messages;
pub use serve::serve;
pub use state::Guard;
