//! ChatGPT's data export: a tree of messages, of which the branch last shown is the conversation.

use std::borrow::Cow;

use indexmap::{IndexMap, IndexSet};
use serde::Deserialize;

use super::assemble::{Assembly, Role, role_of};
use super::content::Part;
use super::{ReadError, ReadOptions, Reading};

#[derive(Deserialize)]
struct Conversation<'a> {
    #[serde(borrow, default)]
    conversation_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    title: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    current_node: Option<Cow<'a, str>>,
    #[serde(borrow)]
    mapping: IndexMap<String, Node<'a>>,
}

#[derive(Deserialize)]
struct Node<'a> {
    #[serde(default)]
    parent: Option<String>,
    #[serde(borrow, default)]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    author: Author<'a>,
    #[serde(borrow, default)]
    content: Option<Content<'a>>,
    #[serde(default)]
    create_time: Option<f64>,
    #[serde(borrow, default)]
    recipient: Option<Cow<'a, str>>,
    #[serde(default)]
    metadata: Option<Metadata>,
}

#[derive(Deserialize)]
struct Author<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(borrow, default)]
    content_type: Cow<'a, str>,
    #[serde(borrow, default)]
    parts: Option<Vec<Part<'a>>>,
    #[serde(default)]
    text: Option<String>,
}

#[derive(Default, Deserialize)]
struct Metadata {
    #[serde(default)]
    is_visually_hidden_from_conversation: Option<bool>,
}

/// Reads one conversation of the export.
pub(super) fn read(text: &str, at: &str, options: &ReadOptions) -> Result<Reading, ReadError> {
    let mut parser = serde_json::Deserializer::from_str(text);
    let chat: Conversation<'_> = serde_path_to_error::deserialize(&mut parser).map_err(|error| {
        let what = format!("ChatGPT export, `{}`: {}", error.path(), crate::problem::without_place(error.inner()));
        ReadError::new(at, what, "")
    })?;
    let Conversation { conversation_id, id, title, current_node, mut mapping } = chat;
    let mut assembly = Assembly::new(at, options);
    let last = match current_node.filter(|node| mapping.contains_key(node.as_ref())) {
        Some(node) => Some(node.into_owned()),
        None => {
            if !mapping.is_empty() {
                let note = "the export does not say which branch was shown last; the latest message's branch was read";
                assembly.reading.notes.push(note.to_owned());
            }
            latest_leaf(&mapping).map(str::to_owned)
        }
    };
    let branch = branch_to(last.as_deref(), &mapping, &mut assembly.reading.notes);
    note_other_branches(&branch, &mapping, &mut assembly, options);
    for node in branch.iter().rev() {
        if let Some(message) = mapping.get_mut(node).and_then(|node| node.message.take()) {
            add(&mut assembly, message);
        }
    }
    let mut reading = assembly.finish()?;
    reading.id = conversation_id.or(id).map(Cow::into_owned);
    reading.title = title.map(Cow::into_owned).filter(|title| !title.trim().is_empty());
    Ok(reading)
}

/// The leaf with the latest time stamp; without time stamps, the last leaf in the file.
fn latest_leaf<'m>(mapping: &'m IndexMap<String, Node<'_>>) -> Option<&'m str> {
    let parents: IndexSet<&str> = mapping.values().filter_map(|node| node.parent.as_deref()).collect();
    let time = |node: &Node<'_>| node.message.as_ref().and_then(|message| message.create_time).unwrap_or(f64::MIN);
    let leaves = mapping.iter().filter(|(id, _)| !parents.contains(id.as_str()));
    let latest = leaves.max_by(|(_, one), (_, other)| time(one).total_cmp(&time(other)));
    // A file in which every node is somebody's parent goes in circles; its last node is as good as any.
    latest.map(|(id, _)| id.as_str()).or_else(|| mapping.keys().last().map(String::as_str))
}

