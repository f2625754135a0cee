//! Lines that fit: text broken by what it takes on a terminal, wide characters included.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The columns a text takes at most.
///
/// Terminals disagree on joined emoji: some draw one, others each part. The larger count never overflows on either.
///
/// ```
/// assert_eq!(carelock_core::report::columns("难过!"), 5);
/// ```
pub fn columns(text: &str) -> usize {
    let apart: usize = text.chars().map(|character| character.width().unwrap_or(0)).sum();
    text.width().max(apart)
}

/// Breaks one line of text into lines of at most `width` columns.
///
/// ```
/// assert_eq!(carelock_core::report::wrap("one two three", 7), ["one two", "three"]);
/// ```
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let width = width.max(2);
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text.split_whitespace() {
        for (place, piece) in pieces(word, width).into_iter().enumerate() {
            let takes = columns(piece);
            let space = usize::from(place == 0 && !line.is_empty());
            if used + space + takes > width && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
                used = 0;
            } else if space == 1 {
                line.push(' ');
                used += 1;
            }
            line.push_str(piece);
            used += takes;
        }
    }
    if !line.is_empty() {
        lines.push(line);
    }
    lines
}

/// The parts of a word between which a line may end: scripts without spaces break between characters, and what is
/// longer than a line breaks where the line is full.
fn pieces(word: &str, width: usize) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    let mut used = 0;
    let mut at = 0;
    for cluster in clusters(word, width) {
        let takes = columns(cluster);
        let before = word[..at].chars().next_back();
        let free = before.zip(cluster.chars().next()).is_some_and(|(before, after)| may_part(before, after));
        if at > start && (free || used + takes > width) {
            pieces.push(&word[start..at]);
            start = at;
            used = 0;
        }
        used += takes;
        at += cluster.len();
    }
    pieces.push(&word[start..]);
    pieces
}

/// Characters with the marks that belong to them, and emoji that are joined into one, as long as that fits a line.
fn clusters(word: &str, width: usize) -> Vec<&str> {
    let mut clusters = Vec::new();
    let mut start = 0;
    let mut before = None;
    for (at, character) in word.char_indices() {
        let takes = character.width().unwrap_or(0);
        let joined = takes == 0 || (joins(before, character) && columns(&word[start..at]) + takes <= width);
        if at > start && !joined {
            clusters.push(&word[start..at]);
            start = at;
        }
        before = Some(character);
    }
    clusters.push(&word[start..]);
    clusters
}

/// Whether two characters are drawn as one.
fn joins(before: Option<char>, after: char) -> bool {
    before == Some('\u{200d}') || is_skin_tone(after)
}

/// Whether a line may end between two characters that no space parts.
fn may_part(before: char, after: char) -> bool {
    let wide = |character: char| character.width() == Some(2);
    (wide(before) || wide(after)) && !joins(Some(before), after) && !opens(before) && !closes(after)
}

fn is_skin_tone(character: char) -> bool {
    matches!(character, '\u{1f3fb}'..='\u{1f3ff}')
}

fn opens(character: char) -> bool {
    "「『（【〈《〔［｛“‘(".contains(character)
}

fn closes(character: char) -> bool {
    "、。，．！？：；」』）】〉》〕］｝”’…ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ,.!?:;)".contains(character)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn words_stay_whole_where_they_fit() {
        assert_eq!(wrap("one two three four", 9), ["one two", "three", "four"]);
        assert_eq!(wrap("", 9), Vec::<String>::new());
    }

    #[test]
    fn a_word_longer_than_a_line_is_broken() {
        assert_eq!(wrap("abcdefghij", 4), ["abcd", "efgh", "ij"]);
    }

    #[test]
    fn chinese_breaks_between_characters_but_not_before_a_full_stop() {
        assert_eq!(wrap("我很难过。谢谢", 7), ["我很难", "过。谢", "谢"]);
    }

    #[test]
    fn a_joined_emoji_is_not_torn_apart() {
        let family = "👩\u{200d}👩\u{200d}👧";
        assert_eq!(wrap(&format!("aa{family}"), 6), ["aa", family]);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 512, ..ProptestConfig::default() })]
        #[test]
        fn no_line_is_wider_than_asked_and_nothing_is_lost(text in "[a-z 我。👩👧\u{200d}\u{fe0f}❤é\u{301}שa]{0,80}", width in 8_usize..40) {
            let lines = wrap(&text, width);
            for line in &lines {
                prop_assert!(line.width() <= width, "{line:?} takes more than {width}");
            }
            let letters = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(letters(&lines.concat()), letters(&text));
        }
    }
}
