//! From a sentence to the numbers of its word pieces.
//!
//! Words are lower-cased, freed of accents, and spelled out (`dont`, `don't` and `don’t` are all *do not*). Names become one
//! piece, because who it is about must not change a verdict, and so do numbers and medicines. What is left is cut into
//! the longest pieces that the vocabulary has.

use std::collections::{HashMap, HashSet};

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use super::{first_names, medicines};

/// Pieces that stand for a kind of word. They come first in the vocabulary, in this order.
const KINDS: [&str; 6] = ["<unknown>", "<name>", "<number>", "<smile>", "<emoji>", "<medicine>"];
const UNKNOWN: u32 = 0;
const NAME: u32 = 1;
const NUMBER: u32 = 2;
const SMILE: u32 = 3;
const EMOJI: u32 = 4;
const MEDICINE: u32 = 5;

/// A word longer than this is not a word.
const LONGEST_WORD: usize = 40;

/// The pieces words are cut into, the spellings that are evened out and the names that are hidden.
#[derive(Debug)]
pub struct Vocabulary {
    pieces: HashMap<&'static str, u32>,
    spellings: HashMap<&'static str, &'static str>,
    names: &'static HashSet<&'static str>,
    medicines: &'static HashSet<&'static str>,
}

/// How a word stands in its sentence.
#[derive(Clone, Copy)]
struct Look {
    /// Whether it begins with the only capital in it.
    capital: bool,
    /// Whether the place itself asks for a capital: the start of a sentence, or of something quoted.
    first: bool,
    /// Whether a comma follows.
    addressed: bool,
}

impl Look {
    /// Whether the capital is there because the word is a name.
    fn is_of_a_name(self) -> bool {
        self.capital && (!self.first || self.addressed)
    }
}

impl Vocabulary {
    /// The vocabulary that the judge was trained with.
    pub fn embedded() -> Self {
        Self::new(include_str!("../../data/pieces.txt"), include_str!("../../data/spellings.txt"))
    }

    /// Reads the two lists: a piece a line, and `short = long` a line.
    fn new(pieces: &'static str, spellings: &'static str) -> Self {
        let first = KINDS.len() as u32;
        let pieces = (first..).zip(pieces.lines()).map(|(number, piece)| (piece, number)).collect();
        let spellings = spellings
            .lines()
            .filter(|line| !line.starts_with('#'))
            .filter_map(|line| line.split_once('='))
            .map(|(short, long)| (short.trim(), long.trim()))
            .collect();
        Self { pieces, spellings, names: first_names(), medicines: medicines() }
    }

    /// How many different pieces there are.
    pub fn len(&self) -> usize {
        KINDS.len() + self.pieces.len()
    }

    /// Whether there are no pieces, which never happens.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The numbers of a sentence's pieces.
    pub fn pieces(&self, sentence: &str) -> Vec<u32> {
        let mut numbers = Vec::with_capacity(sentence.len() / 4 + 1);
        let mut word = String::new();
        let mut look = Look { capital: false, first: true, addressed: false };
        for c in sentence.nfd().filter(|&c| !is_combining_mark(c)) {
            let c = plain(c);
            if c.is_alphanumeric() || c == '\'' {
                look.capital = if word.is_empty() { c.is_uppercase() } else { look.capital && !c.is_uppercase() };
                word.extend(c.to_lowercase());
                continue;
            }
            look.addressed = c == ',';
            self.word(&word, look, &mut numbers);
            look.first = matches!(c, ':' | '"' | '*') || (look.first && word.is_empty());
            word.clear();
            if !c.is_whitespace() {
                numbers.push(self.mark(c));
            }
        }
        look.addressed = false;
        self.word(&word, look, &mut numbers);
        numbers
    }

    fn mark(&self, c: char) -> u32 {
        if let Some(&number) = self.pieces.get(c.encode_utf8(&mut [0; 4]) as &str) {
            return number;
        }
        match c {
            '😀'..='😋'
            | '😍'
            | '🙂'
            | '🎉'
            | '🥳'
            | '✨'
            | '🌟'
            | '🌈'
            | '💪'
            | '👍'
            | '🙌'
            | '😎'
            | '🤩'
            | '💯'
            | '🔥' => SMILE,
            c if c as u32 >= 0x2190 => EMOJI,
            _ => UNKNOWN,
        }
    }

    fn word(&self, word: &str, look: Look, numbers: &mut Vec<u32>) {
        let word = word.trim_matches('\'');
        if word.is_empty() {
            return;
        }
        if let Some(long) = self.spellings.get(word) {
            for part in long.split_whitespace() {
                self.cut(part, numbers);
            }
            return;
        }
        match word.split_once('\'') {
            // What someone owns, or what someone is.
            Some((owner, "s")) => {
                self.whole(owner, look, numbers);
                self.cut("s", numbers);
            }
            Some((start, rest)) => {
                self.whole(start, look, numbers);
                self.word(rest, Look { capital: false, ..look }, numbers);
            }
            None => self.whole(word, look, numbers),
        }
    }

    fn whole(&self, word: &str, look: Look, numbers: &mut Vec<u32>) {
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            // Numbers that people are sent to (crisis and emergency lines) are in the vocabulary; others are just numbers.
            numbers.push(self.pieces.get(word).copied().filter(|_| word.len() == 3).unwrap_or(NUMBER));
        } else if self.names.contains(word) {
            numbers.push(NAME);
        } else if self.medicines.contains(word) {
            numbers.push(MEDICINE);
        } else if look.is_of_a_name() && !self.pieces.contains_key(word) {
            numbers.push(NAME);
        } else {
            self.cut(word, numbers);
        }
    }

    /// The longest pieces first, from the left; pieces inside a word begin with `##`.
    fn cut(&self, word: &str, numbers: &mut Vec<u32>) {
        if word.len() > LONGEST_WORD {
            numbers.push(UNKNOWN);
            return;
        }
        let mark = numbers.len();
        let mut rest = word;
        let mut piece = String::with_capacity(word.len() + 2);
        while !rest.is_empty() {
            let longest = rest.char_indices().map(|(at, c)| at + c.len_utf8()).rev().find_map(|end| {
                piece.clear();
                if rest.len() < word.len() {
                    piece.push_str("##");
                }
                piece.push_str(&rest[..end]);
                self.pieces.get(piece.as_str()).map(|&number| (end, number))
            });
            let Some((end, number)) = longest else {
                numbers.truncate(mark);
                numbers.push(UNKNOWN);
                return;
            };
            numbers.push(number);
            rest = &rest[end..];
        }
    }
}

/// Curly quotes and dashes as a keyboard has them.
fn plain(c: char) -> char {
    match c {
        '’' | '‘' | '`' | '´' | 'ʼ' => '\'',
        '“' | '”' | '«' | '»' => '"',
        '–' | '—' | '‐' | '‑' => '-',
        c => c,
    }
}
