//! Where results are written, whatever it is: a file, standard output, the answer to a request.

use std::io::{self, Write};

use anyhow::Result;

/// A place to write to. What was written counts only once it is finished.
pub trait Destination: Write + Send {
    /// Makes what was written appear.
    fn finish(self: Box<Self>) -> Result<()>;
}

/// A destination that is flushed at the end and nothing else.
pub struct Flushed<W>(pub W);

impl<W: Write + Send> Write for Flushed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl<W: Write + Send> Destination for Flushed<W> {
    fn finish(mut self: Box<Self>) -> Result<()> {
        Ok(self.0.flush()?)
    }
}
