//! Chats as models are given them: ChatML and the templates of Llama 3, Gemma, Zephyr and Phi.

use super::labels::marks::{Marks, is_known, without_blank_edges};
use super::{ReadError, ReadOptions, Reading};

/// What opens a message, and what stands behind the role.
const TEMPLATES: [(&str, &str); 4] = [
    ("<|im_start|>", "\n"),
    ("<|start_header_id|>", "<|end_header_id|>"),
    ("<start_of_turn>", "\n"),
    // Zephyr and Phi: `<|user|>`.
    ("<|", "|>"),
];

/// What closes a message or a text.
const ENDS: [&str; 6] = ["<|im_end|>", "<|eot_id|>", "<end_of_turn>", "<|end|>", "</s>", "<|endoftext|>"];

/// How far in the first message may stand, behind marks that open the text.
const LONGEST_PREAMBLE: usize = 64;

/// No role is longer.
const LONGEST_ROLE: usize = 40;

/// Whether the text is in this format.
pub(super) fn looks_like(text: &str, options: &ReadOptions) -> bool {
    template(text, options).is_some()
}

/// Reads the whole text.
pub(super) fn read(text: &str, options: &ReadOptions) -> Result<Vec<Reading>, ReadError> {
    let Some(template) = template(text, options) else {
        return Err(ReadError::new(
            "",
            "no message of a chat template was found",
            "see docs/formats for what can be read",
        ));
    };
    let mut marks = Marks::new(text, options);
    let mut from = 0;
    while let Some(found) = next(text, from, template) {
        from = found.body;
        // In `<|user|>` any word may stand, also one that closes a message.
        if template.0 != "<|" || is_known(found.role, options) {
            marks.add(found.role, found.start, found.body, true);
        }
    }
    let reading = marks.read(|message, _| Some(without_ends(message).to_owned()))?;
    Ok(vec![reading])
}

/// One opening of a message.
struct Opening<'a> {
    role: &'a str,
    start: usize,
    body: usize,
}

/// The template that the text opens its messages with, if it is one.
fn template(text: &str, options: &ReadOptions) -> Option<(&'static str, &'static str)> {
    TEMPLATES.into_iter().find(|&template| {
        let mut from = 0;
        while let Some(found) = next(text, from, template).filter(|found| found.start <= LONGEST_PREAMBLE) {
            if is_known(found.role, options) {
                return true;
            }
            from = found.body;
        }
        false
    })
}

/// The next message that opens at the start of a line, of the text, or right behind the end of another one.
fn next<'a>(text: &'a str, mut from: usize, (open, close): (&str, &str)) -> Option<Opening<'a>> {
    loop {
        let start = from + text.get(from..)?.find(open)?;
        let inside = start + open.len();
        let before = text[..start].trim_end_matches([' ', '\t']);
        let is_opening = before.is_empty() || before.ends_with(['\n', '>']);
        let end =
            text[inside..].char_indices().take(LONGEST_ROLE).find(|&(at, _)| text[inside + at..].starts_with(close));
        match end {
            Some((at, _)) if is_opening => {
                let role = text[inside..inside + at].trim();
                return Some(Opening { role, start, body: inside + at + close.len() });
            }
            _ => from = inside,
        }
    }
}

/// The message without the marks that close it.
fn without_ends(message: &str) -> &str {
    let mut text = message.trim_end();
    while let Some(shorter) = ENDS.iter().find_map(|end| text.strip_suffix(end)) {
        text = shorter.trim_end();
    }
    without_blank_edges(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transcript::Speaker::{Ai, Human};

    #[test]
    fn each_template_is_read_and_its_system_message_left_out() {
        let said = [(Human, "I feel low.\nVery.".to_owned()), (Ai, "I hear you.".to_owned())];
        for text in [
            "<|im_start|>system\nBe kind.<|im_end|>\n<|im_start|>user\nI feel low.\nVery.<|im_end|>\n<|im_start|>assistant\nI hear you.<|im_end|>\n",
            "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nI feel low.\nVery.<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\nI hear you.<|eot_id|>",
            "<bos><start_of_turn>user\nI feel low.\nVery.<end_of_turn>\n<start_of_turn>model\nI hear you.<end_of_turn>",
            "<|system|>\nBe kind.</s>\n<|user|>\nI feel low.\nVery.</s>\n<|assistant|>\nI hear you.</s>",
            "<|user|>\nI feel low.\nVery.<|end|>\n<|assistant|>\nI hear you.<|end|>\n<|endoftext|>",
        ] {
            assert!(looks_like(text, &ReadOptions::default()), "{text}");
            let reading = read(text, &ReadOptions::default()).unwrap().remove(0);
            assert_eq!(reading.turns, said, "{text}");
        }
    }

    #[test]
    fn a_mark_inside_a_message_opens_nothing() {
        let text = "<|im_start|>user\nwhat is <|im_start|>assistant\nthen?<|im_end|>\n<|im_start|>assistant\nA mark.<|im_end|>";
        let reading = read(text, &ReadOptions::default()).unwrap().remove(0);
        assert_eq!(reading.turns.len(), 2);
        assert!(!looks_like("User: what does <|im_start|>user do?\nAI: it opens", &ReadOptions::default()));
    }
}
