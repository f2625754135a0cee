//! CSV and TSV tables with a row per message, or a row per exchange.

mod columns;
mod order;
mod turns;

#[cfg(test)]
mod tests;

use csv::{ReaderBuilder, StringRecord};
use indexmap::IndexMap;

use super::{ReadError, ReadOptions, Reading};
use columns::{Columns, Layout, columns};

/// What may stand between cells.
const DELIMITERS: [u8; 3] = [b',', b'\t', b';'];

/// No header is longer, in bytes.
const LONGEST_HEADER: usize = 16 * 1024;

/// Whether the text is in this format.
pub(super) fn looks_like(text: &str, options: &ReadOptions) -> bool {
    header(text, options).is_some()
}

/// Reads the whole text.
pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Vec<Reading>, ReadError> {
    let Some((delimiter, names, columns)) = header(text, options) else {
        let fix = "name a speaker column (`speaker`, `role`) and a text column (`text`, `content`) in the first line";
        return Err(ReadError::new("line 1", "no header of a table with chats", fix));
    };
    let field = options.field.as_ref();
    let field = field.and_then(|field| names.iter().position(|name| name.trim().eq_ignore_ascii_case(field)));
    let mut table = Table { columns: columns?, names, rows: Vec::new(), notes: Vec::new(), field };
    table.rows = rows(text, delimiter, table.names.len())?;
    if table.rows.is_empty() {
        return Err(ReadError::new("line 1", "the table has a header and no rows", "add the messages beneath it"));
    }
    table.settle_chat_column();
    table.notes.insert(0, table.columns.note(&table.names));
    let chats = table.chats()?;
    match table.columns.layout {
        Layout::Messages { speaker, text } => turns::of_messages(&table, &chats, (speaker, text), options),
        Layout::Exchanges { human, ai, system } => Ok(turns::of_exchanges(&table, &chats, (human, ai), system)),
    }
}

/// A table in memory, with what its columns mean.
struct Table {
    columns: Columns,
    names: Vec<String>,
    rows: Vec<Row>,
    /// What is said of every chat in it.
    notes: Vec<String>,
    /// The column that is wanted beside the chats.
    field: Option<usize>,
}

/// One row, with the line it starts at.
struct Row {
    line: u64,
    cells: StringRecord,
}

impl Row {
    fn cell(&self, column: usize) -> &str {
        self.cells.get(column).unwrap_or_default()
    }
}

/// One chat of a table: its id and its rows in order.
struct Chat<'a> {
    id: Option<String>,
    line: u64,
    rows: Vec<&'a Row>,
    note: Option<String>,
}

/// The delimiter under which the first line is the header of a chat, its cells, and their meaning.
fn header(text: &str, options: &ReadOptions) -> Option<(u8, Vec<String>, Result<Columns, ReadError>)> {
    let line = text.split('\n').find(|line| !line.trim().is_empty())?;
    if line.len() > LONGEST_HEADER {
        return None;
    }
    DELIMITERS.into_iter().find_map(|delimiter| {
        let names: Vec<String> = reader(line, delimiter).records().next()?.ok()?.iter().map(str::to_owned).collect();
        let columns = columns(&names, options)?;
        Some((delimiter, names, columns))
    })
}

fn reader(text: &str, delimiter: u8) -> csv::Reader<&[u8]> {
    // Rows of other lengths are refused here, with better words than the parser has.
    ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(text.as_bytes())
}

fn rows(text: &str, delimiter: u8, width: usize) -> Result<Vec<Row>, ReadError> {
    let mut rows = Vec::new();
    for (index, record) in reader(text, delimiter).into_records().enumerate() {
        let cells = record.map_err(|error| ReadError::new("", error.to_string(), "write the table again as CSV"))?;
        let line = line_of(&cells, text);
        if index == 0 || cells.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        if cells.len() != width {
            return Err(ReadError::new(
                format!("line {line}"),
                format!("the row has {} cells and the header {width}", cells.len()),
                "put text that holds the delimiter, a quote or a line end in double quotes, and double the quotes inside it",
            ));
        }
        rows.push(Row { line, cells });
    }
    Ok(rows)
}

