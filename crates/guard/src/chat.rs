//! Chats in the shape of OpenAI's API: the turns of a request, and what a reply says.

use carelock_core::transcript::Speaker;
use serde_json::Value;

/// The turns of a list of messages; what is neither the person's nor the chatbot's is left out.
pub(crate) fn turns(messages: &Value) -> Option<Vec<(Speaker, String)>> {
    let mut turns = Vec::new();
    for message in messages.as_array()? {
        let speaker = match message["role"].as_str()? {
            "user" => Speaker::Human,
            "assistant" => Speaker::Ai,
            _ => continue,
        };
        let text = content(&message["content"]);
        // An assistant that only calls a tool says nothing.
        if !(speaker == Speaker::Ai && text.trim().is_empty()) {
            turns.push((speaker, text));
        }
    }
    Some(turns)
}

/// The text of a message: a string, or its parts that are text.
fn content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => {
            let texts = parts.iter().filter_map(|part| part["text"].as_str().or_else(|| part["refusal"].as_str()));
            texts.collect::<Vec<_>>().join("\n")
        }
        _ => String::new(),
    }
}

/// What one event of a stream or one whole answer says, by choice.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    /// The number of the choice and its text.
    pub(crate) texts: Vec<(usize, String)>,
    /// The id of the answer.
    pub(crate) id: Option<String>,
    /// The model's name.
    pub(crate) model: Option<String>,
    /// Whether the reply ends here.
    pub(crate) ends: bool,
}

/// What an answer says; `part` is `delta` in a stream, `message` otherwise. None where it is no answer of a chat.
pub(crate) fn said(answer: &Value, part: &str) -> Option<Said> {
    let choices = answer["choices"].as_array()?;
    let text_of = |name: &str| answer[name].as_str().map(str::to_owned);
    let mut said = Said { id: text_of("id"), model: text_of("model"), ..Said::default() };
    for (place, choice) in choices.iter().enumerate() {
        let number = choice["index"].as_u64().and_then(|index| usize::try_from(index).ok()).unwrap_or(place);
        let inner = choice.get(part)?;
        let text = content(&inner["content"]);
        let refusal = inner["refusal"].as_str().unwrap_or_default();
        if !text.is_empty() || !refusal.is_empty() {
            said.texts.push((number, text + refusal));
        }
        said.ends |= !choice["finish_reason"].is_null();
    }
    Some(said)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn turns_are_the_persons_and_the_chatbots_alone() {
        let messages = json!([
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": [{"type": "text", "text": "Hi"}, {"type": "image_url"}]},
            {"role": "assistant", "content": null, "tool_calls": []},
            {"role": "tool", "content": "42"},
            {"role": "assistant", "content": "Hello."},
        ]);
        let expected = [(Speaker::Human, "Hi".to_owned()), (Speaker::Ai, "Hello.".to_owned())];
        assert_eq!(turns(&messages).unwrap(), expected);
        assert!(turns(&json!("no")).is_none() && turns(&json!([1])).is_none());
    }

    #[test]
    fn a_piece_of_a_stream_says_its_delta() {
        let piece = json!({"id": "c1", "choices": [{"index": 1, "delta": {"content": "He"}, "finish_reason": null}]});
        let found = said(&piece, "delta").unwrap();
        assert_eq!((found.texts, found.ends), (vec![(1, "He".to_owned())], false));
        assert!(said(&json!({"error": 1}), "delta").is_none());
    }
}
