//! What was recognised in every sentence, sentence by sentence and turn by turn.

use carelock_core::transcript::Speaker;

use crate::reading::Reading;

/// Evidence for every head in every sentence: the log-odds in 1/256.
#[derive(Debug)]
pub struct Signs {
    heads: usize,
    sentences: Vec<i16>,
    /// The strongest of every turn's sentences, as a probability in thousandths.
    turns: Vec<u16>,
    /// The strongest of every turn's sentences, as log-odds in thousandths.
    odds: Vec<i32>,
    /// The same, the strongest of the person's turns before every turn.
    so_far: Vec<i32>,
}

/// Log-odds (thousandths) where nothing was said yet.
const NOTHING: i32 = -32_000;

impl Signs {
    /// Sums the sentences up turn by turn.
    pub fn new(reading: &Reading<'_>, heads: usize, sentences: Vec<i16>) -> Self {
        let mut turns = vec![0; reading.turns.len() * heads];
        let mut odds = vec![0; reading.turns.len() * heads];
        for (place, turn) in reading.turns.iter().enumerate() {
            for head in 0..heads {
                let strongest = turn.sentences.clone().map(|sentence| sentences[sentence * heads + head]).max();
                let strongest = strongest.unwrap_or(i16::MIN);
                turns[place * heads + head] = probability(strongest);
                odds[place * heads + head] = i32::from(strongest) * 1000 / 256;
            }
        }
        let mut so_far = vec![NOTHING; reading.turns.len() * heads];
        for place in 1..reading.turns.len() {
            let is_person = reading.turns[place - 1].speaker == Speaker::Human;
            for head in 0..heads {
                let before = (place - 1) * heads + head;
                so_far[place * heads + head] = so_far[before].max(if is_person { odds[before] } else { NOTHING });
            }
        }
        Self { heads, sentences, turns, odds, so_far }
    }

    /// The strongest log-odds of a head in the person's turns before a turn, in thousandths.
    pub fn odds_so_far(&self, turn: usize, head: usize) -> i32 {
        self.so_far[turn * self.heads + head]
    }

    /// The probability of a head in a sentence, in thousandths.
    pub fn in_sentence(&self, sentence: usize, head: usize) -> u16 {
        probability(self.sentences[sentence * self.heads + head])
    }

    /// The log-odds of a head in a sentence, in thousandths.
    pub fn odds_in_sentence(&self, sentence: usize, head: usize) -> i32 {
        i32::from(self.sentences[sentence * self.heads + head]) * 1000 / 256
    }

    /// The probability of a head in a turn, in thousandths: that of its strongest sentence.
    pub fn in_turn(&self, turn: usize, head: usize) -> u16 {
        self.turns[turn * self.heads + head]
    }

    /// The log-odds of a head in a turn, in thousandths: those of its strongest sentence.
    pub fn odds_in_turn(&self, turn: usize, head: usize) -> i32 {
        self.odds[turn * self.heads + head]
    }

    /// The strongest sentence of a turn for a head.
    pub fn strongest_sentence(&self, reading: &Reading<'_>, turn: usize, head: usize) -> usize {
        let range = reading.turns[turn].sentences.clone();
        let first = range.start;
        range.rev().max_by_key(|&sentence| self.sentences[sentence * self.heads + head]).unwrap_or(first)
    }

    /// The turn of a speaker in which a head is strongest, among those with words to quote.
    pub fn strongest_turn(&self, reading: &Reading<'_>, speaker: Speaker, head: usize) -> Option<usize> {
        let mut best: Option<usize> = None;
        for turn in reading.spoken_turns_of(speaker) {
            if best.is_none_or(|best| self.odds_in_turn(turn, head) > self.odds_in_turn(best, head)) {
                best = Some(turn);
            }
        }
        best
    }
}

/// From log-odds in 1/256 to a probability in thousandths, by a table, so that every machine gets the same.
pub(crate) fn probability(odds: i16) -> u16 {
    // 1000 / (1 + e^-x) at x = 0, 1/4, 1/2, …, 8.
    const CURVE: [u16; 33] = [
        500, 562, 622, 679, 731, 777, 818, 852, 881, 905, 924, 940, 953, 963, 971, 977, 982, 986, 989, 991, 993, 995,
        996, 997, 998, 998, 998, 999, 999, 999, 999, 1000, 1000,
    ];
    let size = usize::from(odds.unsigned_abs());
    let (step, part) = (size / 64, size % 64);
    let value = match CURVE.get(step + 1) {
        Some(&next) => usize::from(CURVE[step]) + usize::from(next - CURVE[step]) * part / 64,
        None => 1000,
    };
    let value = value as u16;
    if odds < 0 { 1000 - value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_rise_with_the_odds_and_mirror_each_other() {
        assert_eq!(probability(0), 500);
        assert_eq!(probability(256), 731);
        assert_eq!(probability(i16::MAX), 1000);
        assert_eq!(probability(i16::MIN), 0);
        for odds in -3000..3000_i16 {
            assert!(probability(odds) <= probability(odds + 1));
            assert_eq!(probability(odds) + probability(-odds), 1000);
        }
    }
}
