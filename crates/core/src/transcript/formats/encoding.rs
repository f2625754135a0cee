//! Bytes to text: byte order marks, UTF-16, and text that went through the wrong code page.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_16BE, UTF_16LE, WINDOWS_1252};
use memchr::{memchr, memchr_iter};

use super::ReadError;

#[cfg(test)]
mod tests;

/// How much of the input is looked at to tell text from other data.
const SAMPLE: usize = 64 * 1024;

/// Text with what was noticed on the way to it.
pub(super) struct Decoded<'a> {
    /// The text, without byte order mark.
    pub(super) text: Cow<'a, str>,
    /// What was noticed ("UTF-16 little endian", "looks like Windows-1252 read as UTF-8").
    pub(super) notes: Vec<String>,
}

/// Decodes a whole input.
pub(super) fn decode(bytes: &[u8]) -> Result<Decoded<'_>, ReadError> {
    if let Some((kind, fix)) = foreign_file(bytes) {
        return Err(ReadError::new("", format!("this is {kind}, not text"), fix));
    }
    let mut notes = Vec::new();
    let text = if let Some(rest) = bytes.strip_prefix(b"\xEF\xBB\xBF") {
        eight_bit(rest, 3, &mut notes)?
    } else if let Some(rest) = bytes.strip_prefix(b"\xFF\xFE") {
        Cow::Owned(utf16(UTF_16LE, rest, "UTF-16, little endian", &mut notes))
    } else if let Some(rest) = bytes.strip_prefix(b"\xFE\xFF") {
        Cow::Owned(utf16(UTF_16BE, rest, "UTF-16, big endian", &mut notes))
    } else if let Some((encoding, name)) = unmarked_utf16(bytes) {
        Cow::Owned(utf16(encoding, bytes, name, &mut notes))
    } else {
        eight_bit(bytes, 0, &mut notes)?
    };
    notes.extend(mojibake(&text));
    Ok(Decoded { text: unix_line_ends(text), notes })
}

/// Files people hand in by mistake, told by their first bytes, and what to do with each.
fn foreign_file(bytes: &[u8]) -> Option<(&'static str, &'static str)> {
    const KNOWN: [(&[u8], &str, &str); 12] = [
        (b"\xFF\xFE\0\0", "UTF-32 text", "save it as UTF-8"),
        (b"\0\0\xFE\xFF", "UTF-32 text", "save it as UTF-8"),
        (b"%PDF-", "a PDF file", "copy its text into a .txt file"),
        (b"{\\rtf", "an RTF document", "save it as plain text (.txt)"),
        (b"\xD0\xCF\x11\xE0", "an old Office document", "save it as plain text or CSV"),
        (b"\x1F\x8B", "a gzip-compressed file", "unpack it first"),
        (b"\x28\xB5\x2F\xFD", "a zstd-compressed file", "unpack it first"),
        (b"7z\xBC\xAF\x27\x1C", "a 7z archive", "unpack it first"),
        (b"SQLite format 3\0", "a SQLite database", "export the messages as CSV"),
        (b"\x89PNG", "a PNG picture", "give the chat as text"),
        (b"\xFF\xD8\xFF", "a JPEG picture", "give the chat as text"),
        (b"GIF89a", "a GIF picture", "give the chat as text"),
    ];
    // UTF-16 whose first character is NUL starts like UTF-32 too, but nobody writes such a chat.
    let hit = KNOWN.iter().find(|(magic, _, _)| bytes.starts_with(magic))?;
    Some((hit.1, hit.2))
}

/// UTF-16 without a byte order mark, where every other byte of mostly Latin text is NUL.
fn unmarked_utf16(bytes: &[u8]) -> Option<(&'static Encoding, &'static str)> {
    let sample = &bytes[..bytes.len().min(4096) & !1];
    let pairs = sample.len() / 2;
    if pairs < 2 {
        return None;
    }
    let nuls = |offset: usize| sample.iter().skip(offset).step_by(2).filter(|&&byte| byte == 0).count();
    let (first, second) = (nuls(0), nuls(1));
    if second * 5 >= pairs * 2 && first * 20 <= pairs {
        Some((UTF_16LE, "UTF-16, little endian, without byte order mark"))
    } else if first * 5 >= pairs * 2 && second * 20 <= pairs {
        Some((UTF_16BE, "UTF-16, big endian, without byte order mark"))
    } else {
        None
    }
}

fn utf16(encoding: &'static Encoding, bytes: &[u8], name: &str, notes: &mut Vec<String>) -> String {
    let (text, damaged) = encoding.decode_without_bom_handling(bytes);
    notes.push(if damaged {
        format!("read as {name}; broken characters were replaced by U+FFFD")
    } else {
        format!("read as {name}")
    });
    text.into_owned()
}

