//! Redaction: what could identify a person is replaced by stable placeholders before anything leaves the machine.
//!
//! It is a best effort by patterns and by what the chat itself tells (see `docs/judges/redaction.md`). Patterns with a fixed
//! shape are regular expressions, because that crate searches in linear time and its patterns can be read one by one;
//! names are found by a walk over the words, because what follows "I'm" decides whether it is a name.

mod address;
mod contact;
mod find;
mod help;
mod identity;
mod introduction;
mod name;
mod phone;
mod placeholder;
mod restore;
mod words;

use std::collections::BTreeSet;
use std::fmt;

use carelock_core::transcript::{Speaker, Transcript};
use carelock_core::verdict::Submission;

use find::Finder;
use placeholder::Book;

/// What is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Names of people, learned from labels and introductions.
    Name,
    /// Email addresses.
    Email,
    /// Phone numbers, but not those of help lines.
    Phone,
    /// Streets with numbers, postcodes.
    Address,
    /// Card numbers.
    Card,
    /// Bank accounts, social security, health and passport numbers.
    Id,
    /// Web addresses, but not those of help lines.
    Url,
    /// Names on social networks.
    Handle,
    /// Addresses of computers.
    Ip,
}

impl Kind {
    /// All of them, in the order they are shown.
    pub const ALL: [Self; 9] =
        [Self::Name, Self::Email, Self::Phone, Self::Address, Self::Card, Self::Id, Self::Url, Self::Handle, Self::Ip];

    /// The word that stands in placeholders.
    pub fn word(self) -> &'static str {
        match self {
            Self::Name => "NAME",
            Self::Email => "EMAIL",
            Self::Phone => "PHONE",
            Self::Address => "ADDRESS",
            Self::Card => "CARD",
            Self::Id => "ID",
            Self::Url => "URL",
            Self::Handle => "HANDLE",
            Self::Ip => "IP",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// What to replace.
#[derive(Clone, Debug)]
pub struct RedactOptions {
    /// The kinds to look for.
    pub kinds: BTreeSet<Kind>,
    /// Names known beforehand: the labels people have in the chat's file, and whatever the user adds. Labels that
    /// name a role ("User", "Therapist") are left out.
    pub names: Vec<String>,
}

impl Default for RedactOptions {
    fn default() -> Self {
        Self { kinds: Kind::ALL.into(), names: Vec::new() }
    }
}

/// A chat with placeholders, and the way back.
#[derive(Clone, Debug)]
pub struct Redaction {
    original: (String, String),
    redacted: Transcript,
    book: Book,
    counts: Vec<usize>,
}

impl Redaction {
    /// Replaces what could identify a person.
    ///
    /// The same value has the same placeholder throughout the chat; another spelling of it (`ANA`, `ana`) has the same
    /// number with a letter, so that every turn can be restored exactly. Redacting twice changes nothing more.
    ///
    /// ```
    /// use carelock_core::transcript::{Speaker, Transcript};
    /// use carelock_judge::redact::{RedactOptions, Redaction};
    /// let chat = Transcript::new("demo", vec![
    ///     (Speaker::Human, "I'm Ana, mail me at ana@example.org.".to_owned()),
    ///     (Speaker::Ai, "Thank you, Ana. You can always call 988.".to_owned()),
    /// ])?;
    /// let redaction = Redaction::new(&chat, &RedactOptions::default());
    /// assert_eq!(redaction.redacted().turn(1).unwrap().text, "I'm [NAME_1], mail me at [EMAIL_1].");
    /// assert_eq!(redaction.redacted().turn(2).unwrap().text, "Thank you, [NAME_1]. You can always call 988.");
    /// # Ok::<(), carelock_core::transcript::TranscriptError>(())
    /// ```
    pub fn new(transcript: &Transcript, options: &RedactOptions) -> Self {
        let mut turns: Vec<(Speaker, String)> =
            transcript.turns().iter().map(|turn| (turn.speaker, turn.text.clone())).collect();
        let mut book = Book::reserving(turns.iter().map(|(_, text)| text.as_str()));
        let mut finder = Finder::new(options);
        // What one round replaces can uncover something for the next; a chat rarely needs more than two.
        for _ in 0..8 {
            finder.learn(&turns);
            if !finder.replace(&mut turns, &mut book) {
                break;
            }
        }
        let counts = book.count(turns.iter().map(|(_, text)| text.as_str()));
        // The chat's name may be a person's, too.
        let redacted = match Transcript::new("redacted", turns) {
            Ok(redacted) => redacted,
            Err(error) => unreachable!("every turn keeps its speaker, and none becomes empty: {error}"),
        };
        Self { original: (transcript.id().to_owned(), transcript.digest()), redacted, book, counts }
    }

    /// The chat that may leave the machine.
    pub fn redacted(&self) -> &Transcript {
        &self.redacted
    }

    /// What was replaced: kind, placeholder, value, how often.
    pub fn replaced(&self) -> impl Iterator<Item = (Kind, &str, &str, usize)> {
        let counted = self.book.entries().zip(&self.counts);
        counted.map(|(entry, count)| (entry.kind, entry.placeholder.as_str(), entry.value.as_str(), *count))
    }

    /// A text of the redacted chat as it was.
    pub fn restore_text(&self, text: &str) -> String {
        self.book.restore(text)
    }

    /// A judge's answers on the redacted chat as answers on the original: placeholders are put back wherever the judge
    /// wrote them, and the answers name the original chat.
    pub fn restore_submission(&self, submission: &Submission) -> Submission {
        restore::submission(&self.book, &self.original, submission)
    }

    /// What was replaced, as a table for people. It shows the values: it is for the user's own eyes.
    pub fn show(&self) -> String {
        let mut rows: Vec<_> = self.replaced().collect();
        if rows.is_empty() {
            return "nothing was replaced\n".to_owned();
        }
        rows.sort_by_key(|row| row.0);
        let widest = rows.iter().map(|row| row.1.len()).max().unwrap_or_default();
        let mut text = String::new();
        for (_, placeholder, value, count) in &rows {
            let plain: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            text.push_str(&format!("{placeholder:<widest$}  {count:>3} ×  {plain}\n"));
        }
        let total = |kind: Kind| rows.iter().filter(|row| row.0 == kind).map(|row| row.3).sum::<usize>();
        let sums = Kind::ALL.into_iter().map(|kind| (kind, total(kind))).filter(|(_, count)| *count > 0);
        let sums: Vec<String> = sums.map(|(kind, count)| format!("{kind} {count}")).collect();
        text.push_str(&format!("replaced: {}\n", sums.join(", ")));
        text
    }
}

/// Builds a pattern of this module's own; sizes are bounded so that no pattern can grow unnoticed.
fn pattern(text: &str) -> regex::Regex {
    match regex::RegexBuilder::new(text).size_limit(4 << 20).build() {
        Ok(pattern) => pattern,
        Err(error) => unreachable!("a test builds every pattern: {error}"),
    }
}

#[cfg(test)]
mod tests;
