//! A look at a Parquet file's footer before it is decoded.
//!
//! The footer is a Thrift struct in the compact protocol. The decoder makes room for every list before it has read one
//! element, so a few damaged bytes could ask for gigabytes. Every element takes at least one byte: a list that claims
//! more elements than there are bytes left is damaged, and is refused here.

/// The magic number that opens and ends a Parquet file.
const MAGIC: &[u8] = b"PAR1";

/// Deeper than any footer that a writer makes (seven), shallow enough for any stack.
const DEEPEST: usize = 64;

/// Whether the footer's lists can hold what they claim. A file without a footer is left to the decoder's own errors.
pub(super) fn is_plausible(file: &[u8]) -> bool {
    let Some(rest) = file.strip_suffix(MAGIC) else { return true };
    let Some((rest, length)) = rest.split_last_chunk::<4>() else { return true };
    let length = u32::from_le_bytes(*length) as usize;
    let Some(start) = rest.len().checked_sub(length) else { return true };
    Walk { bytes: &rest[start..] }.structure(0).is_some()
}

/// What is left of the footer. Every step answers `None` where the bytes end or claim what cannot be.
struct Walk<'a> {
    bytes: &'a [u8],
}

impl Walk<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn skip(&mut self, count: usize) -> Option<()> {
        self.bytes = self.bytes.get(count..)?;
        Some(())
    }

    fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(number);
            }
        }
        None
    }

    /// A count of things that take at least one byte each.
    fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.bytes.len()).then_some(count)
    }

    fn structure(&mut self, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        loop {
            let head = self.byte()?;
            let kind = head & 0x0f;
            if kind == 0 {
                return Some(());
            }
            // A difference of 0 says that the field's whole number follows.
            if head >> 4 == 0 {
                self.number()?;
            }
            // A truth value that is a field lies in the field's kind.
            if !matches!(kind, 1 | 2) {
                self.value(kind, depth)?;
            }
        }
    }

    fn value(&mut self, kind: u8, depth: usize) -> Option<()> {
        match kind {
            1..=3 => self.skip(1),
            4..=6 => self.number().map(|_| ()),
            7 => self.skip(8),
            8 => {
                let length = self.count()?;
                self.skip(length)
            }
            9 | 10 => self.list(depth + 1),
            12 => self.structure(depth + 1),
            // Parquet's footer has no maps.
            _ => None,
        }
    }

    fn list(&mut self, depth: usize) -> Option<()> {
        if depth > DEEPEST {
            return None;
        }
        let head = self.byte()?;
        let count = if head >> 4 == 15 { self.count()? } else { usize::from(head >> 4) };
        if count > self.bytes.len() {
            return None;
        }
        for _ in 0..count {
            self.value(head & 0x0f, depth)?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(footer: &[u8]) -> Vec<u8> {
        let length = u32::try_from(footer.len()).unwrap().to_le_bytes();
        [MAGIC, footer, &length, MAGIC].concat()
    }

    #[test]
    fn a_list_longer_than_the_bytes_that_are_left_is_refused() {
        // Field 1 is a list of 2 numbers; then the same with 15 and with 2^32 claimed.
        assert!(is_plausible(&file(&[0x19, 0x25, 2, 4, 0])));
        assert!(!is_plausible(&file(&[0x19, 0xe5, 2, 4, 0])));
        assert!(!is_plausible(&file(&[0x19, 0xf5, 0x80, 0x80, 0x80, 0x80, 0x10, 2, 4, 0])));
    }

    #[test]
    fn nesting_without_end_is_refused() {
        assert!(!is_plausible(&file(&[0x1c; 4096])));
        assert!(!is_plausible(&file(&[[0x19].as_slice(), &[0x19; 4096]].concat())));
    }

    #[test]
    fn what_has_no_footer_is_left_to_the_decoder() {
        assert!(is_plausible(b""));
        assert!(is_plausible(b"PAR1PAR1"));
        assert!(is_plausible(b"PAR1\xff\xff\xff\xffPAR1"));
    }
}
