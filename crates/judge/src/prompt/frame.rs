//! The frame around a chat: turns as JSON lines that can neither close the frame nor add a turn, and the way back.

use std::fmt::Write as _;

use carelock_core::problem::Problem;
use carelock_core::transcript::{Transcript, Turn};

const OPENING: &str = "<chat-";
const CLOSING: &str = "</chat-";

/// Words that some chat templates take for control tokens when they follow an opening bracket.
const CONTROL_WORDS: [&str; 6] = ["INST", "SYSTEM_PROMPT", "AVAILABLE_TOOLS", "TOOL_", "THINK", "IMG"];

/// The code in a chat's tags: made from everything said in it, so that no text can hold its own code.
pub(super) fn boundary(transcript: &Transcript) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"carelock/frame/1");
    hasher.update(transcript.digest().as_bytes());
    hasher.finalize().to_hex()[..24].to_owned()
}

/// Turns inside their frame.
pub(super) fn frame<'a>(boundary: &str, turns: impl IntoIterator<Item = &'a Turn>) -> String {
    let lines: Vec<String> = turns.into_iter().map(turn_line).collect();
    format!("{OPENING}{boundary}>\n[\n{}\n]\n{CLOSING}{boundary}>", lines.join(",\n"))
}

/// A turn as one line of JSON, in which nothing is left that could be taken for a delimiter or hide from a reader.
pub(super) fn turn_line(turn: &Turn) -> String {
    let mut line = String::with_capacity(turn.text.len() + 48);
    // Writing to a String cannot fail.
    let _ = write!(line, "{{\"idx\":{},\"speaker\":\"{}\",\"text\":\"", turn.idx, turn.speaker);
    for (at, char) in turn.text.char_indices() {
        match char {
            '"' => line.push_str("\\\""),
            '\\' => line.push_str("\\\\"),
            '\n' => line.push_str("\\n"),
            '\t' => line.push_str("\\t"),
            '[' if opens_control_word(&turn.text[at + 1..]) => escape(&mut line, char),
            _ if is_delimiter(char) || is_hidden(char) => escape(&mut line, char),
            _ => line.push(char),
        }
    }
    line.push_str("\"}");
    line
}

fn escape(line: &mut String, char: char) {
    for unit in char.encode_utf16(&mut [0; 2]) {
        let _ = write!(line, "\\u{unit:04x}");
    }
}

fn opens_control_word(after: &str) -> bool {
    let word = after.strip_prefix('/').unwrap_or(after);
    CONTROL_WORDS.iter().any(|control| word.starts_with(control))
}

/// Characters of our tags and of the control tokens of chat templates, and those that look like them.
fn is_delimiter(char: char) -> bool {
    "<>&＜＞＆﹤﹥﹠‹›❮❯⟨⟩〈〉˂˃ᐸᐳ".contains(char)
}

/// Characters that cannot be seen, change how the others are shown, or break a line.
fn is_hidden(char: char) -> bool {
    matches!(char,
        '\0'..='\u{1f}' | '\u{7f}'..='\u{9f}' | '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}'
        | '\u{70f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}'
        | '\u{e000}'..='\u{f8ff}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{fffe}' | '\u{ffff}' | '\u{13430}'..='\u{1345f}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{10ffff}')
}

/// The turns that a sent message holds, read back from it.
pub fn parse_back(message: &str) -> Result<Vec<Turn>, Problem> {
    let wrong = |what: String| Problem::new(what).advice("read the message back as it was sent");
    let opened = message.matches(OPENING).count();
    let at = message.find(OPENING).filter(|&at| opened == 1 && (at == 0 || message[..at].ends_with('\n')));
    let inside = at.and_then(|at| message[at + OPENING.len()..].split_once(">\n"));
    let Some((code, inside)) = inside else {
        return Err(wrong(format!("the message has {opened} lines that open a chat, where there must be exactly one")));
    };
    let closed = message.matches(CLOSING).count();
    let closing = format!("\n{CLOSING}{code}>");
    let Some((array, behind)) = inside.split_once(closing.as_str()).filter(|_| closed == 1) else {
        return Err(wrong(format!("the chat is closed {closed} times, where it must be exactly once")));
    };
    if !behind.is_empty() {
        return Err(wrong("there is text behind the chat, which must come last".to_owned()));
    }
    let turns: Vec<Turn> = serde_json::from_str(array).map_err(|error| wrong(error.to_string()))?;
    // The brackets stand on lines of their own.
    let lines = array.lines().count();
    if lines != turns.len() + 2 {
        return Err(wrong(format!("the frame does not hold one turn per line: {} on {lines}", turns.len())));
    }
    Ok(turns)
}
