//! Lines of a file a batch at a time, so that a file of any size passes through little memory.

use std::io::{self, BufRead, BufReader, Read};

/// Numbered lines.
pub(super) struct Lines {
    reader: BufReader<Box<dyn Read + Send>>,
    number: usize,
    longest: usize,
    usual: usize,
}

/// A line and its number, from 1.
pub(super) struct Line {
    pub(super) number: usize,
    /// None when the line is longer than is allowed.
    pub(super) bytes: Option<Vec<u8>>,
}

impl Lines {
    pub(super) fn new(source: Box<dyn Read + Send>, longest: usize) -> Self {
        Self { reader: BufReader::with_capacity(1 << 18, source), number: 0, longest, usual: 256 }
    }

    /// Adds the next lines that are not blank, together about `size` bytes; adds none at the end.
    pub(super) fn batch(&mut self, size: usize, lines: &mut Vec<Line>) -> io::Result<()> {
        let mut bytes = 0;
        while bytes < size {
            // Lines of a file tend to be alike, so the last one says how much room the next will need.
            let mut line = Vec::with_capacity(self.usual);
            // Room for a line end: what is still longer without it is too long.
            let read = (&mut self.reader).take(self.longest as u64 + 2).read_until(b'\n', &mut line)?;
            if read == 0 {
                break;
            }
            self.number += 1;
            let is_whole = line.ends_with(b"\n");
            while line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
                line.pop();
            }
            bytes += line.len();
            self.usual = (line.len() + line.len() / 4 + 64).min(1 << 20);
            if line.len() > self.longest {
                lines.push(Line { number: self.number, bytes: None });
                if !is_whole {
                    self.reader.skip_until(b'\n')?;
                }
            } else if !line.iter().all(u8::is_ascii_whitespace) {
                lines.push(Line { number: self.number, bytes: Some(line) });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &'static str, longest: usize, size: usize) -> Vec<(usize, Option<String>)> {
        let mut lines = Lines::new(Box::new(text.as_bytes()), longest);
        let mut all = Vec::new();
        loop {
            let mut batch = Vec::new();
            lines.batch(size, &mut batch).unwrap();
            if batch.is_empty() {
                return all;
            }
            let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
            all.extend(batch.into_iter().map(|line| (line.number, line.bytes.map(text))));
        }
    }

    #[test]
    fn a_line_that_is_too_long_does_not_hide_the_others() {
        let kept = |number: usize, text: &str| (number, Some(text.to_owned()));
        for size in [1, 8, 1000] {
            let found = all("ab\n\nabcd\r\nabcde\nabcdefghijkl\nxyz", 4, size);
            assert_eq!(found, [kept(1, "ab"), kept(3, "abcd"), (4, None), (5, None), kept(6, "xyz")]);
        }
    }

    #[test]
    fn line_ends_do_not_count_towards_the_length() {
        let kept = |number: usize, text: &str| (number, Some(text.to_owned()));
        assert_eq!(all("abcd\nabcd\r\nabcd", 4, 1000), [kept(1, "abcd"), kept(2, "abcd"), kept(3, "abcd")]);
        assert_eq!(all("abcde", 4, 1000), [(1, None)]);
    }
}
