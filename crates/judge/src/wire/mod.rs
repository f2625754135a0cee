//! Wire formats: a question to a request, a response to an outcome. No IO.

use serde_json::Value;

/// What is asked of a model, before it is put into a provider's words.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The model's id at the provider.
    pub model: String,
    /// Instructions and rubric: the same for every chat, so that provider caches hit.
    pub system: String,
    /// The transcript and whatever belongs to this chat alone, then any exchange that followed (re-asks).
    pub messages: Vec<Message>,
    /// The JSON Schema the answer must have.
    pub schema: Value,
    /// The most tokens the answer may have.
    pub max_tokens: u32,
}

/// One message of the exchange with the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Whether the model wrote it; otherwise we did.
    pub from_model: bool,
    /// The text.
    pub text: String,
}

/// A request, ready to be sent with POST. Keys are added by the HTTP layer, never here.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The full address.
    pub url: String,
    /// Headers without the key.
    pub headers: Vec<(&'static str, String)>,
    /// The JSON body.
    pub body: Value,
}

/// A response as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

impl Response {
    /// A header's value, by its name in lower case.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(header, _)| header == name).map(|(_, value)| value.as_str())
    }
}
