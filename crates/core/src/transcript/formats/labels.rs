//! The speaker labels people and programs use, and who is meant by them.

pub(super) mod cast;
pub(super) mod line;
pub(super) mod marks;
mod ordinary_words;

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::{ReadOptions, Speaker};

/// Labels that mean the person, in their normal form.
#[rustfmt::skip]
const HUMAN: &[&str] = &[
    "human", "user", "usr", "end user", "client", "patient", "person", "customer", "caller", "visitor",
    "participant", "seeker", "help seeker", "helpseeker", "support seeker", "prompter", "interviewee", "student",
    "guest", "asker", "texter", "human user", "service user",
    "usuario", "usuaria", "usuário", "usuária", "paciente", "cliente", "utilisateur", "utilisatrice", "benutzer",
    "benutzerin", "nutzer", "nutzerin", "klient", "klientin", "patientin", "mensch", "utente", "paziente",
    "gebruiker", "użytkownik", "användare", "bruker", "bruger", "kullanıcı", "пользователь", "клиент", "пациент",
    "користувач", "用户", "用戶", "使用者", "来访者", "ユーザー", "사용자", "المستخدم", "مستخدم", "משתמש", "کاربر",
];

/// Labels that mean the chatbot, in their normal form.
#[rustfmt::skip]
const AI: &[&str] = &[
    "ai", "a i", "assistant", "ai assistant", "bot", "chatbot", "chat bot", "ai chatbot", "robot", "therapist",
    "ai therapist", "therapy bot", "counselor", "counsellor", "ai counselor", "ai counsellor", "psychologist",
    "coach", "ai coach", "helper", "listener", "supporter", "companion", "ai companion", "model", "ai model",
    "language model", "llm", "agent", "ai agent", "virtual assistant", "assistant bot", "support bot",
    "chatgpt", "chat gpt", "gpt", "claude", "gemini", "bard", "copilot", "github copilot", "microsoft copilot",
    "bing", "bing chat", "llama", "meta ai", "deepseek", "deep seek", "mistral", "mixtral", "le chat", "qwen",
    "grok", "perplexity", "phi", "gemma", "cohere", "command r", "alpaca", "vicuna", "kimi", "openai", "my ai",
    "woebot", "wysa", "replika", "pi", "character", "youper", "tess", "eliza", "earkick", "wayhaven", "alexa", "siri",
    "asistente", "assistente", "assistent", "assistentin", "ki", "ia", "terapeuta", "therapeut", "therapeutin",
    "thérapeute", "asystent", "asistan", "ассистент", "бот", "ии", "терапевт", "психолог", "асистент", "助手", "助理",
    "咨询师", "机器人", "アシスタント", "ボット", "어시스턴트", "챗봇", "المساعد", "مساعد", "עוזר", "دستیار",
];

/// Model families whose labels carry versions and sizes ("GPT-4o mini", "Claude 3.5 Sonnet").
#[rustfmt::skip]
const FAMILIES: &[&str] = &[
    "gpt", "gpt3", "gpt4", "gpt5", "chatgpt", "claude", "gemini", "llama", "deepseek", "mistral", "mixtral", "qwen",
    "grok", "phi", "gemma", "command", "copilot", "o1", "o3", "o4",
];

/// Words that stand beside a family's name without digits in them.
#[rustfmt::skip]
const VARIANTS: &[&str] = &[
    "mini", "nano", "turbo", "pro", "flash", "ultra", "opus", "sonnet", "haiku", "instruct", "chat", "large",
    "medium", "small", "plus", "preview", "latest", "thinking", "advanced", "coder", "reasoner", "lite", "max",
    "instant", "ai", "bot", "assistant", "r", "v", "b",
];

/// Labels of messages that nobody said to anybody, and what they are counted as.
const DROPPED: &[(&str, &str)] = &[
    ("system", "system message"),
    ("system prompt", "system message"),
    ("system message", "system message"),
    ("developer", "developer message"),
    ("tool", "tool message"),
    ("tools", "tool message"),
    ("tool call", "tool message"),
    ("tool result", "tool message"),
    ("tool output", "tool message"),
    ("function", "tool message"),
    ("function call", "tool message"),
    ("ipython", "tool message"),
];

/// Labels that depend on who holds the pen: the person in a copied chat, but only opposite a known AI.
#[rustfmt::skip]
const PRONOUNS: &[&str] = &["you", "me", "i", "myself", "yo", "moi", "ich", "eu", "io", "я", "我", "나", "أنا", "אני"];

/// Labels that are often numbered: "Human 1", "user1", "User_123".
#[rustfmt::skip]
const NUMBERED: &[&str] = &[
    "human", "user", "usr", "client", "patient", "person", "customer", "caller", "visitor", "participant", "seeker", "guest", "texter",
    "ai", "assistant", "bot", "chatbot", "therapist", "counselor", "counsellor", "helper", "listener", "agent", "model",
];

/// People who are neither the person nor the AI; a line that opens with one of these is always asked about.
#[rustfmt::skip]
const THIRD_PARTIES: &[&str] = &[
    "mom", "mum", "mommy", "mummy", "mother", "dad", "daddy", "father", "sister", "brother", "husband", "wife", "partner", "boyfriend",
    "girlfriend", "son", "daughter", "grandma", "grandpa", "aunt", "uncle", "friend", "roommate", "boss", "teacher", "doctor", "dr", "nurse",
    "moderator", "mod", "admin", "operator", "supervisor", "observer", "narrator", "host", "interviewer", "researcher", "staff", "carer",
    "caregiver", "psychiatrist", "dispatcher", "mutter", "vater", "mama", "papa", "madre", "padre", "mère", "père", "мама", "папа",
];

