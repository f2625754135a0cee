//! What every token takes from the tokens of its own segment, the segment before, and the turn before.

use super::arithmetic::{LANES, Lanes, TOGETHER, add_products, exp, larger, largest, sum};
use super::vectors::{Work, widest};
use super::{ATTENTION, HEAD, WIDTH};

/// A row with a token's query, key and value.
pub(super) const ASKED: usize = 3 * WIDTH;

/// Values of a head in panels.
const PANELS: usize = HEAD / LANES;

/// One over the root of a head's width.
const SCALE: f32 = 0.176_776_69;

/// Keys and values of a segment, in panels of lanes, filled up with zeros.
pub(super) struct Memory {
    tokens: usize,
    /// For every head and every 16 tokens: the keys of these, transposed.
    keys: Vec<Lanes>,
    /// For every head and every 16 values: these of all tokens.
    values: Vec<Lanes>,
}

impl Memory {
    /// Keys and values out of the rows of a segment.
    pub(super) fn new(rows: &[f32]) -> Self {
        let tokens = rows.len() / ASKED;
        let room = tokens.next_multiple_of(LANES);
        let mut keys = vec![[0.0; LANES]; room / LANES * WIDTH];
        let mut values = vec![[0.0; LANES]; room * WIDTH / LANES];
        for (panel, rows) in rows.chunks(LANES * ASKED).enumerate() {
            for head in 0..ATTENTION {
                let panel = &mut keys[(head * room / LANES + panel) * HEAD..][..HEAD];
                for (lane, row) in rows.chunks_exact(ASKED).enumerate() {
                    for (lanes, &value) in panel.iter_mut().zip(&row[WIDTH + head * HEAD..]) {
                        lanes[lane] = value;
                    }
                }
            }
        }
        for (token, row) in rows.chunks_exact(ASKED).enumerate() {
            for (panel, chunk) in row[2 * WIDTH..].as_chunks::<LANES>().0.iter().enumerate() {
                values[panel * room + token] = *chunk;
            }
        }
        Self { tokens, keys, values }
    }

    /// How many bytes this takes.
    pub(super) fn bytes(&self) -> usize {
        (self.keys.capacity() + self.values.capacity()) * size_of::<Lanes>()
    }

    /// The count of tokens, filled up to whole lanes.
    #[inline(always)]
    fn room(&self) -> usize {
        self.tokens.next_multiple_of(LANES)
    }

    #[inline(always)]
    fn keys(&self, head: usize) -> &[Lanes] {
        let size = self.room() / LANES * HEAD;
        &self.keys[head * size..][..size]
    }

    #[inline(always)]
    fn values(&self, head: usize, panel: usize) -> &[Lanes] {
        &self.values[(head * PANELS + panel) * self.room()..][..self.room()]
    }
}

/// A segment and what it sees: memories, each with the number of its kind (own, before, other).
struct Attention<'a> {
    rows: &'a [f32],
    seen: &'a [(usize, &'a Memory)],
    look: &'a [[f32; 3]],
    shares: &'a mut Vec<f32>,
    out: &'a mut [f32],
}

/// Mixes the values that the tokens of a segment see. `rows` are its queries, keys and values.
pub(super) fn attend(
    rows: &[f32],
    seen: &[(usize, &Memory)],
    look: &[[f32; 3]],
    shares: &mut Vec<f32>,
    out: &mut [f32],
) {
    widest(Attention { rows, seen, look, shares, out });
}

impl Work for Attention<'_> {
    #[inline(always)]
    fn run(self) {
        let Self { rows, seen, look, shares, out } = self;
        let wide = seen.iter().map(|(_, memory)| memory.room()).sum::<usize>();
        shares.clear();
        shares.resize(TOGETHER * wide, 0.0);
        for (head, look) in look.iter().enumerate() {
            let place = head * HEAD;
            for (rows, out) in rows.chunks(TOGETHER * ASKED).zip(out.chunks_mut(TOGETHER * WIDTH)) {
                // Where fewer rows are left, the last stands in for the missing ones.
                let last = rows.len() / ASKED - 1;
                let queries = std::array::from_fn(|row| &rows[row.min(last) * ASKED + place..][..HEAD]);
                compare(queries, seen, head, look, shares, wide);
                let mut totals = [0.0; TOGETHER];
                for (shares, total) in shares.chunks_exact_mut(wide).zip(&mut totals) {
                    *total = share_out(shares, seen);
                }
                for panel in 0..PANELS {
                    let sums = mix(shares, wide, seen, head, panel);
                    for ((sums, total), out) in sums.iter().zip(totals).zip(out.chunks_exact_mut(WIDTH)) {
                        for (out, sum) in out[place + panel * LANES..].iter_mut().zip(sums) {
                            *out = sum / total;
                        }
                    }
                }
            }
        }
    }
}

