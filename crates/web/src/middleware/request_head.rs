//! The heads of requests as they came over the wire, before a parser has put them in order: whether the end of a body is
//! told in two ways can only be seen there.

use std::collections::VecDeque;

/// The longest head that is looked at; a longer one is refused by the parser.
const LONGEST: usize = 64 << 10;

/// Where the bytes of a connection stand.
#[derive(Debug)]
enum Position {
    /// In a head, of which this much was seen.
    Head(Vec<u8>),
    /// In a body, of which so many bytes are to come.
    Body(u64),
    /// Behind a body whose end is not told in advance: nothing after it is answered on this connection.
    Beyond,
}

/// Marks a request the end of whose body is told in two ways.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ambiguous;

/// Looks at what arrives on a connection.
#[derive(Debug)]
pub(crate) struct Heads {
    place: Position,
    /// For every head that has not been asked for yet: whether the end of its body is ambiguous.
    seen: VecDeque<bool>,
}

impl Default for Heads {
    fn default() -> Self {
        Self { place: Position::Head(Vec::new()), seen: VecDeque::new() }
    }
}

impl Heads {
    /// Takes in what arrived.
    pub(crate) fn arrived(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            bytes = match &mut self.place {
                Position::Beyond => return,
                Position::Body(left) => {
                    let skipped = usize::try_from(*left).unwrap_or(usize::MAX).min(bytes.len());
                    *left -= skipped as u64;
                    if *left == 0 {
                        self.place = Position::Head(Vec::new());
                    }
                    &bytes[skipped..]
                }
                Position::Head(head) => {
                    let rest = add(head, bytes);
                    if ends(head) {
                        let head = std::mem::take(head);
                        self.enter_body(&head);
                    } else if head.len() > LONGEST {
                        self.place = Position::Beyond;
                    }
                    rest
                }
            };
        }
    }

    /// Whether the end of the next request's body is ambiguous; asked once for every request, in their order.
    pub(crate) fn next_is_ambiguous(&mut self) -> bool {
        self.seen.pop_front().unwrap_or_default()
    }

    fn enter_body(&mut self, head: &[u8]) {
        let lengths = values(head, b"content-length");
        let encodings = values(head, b"transfer-encoding");
        self.seen.push_back(lengths.len() > 1 || encodings.len() > 1 || !lengths.is_empty() && !encodings.is_empty());
        let length = match lengths.first() {
            Some(text) => std::str::from_utf8(text).ok().and_then(|text| text.trim().parse().ok()),
            None => Some(0),
        };
        self.place = match length {
            Some(0) if encodings.is_empty() => Position::Head(Vec::new()),
            Some(length) if encodings.is_empty() => Position::Body(length),
            _ => Position::Beyond,
        };
    }
}

/// Adds bytes up to the end of a head; what is left of them. Empty lines before a request belong to nothing.
fn add<'bytes>(head: &mut Vec<u8>, bytes: &'bytes [u8]) -> &'bytes [u8] {
    for (place, &byte) in bytes.iter().enumerate() {
        if head.is_empty() && matches!(byte, b'\r' | b'\n') {
            continue;
        }
        head.push(byte);
        if ends(head) || head.len() > LONGEST {
            return &bytes[place + 1..];
        }
    }
    &[]
}

/// Whether a head is complete: parsers take a bare line feed for the end of a line, too.
fn ends(head: &[u8]) -> bool {
    head.ends_with(b"\n\r\n") || head.ends_with(b"\n\n")
}

/// The values of a header, each line of it.
fn values<'head>(head: &'head [u8], name: &[u8]) -> Vec<&'head [u8]> {
    let lines = head.split(|byte| *byte == b'\n').skip(1);
    let fields = lines.filter_map(|line| {
        let colon = line.iter().position(|byte| *byte == b':')?;
        Some((line[..colon].trim_ascii(), line[colon + 1..].trim_ascii()))
    });
    fields.filter(|(field, _)| field.eq_ignore_ascii_case(name)).map(|(_, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(bytes: &[u8], piece: usize) -> Vec<bool> {
        let mut heads = Heads::default();
        bytes.chunks(piece).for_each(|some| heads.arrived(some));
        heads.seen.into()
    }

    #[test]
    fn a_body_with_two_ends_is_seen_in_any_order_and_in_any_pieces() {
        let plain = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
        let posted = "POST / HTTP/1.1\r\nContent-Length: 30\r\n\r\nTransfer-Encoding: chunked\r\n\r\n";
        let first = "POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n";
        let second = "POST / HTTP/1.1\nTransfer-Encoding: chunked\ncontent-LENGTH:3\n\n0\r\n\r\n";
        let twice = "POST / HTTP/1.1\r\nContent-Length: 0\r\nContent-Length: 0\r\n\r\n";
        for piece in [1, 7, 4096] {
            assert_eq!(
                seen(format!("{plain}\r\n{posted}{plain}{first}").as_bytes(), piece),
                [false, false, false, true]
            );
            assert_eq!(seen(format!("{posted}{second}").as_bytes(), piece), [false, true]);
            assert_eq!(seen(format!("{plain}{twice}{plain}").as_bytes(), piece), [false, true, false]);
            assert_eq!(seen(b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", piece), [false]);
        }
    }

    #[test]
    fn bytes_that_are_no_requests_are_looked_at_only_so_far() {
        assert!(seen(&vec![b'x'; 300_000], 4096).is_empty());
        assert_eq!(seen(&[0, 255, b'\n', b'\n', 1], 1), [false]);
    }
}
