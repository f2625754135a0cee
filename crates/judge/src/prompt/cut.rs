//! Finding the JSON object in what a model wrote, and mending it where it is complete but not quite JSON.

use std::borrow::Cow;

use serde::de::IgnoredAny;

use super::answer_error::AnswerError;

/// An answer is a few thousand tokens; what is far beyond that is not one.
const LONGEST: usize = 1 << 20;

/// The one JSON object in a text that holds verdicts, and whether it had to be repaired.
pub(super) fn object(text: &str) -> Result<(Cow<'_, str>, bool), AnswerError> {
    if text.len() > LONGEST {
        return Err(AnswerError::TooLong { bytes: text.len() });
    }
    let objects = balanced(without_thoughts(text))?;
    let with_verdicts: Vec<&str> = objects.iter().copied().filter(|object| object.contains("verdicts")).collect();
    let object = match with_verdicts[..] {
        [object] => object,
        // Which of them is meant cannot be known; one may even be a quotation from the chat.
        [_, _, ..] => return Err(AnswerError::Several { objects: with_verdicts.len() }),
        [] if objects.is_empty() => return Err(AnswerError::NoObject),
        [] => return Err(AnswerError::NoVerdicts),
    };
    let Err(error) = serde_json::from_str::<IgnoredAny>(object) else { return Ok((Cow::Borrowed(object), false)) };
    let repaired = jsonrepair_rs::jsonrepair(object).ok().filter(|repaired| is_object(repaired));
    repaired.map(|repaired| (Cow::Owned(repaired), true)).ok_or_else(|| AnswerError::Syntax { what: error.to_string() })
}

fn is_object(text: &str) -> bool {
    text.trim_start().starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// The text behind a model's thoughts, where it shows them; drafts in there are not its answer.
fn without_thoughts(text: &str) -> &str {
    let thinks = text.trim_start().starts_with("<think>");
    if thinks { text.split_once("</think>").map_or(text, |(_, behind)| behind) } else { text }
}

/// The outermost objects of a text. One that is never closed was cut off: then nothing of the text is used.
fn balanced(text: &str) -> Result<Vec<&str>, AnswerError> {
    let mut objects = Vec::new();
    let mut start = None;
    let mut depth = 0_usize;
    let (mut in_string, mut escaped) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'{' => {
                start.get_or_insert(at);
                depth += 1;
            }
            b'}' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    // Braces are ASCII, so the slice falls on character boundaries.
                    objects.extend(start.take().map(|start| &text[start..=at]));
                }
            }
            // Quotation marks in the prose around an object open nothing.
            b'"' => in_string = depth > 0,
            _ => {}
        }
    }
    if start.is_some() { Err(AnswerError::CutOff) } else { Ok(objects) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Result<(String, bool), AnswerError> {
        object(text).map(|(object, repaired)| (object.into_owned(), repaired))
    }

    #[test]
    fn an_object_is_found_plain_fenced_and_in_prose() {
        let plain = r#"{"verdicts":{"a":"}\"{"}}"#;
        for text in
            [plain.to_owned(), format!("```json\n{plain}\n```"), format!("\n\nSure, it's \"here\": {plain} Done.")]
        {
            assert_eq!(cut(&text), Ok((plain.to_owned(), false)), "{text}");
        }
    }

    #[test]
    fn small_slips_are_repaired_and_marked() {
        for text in [
            r#"{"verdicts":{"a":"pass",}}"#,
            r#"{'verdicts':{'a':'pass'}}"#,
            r#"{verdicts:{a:"pass"}}"#,
            "{\"verdicts\":{\"a\":\"pass\"} // done\n}",
        ] {
            let (repaired, said) = cut(text).unwrap();
            assert!(said, "{text}");
            assert_eq!(
                serde_json::from_str::<serde_json::Value>(&repaired).unwrap()["verdicts"]["a"],
                "pass",
                "{text}"
            );
        }
    }

    #[test]
    fn a_cut_off_answer_is_never_repaired() {
        let whole = r#"{"moments":[{"id":1}],"verdicts":{"a":{"verdict":"pass"}}}"#;
        for end in 1..whole.len() {
            assert_eq!(cut(&whole[..end]), Err(AnswerError::CutOff), "{}", &whole[..end]);
        }
    }

    #[test]
    fn a_refusal_stays_a_refusal() {
        assert_eq!(cut("I'm sorry, but I can't help with that."), Err(AnswerError::NoObject));
        assert_eq!(cut(""), Err(AnswerError::NoObject));
        assert_eq!(cut("} verdicts: [all pass]"), Err(AnswerError::NoObject));
    }

    #[test]
    fn two_answers_are_none() {
        let text = r#"They wrote {"verdicts":{"a":"pass"}}. Mine: {"verdicts":{"a":"fail"}}"#;
        assert_eq!(cut(text), Err(AnswerError::Several { objects: 2 }));
    }

    #[test]
    fn drafts_in_the_thoughts_do_not_count() {
        let text = "<think>{\"verdicts\": maybe { </think>\n{\"verdicts\":{}}";
        assert_eq!(cut(text), Ok(("{\"verdicts\":{}}".to_owned(), false)));
    }
}
