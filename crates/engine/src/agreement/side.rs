//! Who is compared, and which of their chats.

use serde::Serialize;

use crate::ratings::{Matching, Rater, Rating};

/// One rater, in a few words.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Side {
    /// The file or run.
    pub name: String,
    /// The judges in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub judges: Vec<String>,
    /// How many chats it has.
    pub chats: usize,
    /// Whether the judge's name would say whom it is about.
    #[serde(skip)]
    by_judge: bool,
}

impl Side {
    /// What is known of a rater.
    pub fn new(rater: &Rater) -> Self {
        let by_judge = rater.judges.len() == 1;
        Self { name: rater.name.clone(), judges: rater.judges.clone(), chats: rater.ratings.len(), by_judge }
    }

    /// Goes by the file or run from now on, where the judge's name would not tell two sides apart.
    pub fn tell_apart(&mut self, other: &mut Self) {
        if self.short() == other.short() {
            self.by_judge = false;
            other.by_judge = false;
        }
    }

    /// What to call it: the file or run, with the judge where there is one only.
    pub fn title(&self) -> String {
        match self.judges.as_slice() {
            [judge] if *judge != self.name => format!("{judge} ({})", self.name),
            _ => self.name.clone(),
        }
    }

    /// The shortest name that says who it is.
    pub fn short(&self) -> &str {
        match self.judges.as_slice() {
            [judge] if self.by_judge => judge,
            _ => &self.name,
        }
    }
}

/// Which chats both have, by their ids.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Matched {
    /// How many chats both have.
    pub chats: usize,
    /// How many of them were found by their text, because their ids differ.
    pub by_digest: usize,
    /// Those that have the same id and another text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_text: Vec<String>,
    /// Chats of the first alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only_first: Vec<String>,
    /// Chats of the second alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub only_second: Vec<String>,
}

impl Matched {
    /// The ids behind a matching.
    pub fn new(matching: &Matching, first: &[Rating], second: &[Rating]) -> Self {
        let ids = |ratings: &[Rating], places: &[usize]| places.iter().map(|&at| ratings[at].id.clone()).collect();
        Self {
            chats: matching.pairs.len(),
            by_digest: matching.by_digest,
            other_text: matching.other_text.iter().map(|&at| first[matching.pairs[at].0].id.clone()).collect(),
            only_first: ids(first, &matching.only_first),
            only_second: ids(second, &matching.only_second),
        }
    }
}
