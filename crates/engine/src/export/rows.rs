//! Tables as text: CSV, and a JSON object a line.

use std::io::Write as _;

use anyhow::Result;
use carelock_core::report::csv_text;
use serde_json::{Map, Value};

use super::table::{Cell, Table};
use super::{Output, Sink};
use crate::runs::StoredReport;

/// A row a line, with a first line of names.
pub(super) struct Delimited<'a> {
    writer: csv::Writer<Output>,
    table: Table<'a>,
}

impl<'a> Delimited<'a> {
    pub(super) fn new(output: Output, table: Table<'a>) -> Result<Self> {
        let mut writer = csv::Writer::from_writer(output);
        writer.write_record(table.columns().iter().map(|column| csv_text(&column.name)))?;
        Ok(Self { writer, table })
    }
}

impl Sink for Delimited<'_> {
    fn take(&mut self, stored: &StoredReport) -> Result<()> {
        for row in self.table.rows(stored) {
            self.writer.write_record(row.into_iter().map(text))?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        let output = self.writer.into_inner().map_err(csv::IntoInnerError::into_error)?;
        output.finish()
    }
}

/// Text on one line that no spreadsheet takes for a formula; numbers as they are; nothing where there is nothing.
fn text(cell: Cell) -> String {
    match cell {
        Cell::Text(text) => text.map(csv_text).unwrap_or_default(),
        Cell::Score(score) => score.map(|score| score.to_string()).unwrap_or_default(),
        Cell::Whole(number) => number.map(|number| number.to_string()).unwrap_or_default(),
        Cell::Flag(flag) => flag.map(|flag| flag.to_string()).unwrap_or_default(),
    }
}

/// A JSON object a line, with the table's columns as its fields.
pub(super) struct Objects<'a> {
    output: Output,
    table: Table<'a>,
}

impl<'a> Objects<'a> {
    pub(super) fn new(output: Output, table: Table<'a>) -> Self {
        Self { output, table }
    }
}

impl Sink for Objects<'_> {
    fn take(&mut self, stored: &StoredReport) -> Result<()> {
        for row in self.table.rows(stored) {
            let names = self.table.columns().iter().map(|column| column.name.clone());
            let object: Map<String, Value> = names.zip(row.into_iter().map(value)).collect();
            serde_json::to_writer(&mut self.output, &object)?;
            self.output.write_all(b"\n")?;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<()> {
        self.output.finish()
    }
}

fn value(cell: Cell) -> Value {
    match cell {
        Cell::Text(text) => text.into(),
        Cell::Score(score) => score.map(|score| f64::from(score.hundredths()) / 100.0).into(),
        Cell::Whole(number) => number.into(),
        Cell::Flag(flag) => flag.into(),
    }
}
