//! Text with the differences folded away that do not change what was said, each character knowing where it came from.

use std::cell::OnceCell;

use unicode_normalization::char::{decompose_canonical, is_combining_mark};

/// A class of difference that a quote may have and still be the same words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Difference {
    QuotationMarks,
    Dashes,
    WhiteSpace,
    Case,
    MarkdownMarks,
}

impl Difference {
    pub(super) const ALL: [Self; 5] =
        [Self::QuotationMarks, Self::Dashes, Self::WhiteSpace, Self::Case, Self::MarkdownMarks];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::QuotationMarks => "quotation marks",
            Self::Dashes => "dashes",
            Self::WhiteSpace => "white space",
            Self::Case => "case",
            Self::MarkdownMarks => "markdown marks",
        }
    }
}

/// Folded text that can tell where in the original its words stand.
pub(super) struct Folded<'a> {
    original: &'a str,
    text: String,
    /// Many times the size of the text, so only made once something is found.
    pieces: OnceCell<Vec<Piece>>,
}

/// Text on its way to being folded, and for each character the byte range of the original it stands for.
#[derive(Default)]
struct Folding {
    text: String,
    pieces: Vec<Piece>,
    records_pieces: bool,
}

/// One folded character: where it begins in the folded text, and what it stands for in the original.
struct Piece {
    at: usize,
    start: usize,
    end: usize,
}

/// Where folded words stand.
pub(super) struct FoldMatch {
    /// The byte range in the original text.
    pub(super) original: std::ops::Range<usize>,
    /// Where in the folded text the search can go on.
    pub(super) next: usize,
}

/// Text with all classes of difference folded away.
pub(super) fn fold(text: &str) -> String {
    Folding::run(text, None, false).text
}

/// Text with all classes of difference but one folded away.
pub(super) fn fold_keeping(text: &str, kept: Difference) -> String {
    Folding::run(text, Some(kept), false).text
}

impl Folding {
    fn run(text: &str, kept: Option<Difference>, records_pieces: bool) -> Self {
        let folds = |difference| kept != Some(difference);
        let marks = if folds(Difference::MarkdownMarks) { markdown_marks(text) } else { Vec::new() };
        let mut marks = marks.into_iter().peekable();
        let mut folded = Self { records_pieces, ..Self::default() };
        for (start, char) in text.char_indices() {
            let end = start + char.len_utf8();
            while marks.next_if(|mark| mark.1 <= start).is_some() {}
            if marks.peek().is_some_and(|mark| mark.0 <= start) {
                continue;
            }
            if folds(Difference::WhiteSpace) && is_invisible(char) {
                continue;
            }
            if char.is_whitespace() && folds(Difference::WhiteSpace) {
                folded.push_space(start, end);
            } else if is_quotation_mark(char) && folds(Difference::QuotationMarks) {
                folded.push('\'', start, end);
            } else if is_dash(char) && folds(Difference::Dashes) {
                folded.push_dash(start, end);
            } else if char == '…' {
                (0..3).for_each(|_| folded.push('.', start, end));
            } else {
                folded.push_letter(char, start, end, folds(Difference::Case));
            }
        }
        if folded.text.ends_with(' ') && folds(Difference::WhiteSpace) {
            folded.pop();
        }
        folded
    }

    fn push(&mut self, char: char, start: usize, end: usize) {
        if self.records_pieces {
            self.pieces.push(Piece { at: self.text.len(), start, end });
        }
        self.text.push(char);
    }

    fn pop(&mut self) {
        self.pieces.pop();
        self.text.pop();
    }

    /// A run of white space is one space; next to a dash, or at the start, it is nothing.
    fn push_space(&mut self, start: usize, end: usize) {
        if !self.text.is_empty() && !self.text.ends_with([' ', '-']) {
            self.push(' ', start, end);
        }
    }

    /// A run of dashes, with the white space around it, is one dash.
    fn push_dash(&mut self, start: usize, end: usize) {
        if self.text.ends_with(' ') {
            self.pop();
        }
        if !self.text.ends_with('-') {
            self.push('-', start, end);
        }
    }

