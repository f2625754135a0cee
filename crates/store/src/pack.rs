//! Transcripts and answers as they lie in the database: compressed, with a first byte that says how.

/// A byte for the way of packing, then the length as four bytes, then a zstd frame.
const ZSTD: u8 = 1;
const HEADER: usize = 5;
const LEVEL: i32 = 3;

/// More than any chat has; keeps a damaged length from asking for all memory.
const LARGEST: usize = 512 << 20;

/// Packs bytes; `None` where they are too many.
pub(crate) fn pack(bytes: &[u8]) -> Option<Vec<u8>> {
    let length = u32::try_from(bytes.len()).ok().filter(|_| bytes.len() <= LARGEST)?;
    let frame = zstd::bulk::compress(bytes, LEVEL).ok()?;
    let mut packed = Vec::with_capacity(HEADER + frame.len());
    packed.push(ZSTD);
    packed.extend_from_slice(&length.to_le_bytes());
    packed.extend_from_slice(&frame);
    Some(packed)
}

/// The bytes that were packed; `None` where they are damaged.
pub(crate) fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let (header, frame) = packed.split_at_checked(HEADER)?;
    let (&way, length) = header.split_first()?;
    let length = usize::try_from(u32::from_le_bytes(length.try_into().ok()?)).ok()?;
    if way != ZSTD || length > LARGEST {
        return None;
    }
    let bytes = zstd::bulk::decompress(frame, length).ok()?;
    (bytes.len() == length).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_packed_comes_back_and_repeated_words_take_little_room() {
        for bytes in [&b""[..], b"x", &b"I hear you. ".repeat(500)] {
            let packed = pack(bytes).unwrap();
            assert_eq!(unpack(&packed).unwrap(), bytes);
        }
        assert!(pack(&b"I hear you. ".repeat(500)).unwrap().len() < 100);
    }

    #[test]
    fn damaged_bytes_are_refused_and_never_panic() {
        let packed = pack(b"I hear you. That sounds heavy.").unwrap();
        for cut in 0..packed.len() {
            assert_eq!(unpack(&packed[..cut]), None, "cut at {cut}");
        }
        for at in 0..packed.len() {
            let mut changed = packed.clone();
            changed[at] ^= 0x55;
            let _ = unpack(&changed);
        }
        assert_eq!(unpack(&[ZSTD, 255, 255, 255, 255, 0]), None);
        assert_eq!(unpack(&[9, 0, 0, 0, 0]), None);
    }
}
