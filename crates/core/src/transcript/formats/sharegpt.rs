//! ShareGPT conversations: the names it has for the speakers.

use super::Speaker;
use super::assemble::Role;
use super::message::{Message, MessageKey};

/// What a `from` name means, beside the role names of the chat APIs; the name is in lower case.
pub(super) fn role(name: &str) -> Option<Role> {
    Some(match name {
        "gpt" | "chatgpt" | "bing" | "bard" | "gemini" | "claude" | "bot" | "chatbot" => {
            Role::Turn(Speaker::Ai, "role name")
        }
        "prompter" => Role::Turn(Speaker::Human, "role name"),
        "function_call" | "tool_call" => Role::Dropped("tool call"),
        "observation" | "function_response" | "tool_response" | "ipython" => Role::Dropped("tool message"),
        _ => return None,
    })
}

/// Whether a message is in ShareGPT's shape.
pub(super) fn is_shape(message: &Message<'_>) -> bool {
    matches!(&message.label, Some((MessageKey::From, _))) && message.content_key == Some(MessageKey::Value)
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::super::json::tests::{one, one_error};

    #[test]
    fn all_its_names_are_known() {
        let (format, reading) = one(
            r#"{"id":"s1","conversations":[{"from":"system","value":"x"},{"from":"human","value":"Hi"},{"from":"gpt","value":"Hello"},
            {"from":"user","value":"a"},{"from":"function_call","value":"{}"},{"from":"observation","value":"{}"},
            {"from":"bing","value":"b"},{"from":"tool","value":"{}"},{"from":"chatgpt","value":"c"}]}"#,
        );
        assert_eq!(format, Format::ShareGpt);
        assert_eq!(reading.id.as_deref(), Some("s1"));
        assert_eq!(reading.turns.len(), 5);
        assert_eq!(
            (reading.dropped["tool message"], reading.dropped["tool call"], reading.dropped["system message"]),
            (2, 1, 1)
        );
    }

    #[test]
    fn an_unknown_name_is_an_error() {
        let error = one_error(r#"{"conversations":[{"from":"human","value":"Hi"},{"from":"oracle","value":"..."}]}"#);
        assert!(error.what.contains("\"oracle\" (1 message)"), "{error}");
    }
}
