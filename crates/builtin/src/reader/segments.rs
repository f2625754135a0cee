//! Turns cut into the parts that are read at once, and what each part sees of those before it.

use std::ops::Range;

use carelock_core::transcript::Speaker;

use crate::reading::Reading;

/// A part has up to this many pieces, and a mark at either end.
pub(super) const MOST_PIECES: usize = 126;

/// Sentences of one turn that are read together.
#[derive(Debug, PartialEq)]
pub(super) struct Segment {
    pub(super) speaker: Speaker,
    /// Its sentences, as places in the reading.
    pub(super) sentences: Range<usize>,
    /// How many tokens it has, with its two marks.
    pub(super) tokens: usize,
    /// The segment before it in the chat.
    pub(super) before: Option<usize>,
    /// The last segment of the turn before, where that is another one.
    pub(super) other: Option<usize>,
    /// The last segment that sees this one.
    pub(super) seen_until: usize,
}

/// The pieces of a sentence that are read.
pub(super) fn pieces(sentence: &[u32]) -> &[u32] {
    &sentence[..sentence.len().min(MOST_PIECES)]
}

/// The segments of a chat in order.
pub(super) fn cut(reading: &Reading<'_>) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    for turn in &reading.turns {
        let turn_before = segments.len().checked_sub(1);
        let mut open = false;
        for place in turn.sentences.clone() {
            let size = pieces(&reading.sentences[place].pieces).len();
            match segments.last_mut() {
                Some(last) if open && last.tokens + size <= MOST_PIECES + 2 => {
                    last.tokens += size;
                    last.sentences.end = place + 1;
                }
                _ => {
                    let (here, before) = (segments.len(), segments.len().checked_sub(1));
                    let other = turn_before.filter(|_| turn_before != before);
                    for seen in [before, other].into_iter().flatten() {
                        segments[seen].seen_until = here;
                    }
                    let (speaker, sentences) = (turn.speaker, place..place + 1);
                    let tokens = size + 2;
                    segments.push(Segment { speaker, sentences, tokens, before, other, seen_until: here });
                    open = true;
                }
            }
        }
    }
    segments
}

/// Through how many others each segment before `start` is seen by those from there on; more than `most` where it is not.
pub(super) fn depths(segments: &[Segment], start: usize, most: usize) -> Vec<usize> {
    let mut depths = vec![most + 1; segments.len()];
    depths[start..].fill(0);
    for place in (0..segments.len()).rev() {
        let depth = depths[place] + 1;
        for seen in [segments[place].before, segments[place].other].into_iter().flatten().filter(|&seen| seen < start) {
            depths[seen] = depths[seen].min(depth);
        }
    }
    depths
}

/// The segments in groups of up to so many tokens, but at least one segment.
pub(super) fn groups(segments: &[Segment], most: usize) -> Vec<Range<usize>> {
    let mut groups: Vec<Range<usize>> = Vec::new();
    let mut tokens = 0;
    for (place, segment) in segments.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if tokens + segment.tokens <= most => group.end = place + 1,
            _ => {
                groups.push(place..place + 1);
                tokens = 0;
            }
        }
        tokens += segment.tokens;
    }
    groups
}

#[cfg(test)]
mod tests {
    use carelock_core::transcript::Transcript;

    use super::*;
    use crate::text::Vocabulary;

    #[test]
    fn a_part_sees_the_part_before_it_and_the_turn_before() {
        let long = "We went to the sea and the children played in the sand. ".repeat(20);
        let turns = vec![(Speaker::Human, "Hello.".to_owned()), (Speaker::Ai, long.clone()), (Speaker::Human, long)];
        let transcript = Transcript::new("test", turns).unwrap();
        let segments = cut(&Reading::new(&transcript, &Vocabulary::embedded()));
        let seen: Vec<_> = segments.iter().map(|segment| (segment.before, segment.other)).collect();
        assert_eq!(seen[..3], [(None, None), (Some(0), None), (Some(1), Some(0))]);
        let first = segments.iter().skip(1).position(|segment| segment.speaker == Speaker::Human).unwrap() + 1;
        assert_eq!(seen[first], (Some(first - 1), None));
        assert_eq!(seen[first + 1], (Some(first), Some(first - 1)));
        assert!(segments.iter().all(|segment| segment.tokens <= MOST_PIECES + 2));
        assert_eq!(segments[0].seen_until, first - 1);
        assert_eq!(groups(&segments, 1).len(), segments.len());
        assert_eq!(groups(&segments, usize::MAX).len(), 1);
    }
}
