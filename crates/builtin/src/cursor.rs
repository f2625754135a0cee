//! Reads numbers off an embedded file of weights, from front to back.

/// What is left of the file.
pub(crate) struct Cursor {
    rest: &'static [u8],
}

impl Cursor {
    /// At the start, behind the mark that says what the file is.
    pub(crate) fn new(file: &'static [u8], mark: &[u8]) -> Self {
        let (start, rest) = file.split_at(mark.len());
        assert_eq!(start, mark, "the embedded weights are not what they should be");
        Self { rest }
    }

    pub(crate) fn bytes(&mut self, count: usize) -> &'static [u8] {
        let (head, rest) = self.rest.split_at(count);
        self.rest = rest;
        head
    }

    pub(crate) fn numbers<const N: usize, T>(&mut self, count: usize, read: fn([u8; N]) -> T) -> Vec<T> {
        self.bytes(count * N).as_chunks::<N>().0.iter().map(|bytes| read(*bytes)).collect()
    }

    pub(crate) fn size(&mut self) -> usize {
        self.numbers(1, u32::from_le_bytes)[0] as usize
    }
}
