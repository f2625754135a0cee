//! The calls of all traces in an input, gathered by conversation.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use super::message::Message;
use super::{Call, CallKind};

/// Which side of a call a message stands on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    Input,
    Output,
}

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// How many spans there were, with or without messages.
    pub(super) number: usize,
    calls: Vec<Call>,
    /// The conversation and the title of a trace, which often only one of its spans names.
    sessions: BTreeMap<String, String>,
    titles: BTreeMap<String, String>,
    /// Messages that came as events of their own, by trace and span.
    events: IndexMap<(Option<String>, Option<String>), Call>,
}

/// The calls of one conversation.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    pub(super) session: Option<String>,
    pub(super) title: Option<String>,
    pub(super) calls: Vec<Call>,
}

impl Call {
    /// A call of which nothing is known yet.
    pub(super) fn new(kind: CallKind) -> Self {
        Self {
            kind,
            session: None,
            title: None,
            trace: None,
            span: None,
            parent: None,
            start: None,
            input: Vec::new(),
            output: Vec::new(),
        }
    }
}

impl Calls {
    /// Takes a call in. One without messages still tells which conversation its trace belongs to.
    pub(super) fn push(&mut self, call: Call) {
        self.number += 1;
        if let Some(trace) = &call.trace {
            let note = |known: &mut BTreeMap<String, String>, told: &Option<String>| {
                if let Some(told) = told {
                    known.entry(trace.clone()).or_insert_with(|| told.clone());
                }
            };
            note(&mut self.sessions, &call.session);
            note(&mut self.titles, &call.title);
        }
        if call.kind != CallKind::Other && !(call.input.is_empty() && call.output.is_empty()) {
            self.calls.push(call);
        }
    }

    /// Takes in a message that is an event of its own; `call` says whose it is and when.
    pub(super) fn push_event(&mut self, call: Call, side: Side, message: Message) {
        self.number += 1;
        let key = (call.trace.clone(), call.span.clone());
        let known = self.events.entry(key).or_insert(call);
        match side {
            Side::Input => known.input.push(message),
            Side::Output => known.output.push(message),
        }
    }

    /// The conversations, in the order in which they first appear; calls within one by time, where all tell it.
    pub(super) fn conversations(mut self) -> Vec<Conversation> {
        let spans: std::collections::BTreeSet<(Option<String>, Option<String>)> =
            self.calls.iter().map(|call| (call.trace.clone(), call.span.clone())).collect();
        // The same messages may stand in the span and in events beside it.
        let events = std::mem::take(&mut self.events).into_iter();
        let own: Vec<Call> =
            events.filter(|(key, _)| key.1.is_none() || !spans.contains(key)).map(|(_, call)| call).collect();
        own.into_iter().for_each(|call| self.push(call));
        let mut found: IndexMap<(u8, String), Conversation> = IndexMap::new();
        for (number, call) in self.calls.into_iter().enumerate() {
            let of_trace =
                |known: &BTreeMap<String, String>| call.trace.as_ref().and_then(|trace| known.get(trace)).cloned();
            let session = call.session.clone().or_else(|| of_trace(&self.sessions));
            let title = call.title.clone().or_else(|| of_trace(&self.titles));
            let key = match (&session, &call.trace) {
                (Some(session), _) => (0, session.clone()),
                (None, Some(trace)) => (1, trace.clone()),
                (None, None) => (2, number.to_string()),
            };
            let conversation = found.entry(key).or_default();
            conversation.session = session;
            conversation.title = conversation.title.take().or(title);
            conversation.calls.push(call);
        }
        let mut found: Vec<Conversation> = found.into_values().collect();
        for conversation in &mut found {
            if conversation.calls.iter().all(|call| call.start.is_some()) {
                conversation.calls.sort_by_key(|call| call.start);
            }
        }
        found
    }
}
