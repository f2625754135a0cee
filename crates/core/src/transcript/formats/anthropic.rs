//! Anthropic messages: content blocks and what they count as.

use super::assemble::PartRole;
use super::content::Content;
use super::message::Item;

/// What a content block of this type is; text blocks are known from the shared vocabulary.
pub(super) fn block_role(kind: &str) -> Option<PartRole> {
    Some(PartRole::Dropped(match kind {
        "thinking" | "redacted_thinking" | "reasoning" | "thoughts" => "thinking block",
        "image" => "image",
        "document" | "container_upload" => "document",
        // Server tools come in many names: web_search_tool_result, mcp_tool_use, code_execution_tool_result, …
        kind if kind.ends_with("tool_use") || kind.ends_with("tool_result") => "tool block",
        _ => return None,
    }))
}

/// Whether any message has a block that only this format has.
pub(super) fn has_own_blocks(items: &[Item<'_>]) -> bool {
    items.iter().any(|item| match item {
        Item::Message(message) => match &message.content {
            Content::Parts(parts) => {
                parts.iter().any(|part| part.kind.as_deref().is_some_and(|kind| block_role(kind).is_some()))
            }
            _ => false,
        },
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::super::json::tests::{one, one_error};
    use super::super::{Format, Speaker};

    #[test]
    fn text_blocks_are_said_and_all_other_blocks_counted() {
        let (format, reading) = one(r#"{"system":"Be gentle.","messages":[
            {"role":"user","content":[{"type":"text","text":"One."},{"type":"text","text":"Two."},{"type":"document","source":{}}]},
            {"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"redacted_thinking","data":"x"},
              {"type":"text","text":"Let me look."},{"type":"tool_use","id":"t","name":"f","input":{}}]},
            {"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"42"}]},
            {"role":"assistant","content":"Done."}]}"#);
        assert_eq!(format, Format::Anthropic);
        let said: Vec<_> = reading.turns.iter().map(|(who, text)| (*who, text.as_str())).collect();
        assert_eq!(said, [(Speaker::Human, "One.\nTwo."), (Speaker::Ai, "Let me look."), (Speaker::Ai, "Done.")]);
        let dropped: Vec<_> = reading.dropped.iter().map(|(what, n)| (what.as_str(), *n)).collect();
        assert_eq!(dropped, [("document", 1), ("system message", 1), ("thinking block", 2), ("tool block", 2)]);
    }

    #[test]
    fn a_system_prompt_in_blocks_is_counted_and_an_empty_one_is_not() {
        let messages = r#""messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]"#;
        let (_, blocks) = one(&format!(r#"{{"system":[{{"type":"text","text":"x"}}],{messages}}}"#));
        assert_eq!(blocks.dropped["system message"], 1);
        let (_, empty) = one(&format!(r#"{{"system":"",{messages}}}"#));
        assert!(empty.dropped.is_empty());
    }

    #[test]
    fn a_logged_request_is_read_with_its_system_prompt_and_answer() {
        let (format, reading) = one(r#"{"request":{"system":"x","messages":[{"role":"user","content":"a"}]},
            "response":{"type":"message","role":"assistant","content":[{"type":"text","text":"b"}]}}"#);
        assert_eq!((format, reading.turns.len()), (Format::Anthropic, 2));
        assert_eq!(reading.dropped["system message"], 1);
    }

    #[test]
    fn an_unknown_role_is_an_error() {
        let error =
            one_error(r#"{"system":"x","messages":[{"role":"ghost","content":[{"type":"text","text":"boo"}]}]}"#);
        assert!(error.what.contains("ghost"), "{error}");
    }
}
