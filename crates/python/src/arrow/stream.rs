//! Rows that are judged as somebody reads them: little memory, however long the table is.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::{ArrayRef, RecordBatch, RecordBatchReader, StructArray};
use arrow_schema::{ArrowError, Field, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use pyo3_arrow::ffi::{ArrayIterator, to_schema_pycapsule, to_stream_pycapsule};
use tokio_util::sync::CancellationToken;

use super::input::Places;
use super::output::{Layout, Row};
use super::{Columns, Table};
use crate::error::exception;
use crate::evaluator::Engine;
use crate::waiting::interruptible;

/// Rows that are judged together: enough to keep all threads busy, few enough to be small.
const TOGETHER: usize = 512;

/// Batches of rows, read and judged one after the other.
struct Judged {
    engine: Arc<Engine>,
    source: Box<dyn RecordBatchReader + Send>,
    places: Places,
    layout: Layout,
    threads: usize,
    /// What is left of the batch that was read last.
    rest: Option<RecordBatch>,
    errors: Arc<AtomicU64>,
}

impl Judged {
    fn next_batch(&mut self, cancel: &CancellationToken) -> Option<Result<RecordBatch, ArrowError>> {
        let batch = match self.rest.take() {
            Some(rest) => rest,
            None => match self.source.next() {
                Some(Ok(batch)) => batch,
                Some(Err(error)) => return Some(Err(error)),
                // What was answered is kept where a lock is named.
                None => {
                    return self.engine.finish().err().map(|error| Err(ArrowError::ExternalError(Box::new(error))));
                }
            },
        };
        let (now, later) = (batch.num_rows().min(TOGETHER), batch.num_rows().saturating_sub(TOGETHER));
        if later > 0 {
            self.rest = Some(batch.slice(now, later));
        }
        Some(self.judge(&batch.slice(0, now), cancel))
    }

    fn judge(&self, batch: &RecordBatch, cancel: &CancellationToken) -> Result<RecordBatch, ArrowError> {
        let (rows, engine, layout) = (self.places.rows(batch)?, &self.engine, &self.layout);
        let judged = Engine::spread(rows.count, self.threads, cancel, |row| {
            let report = rows.chat(row).and_then(|chat| engine.judge(chat, false, cancel));
            Row::new(rows.id(row), report, layout)
        });
        let failed = judged.iter().filter(|row| row.is_error()).count() as u64;
        self.errors.fetch_add(failed, Ordering::Relaxed);
        self.layout.batch(&judged)
    }
}

/// A table whose rows are judged as they are read; it can be read once.
#[pyclass(frozen, module = "carelock._native")]
pub(crate) struct Stream {
    judged: Mutex<Option<Judged>>,
    schema: SchemaRef,
    errors: Arc<AtomicU64>,
}

impl Stream {
    pub(crate) fn new(
        engine: Arc<Engine>,
        source: Box<dyn RecordBatchReader + Send>,
        columns: Columns,
        threads: usize,
    ) -> PyResult<Self> {
        let Columns { messages, id, checks, report, reading } = columns;
        let places = Places::new(&source.schema(), messages.as_deref(), id.as_deref(), reading.into());
        let places = places.map_err(|error| exception(&error))?;
        let layout = Layout::new(Arc::clone(&engine.rubric), checks, report);
        let (schema, errors) = (layout.schema(), Arc::default());
        let judged = Judged { engine, source, places, layout, threads, rest: None, errors: Arc::clone(&errors) };
        Ok(Self { judged: Mutex::new(Some(judged)), schema, errors })
    }

    fn take(&self) -> PyResult<Judged> {
        let taken = self.judged.lock().unwrap_or_else(PoisonError::into_inner).take();
        taken.ok_or_else(|| {
            let error = carelock::Error::new("this stream was read already");
            exception(&error.advice("make it again, or use evaluate_table, which can be read many times"))
        })
    }

    /// Judges all rows now.
    pub(crate) fn collect(&self, py: Python<'_>) -> PyResult<Table> {
        let mut judged = self.take()?;
        let cancel = CancellationToken::new();
        let batches = interruptible(py, &cancel, || {
            let mut batches = Vec::new();
            while let Some(batch) = judged.next_batch(&cancel) {
                batches.push(batch?);
                if cancel.is_cancelled() {
                    break;
                }
            }
            Ok::<_, ArrowError>(batches)
        })?;
        let batches = batches.map_err(|error| failed(&error))?;
        Ok(Table::new(batches, Arc::clone(&self.schema), self.errors.load(Ordering::Relaxed)))
    }
}

/// An error of Arrow as an exception.
pub(super) fn failed(error: &ArrowError) -> PyErr {
    exception(&carelock::Error::new(format!("the table cannot be read: {error}")))
}

#[pymethods]
impl Stream {
    /// How many of the rows read so far could not be judged.
    #[getter]
    fn errors(&self) -> u64 {
        self.errors.load(Ordering::Relaxed)
    }

    /// The rows as an Arrow stream.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let mut judged = self.take()?;
        let next = std::iter::from_fn(move || {
            // Whoever reads may hold the interpreter's lock, which a function that judges needs.
            let cancel = CancellationToken::new();
            let batch = Python::attach(|py| interruptible(py, &cancel, || judged.next_batch(&cancel)));
            match batch {
                Ok(batch) => batch.map(|batch| batch.map(|batch| Arc::new(StructArray::from(batch)) as ArrayRef)),
                Err(interrupt) => Some(Err(ArrowError::ExternalError(Box::new(interrupt)))),
            }
        });
        let field = Arc::new(Field::new_struct("", self.schema.fields().clone(), false));
        Ok(to_stream_pycapsule(py, Box::new(ArrayIterator::new(next, field)), requested_schema)?)
    }

    /// The columns as an Arrow schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.schema.as_ref())?)
    }
}