/// The nodes from the given one up to the root.
fn branch_to(last: Option<&str>, mapping: &IndexMap<String, Node<'_>>, notes: &mut Vec<String>) -> IndexSet<String> {
    let mut branch = IndexSet::new();
    let mut next = last.map(str::to_owned);
    while let Some(id) = next {
        let Some(node) = mapping.get(&id) else {
            notes.push(format!("the beginning may be missing: the parent message {id:?} is not in the export"));
            break;
        };
        next = node.parent.clone();
        if !branch.insert(id) {
            notes.push("the messages form a circle; each was read once".to_owned());
            break;
        }
    }
    branch
}

/// Says how many messages people never see again: answers regenerated and questions edited.
fn note_other_branches(
    branch: &IndexSet<String>,
    mapping: &IndexMap<String, Node<'_>>,
    assembly: &mut Assembly<'_>,
    options: &ReadOptions,
) {
    let said = |node: &Node<'_>| {
        node.message.as_ref().is_some_and(|message| {
            matches!(role_of(&message.author.role, options), Role::Turn(..)) && dropped_as(message).is_none()
        })
    };
    let others = mapping.iter().filter(|(id, node)| !branch.contains(*id) && said(node)).count();
    match others {
        0 => {}
        1 => assembly.reading.notes.push("1 message on other branches was not read".to_owned()),
        count => assembly.reading.notes.push(format!("{count} messages on other branches were not read")),
    }
}

