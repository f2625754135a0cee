//! CSV and TSV tables with a row per message, or a row per exchange.

mod columns;
mod order;

#[cfg(test)]
mod tests;

use csv::{ReaderBuilder, StringRecord};
use indexmap::IndexMap;

use super::labels::cast::{Cast, Part, Sighting, Strength, cast};
use super::labels::marks::speaker_notes;
use super::labels::normal;
use super::{ReadError, ReadOptions, Reading, Speaker, SpeakerNote};
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
        return Err(ReadError::new(
            "line 1",
            "no header of a table with chats",
            fix,
        ));
    };
    let mut table = Table {
        columns: columns?,
        names,
        rows: Vec::new(),
        notes: Vec::new(),
    };
    table.rows = rows(text, delimiter, table.names.len())?;
    if table.rows.is_empty() {
        return Err(ReadError::new(
            "line 1",
            "the table has a header and no rows",
            "add the messages beneath it",
        ));
    }
    table.settle_chat_column();
    table.notes.insert(0, table.columns.note(&table.names));
    let chats = table.chats()?;
    match table.columns.layout {
        Layout::Messages { speaker, text } => messages(&table, &chats, speaker, text, options),
        Layout::Exchanges { human, ai, system } => Ok(exchanges(&table, &chats, human, ai, system)),
    }
}

/// A table in memory, with what its columns mean.
struct Table {
    columns: Columns,
    names: Vec<String>,
    rows: Vec<Row>,
    /// What is said of every chat in it.
    notes: Vec<String>,
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
fn header(
    text: &str,
    options: &ReadOptions,
) -> Option<(u8, Vec<String>, Result<Columns, ReadError>)> {
    let line = text.split('\n').find(|line| !line.trim().is_empty())?;
    if line.len() > LONGEST_HEADER {
        return None;
    }
    DELIMITERS.into_iter().find_map(|delimiter| {
        let names: Vec<String> = reader(line, delimiter)
            .records()
            .next()?
            .ok()?
            .iter()
            .map(str::to_owned)
            .collect();
        let columns = columns(&names, options)?;
        Some((delimiter, names, columns))
    })
}

fn reader(text: &str, delimiter: u8) -> csv::Reader<&[u8]> {
    // Rows of other lengths are refused here, with better words than the parser has.
    ReaderBuilder::new()
        .delimiter(delimiter)
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes())
}

fn rows(text: &str, delimiter: u8, width: usize) -> Result<Vec<Row>, ReadError> {
    let mut rows = Vec::new();
    for (index, record) in reader(text, delimiter).into_records().enumerate() {
        let cells = record.map_err(|error| {
            ReadError::new("", error.to_string(), "write the table again as CSV")
        })?;
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
            self.notes
                .push("no column tells chats apart: all rows are one chat".to_owned());
            return;
        };
        let is_plain_id = self
            .names
            .get(column)
            .is_some_and(|name| name.trim().eq_ignore_ascii_case("id"));
        let is_by_message = matches!(self.columns.layout, Layout::Messages { .. });
        if !is_plain_id || !is_by_message || self.rows.len() < 2 {
            return;
        }
        let mut ids: Vec<&str> = self
            .rows
            .iter()
            .map(|row| row.cell(column).trim())
            .collect();
        ids.sort_unstable();
        if ids.windows(2).all(|pair| pair[0] != pair[1]) {
            self.columns.chat = None;
            let name = self.names[column].trim();
            self.notes.push(format!(
                "`{name}` differs in every row, so it numbers the messages: all rows are one chat"
            ));
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
                let name = self.names.get(column).map_or("", |name| name.trim());
                let what = format!("the cell in `{name}` is empty, so the row belongs to no chat");
                return Err(ReadError::new(
                    format!("line {}", row.line),
                    what,
                    "fill it in on every row",
                ));
            }
            groups.entry(id).or_default().push(row);
        }
        Ok(groups
            .into_iter()
            .map(|(id, rows)| self.in_order(Some(id.to_owned()), rows))
            .collect())
    }

    fn in_order<'a>(&self, id: Option<String>, rows: Vec<&'a Row>) -> Chat<'a> {
        let line = rows.first().map_or(0, |row| row.line);
        let Some(column) = self.columns.order else {
            return Chat {
                id,
                line,
                rows,
                note: None,
            };
        };
        let name = self.names.get(column).map_or("", |name| name.trim());
        let values: Vec<&str> = rows.iter().map(|row| row.cell(column)).collect();
        let Some(places) = order::sorted(&values) else {
            let note = format!(
                "`{name}` is neither all numbers nor all ISO dates: rows were taken as they stand"
            );
            return Chat {
                id,
                line,
                rows,
                note: Some(note),
            };
        };
        let is_moved = !places.is_sorted();
        let starts_over = is_moved
            && id.is_none()
            && places
                .windows(2)
                .any(|pair| values[pair[0]] == values[pair[1]]);
        if starts_over {
            let note = format!(
                "`{name}` starts over, so rows were taken as they stand; several chats need a `conversation_id`"
            );
            return Chat {
                id,
                line,
                rows,
                note: Some(note),
            };
        }
        let note = is_moved.then(|| format!("rows were put in the order of `{name}`"));
        Chat {
            id,
            line,
            rows: places.into_iter().map(|place| rows[place]).collect(),
            note,
        }
    }

    fn reading(&self, chat: &Chat<'_>) -> Reading {
        let mut notes = self.notes.clone();
        notes.extend(chat.note.clone());
        let at = if chat.id.is_some() {
            format!("line {}", chat.line)
        } else {
            String::new()
        };
        Reading {
            id: chat.id.clone(),
            at,
            notes,
            ..Reading::default()
        }
    }
}

