//! From messages to a reading: who is who, which parts are text, and what is dropped.

use super::content::{Content, Part};
use super::message::{Item, Message, Rare};
use super::{ReadError, ReadOptions, Reading, Speaker, SpeakerNote, anthropic, labels, openai, sharegpt};
use crate::problem::Speakers;

/// What is done with a message because of who speaks in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// It is a turn.
    Turn(Speaker, &'static str),
    /// It is not a turn; counted under this name.
    Dropped(&'static str),
    /// Nobody knows.
    Unknown,
}

/// What is done with one part of a message because of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PartRole {
    /// Its text is what was said.
    Said,
    /// It is not text; counted under this name.
    Dropped(&'static str),
}

/// What the user's own labels say; they win over everything we know.
fn role_by_options(label: &str, options: &ReadOptions) -> Option<Role> {
    let names = |list: &[String]| list.iter().any(|name| name.trim().to_lowercase() == label.trim().to_lowercase());
    if names(&options.neither) {
        return Some(Role::Dropped(labels::LEFT_OUT));
    }
    if names(&options.other) {
        return Some(Role::Turn(Speaker::Human, labels::OTHER));
    }
    match (names(&options.human), names(&options.ai)) {
        (true, false) => Some(Role::Turn(Speaker::Human, "--human")),
        (false, true) => Some(Role::Turn(Speaker::Ai, "--ai")),
        // Said to be both: that is no answer, and guessing one would be worse than asking.
        (true, true) => Some(Role::Unknown),
        (false, false) => None,
    }
}

/// Who a role or label means.
pub(super) fn role_of(label: &str, options: &ReadOptions) -> Role {
    if let Some(role) = role_by_options(label, options) {
        return role;
    }
    let name = label.trim().to_ascii_lowercase();
    openai::role(&name)
        .or_else(|| sharegpt::role(&name))
        .or_else(|| labels::speaker_for(label, options).map(|(speaker, why)| Role::Turn(speaker, why)))
        .unwrap_or(Role::Unknown)
}

/// What a part of this type is.
pub(super) fn part_role(kind: &str) -> Option<PartRole> {
    openai::part_role(kind).or_else(|| anthropic::block_role(kind))
}

/// How many speakers a chat may have before the rest are lumped together: a column that is no speaker at all (a time, an
/// id) has a new one in every message, and looking each up among the others would take forever.
const LABELS_LIMIT: usize = 100;

/// How many of the speakers found an error names.
const LABELS_NAMED: usize = 12;

struct Seen {
    label: String,
    role: Role,
    messages: usize,
    turns: usize,
}

/// Collects the turns of one conversation.
pub(super) struct Assembly<'o> {
    options: &'o ReadOptions,
    seen: Vec<Seen>,
    messages: usize,
    /// The reading so far.
    pub(super) reading: Reading,
}

impl<'o> Assembly<'o> {
    /// A conversation that stands at this place of the input.
    pub(super) fn new(at: &str, options: &'o ReadOptions) -> Self {
        let reading = Reading { at: at.to_owned(), ..Reading::default() };
        Self { options, seen: Vec::new(), messages: 0, reading }
    }

    /// Counts something that is not a turn.
    pub(super) fn drop(&mut self, what: &str, count: usize) {
        if count == 0 {
            return;
        }
        match self.reading.dropped.get_mut(what) {
            Some(total) => *total += count,
            None => drop(self.reading.dropped.insert(what.to_owned(), count)),
        }
    }

    /// The place of the message that is being added, for errors.
    pub(super) fn place(&self) -> String {
        place(&self.reading.at, &format!("message {}", self.messages))
    }

    /// Counts a message of this label and says what it is.
    pub(super) fn role(&mut self, label: &str) -> Role {
        self.messages += 1;
        let position = self.position(label);
        self.seen[position].messages += 1;
        self.seen[position].role
    }

    /// Every distinct label is looked up once: chats have two or three of them and thousands of messages.
    fn position(&mut self, label: &str) -> usize {
        if let Some(position) = self.seen.iter().position(|seen| seen.label == label) {
            return position;
        }
        if self.seen.len() > LABELS_LIMIT {
            return LABELS_LIMIT;
        }
        let (label, role) = match self.seen.len() {
            LABELS_LIMIT => ("(others)", Role::Unknown),
            _ => (label, role_of(label, self.options)),
        };
        self.seen.push(Seen { label: label.to_owned(), role, messages: 0, turns: 0 });
        self.seen.len() - 1
    }

    /// Adds a turn of the speaker with this label, which `role` has said to be a turn's.
    pub(super) fn turn(&mut self, label: &str, speaker: Speaker, text: String) {
        let position = self.position(label);
        let seen = &mut self.seen[position];
        seen.turns += 1;
        let is_other = seen.role == Role::Turn(speaker, labels::OTHER);
        self.reading.turns.push((speaker, if is_other { labels::as_context(label, &text) } else { text }));
    }

