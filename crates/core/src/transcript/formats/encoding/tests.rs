//! Tests of how bytes become text.

use proptest::prelude::*;

use super::{Decoded, decode};

fn decoded(bytes: &[u8]) -> Decoded<'_> {
    decode(bytes).unwrap_or_else(|error| panic!("{error}"))
}

fn utf16(text: &str, big: bool) -> Vec<u8> {
    text.encode_utf16().flat_map(|unit| if big { unit.to_be_bytes() } else { unit.to_le_bytes() }).collect()
}

#[test]
fn utf8_stands_as_it_is_and_nothing_is_noted() {
    let decoded = decoded("User: שלום 🌱 — “hi”".as_bytes());
    assert_eq!(decoded.text, "User: שלום 🌱 — “hi”");
    assert!(decoded.notes.is_empty(), "{:?}", decoded.notes);
}

#[test]
fn a_byte_order_mark_is_not_part_of_the_text() {
    assert_eq!(decoded(b"\xEF\xBB\xBFUser: hi").text, "User: hi");
}

#[test]
fn utf16_is_read_with_and_without_mark_in_both_orders() {
    for big in [false, true] {
        let bare = utf16("User: schön hier\nAI: ja", big);
        let mark: &[u8] = if big { b"\xFE\xFF" } else { b"\xFF\xFE" };
        let marked = [mark, &bare].concat();
        for bytes in [bare, marked] {
            let decoded = decoded(&bytes);
            assert_eq!(decoded.text, "User: schön hier\nAI: ja");
            assert!(decoded.notes[0].contains("UTF-16"), "{:?}", decoded.notes);
        }
    }
}

#[test]
fn utf16_of_odd_length_is_read_and_said_to_be_damaged() {
    let mut bytes = [b"\xFF\xFE".as_slice(), &utf16("User: hi", false)].concat();
    bytes.push(b'x');
    assert!(decoded(&bytes).notes[0].contains("U+FFFD"));
}

#[test]
fn windows_1252_is_read_with_the_place_of_the_first_bad_byte() {
    let decoded = decoded(b"User: hi\nAI: I\x92m here, caf\xE9");
    assert_eq!(decoded.text, "User: hi\nAI: I’m here, café");
    assert!(decoded.notes[0].contains("Windows-1252"), "{:?}", decoded.notes);
    assert!(decoded.notes[0].contains("0x92, is at byte 15 (line 2)"), "{:?}", decoded.notes);
}

#[test]
fn damaged_utf8_keeps_its_good_characters() {
    let mut bytes = "Ich fühle mich müde, schön".as_bytes().to_vec();
    bytes.extend(b" \xFF ok");
    let decoded = decoded(&bytes);
    assert_eq!(decoded.text, "Ich fühle mich müde, schön \u{FFFD} ok");
    assert!(decoded.notes[0].contains("not quite valid UTF-8"), "{:?}", decoded.notes);
}

#[test]
fn mojibake_is_said_and_left_unchanged() {
    for text in ["AI: Iâ€™m here", "AI: cafÃ©", "AI: ok\u{C2}\u{A0}then", "AI: Ã€ toi"] {
        let decoded = decoded(text.as_bytes());
        assert_eq!(decoded.text, text);
        assert!(decoded.notes[0].contains("wrong code page"), "{text}: {:?}", decoded.notes);
    }
}

#[test]
fn good_accents_are_not_taken_for_mojibake() {
    for text in ["NÃO, AMANHÃ", "Ângela â", "crâne, pâte", "l’âme"] {
        assert!(decoded(text.as_bytes()).notes.is_empty(), "{text}");
    }
}

#[test]
fn all_line_ends_become_newlines() {
    assert_eq!(decoded(b"a\r\nb\rc\n\r\r\nd\r").text, "a\nb\nc\n\n\nd\n");
}

#[test]
fn binary_data_is_refused_with_the_place() {
    let error = decode(b"ab\x00\x01\x02\xFF\xFE\x00rubbish").err().unwrap();
    assert!(error.what.contains("(0x00) at byte 3"), "{error}");
    assert!(error.remedy.is_some());
}

#[test]
fn known_foreign_files_are_named() {
    for (bytes, name) in [(b"%PDF-1.7".as_slice(), "PDF"), (b"\x1F\x8B\x08", "gzip"), (b"{\\rtf1 hi}", "RTF")] {
        assert!(decode(bytes).err().unwrap().what.contains(name));
    }
}

#[test]
fn a_stray_control_character_is_kept_and_noted() {
    let text = format!("User: {}\u{1}", "hello ".repeat(30));
    let decoded = decoded(text.as_bytes());
    assert_eq!(decoded.text, text);
    assert!(decoded.notes[0].contains("1 control characters"), "{:?}", decoded.notes);
}

#[test]
fn nothing_decodes_to_nothing() {
    assert_eq!(decoded(b"").text, "");
}

proptest! {
    #[test]
    fn any_bytes_are_decoded_or_refused_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        if let Ok(decoded) = decode(&bytes) {
            prop_assert!(!decoded.text.contains('\r'));
        }
    }

    #[test]
    fn any_clean_text_comes_back_unchanged(text in "[^\\r\\u{0}-\\u{1F}\\u{FEFF}]{0,80}") {
        if let Ok(decoded) = decode(text.as_bytes()) {
            prop_assert_eq!(decoded.text.as_ref(), text.as_str());
        }
    }
}
