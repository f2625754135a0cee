//! Evidence: words proven to stand in a turn.

use std::ops::Range;

use super::fold::{Difference, Folded, fold, fold_keeping};
use super::types::{Speaker, Transcript, Turn};

/// Words proven to stand in a turn; only [`Transcript::cite`] and [`Transcript::opening`] make one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    turn: u32,
    speaker: Speaker,
    quote: String,
    differences: Vec<&'static str>,
}

/// Why words are no evidence.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CiteError {
    /// The chat has no such turn.
    #[error("there is no turn {turn}: the chat has turns 1 to {last}")]
    NoSuchTurn {
        /// The turn that was named.
        turn: u32,
        /// The last turn there is.
        last: usize,
    },
    /// There is nothing to look for.
    #[error("the quote is empty")]
    Empty,
    /// The words are not there.
    #[error("the quote does not stand in turn {turn}")]
    NotThere {
        /// The turn that was searched.
        turn: u32,
    },
}

impl Evidence {
    /// The turn the words stand in.
    pub fn turn(&self) -> u32 {
        self.turn
    }

    /// Who said them.
    pub fn speaker(&self) -> Speaker {
        self.speaker
    }

    /// The words, exactly as they stand in the turn.
    pub fn quote(&self) -> &str {
        &self.quote
    }

    /// What differed in the words that were looked for ("case", "dashes"); empty for an exact quote.
    pub fn differences(&self) -> &[&'static str] {
        &self.differences
    }

    /// Whether the words had to be fixed to the verbatim text.
    pub fn is_fixed(&self) -> bool {
        !self.differences.is_empty()
    }

    fn new(turn: &Turn, quote: &str, differences: Vec<&'static str>) -> Self {
        Self { turn: turn.idx, speaker: turn.speaker, quote: quote.to_owned(), differences }
    }
}

impl Transcript {
    /// Proves that a quote stands in a turn.
    ///
    /// Differences in quotation marks, dashes, white space, case or markdown marks alone, and an ellipsis that joins
    /// parts of the turn, are fixed to the verbatim text. Any other quote is rejected.
    ///
    /// ```
    /// # use carelock_core::transcript::{Speaker, Transcript};
    /// # let chat = Transcript::new("demo", vec![
    /// #     (Speaker::Human, "I feel hopeless.".to_owned()),
    /// #     (Speaker::Ai, "I hear you. It’s a **heavy** thing.".to_owned())])?;
    /// let exact = chat.cite(2, "I hear you.").unwrap();
    /// assert!(!exact.is_fixed());
    /// let fixed = chat.cite(2, "it's a heavy thing").unwrap();
    /// assert_eq!(fixed.quote(), "It’s a **heavy** thing");
    /// assert!(chat.cite(2, "I understand you.").is_err());
    /// # Ok::<(), carelock_core::transcript::TranscriptError>(())
    /// ```
    pub fn cite(&self, idx: u32, quote: &str) -> Result<Evidence, CiteError> {
        let turn = self.turn(idx).ok_or(CiteError::NoSuchTurn { turn: idx, last: self.turns().len() })?;
        let wanted = quote.trim();
        if wanted.is_empty() {
            return Err(CiteError::Empty);
        }
        let found = exact(turn, wanted).or_else(|| Wanted::new(wanted).mend(turn));
        found.ok_or(CiteError::NotThere { turn: idx })
    }

    /// The only turn in which a quote stands, when there is exactly one.
    pub fn locate(&self, quote: &str) -> Option<Evidence> {
        self.locate_in(quote, |_| true)
    }

    /// The only one of some turns in which a quote stands, when there is exactly one.
    pub(crate) fn locate_in(&self, quote: &str, is_searched: impl Fn(&Turn) -> bool) -> Option<Evidence> {
        let quote = quote.trim();
        if quote.is_empty() {
            return None;
        }
        // Made ready once: a chat may have a million turns.
        let wanted = Wanted::new(quote);
        let turns = self.turns().iter().filter(|turn| is_searched(turn));
        let mut found = turns.filter_map(|turn| exact(turn, quote).or_else(|| wanted.mend(turn)));
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }

