//! Which column of a table means what, told by its header.

use super::super::{ReadError, ReadOptions, Speaker, labels};

/// Names of the column that tells chats apart, the surest first.
#[rustfmt::skip]
const CHAT: &[&str] = &[
    "conversationid", "convid", "convoid", "conversation", "chatid", "chat", "dialogueid", "dialogid", "dialogue",
    "dialog", "sessionid", "session", "threadid", "thread", "transcriptid", "conversationhash", "callid", "caseid", "groupid", "id",
];

/// Names of the column that says who speaks, the surest first.
#[rustfmt::skip]
const SPEAKER: &[&str] = &[
    "role", "speaker", "speakerrole", "authorrole", "author", "sender", "from", "who", "participant", "speakername",
    "authorname", "sendername", "name", "username", "user",
];

/// Names of the column that holds what was said.
#[rustfmt::skip]
const TEXT: &[&str] = &[
    "text", "message", "content", "contents", "utterance", "value", "body", "msg", "messagetext", "messagecontent",
    "messagebody", "turntext", "utterancetext", "speech",
];

/// Names of the column that gives the order, the surest first.
#[rustfmt::skip]
const ORDER: &[&str] = &[
    "order", "turn", "turnid", "turnidx", "turnindex", "turnnumber", "turnno", "turnnum", "idx", "index", "seq", "sequence",
    "position", "utteranceidx", "utteranceid", "utteranceindex", "messageindex", "messageidx", "messagenumber", "messageno", "step",
    "number", "no", "nr", "n", "timestamp", "time", "datetime", "date", "createdat", "createtime", "created", "sentat", "senttime", "ts",
];

/// Names of the column that holds what the person said, in a table with a row per exchange.
#[rustfmt::skip]
const HUMAN: &[&str] = &[
    "prompt", "question", "questiontext", "user", "usermessage", "userinput", "userprompt", "usertext", "userquery",
    "human", "humanmessage", "humaninput", "input", "query", "context", "instruction", "client", "patient", "seeker",
];

/// Names of the column that holds what the AI answered, in a table with a row per exchange.
#[rustfmt::skip]
const AI: &[&str] = &[
    "response", "answer", "answertext", "assistant", "assistantmessage", "assistantresponse", "output", "completion",
    "ai", "airesponse", "aimessage", "bot", "botresponse", "botmessage", "botreply", "chatbot", "chatbotresponse", "reply", "modelresponse",
    "modeloutput", "modelanswer", "llmresponse", "gptresponse", "chatgpt", "chatgptresponse", "therapist", "counselor", "counsellor",
];

/// Names of the column with instructions to the model, which are no turns.
const SYSTEM: &[&str] = &["system", "systemprompt", "systemmessage"];

/// The columns of a table by what they mean; numbers count from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Columns {
    /// Tells chats apart; without it all rows are one chat.
    pub(super) chat: Option<usize>,
    /// Gives the order of the rows; without it they stand in order.
    pub(super) order: Option<usize>,
    /// Who says what.
    pub(super) layout: Layout,
}

/// How a table holds what was said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// A row per message.
    Messages { speaker: usize, text: usize },
    /// A row per exchange: what the person said and what the AI answered.
    Exchanges { human: usize, ai: usize, system: Option<usize> },
}

/// The columns of a header; nothing when it is not the header of a chat, an error when it leaves a choice.
pub(super) fn columns(header: &[String], options: &ReadOptions) -> Option<Result<Columns, ReadError>> {
    // A sentence that happens to hold "text" between commas is no header.
    let is_name = |name: &String| name.len() <= 60 && !name.contains([':', '.', '!', '?', '{', '}']);
    if !header.iter().all(is_name) {
        return None;
    }
    let keys: Vec<String> = header.iter().map(|name| key(name)).collect();
    let layout = layout(header, &keys, options)?;
    Some(layout.map(|layout| Columns { chat: surest(&keys, CHAT), order: surest(&keys, ORDER), layout }))
}

fn layout(header: &[String], keys: &[String], options: &ReadOptions) -> Option<Result<Layout, ReadError>> {
    let texts = all(keys, TEXT);
    let humans = named(header, Speaker::Human, options).map_or_else(|| all(keys, HUMAN), |index| vec![index]);
    let ais = named(header, Speaker::Ai, options).map_or_else(|| all(keys, AI), |index| vec![index]);
    let has_pair = !humans.is_empty() && !ais.is_empty();
    // In "user, assistant, text" the user is half of a pair, not a column of names.
    let speaker = surest(keys, SPEAKER).filter(|index| !(has_pair && humans.contains(index)));
    match (speaker, texts.as_slice()) {
        (Some(speaker), &[text]) => return Some(Ok(Layout::Messages { speaker, text })),
        (Some(_), [_, _, ..]) => return Some(Err(choice("what was said", header, &texts))),
        _ if !has_pair => return None,
        _ => {}
    }
    Some(match (humans.as_slice(), ais.as_slice()) {
        (&[human], &[ai]) => Ok(Layout::Exchanges { human, ai, system: surest(keys, SYSTEM) }),
        (&[_], _) => Err(choice("what the AI said", header, &ais)),
        _ => Err(choice("what the person said", header, &humans)),
    })
}

/// All columns with one of these names.
fn all(keys: &[String], names: &[&str]) -> Vec<usize> {
    (0..keys.len()).filter(|&index| names.contains(&keys[index].as_str())).collect()
}

/// The column with the first of these names that there is.
fn surest(keys: &[String], names: &[&str]) -> Option<usize> {
    names.iter().find_map(|name| keys.iter().position(|key| key == name))
}

/// The column that carries a name the user gave for this side.
fn named(header: &[String], who: Speaker, options: &ReadOptions) -> Option<usize> {
    header.iter().position(|name| {
        labels::speaker_for(name, options).is_some_and(|(speaker, because)| speaker == who && because.starts_with("--"))
    })
}

fn choice(meaning: &str, header: &[String], candidates: &[usize]) -> ReadError {
    let names: Vec<String> =
        candidates.iter().filter_map(|&index| header.get(index)).map(|name| format!("`{}`", name.trim())).collect();
    ReadError::new(
        "line 1",
        format!("{} columns may hold {meaning}: {}", names.len(), names.join(", ")),
        "rename or remove all but one of them",
    )
}

/// Letters and digits of a header in lower case, so that "Conversation ID" and "conversation_id" are the same.
fn key(name: &str) -> String {
    name.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

impl Columns {
    /// What was taken for what, in a sentence for the notes.
    pub(super) fn note(&self, header: &[String]) -> String {
        let mut used = Vec::new();
        let mut parts = Vec::new();
        let mut say = |meaning: &str, column: Option<usize>| {
            if let Some((column, name)) = column.and_then(|column| Some((column, header.get(column)?))) {
                used.push(column);
                parts.push(format!("{meaning} ← {}", name.trim()));
            }
        };
        say("chat", self.chat);
        match self.layout {
            Layout::Messages { speaker, text } => {
                say("speaker", Some(speaker));
                say("text", Some(text));
            }
            Layout::Exchanges { human, ai, system } => {
                say("HUMAN", Some(human));
                say("AI", Some(ai));
                say("system message", system);
            }
        }
        say("order", self.order);
        let unused = header.iter().enumerate().filter(|(index, _)| !used.contains(index));
        let unused: Vec<&str> = unused.map(|(_, name)| name.trim()).filter(|name| !name.is_empty()).collect();
        let mut note = format!("columns: {}", parts.join(", "));
        if !unused.is_empty() {
            note.push_str(&format!("; not used: {}", unused.join(", ")));
        }
        note
    }
}