/// How well some queries fit every key.
#[inline(always)]
fn compare(
    queries: [&[f32]; TOGETHER],
    seen: &[(usize, &Memory)],
    head: usize,
    look: &[f32; 3],
    shares: &mut [f32],
    wide: usize,
) {
    let mut start = 0;
    for &(kind, memory) in seen {
        for panel in memory.keys(head).as_chunks::<HEAD>().0 {
            let mut sums = [[0.0; LANES]; TOGETHER];
            add_products(queries, panel, &mut sums);
            for (row, sums) in sums.iter().enumerate() {
                for (share, sum) in shares[row * wide + start..][..LANES].iter_mut().zip(sums) {
                    *share = sum * SCALE + look[kind];
                }
            }
            start += LANES;
        }
    }
}

/// Turns how well keys fit into shares; returns what they add up to.
#[inline(always)]
fn share_out(shares: &mut [f32], seen: &[(usize, &Memory)]) -> f32 {
    let mut start = 0;
    for (_, memory) in seen {
        shares[start + memory.tokens..start + memory.room()].fill(f32::MIN);
        start += memory.room();
    }
    let most = larger(largest(shares, |x| x), -1e30);
    for share in shares.iter_mut() {
        *share = exp(*share - most);
    }
    let mut start = 0;
    for (_, memory) in seen {
        shares[start + memory.tokens..start + memory.room()].fill(0.0);
        start += memory.room();
    }
    sum(shares, |x| x)
}

/// The values of a panel, each with its share.
#[inline(always)]
fn mix(shares: &[f32], wide: usize, seen: &[(usize, &Memory)], head: usize, panel: usize) -> [Lanes; TOGETHER] {
    let mut sums = [[0.0; LANES]; TOGETHER];
    let mut start = 0;
    for (_, memory) in seen {
        let room = memory.room();
        let shares = std::array::from_fn(|row| &shares[row * wide + start..][..room]);
        add_products(shares, memory.values(head, panel), &mut sums);
        start += room;
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(tokens: usize, start: usize) -> Vec<f32> {
        (0..tokens * ASKED).map(|place| ((place + start) * 7919 % 1009) as f32 / 250.0 - 2.0).collect()
    }

    /// What a token's values become, in double width and step by step.
    fn expected(query: &[f32], seen: &[(usize, &[f32])], head: usize, look: &[f32; 3]) -> Vec<f64> {
        let (mut total, mut sums) = (0.0, vec![0.0; HEAD]);
        for (kind, rows) in seen {
            for row in rows.chunks(ASKED) {
                let key = &row[WIDTH + head * HEAD..][..HEAD];
                let fit = query.iter().zip(key).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>();
                let share = (fit / (HEAD as f64).sqrt() + f64::from(look[*kind])).exp();
                total += share;
                for (sum, value) in sums.iter_mut().zip(&row[2 * WIDTH + head * HEAD..]) {
                    *sum += share * f64::from(*value);
                }
            }
        }
        sums.iter().map(|sum| sum / total).collect()
    }

    #[test]
    fn tokens_take_their_share_of_all_they_see_and_wide_vectors_change_no_bit() {
        let look: Vec<[f32; 3]> = (0..ATTENTION).map(|head| [0.1, -0.2 * head as f32, 0.3]).collect();
        for sizes in [[3, 0, 0], [17, 33, 0], [5, 128, 16]] {
            let parts = [0, 1, 2].map(|kind| rows(sizes[kind], kind * 31));
            let memories = parts.each_ref().map(|rows| Memory::new(rows));
            let seen: Vec<_> = memories.iter().enumerate().filter(|(_, memory)| memory.tokens > 0).collect();
            let (mut wide, mut plain) = (vec![0.0; sizes[0] * WIDTH], vec![0.0; sizes[0] * WIDTH]);
            attend(&parts[0], &seen, &look, &mut Vec::new(), &mut wide);
            let (rows, shares, out) = (&parts[0][..], &mut Vec::new(), &mut plain[..]);
            Attention { rows, seen: &seen, look: &look, shares, out }.run();
            assert!(wide == plain);
            let kinds: Vec<_> = parts.iter().map(Vec::as_slice).enumerate().collect();
            for (token, row) in parts[0].chunks(ASKED).enumerate() {
                for (head, look) in look.iter().enumerate() {
                    let right = expected(&row[head * HEAD..][..HEAD], &kinds, head, look);
                    let got = &wide[token * WIDTH + head * HEAD..];
                    let near = |(right, got): (&f64, &f32)| (right - f64::from(*got)).abs() < 1e-5;
                    assert!(right.iter().zip(got).all(near), "token {token}, head {head}");
                }
            }
        }
    }
}
