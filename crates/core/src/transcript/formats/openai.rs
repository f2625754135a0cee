//! OpenAI messages: roles, content parts, and the answer in a logged request.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::Speaker;
use super::assemble::{Assembly, PartRole, Role};
use super::message::{Item, Message};
use super::{ReadError, loose::Loose};

/// What a role of the chat APIs means; the name is in lower case.
pub(super) fn role(name: &str) -> Option<Role> {
    Some(match name {
        "user" | "human" => Role::Turn(Speaker::Human, "role name"),
        "assistant" | "ai" | "model" => Role::Turn(Speaker::Ai, "role name"),
        "system" | "developer" => Role::Dropped("system message"),
        "tool" | "function" => Role::Dropped("tool message"),
        _ => return None,
    })
}

/// What a content part of this type is.
pub(super) fn part_role(kind: &str) -> Option<PartRole> {
    Some(match kind {
        "text" | "input_text" | "output_text" | "refusal" | "audio_transcription" => PartRole::Said,
        "image_url" | "input_image" | "image_file" | "image_asset_pointer" => PartRole::Dropped("image"),
        "input_audio" | "audio" | "audio_asset_pointer" => PartRole::Dropped("audio"),
        "video" | "video_url" | "real_time_user_audio_video_asset_pointer" => PartRole::Dropped("video"),
        "file" | "input_file" => PartRole::Dropped("file"),
        "function_call" | "tool_call" => PartRole::Dropped("tool call"),
        _ => return None,
    })
}

/// How an entry without a role is counted, by its type: the Responses API mixes such entries with the messages.
pub(super) fn entry_dropped(kind: &str) -> Option<&'static str> {
    match kind {
        "reasoning" => Some("thinking block"),
        kind if kind.ends_with("_output") => Some("tool message"),
        kind if kind.ends_with("_call") => Some("tool call"),
        _ => None,
    }
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow, default)]
    choices: Option<&'a RawValue>,
    #[serde(borrow, default)]
    body: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Choice<'a> {
    #[serde(borrow)]
    message: Item<'a>,
}

/// Adds the answer that a log keeps beside the request: `choices`, or a `response` with them, or a message.
///
/// What cannot be understood is said in the notes, not guessed: the messages themselves are still a chat.
pub(super) fn add_answer(
    assembly: &mut Assembly<'_>,
    choices: Option<&RawValue>,
    response: Option<&RawValue>,
) -> Result<(), ReadError> {
    if let Some(choices) = choices {
        return add_choice(assembly, choices);
    }
    let Some(response) = response else {
        return Ok(());
    };
    let answer = serde_json::from_str::<Answer<'_>>(response.get()).ok();
    let (choices, body) = answer.map_or((None, None), |answer| (answer.choices, answer.body));
    let body = body.and_then(|body| serde_json::from_str::<Answer<'_>>(body.get()).ok());
    if let Some(choices) = choices.or(body.and_then(|body| body.choices)) {
        return add_choice(assembly, choices);
    }
    match serde_json::from_str::<Item<'_>>(response.get()) {
        Ok(Item::Message(message)) if message.is_message() => assembly.message(message),
        Ok(Item::Other("null")) => Ok(()),
        _ => {
            assembly.reading.notes.push("`response` is not in a form that is known and was not read".to_owned());
            Ok(())
        }
    }
}

fn add_choice(assembly: &mut Assembly<'_>, choices: &RawValue) -> Result<(), ReadError> {
    let Ok(choices) = serde_json::from_str::<Vec<Choice<'_>>>(choices.get()) else {
        assembly.reading.notes.push("`choices` is not in a form that is known and was not read".to_owned());
        return Ok(());
    };
    if choices.len() > 1 {
        assembly.reading.notes.push(format!("{} answers in `choices`; the first was read", choices.len()));
    }
    choices.into_iter().next().map_or(Ok(()), |choice| assembly.item(choice.message))
}

/// Whether a message is in OpenAI's shape.
pub(super) fn is_shape(message: &Message<'_>) -> bool {
    use super::message::MessageKey::{Content, Role};
    matches!(&message.label, Some((Role, _))) && matches!(message.content_key, Some(Content) | None)
}

