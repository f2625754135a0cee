//! What the server says to whoever runs it; the caller decides where that appears.

use carelock_engine::event::Events;

/// How messages are said.
#[derive(Clone, Copy, Debug)]
pub struct Messages {
    /// Says something.
    pub say: fn(&str),
    /// Says that something is wrong.
    pub say_error: fn(&str),
}

impl Messages {
    /// Events of the engine, said as they come.
    pub(crate) fn events(self) -> Events {
        Events::new(move |event| {
            if event.is_progress() {
                return;
            }
            let text = event.to_string();
            if event.is_error() { (self.say_error)(&text) } else { (self.say)(&text) }
        })
    }
}
