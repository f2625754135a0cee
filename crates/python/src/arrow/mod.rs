//! Tables in Arrow's C interface: chats in rows, results out, whichever library either belongs to.

mod input;
mod output;
mod stream;
mod table;

use pyo3::prelude::*;

pub(crate) use stream::Stream;
pub(crate) use table::Table;

use crate::chat::Reading;

/// Which columns are read and written.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Columns {
    /// The column with the chats; the first of the usual ones where it is not named.
    messages: Option<String>,
    /// The column with the ids.
    id: Option<String>,
    /// Whether every check is written.
    checks: bool,
    /// Whether the whole report is written.
    report: bool,
    reading: Reading,
}
