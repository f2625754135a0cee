//! From chats to reports, with the interpreter's lock released and Ctrl-C heard.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use carelock::{Error, Rubric};
use pyo3::prelude::*;
use pyo3_arrow::input::AnyRecordBatch;
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;

use crate::arrow::{Columns, Stream, Table};
use crate::chat::Chat;
use crate::error::exception;
use crate::options::Options;
use crate::process::OfProcess;
use crate::report::Report;
use crate::waiting::interruptible;

/// Judges, and what they need to be asked.
pub(crate) struct Engine {
    evaluator: carelock::Evaluator,
    pub(crate) rubric: Arc<Rubric>,
    /// Where models are asked; none where nobody is.
    runtime: Option<Runtime>,
}

impl Engine {
    fn new(options: Options, like: Option<&Self>) -> PyResult<Self> {
        let mut builder = options.builder()?;
        if let Some(like) = like {
            builder = builder.sharing(&like.evaluator);
        }
        let evaluator = builder.build().map_err(|error| exception(&error))?;
        let runtime = if evaluator.asks() {
            Some(Builder::new_multi_thread().worker_threads(1).thread_name("carelock").enable_all().build()?)
        } else {
            None
        };
        Ok(Self { rubric: Arc::new(evaluator.rubric().clone()), evaluator, runtime })
    }

    /// The report on a chat; waits for whoever is asked until it is cancelled.
    pub(crate) fn judge(
        &self,
        chat: carelock::Chat,
        only: bool,
        cancel: &CancellationToken,
    ) -> Result<carelock::Report, Error> {
        let Some(runtime) = &self.runtime else { return self.evaluator.evaluate_chat_at_once(chat, only) };
        runtime.handle().block_on(async {
            tokio::select! {
                report = self.evaluator.evaluate_chat(chat, only) => report,
                () = cancel.cancelled() => Err(Error::new("cancelled")),
            }
        })
    }

    /// Writes the lock, if one is kept.
    pub(crate) fn finish(&self) -> Result<(), Error> {
        self.evaluator.finish()
    }

    /// Does something with every number below `count` on some threads; the results in order. Stops early when cancelled.
    pub(crate) fn spread<T: Send>(
        count: usize,
        threads: usize,
        cancel: &CancellationToken,
        work: impl Fn(usize) -> T + Sync,
    ) -> Vec<T> {
        if threads <= 1 || count <= 1 {
            return (0..count).take_while(|_| !cancel.is_cancelled()).map(work).collect();
        }
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(count));
        std::thread::scope(|scope| {
            for _ in 0..threads.min(count) {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= count || cancel.is_cancelled() {
                            break;
                        }
                        let result = work(number);
                        done.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
                    }
                });
            }
        });
        let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.sort_unstable_by_key(|(number, _)| *number);
        done.into_iter().map(|(_, result)| result).collect()
    }
}

/// Ends work from another thread.
#[pyclass(frozen, module = "carelock._native")]
#[derive(Default)]
pub(crate) struct Cancel(CancellationToken);

#[pymethods]
impl Cancel {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    fn cancel(&self) {
        self.0.cancel();
    }
}

/// Judges that were looked up.
#[pyclass(frozen, module = "carelock._native")]
pub(crate) struct Evaluator(OfProcess<Engine>);

#[pymethods]
impl Evaluator {
    /// Looks judges up; nothing is sent yet. The embedded judge of another evaluator of this process is used where one is
    /// given.
    #[new]
    #[pyo3(signature = (options, like=None))]
    fn new(options: Options, like: Option<&Self>) -> PyResult<Self> {
        let like = like.map(|like| like.0.get()).transpose()?;
        Ok(Self(OfProcess::new(Engine::new(options, like.as_deref())?)))
    }

    /// Whether anybody is asked: a model or a function.
    #[getter]
    fn asks(&self) -> PyResult<bool> {
        Ok(self.0.get()?.runtime.is_some())
    }

    /// How many chats models are asked about at the same time.
    #[getter]
    fn at_once(&self) -> PyResult<usize> {
        Ok(self.0.get()?.evaluator.at_once())
    }

    /// The report on a chat.
    fn evaluate(&self, py: Python<'_>, chat: &Chat, only: bool, cancel: Option<&Cancel>) -> PyResult<Report> {
        let engine = self.0.get()?;
        let chat = chat.0.clone();
        let token = cancel.map_or_else(CancellationToken::new, |cancel| cancel.0.clone());
        let report = match engine.runtime {
            None => py.detach(|| engine.judge(chat, only, &token)),
            Some(_) => interruptible(py, &token, || engine.judge(chat, only, &token))?,
        };
        let report = report.map_err(|error| exception(&error))?;
        Ok(Report { report: Arc::new(report), rubric: Arc::clone(&engine.rubric) })
    }

    /// The rows of a table, judged as they are asked for.
    fn stream(&self, data: AnyRecordBatch, columns: Columns, threads: usize) -> PyResult<Stream> {
        Stream::new(self.0.get()?, data.into_reader()?, columns, threads)
    }

    /// The rows of a table, judged now.
    fn table(&self, py: Python<'_>, data: AnyRecordBatch, columns: Columns, threads: usize) -> PyResult<Table> {
        self.stream(data, columns, threads)?.collect(py)
    }

    /// Writes the lock, if one is kept.
    fn finish(&self, py: Python<'_>) -> PyResult<()> {
        let engine = self.0.get()?;
        py.detach(|| engine.finish()).map_err(|error| exception(&error))
    }
}
