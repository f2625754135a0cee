//! Claude's data export: `chat_messages` with a sender, read like any other list of messages.
//!
//! The shape needs no code of its own: `sender` names the speaker, the blocks of `content` come before `text` (which
//! repeats them with placeholders for tools), and attachments and files are counted. This file holds what must stay so.

#[cfg(test)]
mod tests {
    use super::super::json::tests::{one, one_error};
    use super::super::{Format, Speaker};

    #[test]
    fn blocks_come_before_text_and_text_where_there_are_none() {
        let (format, reading) = one(r#"[{"uuid":"u-1","name":"Evening","chat_messages":[
            {"uuid":"m1","text":"short","content":[{"type":"text","text":"from the block"}],"sender":"human",
             "attachments":[{"file_name":"a.txt"}],"files":[{"file_name":"b.png"},{"file_name":"c.png"}]},
            {"uuid":"m2","text":"only text","content":[],"sender":"assistant","attachments":[],"files":[]},
            {"uuid":"m3","sender":"human","text":"older export"},
            {"uuid":"m4","text":"This block is not supported.","sender":"assistant",
             "content":[{"type":"thinking","thinking":"hm"},{"type":"tool_use","name":"x"}]}]}]"#);
        assert_eq!(format, Format::ClaudeExport);
        assert_eq!((reading.id.as_deref(), reading.title.as_deref()), (Some("u-1"), Some("Evening")));
        let said: Vec<_> = reading.turns.iter().map(|(who, text)| (*who, text.as_str())).collect();
        assert_eq!(
            said,
            [(Speaker::Human, "from the block"), (Speaker::Ai, "only text"), (Speaker::Human, "older export")]
        );
        assert_eq!(
            (reading.dropped["attachment"], reading.dropped["thinking block"], reading.dropped["tool block"]),
            (3, 1, 1)
        );
    }

    #[test]
    fn an_empty_conversation_is_read_as_one_without_turns() {
        let (format, reading) = one(r#"[{"uuid":"u-2","name":"","chat_messages":[]}]"#);
        assert_eq!((format, reading.turns.len()), (Format::ClaudeExport, 0));
    }

    #[test]
    fn an_unknown_sender_is_an_error() {
        let error = one_error(r#"[{"uuid":"u","chat_messages":[{"sender":"moderator","text":"x"}]}]"#);
        assert_eq!(error.at, "conversation 1");
        assert!(error.what.contains("moderator"), "{error}");
    }
}