/// A row per message.
fn messages(
    table: &Table,
    chats: &[Chat<'_>],
    speaker: usize,
    text: usize,
    options: &ReadOptions,
) -> Result<Vec<Reading>, ReadError> {
    let name = table.names.get(speaker).map_or("", |name| name.trim());
    let mut sightings: IndexMap<String, Sighting> = IndexMap::new();
    for row in &table.rows {
        let label = row.cell(speaker).trim();
        if label.is_empty() {
            let what = format!("the cell in `{name}` is empty, so nobody said this");
            return Err(ReadError::new(
                format!("line {}", row.line),
                what,
                "fill in the speaker or remove the row",
            ));
        }
        let strength = Strength::Certain;
        let new = || Sighting {
            label: label.to_owned(),
            count: 0,
            messages: 0,
            strength,
        };
        sightings.entry(normal(label)).or_insert_with(new).count += 1;
    }
    let list: Vec<Sighting> = sightings.values().cloned().collect();
    let cast = cast(&list, options).map_err(|error| ReadError {
        at: format!("column `{name}`"),
        ..error
    })?;
    let of = |row: &Row| {
        sightings
            .get_index_of(&normal(row.cell(speaker)))
            .unwrap_or_default()
    };
    Ok(chats
        .iter()
        .map(|chat| message_chat(table.reading(chat), chat, (&list, &cast), text, of))
        .collect())
}

fn message_chat(
    mut reading: Reading,
    chat: &Chat<'_>,
    (sightings, cast): (&[Sighting], &Cast),
    text: usize,
    label_of: impl Fn(&Row) -> usize,
) -> Reading {
    let mut counts = vec![0_usize; sightings.len()];
    for row in &chat.rows {
        let label = label_of(row);
        match cast.parts.get(label) {
            Some(Part::Speaks(who, _)) => {
                counts[label] += 1;
                reading.turns.push((*who, row.cell(text).to_owned()));
            }
            Some(Part::Dropped(kind)) => {
                *reading.dropped.entry((*kind).to_owned()).or_default() += 1;
            }
            Some(Part::Text) | None => {}
        }
    }
    reading.speakers = speaker_notes(sightings, &cast.parts, &counts);
    // They speak of the whole table, so they are true of a chat only where it is the whole table.
    if chat.id.is_none() {
        reading.notes.extend(cast.notes.iter().cloned());
    }
    reading
}

/// A row per exchange: first what the person said, then what the AI answered.
fn exchanges(
    table: &Table,
    chats: &[Chat<'_>],
    human: usize,
    ai: usize,
    system: Option<usize>,
) -> Vec<Reading> {
    let name = |column: usize| {
        table
            .names
            .get(column)
            .map_or("", |name| name.trim())
            .to_owned()
    };
    let one = |chat: &Chat<'_>| {
        let mut reading = table.reading(chat);
        reading.notes.push(format!(
            "each row is one exchange: `{}`, then `{}`",
            name(human),
            name(ai)
        ));
        let mut drop = |kind: &str| *reading.dropped.entry(kind.to_owned()).or_default() += 1;
        let mut counts = [0_usize; 2];
        for row in &chat.rows {
            if system.is_some_and(|column| !row.cell(column).trim().is_empty()) {
                drop("system message");
            }
            for (side, (who, column)) in [(Speaker::Human, human), (Speaker::Ai, ai)]
                .into_iter()
                .enumerate()
            {
                if row.cell(column).trim().is_empty() {
                    drop("empty cell");
                    continue;
                }
                counts[side] += 1;
                reading.turns.push((who, row.cell(column).to_owned()));
            }
        }
        let note = |column, taken_for, turns| SpeakerNote {
            label: name(column),
            taken_for,
            because: "column name".to_owned(),
            turns,
        };
        reading.speakers = vec![
            note(human, Speaker::Human, counts[0]),
            note(ai, Speaker::Ai, counts[1]),
        ];
        reading
    };
    chats.iter().map(one).collect()
}