    /// Adds one entry of a list of messages.
    pub(super) fn item(&mut self, item: Item<'_>) -> Result<(), ReadError> {
        match item {
            Item::Message(message) => self.message(message),
            Item::Text(_) => Err(self.not_a_message("a string")),
            Item::Other(kind) => Err(self.not_a_message(kind)),
        }
    }

    fn not_a_message(&mut self, found: &str) -> ReadError {
        self.messages += 1;
        let what = format!("expected a message object, found {found}");
        ReadError::new(
            self.place(),
            what,
            r#"every message needs a speaker and a text, e.g. {"role": "user", "content": "..."}"#,
        )
    }

    /// Adds one message.
    pub(super) fn message(&mut self, message: Message<'_>) -> Result<(), ReadError> {
        let Some((_, label)) = &message.label else {
            return self.unlabelled(&message);
        };
        let label = label.clone();
        match self.role(&label) {
            // Unknown labels are gathered first, so that the error can name all of them with their counts.
            Role::Unknown => {}
            Role::Dropped(what) => self.drop(what, 1),
            Role::Turn(speaker, _) => {
                if let Some(text) = self.said(message)? {
                    self.turn(&label, speaker, text);
                }
            }
        }
        Ok(())
    }

    /// A message without speaker: only entries that say by their type that they are no message can be dropped.
    fn unlabelled(&mut self, message: &Message<'_>) -> Result<(), ReadError> {
        self.messages += 1;
        let kind = message.rare.as_ref().and_then(|rare| rare.kind.as_deref());
        if let Some(what) = kind.and_then(openai::entry_dropped) {
            self.drop(what, 1);
            return Ok(());
        }
        Err(ReadError::new(
            self.place(),
            "the message does not say who speaks",
            "name the speaker under `role`, `speaker`, `from`, `sender` or `author`",
        ))
    }

    /// The words of a message; `None` when it has none, which is then counted.
    fn said(&mut self, mut message: Message<'_>) -> Result<Option<String>, ReadError> {
        let rare = match (message.rare, message.content) {
            (None, Content::Text(text)) => return Ok(Some(text)),
            (rare, content) => {
                message.content = content;
                rare.map_or_else(Rare::default, |rare| *rare)
            }
        };
        self.drop("attachment", rare.attachments);
        self.drop("tool call", rare.tool_calls);
        let content = match message.content {
            Content::Missing => rare.plain,
            Content::Parts(parts) if parts.is_empty() => rare.plain,
            content => content,
        };
        let said = match content {
            Content::Text(text) if text.is_empty() && rare.tool_calls > 0 => None,
            Content::Text(text) => Some(text),
            Content::Parts(parts) if !parts.is_empty() => {
                return Ok(self.join(parts).or(rare.refusal));
            }
            Content::Missing | Content::Parts(_) => None,
            Content::Other(kind) => {
                let what = format!("the text of the message is {kind}");
                return Err(ReadError::new(self.place(), what, "write the text as a JSON string"));
            }
        };
        let said = said.or(rare.refusal);
        if said.is_none() && rare.tool_calls == 0 && rare.attachments == 0 {
            self.drop("message without text", 1);
        }
        Ok(said)
    }

    /// Joins the text of parts with a line break and counts the others; `None` when no part is text.
    pub(super) fn join(&mut self, parts: Vec<Part<'_>>) -> Option<String> {
        let mut said: Option<String> = None;
        for part in parts {
            let role = match part.kind.as_deref() {
                Some(kind) => part_role(kind),
                None => part.text.is_some().then_some(PartRole::Said),
            };
            match (role, part.text) {
                (Some(PartRole::Said), Some(text)) => match &mut said {
                    Some(said) => {
                        said.push('\n');
                        said.push_str(&text);
                    }
                    None => said = Some(text),
                },
                (Some(PartRole::Dropped(what)), _) => self.drop(what, 1),
                _ => self.drop(&format!("{} part", part.kind.as_deref().unwrap_or("unknown")), 1),
            }
        }
        said
    }

    /// The finished reading, or an error that names every label nobody knows.
    pub(super) fn finish(mut self) -> Result<Reading, ReadError> {
        if self.seen.iter().any(|seen| seen.role == Role::Unknown) {
            return Err(self.unknown_speakers());
        }
        for seen in self.seen {
            if let (Role::Turn(taken_for, because), true) = (seen.role, seen.turns > 0) {
                let (label, because) = (seen.label, because.to_owned());
                self.reading.speakers.push(SpeakerNote { label, taken_for, because, turns: seen.turns });
            }
        }
        Ok(self.reading)
    }

    fn unknown_speakers(&self) -> ReadError {
        let counted = |seen: &Seen| {
            let plural = if seen.messages == 1 { "" } else { "s" };
            format!("{:?} ({} message{plural})", seen.label, seen.messages)
        };
        let unknown = self.seen.iter().filter(|seen| seen.role == Role::Unknown);
        let unknown = listed(unknown.map(|seen| format!("{:?}", seen.label)));
        let found = listed(self.seen.iter().map(counted));
        let what =
            format!("cannot tell who is the person and who is the AI: {unknown} not known; speakers found: {found}");
        let labels = self.seen.iter().filter(|seen| !matches!(seen.role, Role::Dropped(_)));
        let labels = labels.map(|seen| seen.label.clone()).collect();
        ReadError::new(&self.reading.at, what, Speakers::Both).with_labels(labels)
    }
}

