//! Keys that cannot be printed, and how they are put into a request.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use memchr::memmem;
use regex::bytes::Regex;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use zeroize::Zeroizing;

use crate::outcome::Outcome;

const HIDDEN: &str = "***";

/// Shorter keys are placeholders such as `none` or `ollama`: hiding them in answers would damage honest text.
const SHORTEST_HIDDEN: usize = 8;

/// A key. Every way of printing it gives `***`, and its memory is wiped when the last copy goes.
#[derive(Clone)]
pub struct Secret(Arc<Zeroizing<String>>);

impl Secret {
    /// Takes a key, without the white space that files and shells leave around it.
    pub fn new(key: impl Into<String>) -> Self {
        let key = Zeroizing::new(key.into());
        Self(Arc::new(Zeroizing::new(key.trim().to_owned())))
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// The text with this key replaced by `***`.
    pub fn scrub<'text>(&self, text: &'text str) -> Cow<'text, str> {
        if self.0.len() < SHORTEST_HIDDEN {
            return Cow::Borrowed(text);
        }
        let plain = match text.contains(self.expose()) {
            true => Cow::Owned(text.replace(self.expose(), HIDDEN)),
            false => Cow::Borrowed(text),
        };
        match self.escaped(plain.as_bytes()) {
            Some(pattern) => {
                let clean = pattern.replace_all(plain.as_bytes(), HIDDEN.as_bytes()).into_owned();
                // What is replaced is ASCII, so the rest is still the text it was.
                Cow::Owned(String::from_utf8_lossy(&clean).into_owned())
            }
            None => plain,
        }
    }

    /// A pattern for the key with characters of it escaped as JSON allows, where a text has such escapes at all. An answer
    /// is JSON inside JSON, so backslashes may be doubled.
    fn escaped(&self, text: &[u8]) -> Option<Regex> {
        memmem::find(text, b"\\u")?;
        let letters = self.0.chars().map(|letter| {
            let code = u32::from(letter);
            format!(r"(?:\\*{}|\\+u0*(?i:{code:x}))", regex::escape(&letter.to_string()))
        });
        Regex::new(&letters.collect::<String>()).ok().filter(|pattern| pattern.is_match(text))
    }

    fn scrub_bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        let key = self.0.as_bytes();
        if key.len() < SHORTEST_HIDDEN {
            return bytes;
        }
        let bytes = match self.escaped(&bytes) {
            Some(pattern) => pattern.replace_all(&bytes, HIDDEN.as_bytes()).into_owned(),
            None => bytes,
        };
        if memmem::find(&bytes, key).is_none() {
            return bytes;
        }
        let mut clean = Vec::with_capacity(bytes.len());
        let mut rest = bytes.as_slice();
        while let Some(at) = memmem::find(rest, key) {
            clean.extend_from_slice(&rest[..at]);
            clean.extend_from_slice(HIDDEN.as_bytes());
            rest = &rest[at + key.len()..];
        }
        clean.extend_from_slice(rest);
        clean
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(HIDDEN)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(HIDDEN)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(HIDDEN)
    }
}

impl<'de> Deserialize<'de> for Secret {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

/// How a call shows who is asking.
#[derive(Clone, Debug, Default)]
pub enum Auth {
    /// Not at all, as servers on one's own machine want it.
    #[default]
    None,
    /// `Authorization: Bearer KEY`.
    Bearer(Secret),
    /// The bare key in a header of its own.
    Header {
        /// The header's name in lower case, such as `x-api-key`.
        name: &'static str,
        /// The key.
        key: Secret,
    },
}

impl Auth {
    /// The key alone in `x-api-key`.
    pub fn x_api_key(key: Secret) -> Self {
        Self::Header { name: "x-api-key", key }
    }

    /// The key, where there is one.
    pub fn key(&self) -> Option<&Secret> {
        match self {
            Self::None => None,
            Self::Bearer(key) | Self::Header { key, .. } => Some(key),
        }
    }