    /// Composed and decomposed letters are the same letter.
    fn push_letter(&mut self, char: char, start: usize, end: usize, lower: bool) {
        if char.is_ascii() {
            let char = if lower { char.to_ascii_lowercase() } else { char };
            return self.push(char, start, end);
        }
        decompose_canonical(char, |part| {
            if lower {
                part.to_lowercase().for_each(|small| self.push(small, start, end));
            } else {
                self.push(part, start, end);
            }
        });
    }
}

impl<'a> Folded<'a> {
    /// Folds away all classes of difference.
    pub(super) fn new(original: &'a str) -> Self {
        Self { original, text: fold(original), pieces: OnceCell::new() }
    }

    /// Where `needle`, itself folded, stands at or after position `from` of the folded text.
    pub(super) fn find(&self, needle: &str, from: usize) -> Option<FoldMatch> {
        let haystack = self.text.get(from..)?;
        memchr::memmem::find_iter(haystack.as_bytes(), needle.as_bytes())
            .map(|at| (from + at, from + at + needle.len()))
            .find_map(|(start, next)| self.original(start, next))
    }

    /// The original range of a folded one, unless it would cut a character into its parts ("cafe" is not in "café").
    fn original(&self, start: usize, next: usize) -> Option<FoldMatch> {
        let pieces = self.pieces.get_or_init(|| Folding::run(self.original, None, true).pieces);
        let first = pieces.binary_search_by_key(&start, |piece| piece.at).ok()?;
        let after = pieces.partition_point(|piece| piece.at < next);
        let last = after.checked_sub(1)?;
        let cut_before = first > 0 && pieces[first - 1].start == pieces[first].start;
        let cut_after = self.text[next..].starts_with(is_combining_mark)
            || pieces.get(after).is_some_and(|piece| piece.start == pieces[last].start);
        let original = pieces[first].start..pieces[last].end;
        (!cut_before && !cut_after).then_some(FoldMatch { original, next })
    }
}

/// The byte ranges of marks that only format: `**`, `__`, `~~`, back ticks, single `*` and `_` at a word's edge, and
/// headings, block quotes and bullets at a line's start.
fn markdown_marks(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut marks = Vec::new();
    let mut at = 0;
    let mut line_start = true;
    while at < bytes.len() {
        let byte = bytes[at];
        let may_format = matches!(byte, b'#' | b'>' | b'-' | b'+' | b'*' | b'_' | b'~' | b'`');
        let run = if may_format { bytes[at..].iter().take_while(|&&next| next == byte).count() } else { 1 };
        let next = bytes.get(at + run).copied();
        let followed_by_space = next.is_none_or(|next| next == b' ' || next == b'\n');
        let formats = match byte {
            b'#' => line_start && run <= 6 && followed_by_space,
            b'>' => line_start,
            b'-' | b'+' => line_start && run == 1 && next == Some(b' '),
            b'*' | b'_' | b'~' | b'`' => run > 1 || byte == b'`' || !inside_word(bytes, at),
            _ => false,
        };
        if formats {
            marks.push((at, at + run));
        }
        line_start = byte == b'\n' || (line_start && (byte == b' ' || formats));
        // Over the whole run, also where it does not format: what was counted once is never counted again.
        at += run;
    }
    marks
}

fn inside_word(bytes: &[u8], at: usize) -> bool {
    let is_word = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    is_word(at.checked_sub(1).and_then(|before| bytes.get(before))) && is_word(bytes.get(at + 1))
}

fn is_quotation_mark(char: char) -> bool {
    matches!(
        char,
        '\'' | '"' | '´' | '‘'..='‟' | '′' | '″' | '«' | '»' | '‹' | '›' | '＂' | '＇' | '「' | '」' | '『' | '』'
    )
}

fn is_dash(char: char) -> bool {
    matches!(char, '-' | '‐'..='―' | '−' | '⸺' | '⸻' | '﹘' | '﹣' | '－')
}

/// Characters that take no room: zero-width spaces and joiners outside scripts that need them, soft hyphens, marks of direction.
fn is_invisible(char: char) -> bool {
    matches!(char, '\u{200B}' | '\u{2060}' | '\u{FEFF}' | '\u{00AD}' | '\u{200E}' | '\u{200F}')
}
