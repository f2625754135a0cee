//! Names of requests, parts and remote batches: short, stable, and without a word of any chat.

use std::fmt;

use carelock_core::problem::Problem;

use crate::wire::Question;

/// The most letters a provider takes in the name of a request.
const LONGEST_CUSTOM_ID: usize = 64;
/// The most letters of a provider's own names; they are put into addresses.
const LONGEST_REMOTE_ID: usize = 128;

fn check(text: &str, what: &str, longest: usize) -> Result<String, Problem> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if text.is_empty() || text.len() > longest || !text.bytes().all(plain) {
        let what = format!("a {what} is 1 to {longest} letters, digits, hyphens and underscores");
        return Err(Problem::new(what).advice("give it as it was given out, unchanged"));
    }
    Ok(text.to_owned())
}

macro_rules! name {
    ($name:ident, $what:literal, $longest:expr) => {
        impl $name {
            /// Reads one that was stored.
            pub fn parse(text: &str) -> Result<Self, Problem> {
                check(text, $what, $longest).map(Self)
            }

            /// The name as it is stored.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.pad(&self.0)
            }
        }
    };
}

/// The name of one request in a batch, by which its answer is matched.
///
/// It is made of digests of the run, the chat, the judge and the question, so that a restart comes to the same name, and
/// to another one where the question changed meanwhile. Nothing of the chat can be read from it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CustomId(String);

/// The provider's name of a batch.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RemoteId(String);

/// Our own name of a part, made of the names of its requests: by it a part is found again at the provider.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PartKey(String);

name!(CustomId, "request's name", LONGEST_CUSTOM_ID);
name!(RemoteId, "batch's name", LONGEST_REMOTE_ID);
name!(PartKey, "part's name", LONGEST_CUSTOM_ID);

impl CustomId {
    fn new(run: &str, chat: &str, judge: &str, number: usize, question: &Digest) -> Self {
        let run = &digest("run", [run])[..8];
        let chat = &digest("chat", [chat])[..20];
        let judge = &digest("judge", [judge])[..8];
        Self(format!("{run}-{chat}-{judge}-{number}-{}", &question.0[..8]))
    }
}

impl PartKey {
    /// The name of the part that holds these requests, in this order.
    pub fn of<'ids>(ids: impl IntoIterator<Item = &'ids CustomId>) -> Self {
        Self(format!("carelock-{}", &digest("part", ids.into_iter().map(CustomId::as_str))[..32]))
    }
}

/// The digest of a question: which answer belongs to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Digest(String);

impl Digest {
    /// The digest of everything that is asked; by which mechanism it is asked takes no part.
    pub(crate) fn new(question: &Question) -> Self {
        let schema = question.schema.to_string();
        let room = question.max_tokens.to_string();
        let messages = question.messages.iter().flat_map(|message| {
            let role = if message.from_model { "model" } else { "user" };
            [role, message.text.as_str()]
        });
        let fixed = [question.model.as_str(), &question.system, &schema, &room];
        Self(digest("question", fixed.into_iter().chain(messages)))
    }
}

/// A digest of texts, each preceded by its length so that "ab"+"c" differs from "a"+"bc".
fn digest<'text>(domain: &'text str, texts: impl IntoIterator<Item = &'text str>) -> String {
    let mut hasher = blake3::Hasher::new();
    for text in ["carelock/batch/1", domain].into_iter().chain(texts) {
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// A question under the name its answer is matched by.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub(super) id: CustomId,
    pub(super) digest: Digest,
    pub(super) question: Question,
}

impl Entry {
    /// The name.
    pub fn id(&self) -> &CustomId {
        &self.id
    }
}

/// The questions about one chat ([`Judge::first_questions`](crate::ask::Judge::first_questions)) as requests of a batch.
///
/// `chat` is the chat's key in the run, not its text: whatever is unique there, such as the key of its row.
pub fn entries(run: &str, chat: &str, judge: &str, questions: Vec<Question>) -> Vec<Entry> {
    let entry = |(number, question): (usize, Question)| {
        let digest = Digest::new(&question);
        Entry { id: CustomId::new(run, chat, judge, number, &digest), digest, question }
    };
    questions.into_iter().enumerate().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Message;

    fn question(text: &str) -> Question {
        let messages = vec![Message { from_model: false, text: text.to_owned() }];
        let schema = serde_json::json!({ "type": "object" });
        Question { model: "m".into(), system: "s".into(), messages, schema, max_tokens: 9 }
    }

    #[test]
    fn a_name_is_the_same_after_a_restart_and_another_where_anything_changed() {
        let one = |run: &str, chat: &str, judge: &str, text: &str| {
            entries(run, chat, judge, vec![question("first"), question(text)])[1].id.clone()
        };
        let name = one("run", "chat", "judge", "hello");
        assert_eq!(name, one("run", "chat", "judge", "hello"));
        for other in [
            one("run2", "chat", "judge", "hello"),
            one("run", "chat2", "judge", "hello"),
            one("run", "chat", "judge2", "hello"),
            one("run", "chat", "judge", "hello again"),
            entries("run", "chat", "judge", vec![question("hello")])[0].id.clone(),
        ] {
            assert_ne!(name, other);
        }
    }

    #[test]
    fn names_are_short_and_plain_and_say_nothing_of_chat_or_run() {
        for (number, entry) in
            entries("Anna Smith's run", "anna@example.org", "judge", vec![question("my name is Anna"); 3])
                .into_iter()
                .enumerate()
        {
            let name = entry.id.as_str();
            assert_eq!(CustomId::parse(name).as_ref(), Ok(&entry.id));
            assert!(name.len() <= 52 && name.contains(&format!("-{number}-")), "{name}");
            assert!(!name.to_lowercase().contains("anna"), "{name}");
        }
    }

    #[test]
    fn names_from_outside_cannot_change_an_address() {
        for text in ["", "a/b", "a?b", "../x", "a b", "ä", "a\n", &"x".repeat(129)] {
            assert!(RemoteId::parse(text).is_err(), "{text}");
        }
        assert!(RemoteId::parse("batch_68f0-A").is_ok());
        assert!(CustomId::parse(&"x".repeat(65)).is_err());
    }

    #[test]
    fn a_part_is_named_after_its_requests_in_their_order() {
        let ids = ["a", "bc", "ab", "c"].map(|text| CustomId::parse(text).expect("plain"));
        assert_ne!(PartKey::of(&ids[..2]), PartKey::of(&ids[2..]));
        assert_ne!(PartKey::of(&ids), PartKey::of(ids.iter().rev()));
        assert_eq!(PartKey::of(&ids), PartKey::of(&ids.clone()));
    }
}
