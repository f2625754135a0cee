//! Parquet tables: a chat a row, or a message a row.

mod plausible;

use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use bytes::Bytes;
use parquet::column::reader::ColumnReader;
use parquet::errors::ParquetError;
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::{Field, Row};
use parquet::schema::types::Type;

use super::json::{Found, read_value};
use super::message::Item;
use super::record::Record;
use super::{Format, ReadError, ReadOptions, huggingface, trace};
use crate::problem::Remedy;

/// The most a table may unpack to where nothing else is said.
const UNPACKED_LIMIT: u64 = 2 << 30;
/// What a value takes at least once it is unpacked.
const VALUE: u64 = 8;
/// Rows whose texts are measured at a time.
const AT_ONCE: usize = 256;

/// Columns that hold a whole chat.
const CHAT_COLUMNS: &str = "turns messages conversations chat_messages conversation dialogue dialog chat utterances interaction transcript mapping";

/// Other columns that are read; those in neither list (embeddings, pictures) are not even decoded.
const COLUMNS: &str = "id conversation_id conv_id dialogue_id dialog_id chat_id uuid session_id thread_id conversation_hash transcript_id title \
    system speakers roles request response choices current_node \
    verdicts cited why judge moments metrics positive negative summary \
    role from speaker author sender content value text utterance message body \
    tool_calls function_call refusal type \
    idx turn turn_id turn_idx turn_index order position message_index utterance_idx";

fn is_among(columns: &str, name: &str) -> bool {
    columns.split_whitespace().any(|column| column == name)
}

/// Whether a column is the field that is wanted, or the object it stands in.
fn holds_field(column: &str, field: &str) -> bool {
    column == field || field.split('.').next() == Some(column) || is_among("metadata meta", column)
}

/// Whether a column belongs to spans, as Phoenix saves them.
fn is_of_span(name: &str) -> bool {
    const SPAN: [&str; 5] =
        ["attributes.llm.", "attributes.session.", "attributes.input.", "attributes.output.", "context."];
    SPAN.iter().any(|start| name.starts_with(start)) || matches!(name, "start_time" | "parent_id" | "span_kind")
}

/// Reads a whole Parquet file.
pub(super) fn read(bytes: &[u8], options: &ReadOptions) -> Result<Found, ReadError> {
    // The decoder checks most of what a damaged file can do to it, but not all; no input may take the program down.
    let rows = catch_unwind(AssertUnwindSafe(|| json_rows(bytes, options)));
    let rows = rows.unwrap_or_else(|_| Err(damaged(&"its pages do not fit its schema")))?;
    let Some(first) = rows.rows.first() else {
        return Err(ReadError::new("", "the Parquet file has no rows", ""));
    };
    let is_message = serde_json::from_str::<Record<'_>>(first).is_ok_and(|record| record.is_message());
    if is_message {
        return read_message_rows(&rows.rows, options);
    }
    if trace::is_trace(first) {
        let records = (1..).zip(&rows.rows).map(|(number, row)| (format!("row {number}"), Ok(row.as_str())));
        return trace::read(records, options);
    }
    let mut found = Found { format: Format::Parquet, readings: Vec::with_capacity(rows.rows.len()) };
    for (number, row) in (1..).zip(&rows.rows) {
        match read_value(row, &format!("row {number}"), 0, options) {
            Ok(inner) => found.readings.extend(inner.readings),
            Err(error) => found.readings.push(Err(error)),
        }
    }
    if found.readings.iter().all(Result::is_err) && !rows.has_chat_column {
        return Err(no_columns(&rows.columns));
    }
    Ok(found)
}

