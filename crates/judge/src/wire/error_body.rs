//! Error bodies in the shapes that providers and servers give them.

use serde_json::Value;

use super::body::{count, text_of};

/// What an error body says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct ErrorBody {
    /// Its type, such as `rate_limit_error`.
    pub(super) kind: String,
    /// Its code, such as `insufficient_quota`.
    pub(super) code: String,
    /// Its message.
    pub(super) message: String,
    /// A status inside the body, which counts when the outer one claims success.
    pub(super) status: Option<u16>,
    /// The tokens the context takes.
    pub(super) limit: Option<u64>,
    /// The tokens of the question.
    pub(super) asked: Option<u64>,
    /// Categories a content filter names.
    pub(super) categories: Vec<String>,
}

impl ErrorBody {
    /// Everything it says in small letters, to look for words in.
    pub(super) fn words(&self) -> String {
        format!("{} {} {}", self.kind, self.code, self.message).to_lowercase()
    }

    /// Its shortest name.
    pub(super) fn name(&self) -> &str {
        if self.code.is_empty() { &self.kind } else { &self.code }
    }
}

/// The error in a body; `None` where there is none.
pub(super) fn read(body: &Value) -> Option<ErrorBody> {
    let body = match body {
        Value::Array(list) => list.first()?,
        other => other,
    };
    let fields = body.as_object()?;
    let error = match (fields.get("error"), fields.get("errors").and_then(Value::as_array)) {
        (Some(Value::String(message)), _) => plain(message),
        (Some(error @ Value::Object(_)), _) => structured(error),
        (_, Some(errors)) => structured(errors.first()?),
        _ if is_error(fields) => structured(body),
        _ => match fields.get("detail")? {
            Value::String(message) => plain(message),
            detail => plain(&details(detail)),
        },
    };
    Some(error)
}

fn is_error(fields: &serde_json::Map<String, Value>) -> bool {
    let says_error = |name: &str| fields.get(name).is_some_and(|value| value == "error");
    let bare = !fields.contains_key("choices") && !fields.contains_key("content");
    says_error("object") || says_error("type") || (bare && fields.get("message").is_some_and(Value::is_string))
}

fn plain(message: &str) -> ErrorBody {
    ErrorBody { message: message.to_owned(), ..ErrorBody::default() }
}

fn structured(error: &Value) -> ErrorBody {
    let text = |name: &str| error.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let inner = error.get("innererror").or_else(|| error.get("inner_error"));
    let inner_code = inner.and_then(|inner| inner.get("code")).and_then(Value::as_str).unwrap_or_default();
    let code = [text("code"), inner_code.to_owned()].into_iter().filter(|code| !code.is_empty()).collect::<Vec<_>>();
    let number = count(error.get("code")).or_else(|| count(error.get("status")));
    let number = number.or_else(|| text("code").parse().ok());
    ErrorBody {
        kind: text("type"),
        code: code.join(" "),
        message: error.get("message").map(message_text).unwrap_or_default(),
        status: number.and_then(|number| u16::try_from(number).ok()).filter(|status| (400..600).contains(status)),
        limit: count(error.get("n_ctx")),
        asked: count(error.get("n_prompt_tokens")),
        categories: filtered_categories(error, 0),
    }
}

fn message_text(message: &Value) -> String {
    match message {
        Value::String(text) => text.clone(),
        Value::Array(_) => text_of(message),
        _ => String::new(),
    }
}

/// Complaints about a request, without the request itself, which some servers echo beside them.
fn details(detail: &Value) -> String {
    let complaint = |item: &Value| {
        let place = item.get("loc").and_then(Value::as_array).map(|loc| {
            loc.iter()
                .map(|part| part.as_str().map_or_else(|| part.to_string(), str::to_owned))
                .collect::<Vec<_>>()
                .join(".")
        });
        let what = item.get("msg").or_else(|| item.get("message")).and_then(Value::as_str)?;
        Some(format!("{}: {what}", place.unwrap_or_default()))
    };
    match detail {
        Value::Array(items) => items.iter().filter_map(complaint).take(3).collect::<Vec<_>>().join("; "),
        other => complaint(other).unwrap_or_default(),
    }
}

/// The names of filters that report `filtered: true`, at any depth that filters are reported at.
pub(super) fn filtered_categories(value: &Value, depth: usize) -> Vec<String> {
    if depth > 6 {
        return Vec::new();
    }
    match value {
        Value::Object(fields) => fields
            .iter()
            .flat_map(|(name, value)| match value.get("filtered") {
                Some(Value::Bool(true)) => vec![name.clone()],
                _ => filtered_categories(value, depth + 1),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(|item| filtered_categories(item, depth + 1)).collect(),
        _ => Vec::new(),
    }
}
