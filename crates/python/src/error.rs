//! Errors as Python exceptions: where, what, and what to do in the words of the package.

use carelock::{Error, Setting, Words};
use pyo3::prelude::*;

pyo3::import_exception!(carelock, CareLockError);

/// The exception that an error amounts to.
pub(crate) fn exception(error: &Error) -> PyErr {
    CareLockError::new_err((error.at.clone(), error.what.clone(), error.fix(&Keywords)))
}

/// An error as one line of text, for a column of errors.
pub(crate) fn line(error: &Error) -> String {
    let fix = error.fix(&Keywords);
    if fix.is_empty() { error.what() } else { format!("{}; fix: {fix}", error.what()) }
}

/// Keyword arguments of the package, where a remedy asks for something.
struct Keywords;

impl Words for Keywords {
    fn use_speakers(&self) -> String {
        "pass human=[…] and ai=[…] with the labels of both".to_owned()
    }

    fn with_speakers(&self) -> String {
        "with human=[…] and ai=[…]".to_owned()
    }

    fn human(&self, label: Option<&str>) -> String {
        keyword("human", label)
    }

    fn ai(&self, label: Option<&str>) -> String {
        keyword("ai", label)
    }

    fn other(&self, label: &str) -> String {
        keyword("other", Some(label))
    }

    fn ignored(&self, label: &str) -> String {
        keyword("ignore_speaker", Some(label))
    }

    fn not_a_speaker(&self, label: &str) -> String {
        keyword("not_a_speaker", Some(label))
    }

    fn setting(&self, setting: Setting) -> String {
        format!("{}=…", setting.name())
    }
}

fn keyword(name: &str, label: Option<&str>) -> String {
    label.map_or_else(|| format!("{name}=[…]"), |label| format!("{name}=[{label:?}]"))
}