/// The first few of many names.
fn listed(names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.collect();
    let more = names.len().saturating_sub(LABELS_NAMED);
    names.truncate(LABELS_NAMED);
    let listed = names.join(", ");
    if more == 0 { listed } else { format!("{listed} and {more} more") }
}

/// A place inside a place: "line 3" and "message 2" make "line 3, message 2".
pub(super) fn place(outer: &str, inner: &str) -> String {
    match (outer.is_empty(), inner.is_empty()) {
        (true, _) => inner.to_owned(),
        (_, true) => outer.to_owned(),
        _ => format!("{outer}, {inner}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assemble(messages: &str, options: &ReadOptions) -> Result<Reading, ReadError> {
        let items: Vec<Item<'_>> = serde_json::from_str(messages).unwrap();
        let mut assembly = Assembly::new("line 4", options);
        items.into_iter().try_for_each(|item| assembly.item(item))?;
        assembly.finish()
    }

    #[test]
    fn the_users_own_labels_win_over_known_role_names() {
        let swapped = ReadOptions {
            human: vec!["Assistant".into()],
            ai: vec!["user".into(), "system".into()],
            ..ReadOptions::default()
        };
        let chat =
            r#"[{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"system","content":"c"}]"#;
        let reading = assemble(chat, &swapped).unwrap();
        let speakers: Vec<_> = reading.turns.iter().map(|turn| turn.0).collect();
        assert_eq!(speakers, [Speaker::Ai, Speaker::Human, Speaker::Ai]);
        assert_eq!(reading.speakers[1].because, "--human");
    }

    #[test]
    fn unknown_speakers_are_named_with_their_counts() {
        let chat = r#"[{"speaker":"Zork","text":"a"},{"speaker":"user","text":"b"},{"speaker":"Zork","text":"c"}]"#;
        let error = assemble(chat, &ReadOptions::default()).unwrap_err();
        assert_eq!(error.at, "line 4");
        assert!(error.what.contains("\"Zork\" (2 messages), \"user\" (1 message)"), "{error}");
        assert_eq!(error.remedy, Some(Box::new(Speakers::Both.into())));
    }

    #[test]
    fn a_column_that_is_no_speaker_gives_a_short_error() {
        let message = |n| format!(r#"{{"speaker":"at {n}","text":"x"}}"#);
        let many: Vec<String> = (0..500).map(message).collect();
        let error = assemble(&format!("[{}]", many.join(",")), &ReadOptions::default()).unwrap_err();
        assert!(error.what.contains("\"at 11\" (1 message) and 89 more"), "{error}");
        assert!(error.what.len() < 1_000);
    }

    #[test]
    fn a_label_said_to_be_both_is_not_guessed() {
        let both = ReadOptions { human: vec!["user".into()], ai: vec!["user".into()], ..ReadOptions::default() };
        assert!(assemble(r#"[{"role":"user","content":"a"}]"#, &both).is_err());
    }

    #[test]
    fn a_speaker_said_to_be_neither_is_left_out_and_counted() {
        let options = ReadOptions { neither: vec!["Nurse".into()], ..ReadOptions::default() };
        let chat =
            r#"[{"role":"user","content":"a"},{"role":"nurse","content":"b"},{"role":"assistant","content":"c"}]"#;
        let reading = assemble(chat, &options).unwrap();
        assert_eq!(reading.turns.len(), 2);
        assert_eq!(reading.dropped[labels::LEFT_OUT], 1);
        let error = assemble(chat, &ReadOptions::default()).unwrap_err();
        assert_eq!(error.labels(), ["user", "nurse", "assistant"]);
    }

    #[test]
    fn empty_text_is_a_turn_and_missing_text_is_counted() {
        let chat = r#"[{"role":"user","content":""},{"role":"assistant","content":null},{"role":"assistant"}]"#;
        let reading = assemble(chat, &ReadOptions::default()).unwrap();
        assert_eq!(reading.turns, [(Speaker::Human, String::new())]);
        assert_eq!(reading.dropped["message without text"], 2);
    }

    #[test]
    fn an_entry_that_is_no_message_is_an_error_with_its_place() {
        let error = assemble(r#"[{"role":"user","content":"a"}, 7]"#, &ReadOptions::default()).unwrap_err();
        assert_eq!(error.at, "line 4, message 2");
        let error = assemble(r#"[{"role":"user","content":3.5}]"#, &ReadOptions::default()).unwrap_err();
        assert!(error.what.contains("a number"), "{error}");
        let error = assemble(r#"[{"content":"who said this?"}]"#, &ReadOptions::default()).unwrap_err();
        assert!(error.what.contains("who speaks"), "{error}");
    }
}
