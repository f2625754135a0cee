//! Parts of a chat that is too long to be judged at once.

use carelock_core::problem::Problem;
use carelock_core::transcript::Transcript;

use super::frame::turn_line;
use super::tokens::estimate_tokens;

/// A part of a chat: the numbers of its first and last turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its first turn.
    pub first: u32,
    /// Its last turn.
    pub last: u32,
}

impl Window {
    /// Whether a turn belongs to it.
    pub fn contains(self, idx: u32) -> bool {
        (self.first..=self.last).contains(&idx)
    }
}

/// Divides a chat into parts that each fit a budget of tokens; the last turns of one open the next.
///
/// A chat that fits is one part. The same chat, budget and overlap always give the same parts, together they hold every
/// turn, and the overlap gives way only where it would leave no room for a new turn.
pub fn windows(transcript: &Transcript, budget_tokens: usize, overlap_turns: usize) -> Result<Vec<Window>, Problem> {
    let sizes: Vec<usize> = transcript.turns().iter().map(|turn| estimate_tokens(&turn_line(turn)) + 2).collect();
    if let Some((turn, tokens)) = (1..).zip(&sizes).find(|&(_, &tokens)| tokens > budget_tokens) {
        let what = format!("turn {turn} alone takes about {tokens} tokens, the model has room for {budget_tokens}");
        return Err(Problem::new(what).advice("choose a model with a larger context"));
    }
    let mut parts = Vec::new();
    let mut new = 0;
    while new < sizes.len() {
        let start = reach_back(&sizes, new, budget_tokens, if parts.is_empty() { 0 } else { overlap_turns });
        let mut used: usize = sizes[start..new].iter().sum();
        let mut end = new;
        while end < sizes.len() && used + sizes[end] <= budget_tokens {
            used += sizes[end];
            end += 1;
        }
        // Turns are numbered from 1, and the chat has made sure that the numbers fit.
        let numbered = |position: usize| transcript.turns().get(position).map_or(u32::MAX, |turn| turn.idx);
        parts.push(Window { first: numbered(start), last: numbered(end - 1) });
        new = end;
    }
    Ok(parts)
}

/// Where a part begins whose first new turn is this one: as many turns before it as are wanted and leave it room.
fn reach_back(sizes: &[usize], new: usize, budget: usize, overlap: usize) -> usize {
    let mut start = new;
    let mut used = sizes[new];
    while start > 0 && new - start < overlap && used + sizes[start - 1] <= budget {
        start -= 1;
        used += sizes[start];
    }
    start
}

#[cfg(test)]
mod tests {
    use carelock_core::transcript::Speaker;
    use proptest::prelude::*;

    use super::*;

    fn chat(lengths: &[usize]) -> Transcript {
        let turn = |(place, &length): (usize, &usize)| {
            let speaker = if place % 2 == 0 { Speaker::Human } else { Speaker::Ai };
            (speaker, "word ".repeat(length + 1))
        };
        Transcript::new("long", lengths.iter().enumerate().map(turn).collect()).unwrap()
    }

    #[test]
    fn a_chat_that_fits_is_one_part() {
        assert_eq!(windows(&chat(&[5; 10]), 100_000, 2), Ok(vec![Window { first: 1, last: 10 }]));
    }

    #[test]
    fn the_last_turns_of_a_part_open_the_next() {
        let size = estimate_tokens(&turn_line(&chat(&[9; 10]).turns()[0])) + 2;
        let parts = windows(&chat(&[9; 10]), size * 4 + 3, 1).unwrap();
        let bounds: Vec<(u32, u32)> = parts.iter().map(|part| (part.first, part.last)).collect();
        assert_eq!(bounds, [(1, 4), (4, 7), (7, 10)]);
    }

    #[test]
    fn a_turn_that_does_not_fit_is_an_error_and_never_cut() {
        let error = windows(&chat(&[2, 400, 2]), 100, 1).unwrap_err();
        assert!(error.what.starts_with("turn 2 alone") && error.what.ends_with("room for 100"));
    }

    proptest! {
        #[test]
        fn parts_hold_every_turn_and_fit(
            lengths in proptest::collection::vec(0_usize..40, 2..40), budget in 90_usize..200, overlap in 0_usize..5,
        ) {
            let chat = chat(&lengths);
            let parts = windows(&chat, budget, overlap).unwrap();
            prop_assert_eq!(parts[0].first, 1);
            prop_assert_eq!(parts[parts.len() - 1].last as usize, lengths.len());
            for pair in parts.windows(2) {
                prop_assert!(pair[1].first <= pair[0].last + 1 && pair[1].last > pair[0].last);
                prop_assert!(pair[1].first + overlap as u32 > pair[0].last);
            }
            for part in &parts {
                let turns = chat.turns().iter().filter(|turn| part.contains(turn.idx));
                let used: usize = turns.map(|turn| estimate_tokens(&turn_line(turn)) + 2).sum();
                prop_assert!(used <= budget);
            }
        }
    }
}
