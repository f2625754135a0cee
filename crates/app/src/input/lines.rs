//! Lines of a file a batch at a time, so that a file of any size passes through little memory.

use std::io::{BufRead, BufReader, Read};

use anyhow::{Result, bail};

/// Numbered lines.
pub(super) struct Lines {
    reader: BufReader<Box<dyn Read + Send>>,
    number: usize,
    longest: usize,
    usual: usize,
}

/// A line and its number, from 1.
pub(super) type Line = (usize, Vec<u8>);

impl Lines {
    pub(super) fn new(source: Box<dyn Read + Send>, longest: usize) -> Self {
        Self { reader: BufReader::with_capacity(1 << 18, source), number: 0, longest, usual: 256 }
    }

    /// The next lines that are not blank, together about `size` bytes; none at the end.
    pub(super) fn batch(&mut self, size: usize) -> Result<Vec<Line>> {
        let mut lines = Vec::new();
        let mut bytes = 0;
        while bytes < size {
            // Lines of a file tend to be alike, so the last one says how much room the next will need.
            let mut line = Vec::with_capacity(self.usual);
            // One byte more than allowed tells a line that is too long from one that just fits.
            let read = (&mut self.reader).take(self.longest as u64 + 2).read_until(b'\n', &mut line)?;
            if read == 0 {
                break;
            }
            self.number += 1;
            while line.last().is_some_and(|byte| matches!(byte, b'\n' | b'\r')) {
                line.pop();
            }
            if line.len() > self.longest {
                bail!(
                    "line {}: longer than {} MiB\n  fix: raise --max-size, or check that the file has line breaks",
                    self.number,
                    self.longest >> 20
                );
            }
            bytes += line.len();
            self.usual = (line.len() + line.len() / 4 + 64).min(1 << 20);
            if !line.iter().all(u8::is_ascii_whitespace) {
                lines.push((self.number, line));
            }
        }
        Ok(lines)
    }
}
