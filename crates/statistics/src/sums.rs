//! Sums kept by chat: all that the figures here need, and all that resampling chats touches.

/// One row of sums for each chat. A figure is a function of the rows' total.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterSums {
    width: usize,
    cells: Vec<f64>,
}

impl ClusterSums {
    /// No chats yet; `width` sums in a row.
    pub fn new(width: usize) -> Self {
        Self { width, cells: Vec::new() }
    }

    /// Adds a chat and gives its row, filled with zeros.
    ///
    /// A row that stays zero says nothing of any item, and takes no part in resampling.
    pub fn add_chat(&mut self) -> &mut [f64] {
        let start = self.cells.len();
        self.cells.resize(start + self.width, 0.0);
        &mut self.cells[start..]
    }

    /// How many sums are in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// The rows of the chats that say something.
    pub fn rows(&self) -> impl Iterator<Item = &[f64]> {
        self.cells.chunks(self.width.max(1)).filter(|row| row.iter().any(|&cell| cell != 0.0))
    }

    /// How many chats say something.
    pub fn chats(&self) -> usize {
        self.rows().count()
    }

    /// The sums over all chats.
    pub fn totals(&self) -> Vec<f64> {
        let mut totals = vec![0.0; self.width];
        for row in self.rows() {
            add_times(&mut totals, row, 1.0);
        }
        totals
    }
}

/// Adds a row to totals, a number of times.
pub(crate) fn add_times(totals: &mut [f64], row: &[f64], times: f64) {
    for (total, cell) in totals.iter_mut().zip(row) {
        *total += times * cell;
    }
}
