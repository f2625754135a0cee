//! Where sentences begin and end in a message.

use std::ops::Range;

/// Words that end in a full stop without ending a sentence.
const ABBREVIATIONS: [&str; 20] = [
    "mr", "mrs", "ms", "dr", "prof", "st", "e.g", "i.e", "eg", "ie", "etc", "vs", "a.m", "p.m", "no", "approx", "dept",
    "mt", "jr", "sr",
];

/// Sentences longer than this many words are cut at a comma: a classifier that sees a paragraph sees nothing.
const LONGEST: usize = 45;

/// The sentences of a text, as byte ranges, without list marks and blanks around them.
pub fn sentences(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let ends = match c {
            '\n' => true,
            '.' | '!' | '?' | '…' | ';' => {
                let after = chars.peek().map(|&(_, next)| next);
                let closes = |c: char| matches!(c, '"' | '”' | '’' | '\'' | ')' | ']' | '*' | '_');
                // Closing marks belong to the sentence they close.
                if after.is_some_and(closes) {
                    while chars.next_if(|&(_, next)| closes(next)).is_some() {}
                }
                let next = chars.peek().map(|&(_, next)| next);
                next.is_none_or(char::is_whitespace) && !(c == '.' && is_abbreviation(&text[start..at]))
            }
            _ => false,
        };
        if ends {
            let end = chars.peek().map_or(text.len(), |&(next, _)| next);
            push(text, start..end, &mut found);
            start = end;
        }
    }
    push(text, start..text.len(), &mut found);
    found
}

/// Whether the text before a full stop ends in an abbreviation, an initial or the number of a list item.
fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or(before);
    let is_initial = word.len() == 1 && word.chars().all(|c| c.is_ascii_uppercase() && c != 'I');
    let is_item = !word.is_empty() && word.len() <= 3 && word.chars().all(|c| c.is_ascii_digit()) && {
        let line = before.rsplit('\n').next().unwrap_or(before);
        line.trim_start_matches(['*', '#', '-', ' ', '\t']) == word
    };
    is_initial || is_item || ABBREVIATIONS.iter().any(|known| word.eq_ignore_ascii_case(known))
}

fn push(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let range = trim(text, range);
    let sentence = &text[range.clone()];
    if !sentence.chars().any(char::is_alphanumeric) {
        // A line of emoji or dots speaks too; a bare rule or bullet does not.
        if sentence.chars().all(|c| c.is_ascii_punctuation()) {
            return;
        }
    }
    if !sentence.is_empty() {
        shorten(text, range, found);
    }
}

/// Cuts a very long sentence at commas.
fn shorten(text: &str, range: Range<usize>, found: &mut Vec<Range<usize>>) {
    let sentence = &text[range.clone()];
    let words = sentence.split_whitespace().count();
    if words <= LONGEST {
        found.push(range);
        return;
    }
    let mut start = range.start;
    let mut count = 0;
    let mut inside = false;
    for (at, c) in sentence.char_indices() {
        if c.is_whitespace() {
            inside = false;
        } else if !inside {
            inside = true;
            count += 1;
        }
        let is_joint =
            matches!(c, ',' | '—' | '–' | ':') && sentence[at + c.len_utf8()..].starts_with(char::is_whitespace);
        let is_far = count >= LONGEST && c.is_whitespace();
        if (is_joint && count >= 15) || is_far {
            let end = range.start + at + c.len_utf8();
            let piece = trim(text, start..end);
            if !piece.is_empty() {
                found.push(piece);
            }
            start = end;
            count = 0;
        }
    }
    let rest = trim(text, start..range.end);
    if !rest.is_empty() {
        found.push(rest);
    }
}

/// Drops blanks, list marks and markdown around a sentence.
fn trim(text: &str, range: Range<usize>) -> Range<usize> {
    let piece = &text[range.clone()];
    let mut lead =
        piece.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '#' | '>' | '•' | '_' | '·'));
    if let Some(rest) = lead.strip_prefix(['-', '–', '—'])
        && rest.starts_with(char::is_whitespace)
    {
        lead = rest.trim_start();
    }
    let digits = lead.bytes().take_while(u8::is_ascii_digit).count();
    if (1..=2).contains(&digits) && lead[digits..].starts_with(['.', ')']) && lead[digits + 1..].starts_with(' ') {
        lead = lead[digits + 1..].trim_start();
    }
    let lead = lead.trim_start_matches(['*', '_']);
    let start = range.end - lead.len();
    let body = lead.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '_' | '#'));
    start..start + body.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<&str> {
        sentences(text).into_iter().map(|range| &text[range]).collect()
    }

    #[test]
    fn sentences_end_at_marks_and_lines() {
        assert_eq!(cut("I hear you. That's hard! Is it new?"), ["I hear you.", "That's hard!", "Is it new?"]);
        assert_eq!(cut("cant sleep... bad again\nhelp"), ["cant sleep...", "bad again", "help"]);
        assert_eq!(cut("She said \"stop.\" I did."), ["She said \"stop.\"", "I did."]);
    }

    #[test]
    fn abbreviations_and_list_numbers_do_not_end_one() {
        assert_eq!(cut("Ask Dr. Mora at 9 a.m. tomorrow."), ["Ask Dr. Mora at 9 a.m. tomorrow."]);
        assert_eq!(cut("1. Breathe out.\n2. **Call Ann.**"), ["Breathe out.", "Call Ann."]);
        assert_eq!(cut("- walk\n* rest\n---"), ["walk", "rest"]);
    }

    #[test]
    fn very_long_sentences_are_cut_at_commas() {
        let long = "word ".repeat(20) + "end, " + &"more ".repeat(40);
        let parts = cut(&long);
        assert_eq!(parts.len(), 2);
        assert!(parts[0].ends_with("end,"));
    }

    #[test]
    fn nothing_is_a_sentence_in_nothing() {
        assert!(cut("").is_empty());
        assert!(cut(" \n\n *** ").is_empty());
        assert_eq!(cut("😀"), ["😀"]);
    }
}
