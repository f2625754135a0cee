//! Finding: patterns first, then learned names, then every value that was found anywhere.

use std::collections::BTreeSet;
use std::ops::Range;

use aho_corasick::AhoCorasick;
use carelock_core::transcript::Speaker;
use unicode_normalization::char::is_combining_mark;

use super::name::Names;
use super::placeholder::{Book, standing};
use super::{Kind, RedactOptions, address, contact, help, identity, introduction, phone};

/// What to look for, and the names learned so far.
pub(super) struct Finder<'a> {
    options: &'a RedactOptions,
    names: Names,
    /// The web sites a person named: what only the AI names is help it gives, and judges must see it.
    persons_hosts: BTreeSet<String>,
    /// The numbers the AI calls help lines, unless a person said them first.
    help_numbers: BTreeSet<String>,
}

/// Tells a callback where things of which kind stand in a text.
type Pattern = fn(&str, &mut dyn FnMut(Range<usize>, Kind));

/// The parts of one text that are to be replaced; whoever comes first has them.
pub(super) struct Claims {
    taken: Vec<bool>,
    spans: Vec<(Range<usize>, Kind)>,
}

impl Claims {
    fn over(text: &str) -> Self {
        let mut claims = Self { taken: vec![false; text.len()], spans: Vec::new() };
        for range in standing(text) {
            claims.taken[range].fill(true);
        }
        claims
    }

    /// Claims a part, unless it is empty or something of it is taken.
    pub(super) fn claim(&mut self, range: Range<usize>, kind: Kind) {
        let Some(taken) = self.taken.get_mut(range.clone()) else { return };
        if !taken.is_empty() && taken.iter().all(|taken| !taken) {
            taken.fill(true);
            self.spans.push((range, kind));
        }
    }
}

impl<'a> Finder<'a> {
    pub(super) fn new(options: &'a RedactOptions) -> Self {
        Self {
            options,
            names: Names::from_labels(&options.names),
            persons_hosts: BTreeSet::new(),
            help_numbers: BTreeSet::new(),
        }
    }

    /// Learns the names that turns tell, and the web sites people name.
    pub(super) fn learn(&mut self, turns: &[(Speaker, String)]) {
        for (_, text) in turns.iter().filter(|(speaker, _)| *speaker == Speaker::Human) {
            self.persons_hosts.extend(contact::hosts(text));
        }
        self.learn_help_numbers(turns);
        if self.options.kinds.contains(&Kind::Name) {
            for (speaker, text) in turns {
                introduction::learn(&mut self.names, *speaker, text);
            }
        }
    }

    fn learn_help_numbers(&mut self, turns: &[(Speaker, String)]) {
        let mut persons = BTreeSet::new();
        for (speaker, text) in turns {
            phone::find(text, &mut |range, _| {
                let digits = phone::digits(&text[range.clone()]);
                if *speaker == Speaker::Human {
                    persons.insert(digits);
                } else if help::announces_help(&text[..range.start]) {
                    self.help_numbers.insert(digits);
                }
            });
        }
        self.help_numbers.retain(|number| !persons.contains(number));
    }

    /// Replaces what is found; whether there was anything.
    pub(super) fn replace(&self, turns: &mut [(Speaker, String)], book: &mut Book) -> bool {
        let known: Vec<(Kind, String)> = book.entries().map(|entry| (entry.kind, entry.value.clone())).collect();
        let search = AhoCorasick::new(known.iter().map(|(_, value)| value.as_str())).ok();
        let mut any = false;
        for (speaker, text) in turns {
            let mut claims = Claims::over(text);
            self.claim_patterns(*speaker, text, &mut claims);
            if self.options.kinds.contains(&Kind::Name) {
                self.names.claim(text, &mut claims);
            }
            if let Some(search) = &search {
                for found in search.find_overlapping_iter(text.as_str()) {
                    if stands_alone(text, found.range()) {
                        claims.claim(found.range(), known[found.pattern().as_usize()].0);
                    }
                }
            }
            if !claims.spans.is_empty() {
                *text = written(text, claims.spans, book);
                any = true;
            }
        }
        any
    }

    fn claim_patterns(&self, speaker: Speaker, text: &str, claims: &mut Claims) {
        let finders: [Pattern; 4] = [contact::find, identity::find, phone::find, address::find];
        for find in finders {
            find(text, &mut |range, kind| {
                if self.options.kinds.contains(&kind) && !self.is_help(speaker, text, &range, kind) {
                    claims.claim(range, kind);
                }
            });
        }
    }

    /// Whether the AI gives a web site the person did not name, or a number it calls a help line.
    fn is_help(&self, speaker: Speaker, text: &str, range: &Range<usize>, kind: Kind) -> bool {
        match kind {
            _ if speaker == Speaker::Human => false,
            Kind::Url => !self.persons_hosts.contains(&contact::host(&text[range.clone()])),
            Kind::Phone => self.help_numbers.contains(&phone::digits(&text[range.clone()])),
            _ => false,
        }
    }
}

/// The text with placeholders in the place of spans.
fn written(text: &str, mut spans: Vec<(Range<usize>, Kind)>, book: &mut Book) -> String {
    spans.sort_by_key(|(range, _)| range.start);
    let mut redacted = String::with_capacity(text.len());
    let mut from = 0;
    for (range, kind) in spans {
        redacted.push_str(&text[from..range.start]);
        redacted.push_str(book.placeholder(kind, &text[range.clone()]));
        from = range.end;
    }
    redacted.push_str(&text[from..]);
    redacted
}

/// Whether a letter or digit belongs to a word; an accent set on a letter does, too.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || is_combining_mark(c)
}

/// Whether a part of a text is not a piece of a longer word or number.
pub(super) fn stands_alone(text: &str, range: Range<usize>) -> bool {
    let edge = |inner: Option<char>, outer: Option<char>| !(inner.is_some_and(is_word) && outer.is_some_and(is_word));
    let part = &text[range.clone()];
    edge(part.chars().next(), text[..range.start].chars().next_back())
        && edge(part.chars().next_back(), text[range.end..].chars().next())
}
