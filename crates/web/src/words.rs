//! What the web app calls the things a remedy asks for: fields of a form, fields of a request.

use carelock_core::problem::Words;

/// Fields of a request to the HTTP API.
pub(crate) struct ApiWords;

impl Words for ApiWords {
    fn use_speakers(&self) -> String {
        "use the fields human and ai".to_owned()
    }

    fn with_speakers(&self) -> String {
        "with the fields human and ai".to_owned()
    }

    fn human(&self, label: Option<&str>) -> String {
        named("the field human", label)
    }

    fn ai(&self, label: Option<&str>) -> String {
        named("the field ai", label)
    }
}

/// Fields of a form.
pub(crate) struct PageWords;

impl Words for PageWords {
    fn use_speakers(&self) -> String {
        "name the labels in the fields for labels".to_owned()
    }

    fn with_speakers(&self) -> String {
        "in the fields for labels".to_owned()
    }

    fn human(&self, label: Option<&str>) -> String {
        named("the person's label", label)
    }

    fn ai(&self, label: Option<&str>) -> String {
        named("the AI's label", label)
    }
}

fn named(field: &str, label: Option<&str>) -> String {
    label.map_or_else(|| field.to_owned(), |label| format!("{field} \"{label}\""))
}