    /// The first words of a turn, for where a turn is cited without a quote.
    pub fn opening(&self, idx: u32) -> Option<Evidence> {
        const LONGEST: usize = 160;
        let turn = self.turn(idx)?;
        let text = turn.text.trim();
        let sentence = text.find(['\n', '.', '?', '!']).map_or(text.len(), |end| match text.as_bytes()[end] {
            b'\n' => end,
            _ => end + 1,
        });
        let mut quote = &text[..sentence];
        if let Some((cut, _)) = quote.char_indices().nth(LONGEST) {
            let head = &quote[..cut];
            quote = head.rfind(' ').map_or(head, |space| &head[..space]);
        }
        (!quote.is_empty()).then(|| Evidence::new(turn, quote, Vec::new()))
    }
}

fn exact(turn: &Turn, wanted: &str) -> Option<Evidence> {
    let found = memchr::memmem::find(turn.text.as_bytes(), wanted.as_bytes());
    found.map(|_| Evidence::new(turn, wanted, Vec::new()))
}

/// A quote made ready to be looked for in many turns.
struct Wanted<'a> {
    quote: &'a str,
    folded: String,
    /// The parts an ellipsis joins, opens or closes; empty where there is none, or where they would prove nothing.
    parts: Vec<String>,
}

impl<'a> Wanted<'a> {
    fn new(quote: &'a str) -> Self {
        Self { quote, folded: fold(quote), parts: ellipsis_parts(quote) }
    }

    fn mend(&self, turn: &Turn) -> Option<Evidence> {
        let text = Folded::new(&turn.text);
        if !self.folded.is_empty()
            && let Some(found) = text.find(&self.folded, 0)
        {
            let verbatim = &turn.text[found.original];
            return Some(Evidence::new(turn, verbatim, differences(self.quote, verbatim)));
        }
        self.mend_outer_marks(turn, &text).or_else(|| self.mend_ellipsis(turn, &text))
    }

    /// A quote that was itself put in quotation marks.
    fn mend_outer_marks(&self, turn: &Turn, text: &Folded<'_>) -> Option<Evidence> {
        let inner = self.folded.strip_prefix('\'')?.strip_suffix('\'').filter(|inner| !inner.trim().is_empty())?;
        let found = text.find(inner, 0)?;
        Some(Evidence::new(turn, &turn.text[found.original], vec![Difference::QuotationMarks.name()]))
    }

    /// Parts of a turn joined by an ellipsis: the verbatim text reaches from the first part to the last.
    fn mend_ellipsis(&self, turn: &Turn, text: &Folded<'_>) -> Option<Evidence> {
        let mut from = 0;
        let mut span: Option<Range<usize>> = None;
        for part in &self.parts {
            let found = text.find(part, from)?;
            span = Some(span.map_or(found.original.start, |span| span.start)..found.original.end);
            from = found.next;
        }
        Some(Evidence::new(turn, &turn.text[span?], vec!["ellipsis"]))
    }
}

fn ellipsis_parts(quote: &str) -> Vec<String> {
    if !(quote.contains('…') || quote.contains("...")) {
        return Vec::new();
    }
    // The brackets of "[…]" go with the ellipsis.
    let plain = quote.replace('…', "...").replace("[...]", "...");
    let parts = plain.split("...").map(|part| fold(part.trim_matches(['.', ' '])));
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    // One stray word on either side of an ellipsis could be found in almost any turn and would prove nothing.
    if parts.len() > 1 && !parts.iter().all(|part| is_telling(part)) {
        return Vec::new();
    }
    parts
}

/// Whether a part is long enough to be recognised: two words, or six characters where words are not spaced.
fn is_telling(part: &str) -> bool {
    part.contains(' ') || part.chars().count() >= 6
}

/// Which classes of difference kept two texts apart.
fn differences(wanted: &str, verbatim: &str) -> Vec<&'static str> {
    let matters = |kept: Difference| fold_keeping(wanted, kept) != fold_keeping(verbatim, kept);
    let mut names: Vec<_> = Difference::ALL.into_iter().filter(|&kept| matters(kept)).map(Difference::name).collect();
    if names.is_empty() {
        // What is left are composed against decomposed letters, and "…" against "...".
        names.push("equivalent characters");
    }
    names
}
