//! Server-sent events in a stream of bytes: cut at blank lines and kept exactly as they came.

use bytes::{Bytes, BytesMut};

/// An event that is larger is none that a model sends.
const LARGEST: usize = 1 << 20;

/// Cuts a stream into events.
#[derive(Debug, Default)]
pub(crate) struct Splitter {
    open: BytesMut,
    /// How much of it was looked through.
    looked: usize,
}

/// An event is too large to be one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooLarge;

impl Splitter {
    /// Takes in bytes; the next events, each with the blank line behind it.
    pub(crate) fn take(&mut self, bytes: &[u8]) -> Result<Vec<Bytes>, TooLarge> {
        self.open.extend_from_slice(bytes);
        let mut events = Vec::new();
        while let Some(end) = self.end() {
            events.push(self.open.split_to(end).freeze());
            self.looked = 0;
        }
        self.looked = self.open.len().saturating_sub(3);
        if self.open.len() > LARGEST { Err(TooLarge) } else { Ok(events) }
    }

    /// What came behind the last blank line.
    pub(crate) fn rest(&mut self) -> Bytes {
        self.looked = 0;
        self.open.split().freeze()
    }

    /// Where the first event ends: behind two line ends, each of `\n`, `\r\n` or `\r`.
    fn end(&self) -> Option<usize> {
        let bytes = &self.open[..];
        let mut at = self.looked;
        while at < bytes.len() {
            let first = line_end(&bytes[at..]);
            if first > 0 {
                // A carriage return at the very end may be followed by the other half of its line end.
                let second = line_end(bytes.get(at + first..)?);
                let is_open = bytes.get(at + first + second).is_none() && bytes[at + first + second - 1] == b'\r';
                if second > 0 && !is_open {
                    return Some(at + first + second);
                }
                at += first;
            } else {
                at += 1;
            }
        }
        None
    }
}

/// How long the line end is at the start of some bytes; zero where there is none.
fn line_end(bytes: &[u8]) -> usize {
    match bytes {
        [b'\r', b'\n', ..] => 2,
        [b'\n' | b'\r', ..] => 1,
        _ => 0,
    }
}

/// The data of an event; none where it has none, an error where it is no text.
pub(crate) fn data(event: &[u8]) -> Result<Option<String>, std::str::Utf8Error> {
    let text = std::str::from_utf8(event)?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines = text.split(['\r', '\n']).filter_map(|line| line.strip_prefix("data:"));
    let lines: Vec<&str> = lines.map(|line| line.strip_prefix(' ').unwrap_or(line)).collect();
    Ok((!lines.is_empty()).then(|| lines.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str =
        ": hi\n\ndata: {\"a\":1}\n\nevent: x\r\ndata: é…\r\n\r\ndata: one\ndata: two\n\nid: 1\r\rdata: [DONE]\n\nrest";

    #[test]
    fn however_the_bytes_are_cut_the_events_are_the_same_and_no_byte_is_lost() {
        let mut whole = Splitter::default();
        let expected = whole.take(STREAM.as_bytes()).unwrap();
        assert_eq!(expected.len(), 6, "{expected:?}");
        for size in 1..STREAM.len() {
            let mut splitter = Splitter::default();
            let mut events = Vec::new();
            for piece in STREAM.as_bytes().chunks(size) {
                events.extend(splitter.take(piece).unwrap());
            }
            let rest = splitter.rest();
            assert_eq!(events, expected, "in pieces of {size}");
            let all: Vec<u8> = events.iter().chain([&rest]).flat_map(|event| event.to_vec()).collect();
            assert_eq!(all, STREAM.as_bytes());
        }
    }

    #[test]
    fn data_is_read_from_all_its_lines() {
        assert_eq!(data(b"event: x\r\ndata: a\r\ndata:b\r\n\r\n").unwrap().as_deref(), Some("a\nb"));
        assert_eq!(data(b": comment\n\n").unwrap(), None);
        assert!(data(b"data: \xff\n\n").is_err());
        assert_eq!(Splitter::default().take(&vec![b'x'; LARGEST + 1]), Err(TooLarge));
    }
}