/// The line a row starts at; the parser's own count stops before the blank lines it skips.
fn line_of(cells: &StringRecord, text: &str) -> u64 {
    let Some(position) = cells.position() else {
        return 0;
    };
    let start = usize::try_from(position.byte()).unwrap_or(usize::MAX);
    let rest = text.as_bytes().get(start..).unwrap_or_default();
    let blank = rest.iter().take_while(|&&byte| byte == b'\n').count();
    position.line() + blank as u64
}

impl Table {
    /// A plain `id` that never comes back numbers the messages, not the chats.
    fn settle_chat_column(&mut self) {
        let Some(column) = self.columns.chat else {
            self.notes.push("no column tells chats apart: all rows are one chat".to_owned());
            return;
        };
        let name = self.name(column).to_owned();
        let is_plain_id = name.eq_ignore_ascii_case("id");
        let is_by_message = matches!(self.columns.layout, Layout::Messages { .. });
        if !is_plain_id || !is_by_message || self.rows.len() < 2 {
            return;
        }
        let mut ids: Vec<&str> = self.rows.iter().map(|row| row.cell(column).trim()).collect();
        ids.sort_unstable();
        if ids.windows(2).all(|pair| pair[0] != pair[1]) {
            self.columns.chat = None;
            self.notes
                .push(format!("`{name}` differs in every row, so it numbers the messages: all rows are one chat"));
        }
    }

    /// The rows of each chat, chats in the order they are first seen.
    fn chats(&self) -> Result<Vec<Chat<'_>>, ReadError> {
        let Some(column) = self.columns.chat else {
            return Ok(vec![self.in_order(None, self.rows.iter().collect())]);
        };
        let mut groups: IndexMap<&str, Vec<&Row>> = IndexMap::new();
        for row in &self.rows {
            let id = row.cell(column).trim();
            if id.is_empty() {
                let name = self.name(column);
                let what = format!("the cell in `{name}` is empty, so the row belongs to no chat");
                return Err(ReadError::new(format!("line {}", row.line), what, "fill it in on every row"));
            }
            groups.entry(id).or_default().push(row);
        }
        Ok(groups.into_iter().map(|(id, rows)| self.in_order(Some(id.to_owned()), rows)).collect())
    }

    fn in_order<'a>(&self, id: Option<String>, rows: Vec<&'a Row>) -> Chat<'a> {
        let line = rows.first().map_or(0, |row| row.line);
        let (rows, note) = match self.columns.order {
            Some(column) => self.sorted(rows, column, id.is_some()),
            None => (rows, None),
        };
        Chat { id, line, rows, note }
    }

    /// The rows by the order column, with what is to be said about that.
    fn sorted<'a>(&self, rows: Vec<&'a Row>, column: usize, is_one_chat: bool) -> (Vec<&'a Row>, Option<String>) {
        let name = self.name(column);
        let values: Vec<&str> = rows.iter().map(|row| row.cell(column)).collect();
        let Some(places) = order::sorted(&values) else {
            let why = "is neither all numbers nor all ISO dates";
            return (rows, Some(format!("`{name}` {why}: rows were taken as they stand")));
        };
        if places.is_sorted() {
            return (rows, None);
        }
        // Sorting would shuffle two chats into each other.
        let is_twice = |pair: &[usize]| values[pair[0]] == values[pair[1]];
        if !is_one_chat && places.windows(2).any(is_twice) {
            let note =
                format!("`{name}` starts over: rows were taken as they stand; several chats need a `conversation_id`");
            return (rows, Some(note));
        }
        let sorted = places.into_iter().map(|place| rows[place]).collect();
        (sorted, Some(format!("rows were put in the order of `{name}`")))
    }

    fn name(&self, column: usize) -> &str {
        self.names.get(column).map_or("", |name| name.trim())
    }

    fn reading(&self, chat: &Chat<'_>) -> Reading {
        let mut notes = self.notes.clone();
        notes.extend(chat.note.clone());
        let at = if chat.id.is_some() { format!("line {}", chat.line) } else { String::new() };
        let cell = self.field.and_then(|column| Some(chat.rows.first()?.cell(column).trim().to_owned()));
        let field = cell.filter(|cell| !cell.is_empty());
        Reading { id: chat.id.clone(), at, notes, field, ..Reading::default() }
    }
}
