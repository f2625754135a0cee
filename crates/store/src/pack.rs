//! Transcripts and answers as they lie in the database: compressed, with a first byte that says how, and a checksum.

use crate::sql::storable;

/// A byte for the way of packing, then the length as four bytes, then a zstd frame: what earlier versions wrote.
const BARE: u8 = 1;
/// The same with a checksum before the frame.
const CHECKED: u8 = 2;
const HEADER: usize = 5;
const CHECKSUM: usize = 8;
const LEVEL: i32 = 3;

/// More than any chat has; keeps a damaged length from asking for all memory.
const LARGEST: usize = 512 << 20;

/// Packs bytes; `None` where they are too many. The checksum also holds for what lies beside them in the database.
pub(crate) fn pack(bytes: &[u8], beside: &[Option<&str>]) -> Option<Vec<u8>> {
    let length = u32::try_from(bytes.len()).ok().filter(|_| bytes.len() <= LARGEST)?;
    let frame = zstd::bulk::compress(bytes, LEVEL).ok()?;
    let mut packed = Vec::with_capacity(HEADER + CHECKSUM + frame.len());
    packed.push(CHECKED);
    packed.extend_from_slice(&length.to_le_bytes());
    packed.extend_from_slice(&checksum(bytes, beside));
    packed.extend_from_slice(&frame);
    Some(packed)
}

/// The bytes that were packed; `None` where they, or what lies beside them, are damaged.
pub(crate) fn unpack(packed: &[u8], beside: &[Option<&str>]) -> Option<Vec<u8>> {
    let (header, rest) = packed.split_at_checked(HEADER)?;
    let (&way, length) = header.split_first()?;
    let length = usize::try_from(u32::from_le_bytes(length.try_into().ok()?)).ok()?;
    let (expected, frame) = match way {
        BARE => (None, rest),
        CHECKED => rest.split_at_checked(CHECKSUM).map(|(expected, frame)| (Some(expected), frame))?,
        _ => return None,
    };
    if length > LARGEST {
        return None;
    }
    let bytes = zstd::bulk::decompress(frame, length).ok()?;
    let is_whole = expected.is_none_or(|expected| expected == checksum(&bytes, beside));
    (bytes.len() == length && is_whole).then_some(bytes)
}

/// The checksum of a text that is not packed.
pub(crate) fn text_checksum(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// Enough to notice any damage that happens by itself.
fn checksum(bytes: &[u8], beside: &[Option<&str>]) -> [u8; CHECKSUM] {
    let mut hasher = blake3::Hasher::new();
    for text in beside {
        let text = text.map(storable);
        let length = text.as_ref().map_or(u64::MAX, |text| text.len() as u64);
        hasher.update(&length.to_le_bytes());
        hasher.update(text.unwrap_or_default().as_bytes());
    }
    hasher.update(bytes);
    let mut checksum = [0; CHECKSUM];
    hasher.finalize_xof().fill(&mut checksum);
    checksum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back_and_repeated_words_take_little_room() {
        for bytes in [&b""[..], b"x", &b"I hear you. ".repeat(500)] {
            let packed = pack(bytes, &[Some("a"), None]).unwrap();
            assert_eq!(unpack(&packed, &[Some("a"), None]).unwrap(), bytes);
            assert_eq!(unpack(&packed, &[Some("a"), Some("")]), None);
        }
        assert!(pack(&b"I hear you. ".repeat(500), &[]).unwrap().len() < 100);
    }

    #[test]
    fn one_changed_bit_is_noticed_wherever_it_is() {
        let packed = pack(b"I hear you. That sounds heavy.", &[Some("beside")]).unwrap();
        for cut in 0..packed.len() {
            assert_eq!(unpack(&packed[..cut], &[Some("beside")]), None, "cut at {cut}");
        }
        for bit in 0..packed.len() * 8 {
            let mut changed = packed.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            let read = unpack(&changed, &[Some("beside")]);
            // Some bits of a frame say nothing about its content.
            assert!(read.is_none_or(|bytes| bytes == b"I hear you. That sounds heavy."), "bit {bit}");
        }
        assert_eq!(unpack(&[CHECKED, 255, 255, 255, 255, 0], &[]), None);
        assert_eq!(unpack(&[9, 0, 0, 0, 0], &[]), None);
    }

    #[test]
    fn what_earlier_versions_packed_is_read() {
        let bytes = b"I hear you.";
        let mut packed = vec![BARE];
        packed.extend_from_slice(&u32::try_from(bytes.len()).unwrap().to_le_bytes());
        packed.extend_from_slice(&zstd::bulk::compress(bytes, LEVEL).unwrap());
        assert_eq!(unpack(&packed, &[Some("anything")]).unwrap(), bytes);
    }
}
