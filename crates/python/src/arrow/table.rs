//! Results that are all there.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, StructArray};
use arrow_schema::{Field, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use pyo3_arrow::ffi::{ArrayIterator, to_array_pycapsules, to_schema_pycapsule, to_stream_pycapsule};

use super::stream::failed;

/// Results, a row a chat.
#[pyclass(frozen, module = "carelock._native")]
pub(crate) struct Table {
    batches: Vec<RecordBatch>,
    schema: SchemaRef,
    errors: u64,
}

impl Table {
    pub(super) fn new(batches: Vec<RecordBatch>, schema: SchemaRef, errors: u64) -> Self {
        Self { batches, schema, errors }
    }

    fn field(&self) -> Arc<Field> {
        Arc::new(Field::new_struct("", self.schema.fields().clone(), false))
    }
}

#[pymethods]
impl Table {
    /// How many rows could not be judged.
    #[getter]
    fn errors(&self) -> u64 {
        self.errors
    }

    /// The names of the columns.
    #[getter]
    fn column_names(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// All rows as one Arrow array of structs.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let whole = match self.batches.as_slice() {
            [only] => Ok(only.clone()),
            several => py.detach(|| arrow_select::concat::concat_batches(&self.schema, several)),
        };
        let whole = StructArray::from(whole.map_err(|error| failed(&error))?);
        Ok(to_array_pycapsules(py, self.field(), &whole, requested_schema)?)
    }

    /// All rows as an Arrow stream.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyCapsule>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let arrays: Vec<_> =
            self.batches.iter().map(|batch| Ok(Arc::new(StructArray::from(batch.clone())) as ArrayRef)).collect();
        Ok(to_stream_pycapsule(py, Box::new(ArrayIterator::new(arrays, self.field())), requested_schema)?)
    }

    /// The columns as an Arrow schema.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        Ok(to_schema_pycapsule(py, self.schema.as_ref())?)
    }
}
