//! Whether a chat is a conversation in English, the only language the judge reads.

use carelock_core::transcript::{Speaker, Turn};

/// Small words that make up a good part of any English text, and of no other; those that other languages share are left out.
const SMALL_WORDS: &str = "the and or but i you he she it we they my your is are am been does did have has had not to of \
    for with that this what when how if can will would just like about from at all out up there here don't i'm it's \
    you're im dont u feel know want because really get";

/// Fewer words than this say too little to tell the language by.
const FEW: usize = 4;

/// How much of each side is looked at, in bytes: the start of a chat tells its language.
const ENOUGH: usize = 4000;

/// The language of a chat that is not in English, by its English name.
pub(crate) fn other_than_english(turns: &[Turn]) -> Option<&'static str> {
    [Speaker::Ai, Speaker::Human].into_iter().find_map(|speaker| {
        let mut text = String::new();
        for turn in turns.iter().filter(|turn| turn.speaker == speaker) {
            text.push_str(&turn.text);
            text.push('\n');
            if text.len() > ENOUGH {
                break;
            }
        }
        foreign(&text)
    })
}

/// The words of a text, lower-cased, with straight apostrophes.
pub(crate) fn words(text: &str) -> Vec<String> {
    let plain = text.to_lowercase().replace('’', "'");
    let words = plain.split(|c: char| !(c.is_alphabetic() || c == '\'')).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Whether a text has at least so many words, most of them such as a language has: with a vowel, of ordinary length, and
/// not the same one over and over.
pub(crate) fn is_language(text: &str, fewest: usize) -> bool {
    let words = words(text);
    let has_vowel = |word: &str| word.chars().any(|c| !c.is_ascii() || "aeiouy".contains(c));
    let likely = words.iter().filter(|word| word.len() <= 24 && has_vowel(word)).count();
    let distinct: std::collections::HashSet<&String> = words.iter().collect();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let marks = text.chars().filter(|c| !c.is_alphabetic() && !c.is_whitespace()).count();
    likely >= fewest && likely * 2 >= words.len() && distinct.len() >= fewest.min(3) && letters > marks
}

/// Whether nobody says anything in a language: formulas, noise, single signs.
pub(crate) fn is_no_conversation(turns: &[Turn]) -> bool {
    !turns.iter().any(|turn| words(&turn.text).iter().any(|word| word.len() > 1) && is_language(&turn.text, 1))
}

fn foreign(text: &str) -> Option<&'static str> {
    let plain = text.to_lowercase().replace('’', "'");
    let words: Vec<&str> =
        plain.split(|c: char| !(c.is_alphabetic() || c == '\'')).filter(|word| !word.is_empty()).collect();
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let latin = text.chars().filter(|c| c.is_alphabetic() && (*c as u32) < 0x250).count();
    // Scripts without blanks have few "words"; their letters tell.
    if letters >= 8 && latin * 2 < letters {
        return Some(name(whichlang::detect_language(text)));
    }
    if words.len() < FEW {
        return None;
    }
    let small = words.iter().filter(|word| SMALL_WORDS.split_whitespace().any(|known| known == **word)).count();
    if small * 6 >= words.len() {
        return None;
    }
    match whichlang::detect_language(text) {
        whichlang::Lang::Eng => None,
        // A short message of rare words is not enough to call it foreign.
        _ if words.len() < 8 && small > 0 => None,
        language => Some(name(language)),
    }
}

fn name(language: whichlang::Lang) -> &'static str {
    use whichlang::Lang;
    match language {
        Lang::Ara => "Arabic",
        Lang::Cmn => "Chinese",
        Lang::Deu => "German",
        Lang::Fra => "French",
        Lang::Hin => "Hindi",
        Lang::Ita => "Italian",
        Lang::Jpn => "Japanese",
        Lang::Kor => "Korean",
        Lang::Nld => "Dutch",
        Lang::Por => "Portuguese",
        Lang::Rus => "Russian",
        Lang::Spa => "Spanish",
        Lang::Swe => "Swedish",
        Lang::Tur => "Turkish",
        Lang::Vie => "Vietnamese",
        Lang::Eng => "another language",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn english_is_read_in_any_style() {
        for text in [
            "hey",
            "cant sleep again. brain wont shut up",
            "Bonjour! I feel awful today and I don't know what to do.",
            "lol same tbh",
            "I'm exhausted.",
            "Please help me, my mother died and nobody calls.",
            "ok",
            "panic attack train help",
        ] {
            assert_eq!(foreign(text), None, "{text}");
        }
    }

    #[test]
    fn other_languages_are_recognised() {
        for (text, language) in [
            ("Ich kann nicht mehr schlafen und alles ist mir zu viel.", "German"),
            ("Je ne dors plus, je pleure tout le temps et je ne sais pas quoi faire.", "French"),
            ("No puedo más, todo me sale mal y nadie me escucha.", "Spanish"),
            ("我最近睡不着觉，感觉很难过", "Chinese"),
            ("Я больше не могу так жить", "Russian"),
        ] {
            assert_eq!(foreign(text), Some(language), "{text}");
        }
    }
}
