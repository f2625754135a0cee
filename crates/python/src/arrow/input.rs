//! Chats in the rows of a batch: messages in lists of structs, or text in any format that the readers know.

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_json::WriterBuilder;
use arrow_json::writer::LineDelimited;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use carelock::{Chat, Error, ReadingOptions};
use std::sync::Arc;

/// Columns that hold chats where none is named, the likeliest first.
const USUAL: [&str; 7] = ["messages", "conversation", "conversations", "turns", "chat", "transcript", "text"];

/// What a chat is called that has no id.
const NO_ID: &str = "chat";

/// Where the chats and their ids stand.
pub(super) struct Places {
    messages: usize,
    id: Option<usize>,
    options: ReadingOptions,
}

impl Places {
    /// Finds the columns; an error that lists those there are where one is missing.
    pub(super) fn new(
        schema: &SchemaRef,
        messages: Option<&str>,
        id: Option<&str>,
        options: ReadingOptions,
    ) -> Result<Self, Error> {
        let missing = |what: String| {
            let known: Vec<&str> = schema.fields().iter().map(|field| field.name().as_str()).collect();
            Error::new(what).advice(format!("name one of its columns: {}", known.join(", ")))
        };
        let find = |name: &str| schema.index_of(name).map_err(|_| missing(format!("the table has no column {name:?}")));
        let messages = match messages {
            Some(name) => find(name)?,
            None => USUAL.iter().find_map(|name| schema.index_of(name).ok()).ok_or_else(|| {
                missing(format!("no column of the table is called like chats are: {}", USUAL.join(", ")))
            })?,
        };
        let id = match id {
            Some(name) => Some(find(name)?),
            None => schema.index_of("id").ok(),
        };
        Ok(Self { messages, id: id.filter(|id| *id != messages), options })
    }

    /// The rows of a batch.
    pub(super) fn rows(&self, batch: &RecordBatch) -> Result<Rows<'_>, ArrowError> {
        let column = batch.column(self.messages);
        let ids = match self.id {
            Some(id) => Some(texts(batch.column(id))?),
            None => None,
        };
        let chats = if is_text(column.data_type()) { Cells::Text(texts(column)?) } else { objects(column)? };
        Ok(Rows { chats, ids, count: batch.num_rows(), options: &self.options })
    }
}

/// The rows of one batch.
pub(super) struct Rows<'a> {
    chats: Cells,
    ids: Option<StringArray>,
    pub(super) count: usize,
    options: &'a ReadingOptions,
}

enum Cells {
    /// Text in any format.
    Text(StringArray),
    /// A JSON object a row, and whether there is a chat in it at all.
    Objects { lines: Vec<u8>, ends: Vec<usize>, column: ArrayRef },
}

impl Rows<'_> {
    /// The id of a row.
    pub(super) fn id(&self, row: usize) -> Option<&str> {
        self.ids.as_ref().filter(|ids| ids.is_valid(row)).map(|ids| ids.value(row))
    }

    /// The chat of a row.
    pub(super) fn chat(&self, row: usize) -> Result<Chat, Error> {
        let name = self.id(row).unwrap_or(NO_ID);
        let none = || Error::new("there is no chat: the value is null").advice("leave the row out");
        let chat = match &self.chats {
            Cells::Text(texts) if texts.is_null(row) => Err(none()),
            Cells::Text(texts) => one(Chat::parse(name, texts.value(row).as_bytes().to_vec(), self.options)?, name),
            Cells::Objects { column, .. } if column.is_null(row) => Err(none()),
            Cells::Objects { lines, ends, .. } => {
                let begin = row.checked_sub(1).map_or(0, |before| ends[before]);
                Chat::from_json(name, &lines[begin..ends[row]], self.options)
            }
        }?;
        match self.id(row) {
            Some(id) if chat.transcript().id() != id => chat.with_id(id),
            _ => Ok(chat),
        }
    }
}

fn one(mut chats: Vec<Result<Chat, Error>>, name: &str) -> Result<Chat, Error> {
    let count = chats.len();
    chats.pop().filter(|_| count == 1).unwrap_or_else(|| {
        Err(Error::new(format!("there are {count} chats in it")).within(name).advice("give one chat a row"))
    })
}

fn is_text(kind: &DataType) -> bool {
    match kind {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        DataType::Dictionary(_, values) => is_text(values),
        _ => false,
    }
}

/// A column as text, whatever it holds.
fn texts(column: &ArrayRef) -> Result<StringArray, ArrowError> {
    Ok(cast(column, &DataType::Utf8)?.as_string::<i32>().clone())
}

/// A column as JSON objects, as a JSONL file of the same rows would hold them.
fn objects(column: &ArrayRef) -> Result<Cells, ArrowError> {
    let schema = Arc::new(Schema::new(vec![Field::new("messages", column.data_type().clone(), true)]));
    let batch = RecordBatch::try_new(schema, vec![Arc::clone(column)])?;
    let mut writer = WriterBuilder::new().with_explicit_nulls(true).build::<_, LineDelimited>(Vec::new());
    writer.write(&batch)?;
    writer.finish()?;
    let lines = writer.into_inner();
    let breaks = lines.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(place, _)| place + 1);
    let ends: Vec<usize> = breaks.collect();
    if ends.len() != column.len() {
        return Err(ArrowError::JsonError("the rows of a batch were not written one a line".to_owned()));
    }
    Ok(Cells::Objects { lines, ends, column: Arc::clone(column) })
}
