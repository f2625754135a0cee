//! Calls of LiteLLM whose reply may still come: which chat each belongs to.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

/// How many requests wait for their replies at most; LiteLLM never says that one has none.
const CALLS: usize = 10_000;

/// Requests whose reply may still come, by LiteLLM's id of the call.
#[derive(Default)]
pub(crate) struct Calls(Mutex<(HashMap<String, String>, VecDeque<String>)>);

impl Calls {
    /// Notes which chat a call belongs to.
    pub(crate) fn add(&self, call: String, number: String) {
        let (known, order) = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.insert(call.clone(), number).is_none() {
            order.push_back(call);
        }
        if order.len() > CALLS
            && let Some(oldest) = order.pop_front()
        {
            known.remove(&oldest);
        }
    }

    /// The number of the chat that a call belongs to.
    pub(crate) fn find(&self, call: &str) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).0.get(call).cloned()
    }
}