    pub(super) fn scrub(&self, text: String) -> String {
        match self.key().map(|key| key.scrub(&text)) {
            Some(Cow::Owned(clean)) => clean,
            _ => text,
        }
    }

    pub(super) fn scrub_bytes(&self, bytes: Vec<u8>) -> Vec<u8> {
        match self.key() {
            Some(key) => key.scrub_bytes(bytes),
            None => bytes,
        }
    }

    /// Hides the key where a server's own words repeat it, even where JSON had escaped it.
    pub(super) fn scrub_outcome(&self, outcome: Outcome) -> Outcome {
        match outcome {
            Outcome::Answered(mut reply) => {
                reply.text = self.scrub(reply.text);
                reply.model = reply.model.map(|model| self.scrub(model));
                reply.fingerprint = reply.fingerprint.map(|fingerprint| self.scrub(fingerprint));
                Outcome::Answered(reply)
            }
            Outcome::Refused { reason } => Outcome::Refused { reason: self.scrub(reason) },
            Outcome::Filtered { stage, category } => {
                Outcome::Filtered { stage, category: category.map(|category| self.scrub(category)) }
            }
            Outcome::Invalid { what } => Outcome::Invalid { what: self.scrub(what) },
            Outcome::Unavailable { what, retry } => Outcome::Unavailable { what: self.scrub(what), retry },
            Outcome::Misconfigured { what } => Outcome::Misconfigured { what: self.scrub(what) },
            Outcome::TooLong { what, limit, asked } => Outcome::TooLong { what: self.scrub(what), limit, asked },
            Outcome::Truncated => Outcome::Truncated,
            Outcome::Empty => Outcome::Empty,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-planted-1234567890";

    #[test]
    fn every_way_of_printing_a_key_hides_it() {
        let key = Secret::new(format!(" {KEY}\n"));
        assert_eq!(key.expose(), KEY);
        let auth = Auth::Bearer(key.clone());
        let printed =
            format!("{key} {key:?} {key:#?} {auth:?} {}", serde_json::to_string(&key).expect("a string serialises"));
        assert!(!printed.contains("planted"), "{printed}");
        assert!(printed.contains("***"));
    }

    #[test]
    fn a_key_repeated_by_a_server_is_hidden() {
        let auth = Auth::x_api_key(Secret::new(KEY));
        let body = auth.scrub_bytes(format!("{KEY} is wrong, {KEY}").into_bytes());
        assert_eq!(body, b"*** is wrong, ***");
        let outcome = auth.scrub_outcome(Outcome::Misconfigured { what: format!("bad key {KEY}") });
        assert_eq!(outcome, Outcome::Misconfigured { what: "bad key ***".into() });
    }

    #[test]
    fn a_key_repeated_with_escapes_is_hidden_however_deep() {
        let auth = Auth::Bearer(Secret::new(KEY));
        let all: String = KEY.chars().map(|letter| format!("\\u{:04x}", u32::from(letter))).collect();
        let some = KEY.replace('p', "\\u0070").replace('-', "\\u002D");
        for escaped in [all.clone(), all.to_uppercase().replace("\\U", "\\u"), some, all.replace('\\', "\\\\")] {
            assert_eq!(auth.scrub(format!("é {escaped} end")), "é *** end", "{escaped}");
            assert_eq!(auth.scrub_bytes(format!("é {escaped} end").into_bytes()), "é *** end".as_bytes());
        }
        let honest = "caf\\u00e9 \\u0073\\u006b-";
        assert_eq!(auth.scrub(honest.to_owned()), honest);
    }

    #[test]
    fn a_placeholder_key_leaves_answers_alone() {
        let auth = Auth::Bearer(Secret::new("ollama"));
        assert_eq!(auth.scrub("model ollama-3".into()), "model ollama-3");
        assert_eq!(auth.scrub_bytes(b"ollama".to_vec()), b"ollama");
    }
}