/// UTF-8 where it is valid, otherwise whichever of UTF-8 with damage and Windows-1252 fits; `skipped` bytes came before.
fn eight_bit<'a>(bytes: &'a [u8], skipped: usize, notes: &mut Vec<String>) -> Result<Cow<'a, str>, ReadError> {
    let first_bad = match std::str::from_utf8(bytes) {
        Ok(text) => {
            refuse_binary(bytes, skipped, false, notes)?;
            return Ok(Cow::Borrowed(text));
        }
        Err(error) => error.valid_up_to(),
    };
    refuse_binary(bytes, skipped, true, notes)?;
    let line = memchr_iter(b'\n', &bytes[..first_bad]).count() + 1;
    let byte = bytes.get(first_bad).copied().unwrap_or_default();
    let place = format!("the first bad byte, 0x{byte:02X}, is at byte {} (line {line})", first_bad + skipped + 1);
    let (mut good, mut bad) = (0_usize, 0_usize);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        bad += usize::from(!chunk.invalid().is_empty());
    }
    // Windows-1252 text hardly ever forms valid UTF-8 sequences: where most are valid, the file is damaged UTF-8, and
    // reading it as Windows-1252 would break every good character.
    if good > bad {
        notes.push(format!("not quite valid UTF-8: {bad} broken characters were replaced by U+FFFD; {place}"));
        return Ok(Cow::Owned(String::from_utf8_lossy(bytes).into_owned()));
    }
    notes.push(format!("not valid UTF-8, read as Windows-1252; {place}"));
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(bytes);
    Ok(Cow::Owned(text.into_owned()))
}

/// Refuses data that is not text; a few stray control characters are only noted.
fn refuse_binary(bytes: &[u8], skipped: usize, invalid: bool, notes: &mut Vec<String>) -> Result<(), ReadError> {
    let is_control = |byte: u8| matches!(byte, 0..=8 | 0x0E..=0x1A | 0x1C..=0x1F);
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let controls = sample.iter().filter(|&&byte| is_control(byte)).count();
    let has_nul = memchr(0, sample).is_some();
    let first = sample.iter().position(|&byte| is_control(byte)).unwrap_or(0);
    if (invalid && has_nul) || controls * 50 > sample.len() {
        let what = format!(
            "this is not text: {controls} of the first {} bytes are control bytes, the first (0x{:02X}) at byte {}",
            sample.len(),
            sample.get(first).copied().unwrap_or_default(),
            first + skipped + 1
        );
        return Err(ReadError::new("", what, "save the chat as UTF-8 text, or export it as JSON or CSV"));
    }
    if controls > 0 {
        notes.push(format!(
            "{controls} control characters in the text, the first at byte {}; kept",
            first + skipped + 1
        ));
    }
    Ok(())
}

/// Says so where the text looks like UTF-8 that was once read with the wrong code page; it is not fixed.
fn mojibake(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let mut places = memchr_iter(0xC3, bytes).filter(|&at| is_mojibake(&bytes[at..]));
    let first = places.next()?;
    let count = 1 + places.count();
    let shown: String = text[first..].chars().take_while(|character| !character.is_ascii()).take(3).collect();
    let line = memchr_iter(b'\n', &bytes[..first]).count() + 1;
    Some(format!(
        "the text looks as if it was once read with the wrong code page (count: {count}, the first is \"{shown}\" on line {line}); left unchanged"
    ))
}

/// Whether these bytes start with what the lead bytes of UTF-8 turn into when read as Windows-1252.
fn is_mojibake(bytes: &[u8]) -> bool {
    match bytes {
        // "â€" and whatever follows: a curly quote, a dash or an ellipsis.
        [0xC3, 0xA2, 0xE2, 0x82, 0xAC, ..] => true,
        // "Ã" or "Â" before a character that only ever is a trail byte there: "Ã©", "Â ".
        [0xC3, 0x82 | 0x83, 0xC2, 0xA0..=0xBF, ..] => true,
        // "Â " where an editor has turned the no-break space into a plain one.
        [0xC3, 0x82, b' ', ..] => true,
        // "Ã" before "€", "‚", "ƒ", "„", "…", "œ", "Ÿ" …: the upper half of the trail bytes in Windows-1252.
        [0xC3, 0x83, 0xE2, 0x80 | 0x82 | 0x84, ..] => true,
        [0xC3, 0x83, 0xC5 | 0xC6 | 0xCB, _, ..] => true,
        _ => false,
    }
}

fn unix_line_ends(text: Cow<'_, str>) -> Cow<'_, str> {
    let Some(first) = memchr(b'\r', text.as_bytes()) else {
        return text;
    };
    let mut clean = String::with_capacity(text.len());
    let mut rest: &str = &text;
    let mut next = Some(first);
    while let Some(at) = next {
        clean.push_str(&rest[..at]);
        clean.push('\n');
        rest = &rest[at + 1..];
        rest = rest.strip_prefix('\n').unwrap_or(rest);
        next = memchr(b'\r', rest.as_bytes());
    }
    clean.push_str(rest);
    Cow::Owned(clean)
}
