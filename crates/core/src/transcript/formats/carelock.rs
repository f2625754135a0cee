//! Care-Lock's own turns: `{idx, speaker, text}`.

use super::ReadError;
use super::assemble::place;
use super::message::{Item, Message, MessageKey};

/// Whether a message is in Care-Lock's shape; outside `turns` only an `idx` tells it from others.
pub(super) fn is_shape(message: &Message<'_>, under_turns: bool) -> bool {
    let keys =
        matches!(&message.label, Some((MessageKey::Speaker, _))) && message.content_key == Some(MessageKey::Text);
    keys && (under_turns || message.idx.is_some())
}

/// Refuses turns whose numbers repeat or go back: then either the order or the numbering is wrong, and evidence
/// that points at a number would point at the wrong words. Gaps and another start are harmless.
pub(super) fn check_order(items: &[Item<'_>], at: &str) -> Result<(), ReadError> {
    let mut last: Option<(usize, i64)> = None;
    for (number, item) in (1..).zip(items) {
        let Item::Message(Message { idx: Some(idx), .. }) = item else {
            continue;
        };
        if let Some((before, last_idx)) = last.filter(|(_, last_idx)| last_idx >= idx) {
            let fault = if last_idx == *idx { "the same idx as" } else { "out of order after" };
            let what = format!("idx {idx} is {fault} message {before} (idx {last_idx})");
            let place = place(at, &format!("message {number}"));
            return Err(ReadError::new(place, what, "number the turns in the order in which they were said"));
        }
        last = Some((number, *idx));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::json::tests::{one, one_error};
    use super::super::{Format, Speaker};

    #[test]
    fn turns_are_read_bare_and_in_an_object() {
        let turns = r#"[{"idx":1,"speaker":"human","text":"I feel low.\n\nStill."},{"idx":2,"speaker":"Ai","text":"I hear you."}]"#;
        for text in [turns.to_owned(), format!(r#"{{"id":"c1","turns":{turns}}}"#)] {
            let (format, reading) = one(&text);
            assert_eq!(format, Format::CareLock);
            let expected =
                [(Speaker::Human, "I feel low.\n\nStill.".to_owned()), (Speaker::Ai, "I hear you.".to_owned())];
            assert_eq!(reading.turns, expected);
        }
    }

    #[test]
    fn verdicts_in_the_record_come_along() {
        let (_, reading) = one(r#"{"turns":[{"speaker":"HUMAN","text":"a"}],"verdicts":{"E1":true},"judge":"me"}"#);
        assert_eq!(reading.verdicts.unwrap().get(), r#"{"verdicts":{"E1":true},"judge":"me"}"#);
    }

    #[test]
    fn a_report_gives_its_turns_and_no_verdicts() {
        let (format, reading) =
            one(r#"{"schema":"1","transcript":{"id":"r7"},"turns":[{"idx":1,"speaker":"HUMAN","text":"a"},
            {"idx":2,"speaker":"AI","text":"b"}],"moments":[],"metrics":{"Empathy":{"score":1.0}},"summary":"Fine."}"#);
        assert_eq!((format, reading.id.as_deref(), reading.turns.len()), (Format::CareLock, Some("r7"), 2));
        assert!(reading.verdicts.is_none());
    }

    #[test]
    fn repeated_and_backward_numbers_are_errors() {
        let turn = |idx: i32| format!(r#"{{"idx":{idx},"speaker":"AI","text":"x"}}"#);
        let error = one_error(&format!("[{},{},{}]", turn(1), turn(2), turn(2)));
        assert_eq!(error.at, "message 3");
        assert_eq!(error.what, "idx 2 is the same idx as message 2 (idx 2)");
        let error = one_error(&format!("{{\"turns\":[{},{}]}}", turn(5), turn(3)));
        assert_eq!(error.what, "idx 3 is out of order after message 1 (idx 5)");
        assert_eq!(one(&format!("[{},{}]", turn(0), turn(4))).1.turns.len(), 2);
    }
}