/// What a known label means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Meaning {
    Speaker(Speaker),
    Dropped(&'static str),
    Pronoun,
}

/// All lists in one, because texts of millions of lines ask for every line.
static KNOWN: LazyLock<BTreeMap<&str, Meaning>> = LazyLock::new(|| {
    let human = HUMAN.iter().map(|&name| (name, Meaning::Speaker(Speaker::Human)));
    let ai = AI.iter().map(|&name| (name, Meaning::Speaker(Speaker::Ai)));
    let dropped = DROPPED.iter().map(|&(name, kind)| (name, Meaning::Dropped(kind)));
    let pronouns = PRONOUNS.iter().map(|&name| (name, Meaning::Pronoun));
    human.chain(ai).chain(dropped).chain(pronouns).collect()
});

/// Who a label means, and why it was taken so; `None` for a label nobody knows.
pub(super) fn speaker_for(label: &str, options: &ReadOptions) -> Option<(Speaker, &'static str)> {
    let label = normal(label);
    let named = |names: &[String]| names.iter().any(|name| normal(name) == label);
    if named(&options.neither) || named(&options.text) {
        return None;
    }
    if named(&options.other) {
        return Some((Speaker::Human, OTHER));
    }
    if named(&options.human) {
        return Some((Speaker::Human, "--human"));
    }
    if named(&options.ai) {
        return Some((Speaker::Ai, "--ai"));
    }
    match KNOWN.get(label.as_str()) {
        Some(Meaning::Speaker(speaker)) => Some((*speaker, "known label")),
        None if is_model_name(&label) => Some((Speaker::Ai, "known label")),
        None => numbered(&label).map(|speaker| (speaker, "known label with a number")),
        _ => None,
    }
}

/// Who is meant by a known label with a number behind it.
fn numbered(label: &str) -> Option<Speaker> {
    let stem = label.trim_end_matches(|character: char| character.is_ascii_digit());
    let stem = if stem.len() < label.len() { stem.trim_end() } else { return None };
    match KNOWN.get(stem) {
        Some(Meaning::Speaker(speaker)) if NUMBERED.contains(&stem) => Some(*speaker),
        _ => None,
    }
}

/// Why a label was taken for the person's side though it is a third party's.
pub(super) const OTHER: &str = "--other";

/// What a third party says, as it stands on the person's side: opened by the name, so that nobody takes it for theirs.
pub(super) fn as_context(label: &str, text: &str) -> String {
    format!("{}: {text}", label.trim())
}

/// Whether the user said that this word opens no message.
pub(super) fn is_said_to_be_text(label: &str, options: &ReadOptions) -> bool {
    let label = normal(label);
    options.text.iter().any(|name| normal(name) == label)
}

/// Whether the label names somebody who is neither the person nor the AI ("Mom", "Dr. Lee", "Nurse Kim").
pub(super) fn is_third_party(label: &str) -> bool {
    let label = normal(label);
    let mut words = label.split(' ');
    let is_named = words.next().is_some_and(|word| THIRD_PARTIES.contains(&word));
    is_named && words.count() < 3
}

/// What messages are counted as whose speaker the user said to be neither side.
pub(super) const LEFT_OUT: &str = "message of a speaker left out";

/// Whether the user said that this label means neither side.
pub(super) fn is_left_out(label: &str, options: &ReadOptions) -> bool {
    let label = normal(label);
    options.neither.iter().any(|name| normal(name) == label)
}

/// What messages under this label are counted as when they are no turns.
pub(super) fn dropped_as(label: &str) -> Option<&'static str> {
    match KNOWN.get(normal(label).as_str()) {
        Some(Meaning::Dropped(kind)) => Some(kind),
        _ => None,
    }
}

/// Whether the label is a word like "You" or "Me", which says nothing without the other side.
pub(super) fn is_pronoun(label: &str) -> bool {
    KNOWN.get(normal(label).as_str()) == Some(&Meaning::Pronoun)
}

/// The form labels are compared in: lower case, words only, without a trailing "said".
pub(super) fn normal(label: &str) -> String {
    let mut words = String::with_capacity(label.len());
    for word in label.split(|character: char| !character.is_alphanumeric()) {
        if word.is_empty() {
            continue;
        }
        if !words.is_empty() {
            words.push(' ');
        }
        words.extend(word.chars().flat_map(char::to_lowercase));
    }
    // A name of emoji or signs alone still is a name.
    if words.is_empty() {
        return label.trim().to_owned();
    }
    for verb in [" said", " says", " wrote"] {
        if let Some(name) = words.strip_suffix(verb) {
            return name.to_owned();
        }
    }
    words
}

fn is_model_name(label: &str) -> bool {
    let mut words = label.split(' ');
    let is_version =
        |word: &str| VARIANTS.contains(&word) || word.contains(|character: char| character.is_ascii_digit());
    words.next().is_some_and(|word| FAMILIES.contains(&word)) && words.all(is_version)
}
