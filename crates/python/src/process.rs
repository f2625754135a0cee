//! What must not be used, or even dropped, in a forked child: it holds threads that only the parent has.

use std::sync::Arc;

use carelock::Error;
use pyo3::prelude::*;

use crate::error::exception;

/// A value of the process that made it.
pub(crate) struct OfProcess<T> {
    process: u32,
    value: Option<Arc<T>>,
}

impl<T> OfProcess<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { process: std::process::id(), value: Some(Arc::new(value)) }
    }

    /// The value; an error in a forked child.
    pub(crate) fn get(&self) -> PyResult<Arc<T>> {
        match &self.value {
            Some(value) if self.is_here() => Ok(Arc::clone(value)),
            _ => {
                let advice = "make a new one in the child process";
                Err(exception(&Error::new("this evaluator was made before the process forked").advice(advice)))
            }
        }
    }

    fn is_here(&self) -> bool {
        self.process == std::process::id()
    }
}

impl<T> Drop for OfProcess<T> {
    fn drop(&mut self) {
        if !self.is_here() {
            // Ending its threads would wait for ever for threads that the child does not have.
            std::mem::forget(self.value.take());
        }
    }
}