/// How a message of the person or the assistant is counted when it is not something said in the chat.
fn dropped_as(message: &Message<'_>) -> Option<Cow<'static, str>> {
    let hidden = message.metadata.as_ref().and_then(|data| data.is_visually_hidden_from_conversation);
    if hidden == Some(true) {
        return Some("hidden message".into());
    }
    let Some(content) = &message.content else {
        return Some("message without text".into());
    };
    Some(match content.content_type.as_ref() {
        "thoughts" | "reasoning_recap" => "thinking block".into(),
        "user_editable_context" | "model_editable_context" => "system message".into(),
        "execution_output" | "tether_quote" | "tether_browsing_display" | "system_error" => "tool message".into(),
        // What the assistant sends to a tool is not said to the person.
        _ if message.recipient.as_deref().is_some_and(|to| to != "all") => "tool call".into(),
        "code" => "code block".into(),
        "text" | "multimodal_text" | "" => return None,
        other => format!("{other} message").into(),
    })
}

fn add(assembly: &mut Assembly<'_>, message: Message<'_>) {
    let label = message.author.role.clone();
    let speaker = match assembly.role(&label) {
        Role::Turn(speaker, _) => speaker,
        Role::Dropped(what) => return assembly.drop(what, 1),
        Role::Unknown => return,
    };
    if let Some(what) = dropped_as(&message) {
        return assembly.drop(&what, 1);
    }
    let Some(Content { parts, text, .. }) = message.content else {
        return;
    };
    let said = match parts {
        Some(parts) if !parts.is_empty() => assembly.join(parts),
        _ if text.is_none() => return assembly.drop("message without text", 1),
        _ => text,
    };
    if let Some(said) = said {
        assembly.turn(&label, speaker, said);
    }
}

#[cfg(test)]
mod tests {
    use super::super::json::tests::{one, one_error};
    use super::super::{Format, Speaker};

    fn node(id: &str, parent: &str, role: &str, content: &str, more: &str) -> String {
        let parent = if parent.is_empty() { "null".to_owned() } else { format!("{parent:?}") };
        format!(
            r#""{id}":{{"id":"{id}","parent":{parent},"children":[],"message":{{"author":{{"role":"{role}"}},"content":{content}{more}}}}}"#
        )
    }

    fn said(text: &str) -> String {
        format!(r#"{{"content_type":"text","parts":[{text:?}]}}"#)
    }

    fn chat(current: &str, nodes: &[String]) -> String {
        format!(
            r#"{{"title":"t","conversation_id":"c-1","id":"other","current_node":{current},"mapping":{{{}}}}}"#,
            nodes.join(",")
        )
    }

    #[test]
    fn the_branch_last_shown_is_followed_and_the_others_counted() {
        let root = r#""root":{"id":"root","parent":null,"children":["q"],"message":null}"#.to_owned();
        let nodes = [
            root,
            node("q", "root", "user", &said("I had a bad day"), ""),
            node("a1", "q", "assistant", &said("first try"), ""),
            node("a2", "q", "assistant", &said("second try"), ""),
            node("q2", "a1", "user", &said("on the old branch"), ""),
        ];
        let (format, reading) = one(&format!("[{}]", chat("\"a2\"", &nodes)));
        assert_eq!(format, Format::ChatGptExport);
        assert_eq!((reading.id.as_deref(), reading.at.as_str()), (Some("c-1"), "conversation 1"));
        let expected = [(Speaker::Human, "I had a bad day".to_owned()), (Speaker::Ai, "second try".to_owned())];
        assert_eq!(reading.turns, expected);
        assert_eq!(reading.notes, ["2 messages on other branches were not read"]);
    }

    #[test]
    fn hidden_system_tool_and_thought_messages_are_counted() {
        let hidden = r#","metadata":{"is_visually_hidden_from_conversation":true}"#;
        let parts = r#"{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer"},"see this",
            {"content_type":"audio_transcription","text":"spoken"}]}"#;
        let nodes = [
            node("1", "", "system", &said(""), hidden),
            node("2", "1", "user", r#"{"content_type":"user_editable_context","user_profile":"x"}"#, ""),
            node("3", "2", "user", parts, ""),
            node("4", "3", "assistant", r#"{"content_type":"thoughts","thoughts":[]}"#, ""),
            node("5", "4", "assistant", r#"{"content_type":"code","text":"search()"}"#, r#","recipient":"browser""#),
            node("6", "5", "tool", r#"{"content_type":"execution_output","text":"1"}"#, ""),
            node("7", "6", "assistant", &said("here"), r#","recipient":"all","metadata":{}"#),
            node("8", "7", "user", &said("x"), hidden),
        ];
        let (_, reading) = one(&chat("\"8\"", &nodes));
        let turns: Vec<_> = reading.turns.iter().map(|turn| turn.1.as_str()).collect();
        assert_eq!(turns, ["see this\nspoken", "here"]);
        let dropped: Vec<_> = reading.dropped.iter().map(|(what, n)| (what.as_str(), *n)).collect();
        let expected = [
            ("hidden message", 1),
            ("image", 1),
            ("system message", 2),
            ("thinking block", 1),
            ("tool call", 1),
            ("tool message", 1),
        ];
        assert_eq!(dropped, expected);
    }

    #[test]
    fn without_a_current_node_the_latest_leaf_is_taken_and_said() {
        let nodes = [
            node("q", "", "user", &said("q"), ""),
            node("new", "q", "assistant", &said("new"), r#","create_time":20.5"#),
            node("old", "q", "assistant", &said("old"), r#","create_time":10"#),
        ];
        for current in ["null", "\"gone\""] {
            let (_, reading) = one(&chat(current, &nodes));
            assert_eq!(reading.turns[1].1, "new");
            assert!(reading.notes[0].contains("which branch"), "{:?}", reading.notes);
        }
    }

    #[test]
    fn circles_and_missing_parents_end() {
        let nodes = [node("a", "b", "user", &said("a"), ""), node("b", "a", "assistant", &said("b"), "")];
        assert_eq!(one(&chat("\"b\"", &nodes)).1.turns.len(), 2);
        assert_eq!(one(&chat("null", &nodes)).1.turns.len(), 2);
        let (_, reading) = one(&chat("\"a\"", &[node("a", "lost", "user", &said("a"), "")]));
        assert!(reading.notes[0].contains("\"lost\""));
        assert_eq!(one(&chat("null", &[])).1.turns.len(), 0);
    }

    #[test]
    fn a_field_of_the_wrong_type_is_named_by_its_path() {
        let error = one_error(r#"{"mapping":{"n1":{"message":{"author":{"role":5}}}}}"#);
        assert!(error.what.contains("`mapping.n1.message.author.role`"), "{error}");
    }
}