/// Whether a system prompt stands beside the messages; an empty one counts as none.
pub(super) fn has_system(system: Option<&RawValue>) -> bool {
    let loose = system.and_then(|system| serde_json::from_str::<Loose<'_>>(system.get()).ok());
    loose.is_some_and(|system| system.count() > 0)
}

#[cfg(test)]
mod tests {
    use super::super::json::tests::{one, one_error};
    use super::super::{Format, Speaker};

    #[test]
    fn roles_become_speakers_and_system_and_tool_messages_are_counted() {
        let (format, reading) =
            one(r#"{"messages":[{"role":"developer","content":"Be kind."},{"role":"user","content":"I can't sleep."},
            {"role":"assistant","content":null,"tool_calls":[{"id":"1"}]},{"role":"tool","content":"{}"},
            {"role":"assistant","content":"Four nights is hard."}],"id":"night"}"#);
        assert_eq!(format, Format::OpenAi);
        assert_eq!(reading.id.as_deref(), Some("night"));
        let expected =
            [(Speaker::Human, "I can't sleep.".to_owned()), (Speaker::Ai, "Four nights is hard.".to_owned())];
        assert_eq!(reading.turns, expected);
        let dropped: Vec<_> = reading.dropped.iter().map(|(what, n)| (what.as_str(), *n)).collect();
        assert_eq!(dropped, [("system message", 1), ("tool call", 1), ("tool message", 1)]);
        assert_eq!(reading.speakers[0].because, "role name");
    }

    #[test]
    fn content_parts_are_joined_and_pictures_counted() {
        let (_, reading) = one(
            r#"[{"role":"user","content":[{"type":"text","text":"Look"},{"type":"image_url","image_url":{"url":"x"}},
            {"type":"input_text","text":"at this"}]},{"role":"assistant","content":[{"type":"refusal","refusal":"I can't."}]},
            {"role":"user","content":[{"type":"input_audio","input_audio":{}}]},{"role":"user","content":[{"type":"hologram"}]}]"#,
        );
        assert_eq!(reading.turns[0].1, "Look\nat this");
        assert_eq!(reading.turns[1].1, "I can't.");
        assert_eq!(reading.turns.len(), 2);
        assert_eq!((reading.dropped["image"], reading.dropped["audio"], reading.dropped["hologram part"]), (1, 1, 1));
    }

    #[test]
    fn the_logged_answer_is_appended() {
        let answer = r#""choices":[{"index":0,"message":{"role":"assistant","content":"I'm here."}}]"#;
        let messages = r#""messages":[{"role":"user","content":"Hello?"}]"#;
        for log in [
            format!(r#"{{"request":{{{messages}}},"response":{{{answer}}}}}"#),
            format!(r#"{{{messages},{answer}}}"#),
            format!(r#"{{{messages},"response":{{"body":{{{answer}}}}}}}"#),
            format!(
                r#"{{{messages},"response":{{"role":"assistant","content":[{{"type":"text","text":"I'm here."}}]}}}}"#
            ),
        ] {
            let (_, reading) = one(&log);
            assert_eq!(reading.turns.last().unwrap(), &(Speaker::Ai, "I'm here.".to_owned()), "{log}");
        }
    }

    #[test]
    fn an_answer_in_no_known_form_is_said_and_not_guessed() {
        let (_, reading) = one(r#"{"messages":[{"role":"user","content":"a"}],"response":{"blob":1}}"#);
        assert_eq!(reading.turns.len(), 1);
        assert!(reading.notes[0].contains("`response`"));
    }

    #[test]
    fn entries_of_the_responses_api_are_counted() {
        let (_, reading) = one(
            r#"[{"role":"user","content":"a"},{"type":"reasoning","summary":[]},{"type":"function_call","name":"f"},
            {"type":"function_call_output","output":"1"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"b"}]}]"#,
        );
        assert_eq!(reading.turns.len(), 2);
        assert_eq!(reading.dropped.values().sum::<usize>(), 3);
    }

    #[test]
    fn an_unknown_role_is_an_error() {
        let error = one_error(r#"{"messages":[{"role":"narrator","content":"a"}]}"#);
        assert!(error.what.contains("\"narrator\" (1 message)"), "{error}");
    }
}
