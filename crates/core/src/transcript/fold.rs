//! Text with the differences folded away that do not change what was said, each character knowing where it came from.

use std::cell::RefCell;

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

/// Folded characters between two checkpoints, about.
const STEP: usize = 4096;

/// How far a window reaches beyond what was looked for, so that what stands next to it needs no window of its own.
const AHEAD: usize = 65_536;

/// Folded text that can tell where in the original its words stand.
pub(super) struct Folded<'a> {
    original: &'a str,
    text: String,
    checkpoints: Vec<Checkpoint>,
    /// The pieces around what was found last; those of the whole text would take more than twenty times its size.
    window: RefCell<Window>,
}

/// A place at which folding can be taken up in the middle of a text: the character before it is no space and no dash, so
/// that nothing which follows can change it.
#[derive(Clone, Copy)]
struct Checkpoint {
    at: usize,
    start: usize,
    marks: Marks,
}

/// The pieces of a part of the text.
#[derive(Default)]
struct Window {
    pieces: Vec<Piece>,
    /// Where in the folded text the part begins, and where it ends.
    from: usize,
    until: usize,
}

/// Text on its way to being folded, with places to take it up again or, for a window, with its pieces.
#[derive(Default)]
struct Folding {
    /// How much of the folded text lies before `text`.
    before: usize,
    text: String,
    checkpoints: Vec<Checkpoint>,
    pieces: Vec<Piece>,
    /// Where in the folded text a window ends; only windows record pieces, and only whole texts checkpoints.
    window_until: Option<usize>,
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
    Folding::whole(text, None).text
}

/// Text with all classes of difference but one folded away.
pub(super) fn fold_keeping(text: &str, kept: Difference) -> String {
    Folding::whole(text, Some(kept)).text
}

impl Folding {
    fn whole(text: &str, kept: Option<Difference>) -> Self {
        let mut folding = Self::default();
        folding.run(text, 0, Marks::default(), kept);
        folding
    }

    /// Folds a text from a place on, to its end or to that of the window.
    fn run(&mut self, text: &str, from: usize, mut marks: Marks, kept: Option<Difference>) {
        let folds = |difference| kept != Some(difference);
        for (start, char) in text[from..].char_indices().map(|(at, char)| (from + at, char)) {
            if folds(Difference::MarkdownMarks) && marks.cover(text.as_bytes(), start) {
                continue;
            }
            self.note_checkpoint(start, marks);
            let end = start + char.len_utf8();
            if char.is_ascii_alphanumeric() {
                self.push(if folds(Difference::Case) { char.to_ascii_lowercase() } else { char }, start, end);
            } else if folds(Difference::WhiteSpace) && is_invisible(char) {
                continue;
            } else if char.is_whitespace() && folds(Difference::WhiteSpace) {
                self.push_space(start, end);
            } else if is_quotation_mark(char) && folds(Difference::QuotationMarks) {
                self.push('\'', start, end);
            } else if is_dash(char) && folds(Difference::Dashes) {
                self.push_dash(start, end);
            } else if char == '…' {
                (0..3).for_each(|_| self.push('.', start, end));
            } else {
                self.push_letter(char, start, end, folds(Difference::Case));
            }
            if self.window_until.is_some_and(|until| self.at() > until) {
                return;
            }
        }
        self.window_until = self.window_until.map(|_| usize::MAX);
        if self.text.ends_with(' ') && folds(Difference::WhiteSpace) {
            self.pop();
        }
    }

    /// Where in the folded text the next character goes.
    fn at(&self) -> usize {
        self.before + self.text.len()
    }

    fn note_checkpoint(&mut self, start: usize, marks: Marks) {
        let due = self.checkpoints.last().map_or(0, |last| last.at) + STEP;
        if self.window_until.is_none() && self.at() >= due && !self.text.ends_with([' ', '-']) {
            self.checkpoints.push(Checkpoint { at: self.at(), start, marks });
        }
    }

