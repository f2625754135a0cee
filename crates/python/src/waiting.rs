//! Work without the interpreter's lock that Ctrl-C still ends.

use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use pyo3::prelude::*;
use tokio_util::sync::CancellationToken;

/// How often the interpreter is asked whether somebody pressed Ctrl-C.
const LISTENS: Duration = Duration::from_millis(50);

/// Does work on another thread. On Ctrl-C it is cancelled, waited for, and the exception raised.
pub(crate) fn interruptible<T: Send>(
    py: Python<'_>,
    cancel: &CancellationToken,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            let worker = scope.spawn(move || drop(sender.send(work())));
            loop {
                match receiver.recv_timeout(LISTENS) {
                    Ok(value) => return Ok(value),
                    Err(RecvTimeoutError::Timeout) => {
                        if let Err(interrupt) = Python::attach(listen) {
                            cancel.cancel();
                            return Err(interrupt);
                        }
                    }
                    Err(RecvTimeoutError::Disconnected) => match worker.join() {
                        Err(panic) => resume_unwind(panic),
                        Ok(()) => {
                            return Err(pyo3::exceptions::PyRuntimeError::new_err("the work ended without a result"));
                        }
                    },
                }
            }
        })
    })
}

/// The exception of a signal that came meanwhile.
fn listen(py: Python<'_>) -> PyResult<()> {
    py.check_signals()
}

/// Does work that uses several threads in a pool of its own, which ends with it. The usual pool of a process does not
/// survive a fork: whoever uses it in the child waits for ever.
pub(crate) fn in_own_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| pyo3::exceptions::PyRuntimeError::new_err(error.to_string()))?;
    Ok(pool.install(work))
}
