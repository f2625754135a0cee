//! Tables as Parquet files: every column may be null, scores are numbers, texts are as they were said.

use std::sync::Arc;

use anyhow::{Result, anyhow};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::Type;

use super::table::{Cell, Column, Kind, Table};
use super::{Output, Sink};
use crate::runs::StoredReport;

/// Rows that are held before they are written as one group: enough to compress well, few enough to be small.
const ROWS: usize = 16_384;

/// Rows as columns.
pub(super) struct Columns<'a> {
    writer: SerializedFileWriter<Output>,
    table: Table<'a>,
    rows: Vec<Vec<Cell>>,
}

impl<'a> Columns<'a> {
    pub(super) fn new(output: Output, table: Table<'a>) -> Result<Self> {
        let fields = table.columns().iter().map(|column| field(column).map(Arc::new));
        let fields = fields.collect::<Result<Vec<_>, _>>()?;
        let schema = Type::group_type_builder("carelock").with_fields(fields).build()?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("carelock ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let writer = SerializedFileWriter::new(output, Arc::new(schema), Arc::new(properties))?;
        Ok(Self { writer, table, rows: Vec::new() })
    }

    fn flush(&mut self) -> Result<()> {
        let rows = std::mem::take(&mut self.rows);
        let mut group = self.writer.next_row_group()?;
        for (place, column) in self.table.columns().iter().enumerate() {
            let missing = || anyhow!("column {} cannot be written", column.name);
            let mut writer = group.next_column()?.ok_or_else(missing)?;
            let cells = || rows.iter().filter_map(|row| row.get(place));
            match column.kind {
                Kind::Text => put::<ByteArrayType>(&mut writer, cells().map(words))?,
                Kind::Score => put::<DoubleType>(&mut writer, cells().map(number))?,
                Kind::Whole => put::<Int64Type>(&mut writer, cells().map(whole))?,
                Kind::Flag => put::<BoolType>(&mut writer, cells().map(flag))?,
            }
            writer.close()?;
        }
        group.close()?;
        Ok(())
    }
}

impl Sink for Columns<'_> {
    fn take(&mut self, stored: &StoredReport) -> Result<()> {
        self.rows.extend(self.table.rows(stored));
        if self.rows.len() >= ROWS { self.flush() } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> Result<()> {
        if !self.rows.is_empty() {
            self.flush()?;
        }
        self.writer.into_inner()?.finish()
    }
}

fn field(column: &Column) -> Result<Type, parquet::errors::ParquetError> {
    let (physical, logical) = match column.kind {
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Score => (Physical::DOUBLE, None),
        Kind::Whole => (Physical::INT64, None),
        Kind::Flag => (Physical::BOOLEAN, None),
    };
    let builder = Type::primitive_type_builder(&column.name, physical).with_repetition(Repetition::OPTIONAL);
    builder.with_logical_type(logical).build()
}

/// Writes a column: the values there are, and for every row whether there is one.
fn put<T: DataType>(writer: &mut SerializedColumnWriter<'_>, cells: impl Iterator<Item = Option<T::T>>) -> Result<()> {
    let mut values = Vec::new();
    let mut levels = Vec::new();
    for cell in cells {
        levels.push(i16::from(cell.is_some()));
        values.extend(cell);
    }
    writer.typed::<T>().write_batch(&values, Some(&levels), None)?;
    Ok(())
}

fn words(cell: &Cell) -> Option<ByteArray> {
    if let Cell::Text(text) = cell { text.as_ref().map(|text| ByteArray::from(text.as_str())) } else { None }
}

fn number(cell: &Cell) -> Option<f64> {
    if let Cell::Score(score) = cell { score.map(|score| f64::from(score.hundredths()) / 100.0) } else { None }
}

fn whole(cell: &Cell) -> Option<i64> {
    if let Cell::Whole(number) = cell { *number } else { None }
}

fn flag(cell: &Cell) -> Option<bool> {
    if let Cell::Flag(flag) = cell { *flag } else { None }
}