    fn push(&mut self, char: char, start: usize, end: usize) {
        if self.window_until.is_some() {
            self.pieces.push(Piece { at: self.at(), start, end });
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
        let folding = Folding::whole(original, None);
        Self { original, text: folding.text, checkpoints: folding.checkpoints, window: RefCell::default() }
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
        let mut window = self.window.borrow_mut();
        if !window.covers(start, next) {
            *window = self.window_around(start, next);
        }
        let pieces = &window.pieces;
        let first = pieces.binary_search_by_key(&start, |piece| piece.at).ok()?;
        let after = pieces.partition_point(|piece| piece.at < next);
        let last = after.checked_sub(1)?;
        let cut_before = first > 0 && pieces[first - 1].start == pieces[first].start;
        let cut_after = self.text[next..].starts_with(is_combining_mark)
            || pieces.get(after).is_some_and(|piece| piece.start == pieces[last].start);
        let original = pieces[first].start..pieces[last].end;
        (!cut_before && !cut_after).then_some(FoldMatch { original, next })
    }

    fn window_around(&self, start: usize, next: usize) -> Window {
        let earlier = self.checkpoints.partition_point(|checkpoint| checkpoint.at < start);
        let mut folding = Folding { window_until: Some(next + AHEAD), ..Folding::default() };
        let mut from = 0;
        match earlier.checked_sub(1).map(|last| self.checkpoints[last]) {
            Some(checkpoint) => {
                // One character stands for all that came before.
                folding.text.push('x');
                folding.before = checkpoint.at - folding.text.len();
                from = checkpoint.at;
                folding.run(self.original, checkpoint.start, checkpoint.marks, None);
            }
            None => folding.run(self.original, 0, Marks::default(), None),
        }
        Window { pieces: folding.pieces, from, until: folding.window_until.unwrap_or_default() }
    }
}

impl Window {
    /// Whether a part of the folded text lies in it, with the characters before and after.
    fn covers(&self, start: usize, next: usize) -> bool {
        (self.from == 0 || self.from < start) && next < self.until
    }
}

/// The byte ranges of marks that only format, one after the other: `**`, `__`, `~~`, back ticks, single `*` and `_` at a
/// word's edge, and headings, block quotes and bullets at a line's start.
#[derive(Clone, Copy)]
struct Marks {
    at: usize,
    line_start: bool,
    current: (usize, usize),
}

impl Default for Marks {
    fn default() -> Self {
        Self { at: 0, line_start: true, current: (0, 0) }
    }
}

impl Marks {
    /// Whether a mark stands at a place; places must come in order.
    fn cover(&mut self, bytes: &[u8], start: usize) -> bool {
        while self.current.1 <= start {
            self.current = self.next(bytes);
        }
        self.current.0 <= start
    }

    /// The next mark, or one beyond the end.
    fn next(&mut self, bytes: &[u8]) -> (usize, usize) {
        while self.at < bytes.len() {
            let at = self.at;
            let byte = bytes[at];
            let may_format = matches!(byte, b'#' | b'>' | b'-' | b'+' | b'*' | b'_' | b'~' | b'`');
            let run = if may_format { bytes[at..].iter().take_while(|&&next| next == byte).count() } else { 1 };
            let next = bytes.get(at + run).copied();
            let followed_by_space = next.is_none_or(|next| next == b' ' || next == b'\n');
            let formats = match byte {
                b'#' => self.line_start && run <= 6 && followed_by_space,
                b'>' => self.line_start,
                b'-' | b'+' => self.line_start && run == 1 && next == Some(b' '),
                b'*' | b'_' | b'~' | b'`' => run > 1 || byte == b'`' || !inside_word(bytes, at),
                _ => false,
            };
            self.line_start = byte == b'\n' || (self.line_start && (byte == b' ' || formats));
            // Over the whole run, also where it does not format: what was counted once is never counted again.
            self.at += run;
            if formats {
                return (at, at + run);
            }
        }
        (usize::MAX, usize::MAX)
    }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Where words stand by the pieces of the whole text at once.
    fn found_at_once(text: &str, needle: &str) -> Option<std::ops::Range<usize>> {
        let whole = Folded { checkpoints: Vec::new(), ..Folded::new(text) };
        *whole.window.borrow_mut() = whole.window_around(0, text.len() * 4);
        whole.find(needle, 0).map(|found| found.original)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn words_far_into_a_text_are_found_where_they_stand(
            parts in proptest::collection::vec("[a-cé –*_>#\n…\u{301}“-]{0,12}", 1..8),
            times in 1usize..4000,
            before in "[a-c -]{0,9000}",
        ) {
            let text = format!("{before}{} Here it ENDS — at last. {}", parts[0].repeat(times), parts.concat());
            for needle in parts.iter().map(String::as_str).chain(["ends-at last", "it ends"]).map(fold) {
                let found = Folded::new(&text).find(&needle, 0).map(|found| found.original);
                prop_assert_eq!(found, found_at_once(&text, &needle), "{:?}", needle);
            }
        }
    }

    #[test]
    fn what_is_recorded_does_not_grow_with_the_text() {
        let text = "Café au LAIT – and so on. ".repeat(200_000) + "The end";
        let folded = Folded::new(&text);
        assert_eq!(folded.find("the end", 0).unwrap().original, text.len() - 7..text.len());
        assert!(folded.find("cafe", 0).is_none(), "a letter is cut");
        assert!(folded.window.borrow().pieces.len() < 2 * AHEAD, "{}", folded.window.borrow().pieces.len());
        assert!(folded.checkpoints.len() * STEP <= folded.text.len());
    }
}
