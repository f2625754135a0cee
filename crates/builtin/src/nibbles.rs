//! Log-odds in 12 bits each, because a guard keeps those of thousands of chats: three half-bytes, or seven for a rare large one.

/// The least of the numbers that fit into 12 bits. Few heads speak for a sentence, and most speak clearly against it.
const LEAST: i16 = -3200;

/// The mark of a number that does not fit; its 16 bits follow.
const LARGE: u16 = 0xfff;

/// Numbers of 16 bits, most of them small, in as few bytes as that takes.
#[derive(Debug, Default)]
pub(crate) struct Nibbles {
    bytes: Vec<u8>,
    count: usize,
}

impl Nibbles {
    /// How many half-bytes there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// How many bytes this takes.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes.capacity()
    }

    /// Gives back room that is not needed.
    pub(crate) fn shrink(&mut self) {
        self.bytes.shrink_to_fit();
    }

    /// Adds a number.
    pub(crate) fn push(&mut self, number: i16) {
        if (LEAST..LEAST + LARGE as i16).contains(&number) {
            self.add((number - LEAST) as u16, 3);
        } else {
            self.add(LARGE, 3);
            self.add(number as u16, 4);
        }
    }

    /// Forgets everything from a half-byte on.
    pub(crate) fn truncate(&mut self, count: usize) {
        if count < self.count {
            self.count = count;
            self.bytes.truncate(count.div_ceil(2));
            if count % 2 == 1
                && let Some(last) = self.bytes.last_mut()
            {
                *last &= 0x0f;
            }
        }
    }

    /// The numbers in order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = i16> + '_ {
        let mut place = 0;
        std::iter::from_fn(move || {
            if place >= self.count {
                return None;
            }
            let mut take = |count: usize| {
                let value = (place..place + count).fold(0_u16, |value, at| value << 4 | self.at(at));
                place += count;
                value
            };
            let small = take(3);
            Some(if small == LARGE { take(4) as i16 } else { small as i16 + LEAST })
        })
    }

    fn at(&self, place: usize) -> u16 {
        let byte = self.bytes.get(place / 2).copied().unwrap_or(0);
        u16::from(if place.is_multiple_of(2) { byte & 0x0f } else { byte >> 4 })
    }

    fn add(&mut self, value: u16, nibbles: u32) {
        for shift in (0..nibbles).rev() {
            let nibble = (value >> (4 * shift) & 0x0f) as u8;
            match self.bytes.last_mut() {
                Some(last) if self.count % 2 == 1 => *last |= nibble << 4,
                _ => self.bytes.push(nibble),
            }
            self.count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_back_and_what_is_cut_off_is_gone() {
        let numbers: Vec<i16> = (i16::MIN..=i16::MAX).step_by(7).chain([0, -1, -3200, -3201, 894, 895]).collect();
        let mut nibbles = Nibbles::default();
        let mut lengths = Vec::new();
        for &number in &numbers {
            lengths.push(nibbles.len());
            nibbles.push(number);
        }
        assert!(nibbles.iter().eq(numbers.iter().copied()));
        for kept in [numbers.len() - 1, 4001, 4000, 1, 0] {
            nibbles.truncate(lengths[kept]);
            assert!(nibbles.iter().eq(numbers[..kept].iter().copied()), "{kept}");
            nibbles.push(5);
            assert_eq!(nibbles.iter().last(), Some(5));
            nibbles.truncate(lengths[kept]);
        }
    }
}