fn read_message_rows(rows: &[String], options: &ReadOptions) -> Result<Found, ReadError> {
    let items = rows.iter().map(|row| serde_json::from_str::<Item<'_>>(row).map_err(|error| damaged(&error)));
    let items = items.collect::<Result<Vec<_>, _>>()?;
    let found = huggingface::read_rows(items, "", options)?;
    Ok(Found { format: Format::Parquet, ..found })
}

struct Rows {
    rows: Vec<String>,
    columns: Vec<String>,
    has_chat_column: bool,
}

/// The rows as JSON, so that the table is understood exactly like the same data in JSONL.
fn json_rows(bytes: &[u8], options: &ReadOptions) -> Result<Rows, ReadError> {
    let (field, limit) = (options.field.as_deref(), options.unpacked_limit.unwrap_or(UNPACKED_LIMIT));
    let broken = |error: ParquetError| damaged(&error);
    if !plausible::is_plausible(bytes) {
        return Err(damaged(&"its footer claims more than it holds"));
    }
    let reader = SerializedFileReader::new(Bytes::copy_from_slice(bytes)).map_err(broken)?;
    let schema = reader.metadata().file_metadata().schema().clone();
    let columns: Vec<String> = schema.get_fields().iter().map(|field| field.name().to_owned()).collect();
    let wanted = |name: &str| {
        is_among(CHAT_COLUMNS, name)
            || is_among(COLUMNS, name)
            || is_of_span(name)
            || field.is_some_and(|field| holds_field(name, field))
    };
    let fields: Vec<Arc<Type>> = schema.get_fields().iter().filter(|field| wanted(field.name())).cloned().collect();
    if fields.is_empty() {
        return Err(no_columns(&columns));
    }
    check_pages(&reader, bytes, &fields, limit)?;
    check_texts(&reader, &fields, limit)?;
    let has_chat_column = fields.iter().any(|field| is_among(CHAT_COLUMNS, field.name()));
    let wanted = Type::group_type_builder(schema.name()).with_fields(fields).build().map_err(broken)?;
    let (mut rows, mut size) = (Vec::new(), 0);
    for row in reader.get_row_iter(Some(wanted)).map_err(broken)? {
        let mut json = String::new();
        write_row(&mut json, &row.map_err(broken)?);
        size += (json.len() + size_of::<String>()) as u64;
        if size > limit {
            return Err(too_large(limit));
        }
        rows.push(json);
    }
    Ok(Rows { rows, columns, has_chat_column })
}

/// Refuses columns whose page headers claim what cannot be: the decoder would make room for it.
fn check_pages(
    reader: &SerializedFileReader<Bytes>,
    bytes: &[u8],
    fields: &[Arc<Type>],
    limit: u64,
) -> Result<(), ReadError> {
    let mut unpacked: u64 = 0;
    for group in reader.metadata().row_groups() {
        for column in group.columns().iter().filter(|column| is_wanted(column, fields)) {
            let (start, length) = column.byte_range();
            let place = usize::try_from(start).ok().zip(usize::try_from(start.saturating_add(length)).ok());
            let column = place.and_then(|(start, end)| bytes.get(start..end));
            let Some(claims) = column.and_then(plausible::page_claims) else {
                return Err(damaged(&"a page claims more than it holds"));
            };
            unpacked = unpacked.saturating_add(claims.unpacked).saturating_add(claims.values.saturating_mul(VALUE));
            if unpacked > limit {
                return Err(too_large(limit));
            }
        }
    }
    Ok(())
}

fn is_wanted(column: &ColumnChunkMetaData, fields: &[Arc<Type>]) -> bool {
    let name = column.column_path().parts().first();
    fields.iter().any(|field| name.is_some_and(|name| name == field.name()))
}

/// Refuses columns whose texts unpack to more than the limit: a dictionary has a text once that stands in a million rows.
/// Reading them column by column does not copy them.
fn check_texts(reader: &SerializedFileReader<Bytes>, fields: &[Arc<Type>], limit: u64) -> Result<(), ReadError> {
    let broken = |error: ParquetError| damaged(&error);
    let mut size: u64 = 0;
    for group in 0..reader.num_row_groups() {
        let group = reader.get_row_group(group).map_err(broken)?;
        for (place, column) in group.metadata().columns().iter().enumerate() {
            if !is_wanted(column, fields) {
                continue;
            }
            let ColumnReader::ByteArrayColumnReader(mut texts) = group.get_column_reader(place).map_err(broken)? else {
                continue;
            };
            loop {
                let (mut values, mut defined, mut repeated) = (Vec::new(), Vec::new(), Vec::new());
                let read = texts.read_records(AT_ONCE, Some(&mut defined), Some(&mut repeated), &mut values);
                if read.map_err(broken)?.0 == 0 {
                    break;
                }
                size = values.iter().fold(size, |size, value| size.saturating_add(value.len() as u64));
                if size > limit {
                    return Err(too_large(limit));
                }
            }
        }
    }
    Ok(())
}

fn too_large(limit: u64) -> ReadError {
    let or = "split the table into several files".to_owned();
    ReadError::new("", format!("unpacks to more than {} MiB", limit >> 20), Remedy::RaiseMaxSize { or })
}

fn damaged(error: &dyn std::fmt::Display) -> ReadError {
    ReadError::new("", format!("the Parquet file cannot be read: {error}"), "check that the file is complete")
}

fn no_columns(found: &[String]) -> ReadError {
    let what = format!("no column of the Parquet file holds a conversation; its columns are {}", found.join(", "));
    let fix =
        "a chat a row needs a column such as `messages`; a message a row needs `conversation_id`, `role` and `content`";
    ReadError::new("", what, fix)
}

fn write_row(json: &mut String, row: &Row) {
    json.push('{');
    for (position, (name, field)) in row.get_column_iter().enumerate() {
        if position > 0 {
            json.push(',');
        }
        write_text(json, name);
        json.push(':');
        write_field(json, field);
    }
    json.push('}');
}

fn write_field(json: &mut String, field: &Field) {
    match field {
        Field::Str(text) => write_text(json, text),
        Field::Bytes(bytes) => match std::str::from_utf8(bytes.data()) {
            Ok(text) => write_text(json, text),
            Err(_) => json.push_str("null"),
        },
        Field::Group(row) => write_row(json, row),
        Field::ListInternal(list) => {
            json.push('[');
            for (position, element) in list.elements().iter().enumerate() {
                if position > 0 {
                    json.push(',');
                }
                write_field(json, element);
            }
            json.push(']');
        }
        Field::Bool(value) => json.push_str(if *value { "true" } else { "false" }),
        Field::Byte(_) | Field::Short(_) | Field::Int(_) | Field::Long(_) => {
            write_plain(json, field);
        }
        Field::UByte(_) | Field::UShort(_) | Field::UInt(_) | Field::ULong(_) => {
            write_plain(json, field);
        }
        Field::TimestampMillis(time) | Field::TimestampMicros(time) => write_plain(json, time),
        Field::Double(value) if value.is_finite() => write_plain(json, value),
        // Nothing else can be a message, a label or an order.
        _ => json.push_str("null"),
    }
}

fn write_plain(json: &mut String, value: &dyn std::fmt::Display) {
    // Writing to a string cannot fail.
    let _ = write!(json, "{value}");
}

fn write_text(json: &mut String, text: &str) {
    match serde_json::to_string(text) {
        Ok(quoted) => json.push_str(&quoted),
        Err(_) => json.push_str("null"),
    }
}

#[cfg(test)]
mod tests {
    use parquet::data_type::{ByteArray, ByteArrayType, Int32Type};
    use parquet::file::properties::WriterProperties;
    use parquet::file::writer::SerializedFileWriter;
    use parquet::schema::parser::parse_message_type;

    use super::*;
    use crate::transcript::Speaker;

    /// A table of text columns and one whole-number column `turn` at the end where `turns` has entries.
    fn table(columns: &[(&str, &[&str])], turns: &[i32]) -> Vec<u8> {
        let mut schema = String::from("message schema {");
        for (name, _) in columns {
            let _ = write!(schema, " required binary {name} (UTF8);");
        }
        schema.push_str(if turns.is_empty() { "}" } else { " required int32 turn; }" });
        let schema = Arc::new(parse_message_type(&schema).unwrap());
        let properties = Arc::new(WriterProperties::builder().build());
        let mut writer = SerializedFileWriter::new(Vec::new(), schema, properties).unwrap();
        let mut group = writer.next_row_group().unwrap();
        for (_, values) in columns {
            let values: Vec<ByteArray> = values.iter().map(|value| ByteArray::from(*value)).collect();
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<ByteArrayType>().write_batch(&values, None, None).unwrap();
            column.close().unwrap();
        }
        if !turns.is_empty() {
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<Int32Type>().write_batch(turns, None, None).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
        writer.into_inner().unwrap()
    }

    /// A table with one row whose column `messages` is a list of `{role, content}`.
    fn nested() -> Vec<u8> {
        let schema =
            "message schema { required binary id (UTF8); required group messages (LIST) { repeated group list {
            required group element { required binary role (UTF8); required binary content (UTF8); } } } }";
        let schema = Arc::new(parse_message_type(schema).unwrap());
        let mut writer =
            SerializedFileWriter::new(Vec::new(), schema, Arc::new(WriterProperties::builder().build())).unwrap();
        let mut group = writer.next_row_group().unwrap();
        let mut column = group.next_column().unwrap().unwrap();
        column.typed::<ByteArrayType>().write_batch(&[ByteArray::from("n1")], None, None).unwrap();
        column.close().unwrap();
        for values in [["user", "assistant"], ["hi", "hello"]] {
            let values = values.map(ByteArray::from);
            let mut column = group.next_column().unwrap().unwrap();
            column.typed::<ByteArrayType>().write_batch(&values, Some(&[1, 1]), Some(&[0, 1])).unwrap();
            column.close().unwrap();
        }
        group.close().unwrap();
        writer.into_inner().unwrap()
    }

    fn default_read(bytes: &[u8]) -> Result<Found, ReadError> {
        read(bytes, &ReadOptions::default())
    }

    #[test]
    fn a_dictionary_larger_than_its_page_is_refused_before_room_is_made_for_it() {
        let found = include_bytes!("../../../../../fuzz/found/dictionary-larger-than-its-page.parquet");
        let error = read(found, &ReadOptions::default()).unwrap_err();
        assert!(error.what.contains("cannot be read"), "{error}");
    }

    #[test]
    fn a_page_header_longer_than_its_page_is_refused_before_it_is_decoded() {
        let found = include_bytes!("../../../../../fuzz/found/page-header-longer-than-its-page.parquet");
        let error = read(found, &ReadOptions::default()).unwrap_err();
        assert!(error.what.contains("a page claims more than it holds"), "{error}");
    }

    #[test]
    fn a_group_with_more_children_than_bytes_is_refused_before_room_is_made_for_them() {
        let found = include_bytes!("../../../../../fuzz/found/children-without-end.parquet");
        let error = read(found, &ReadOptions::default()).unwrap_err();
        assert!(error.what.contains("footer claims more than it holds"), "{error}");
    }

    #[test]
    fn a_list_longer_than_the_footer_is_refused_before_room_is_made_for_it() {
        let found = include_bytes!("../../../../../fuzz/found/list-longer-than-the-footer.parquet");
        let error = read(found, &ReadOptions::default()).unwrap_err();
        assert!(error.what.contains("footer claims more than it holds"), "{error}");
    }

    #[test]
    fn a_chat_a_row_is_read_from_a_list_and_from_json_text() {
        let reading = default_read(&nested()).unwrap().readings.remove(0).unwrap();
        assert_eq!((reading.id.as_deref(), reading.at.as_str()), (Some("n1"), "row 1"));
        assert_eq!(reading.turns, [(Speaker::Human, "hi".to_owned()), (Speaker::Ai, "hello".to_owned())]);
        let chat = r#"[{"role":"user","content":"hi"}]"#;
        let found = default_read(&table(&[("id", &["a", "b"]), ("messages", &[chat, "[oops"])], &[])).unwrap();
        assert_eq!(found.readings[0].as_ref().unwrap().turns.len(), 1);
        assert_eq!(found.readings[1].as_ref().unwrap_err().at, "row 2");
    }

    #[test]
    fn a_message_a_row_is_grouped_and_ordered() {
        let columns: [(&str, &[&str]); 3] = [
            ("conversation_id", &["x", "y", "x"]),
            ("role", &["assistant", "user", "user"]),
            ("content", &["second", "alone", "first"]),
        ];
        let found = default_read(&table(&columns, &[2, 1, 1])).unwrap();
        let readings: Vec<_> = found.readings.into_iter().map(Result::unwrap).collect();
        assert_eq!((readings[0].id.as_deref(), readings[1].id.as_deref()), (Some("x"), Some("y")));
        assert_eq!(readings[0].turns, [(Speaker::Human, "first".to_owned()), (Speaker::Ai, "second".to_owned())]);
    }

    #[test]
    fn collections_keep_their_own_ids_and_saved_spans_become_chats() {
        let chat = r#"[{"role":"user","content":"hi"},{"role":"assistant","content":"hello"}]"#;
        for (id, column) in
            [("transcript_id", "messages"), ("conversation_hash", "conversation"), ("id", "interaction")]
        {
            let reading =
                default_read(&table(&[(id, &["x7"]), (column, &[chat])], &[])).unwrap().readings.remove(0).unwrap();
            assert_eq!((reading.id.as_deref(), reading.turns.len()), (Some("x7"), 2), "{id}");
        }
        // Names with dots need no schema language, so the table is made from JSON text columns.
        let rows: [(&str, &[&str]); 2] =
            [("start_time", &["2026-01-01T00:00:02Z", "2026-01-01T00:00:01Z"]), ("span_kind", &["LLM", "LLM"])];
        assert!(default_read(&table(&rows, &[])).is_err(), "times alone are no chat");
        for (name, expected) in [
            ("attributes.llm.input_messages", true),
            ("context.trace_id", true),
            ("attributes.embedding.vector", false),
            ("start_time", true),
        ] {
            assert_eq!(is_of_span(name), expected, "{name}");
        }
    }

    #[test]
    fn missing_columns_are_an_error_that_names_those_found() {
        let error = default_read(&table(&[("label", &["1"]), ("post", &["x"])], &[])).unwrap_err();
        assert!(error.what.contains("label, post"), "{error}");
        let error = default_read(&table(&[("id", &["1"]), ("text", &["x"])], &[])).unwrap_err();
        assert!(error.what.contains("id, text"), "{error}");
    }

    #[test]
    fn damaged_files_are_errors_and_never_a_crash() {
        let good = nested();
        assert!(default_read(b"PAR1").is_err());
        for cut in (0..good.len()).step_by(7) {
            assert!(default_read(&good[..cut]).is_err());
        }
        for position in 4..good.len() {
            let mut bad = good.clone();
            bad[position] ^= 0xff;
            let _ = default_read(&bad);
        }
    }
}
