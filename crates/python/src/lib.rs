//! The native part of the Python package `carelock`: the library behind plain functions and classes, which typed Python wraps.

mod arrow;
mod chat;
mod error;
mod evaluator;
mod figures;
mod options;
mod process;
mod report;
mod session;
mod waiting;

use std::ffi::OsString;

use pyo3::prelude::*;

/// Reports are made of many small strings; the command uses the same allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Runs the `carelock` command with these arguments, the first of which is its name; the exit code.
#[pyfunction]
fn main(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| carelock_cli::main(arguments))
}

/// The native part of the package.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<chat::Chat>()?;
    module.add_class::<chat::ChatReader>()?;
    module.add_class::<evaluator::Evaluator>()?;
    module.add_class::<evaluator::Cancel>()?;
    module.add_class::<report::Report>()?;
    module.add_class::<session::Session>()?;
    module.add_class::<arrow::Table>()?;
    module.add_class::<arrow::Stream>()?;
    module.add_function(wrap_pyfunction!(chat::parse, module)?)?;
    module.add_function(wrap_pyfunction!(chat::from_json, module)?)?;
    module.add_function(wrap_pyfunction!(report::verify, module)?)?;
    module.add_function(wrap_pyfunction!(report::rubric, module)?)?;
    module.add_function(wrap_pyfunction!(figures::agreement, module)?)?;
    module.add_function(wrap_pyfunction!(figures::compare, module)?)?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    Ok(())
}
