//! One layer: attention, then two dense steps, each added to what was there and normalised.

use super::arithmetic::normalise;
use super::attention::{ASKED, Memory, attend};
use super::product::{Multiplier, Product, ROWS};
use super::segments::Segment;
use super::vectors::{Work, widest};
use super::weights::Norm;
use super::{INNER, WIDTH};

/// The weights of a layer.
pub(super) struct Layer {
    /// Query, key and value in one.
    pub(super) asked: Product,
    pub(super) out: Product,
    pub(super) norm1: Norm,
    pub(super) up: Product,
    pub(super) down: Product,
    pub(super) norm2: Norm,
    /// How much each head looks at the own segment, the one before, and the turn before.
    pub(super) look: Vec<[f32; 3]>,
}

/// What earlier segments left for later ones in one layer, with their places.
pub(super) type Memories = Vec<(usize, Memory)>;

/// Room for what is computed on the way, used again and again.
#[derive(Default)]
pub(super) struct Room {
    asked: Vec<f32>,
    mixed: Vec<f32>,
    inner: Vec<f32>,
    added: Vec<f32>,
    shares: Vec<f32>,
}

impl Layer {
    /// Changes the tokens of a group of segments; remembers what later groups will see.
    pub(super) fn run(
        &self,
        multiplier: &mut Multiplier,
        segments: &[Segment],
        group: &[usize],
        memories: &mut Memories,
        tokens: &mut [f32],
        room: &mut Room,
    ) {
        room.asked.resize(tokens.len() / WIDTH * ASKED, 0.0);
        room.mixed.resize(tokens.len(), 0.0);
        self.asked.of(multiplier, tokens, &mut room.asked);
        let (mut asked, mut mixed) = (&room.asked[..], &mut room.mixed[..]);
        for &place in group {
            let segment = &segments[place];
            let (rows, later) = asked.split_at(segment.tokens * ASKED);
            let (out, rest) = mixed.split_at_mut(segment.tokens * WIDTH);
            memories.push((place, Memory::new(rows)));
            let kinds = [Some(place), segment.before, segment.other].into_iter().enumerate();
            let find = |wanted| memories.iter().find(|(place, _)| Some(*place) == wanted);
            let seen = kinds.filter_map(|(kind, wanted)| find(wanted).map(|(_, memory)| (kind, memory)));
            attend(rows, &seen.collect::<Vec<_>>(), &self.look, &mut room.shares, out);
            // What the last segment sees is kept too: it may be read again when it has grown.
            let is_seen = |until: usize| until > place || until + 1 == segments.len();
            memories.retain(|(seen, _)| is_seen(segments[*seen].seen_until) || *seen == place);
            (asked, mixed) = (later, rest);
        }
        self.dense(multiplier, tokens, room);
    }

    /// The steps behind attention.
    fn dense(&self, multiplier: &mut Multiplier, tokens: &mut [f32], room: &mut Room) {
        let Room { mixed, inner, added, .. } = room;
        for (tokens, mixed) in tokens.chunks_mut(ROWS * WIDTH).zip(mixed.chunks(ROWS * WIDTH)) {
            added.resize(tokens.len(), 0.0);
            inner.resize(tokens.len() / WIDTH * INNER, 0.0);
            self.out.of(multiplier, mixed, added);
            widest(Adding { tokens, added, norm: &self.norm1 });
            self.up.bent(multiplier, tokens, inner);
            self.down.of(multiplier, inner, added);
            widest(Adding { tokens, added, norm: &self.norm2 });
        }
    }
}

/// What was computed is added to the tokens, which are then normalised.
struct Adding<'a> {
    tokens: &'a mut [f32],
    added: &'a [f32],
    norm: &'a Norm,
}

impl Work for Adding<'_> {
    #[inline(always)]
    fn run(self) {
        for (row, added) in self.tokens.chunks_exact_mut(WIDTH).zip(self.added.chunks_exact(WIDTH)) {
            for (x, added) in row.iter_mut().zip(added) {
                *x += added;
            }
            normalise(row, &self.norm.weight, &self.norm.bias);
        }
    }
}
