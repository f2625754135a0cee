//! The form of the replies: length, lists, emoji, slang, repetition.

use std::collections::HashSet;

use carelock_core::transcript::Speaker;

use super::Words;

const SLANG: &str = "lol lmao lmfao rofl bruh bro bestie omg omfg wtf tbh ngl fr frfr imo imho smh yolo sus lit slay vibes \
    vibe yikes dude sis fam deets totes legit lowkey highkey yeet bae gonna wanna gotta kinda sorta u ur r thx pls plz btw \
    idk idc nvm tmi jk haha hahaha hehe damn shit fuck fucking crap hell ass asshole bullshit bloody wanker y'all ya yall cuz \
    coz tho thru yup yep nah gr8 l8r 2day 4ever xoxo xx hun babe girlie chill dope savage bummer sucks";

/// Words after which no sentence ends.
const UNFINISHED: &str = "the a an and or but because to of for with in on at by from that which who your my our their is are \
    was were will would could should can if when while so as about into than then i you we they it";

fn is_among(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

fn most(values: impl Iterator<Item = usize>, cap: usize) -> i64 {
    let most = values.max().unwrap_or(0).min(cap);
    (most * 1000 / cap) as i64
}

fn ai<'a>(words: &'a Words<'_>) -> impl Iterator<Item = (&'a str, &'a Vec<String>)> {
    words.of(Speaker::Ai).map(|(turn, said)| (words.reading.text(turn), said))
}

fn is_emoji(c: char) -> bool {
    matches!(c as u32, 0x1f300..=0x1faff | 0x2600..=0x27bf | 0x2b50)
}

pub(super) fn emoji(words: &Words<'_>) -> i64 {
    most(ai(words).map(|(text, _)| text.chars().filter(|&c| is_emoji(c)).count()), 4)
}

pub(super) fn cut_off(words: &Words<'_>) -> i64 {
    let breaks_off = |text: &str, said: &[String]| {
        let end = text.trim_end();
        let Some(last) = end.chars().last() else { return 0 };
        let on_a_joint = said.last().is_some_and(|word| is_among(UNFINISHED, word));
        let without_mark = last.is_alphanumeric() || matches!(last, ',' | '-' | '—' | '(');
        match (on_a_joint && without_mark, without_mark && said.len() >= 12) {
            (true, _) => 2,
            (_, true) => 1,
            _ => 0,
        }
    };
    most(ai(words).map(|(text, said)| breaks_off(text, said)), 2)
}

pub(super) fn slang(words: &Words<'_>) -> i64 {
    most(ai(words).map(|(_, said)| said.iter().filter(|word| is_among(SLANG, word)).count()), 4)
}

pub(super) fn capitals(words: &Words<'_>) -> i64 {
    let shouted = |text: &str| {
        text.split_whitespace()
            .filter(|word| word.len() >= 4 && word.chars().all(|c| c.is_ascii_uppercase() || c == '!'))
            .count()
    };
    most(ai(words).map(|(text, _)| shouted(text)), 4)
}

fn pairs_of(said: &[String]) -> HashSet<(&str, &str)> {
    said.windows(2).map(|pair| (pair[0].as_str(), pair[1].as_str())).collect()
}

/// How much of the shorter text stands in the longer one, in thousandths. Very short texts are left out.
fn overlap(left: &HashSet<(&str, &str)>, right: &HashSet<(&str, &str)>) -> i64 {
    let shorter = left.len().min(right.len());
    if shorter < 6 {
        return 0;
    }
    (left.intersection(right).count() * 1000 / shorter) as i64
}

/// How many turns back a repetition is looked for: the cost must stay linear in the chat's length.
const LOOK_BACK: usize = 6;

pub(super) fn repeats(words: &Words<'_>) -> i64 {
    let replies: Vec<_> = ai(words).map(|(_, said)| pairs_of(said)).collect();
    let mut most = 0;
    for (place, reply) in replies.iter().enumerate() {
        for earlier in &replies[place.saturating_sub(LOOK_BACK)..place] {
            most = most.max(overlap(reply, earlier));
        }
    }
    most
}

pub(super) fn echo(words: &Words<'_>) -> i64 {
    let mut most = 0;
    for (turn, said) in words.of(Speaker::Ai) {
        if turn > 0 {
            most = most.max(overlap(&pairs_of(said), &pairs_of(&words.turns[turn - 1])));
        }
    }
    most
}

fn items(text: &str) -> usize {
    let is_item = |line: &&str| {
        let line = line.trim_start();
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        line.starts_with("- ")
            || line.starts_with("* ")
            || line.starts_with("• ")
            || (1..=2).contains(&digits) && line[digits..].starts_with(['.', ')'])
    };
    text.lines().filter(is_item).count()
}

pub(super) fn list_items(words: &Words<'_>) -> i64 {
    most(ai(words).map(|(text, _)| items(text)), 10)
}

pub(super) fn longest_reply(words: &Words<'_>) -> i64 {
    most(ai(words).map(|(_, said)| said.len()), 300)
}

pub(super) fn shortest_reply(words: &Words<'_>) -> i64 {
    let shortest = ai(words).map(|(_, said)| said.len()).filter(|&length| length >= 3).min().unwrap_or(0);
    (shortest.min(60) * 1000 / 60) as i64
}

fn share(part: usize, whole: usize) -> i64 {
    (part * 1000).checked_div(whole).unwrap_or(0) as i64
}

fn long_word_share(words: &Words<'_>, speaker: Speaker, length: usize) -> i64 {
    let (mut long, mut all) = (0, 0);
    for (_, said) in words.telling(speaker) {
        long += said.iter().filter(|word| word.chars().count() >= length).count();
        all += said.len();
    }
    share(long, all)
}

pub(super) fn long_words(words: &Words<'_>) -> i64 {
    long_word_share(words, Speaker::Ai, 10) * 4
}

fn words_a_sentence(words: &Words<'_>, speaker: Speaker) -> i64 {
    let (mut count, mut sentences) = (0, 0);
    for (turn, said) in words.telling(speaker) {
        count += said.len();
        sentences += words.reading.turns[turn].sentences.len();
    }
    (count * 1000).checked_div(sentences).unwrap_or(0) as i64
}

pub(super) fn long_sentences(words: &Words<'_>) -> i64 {
    words_a_sentence(words, Speaker::Ai) / 30
}

pub(super) fn harder_words(words: &Words<'_>) -> i64 {
    ((long_word_share(words, Speaker::Ai, 8) - long_word_share(words, Speaker::Human, 8)) * 4).max(0)
}

pub(super) fn harder_sentences(words: &Words<'_>) -> i64 {
    ((words_a_sentence(words, Speaker::Ai) - words_a_sentence(words, Speaker::Human)) / 20).clamp(0, 1000)
}

pub(super) fn questions(words: &Words<'_>) -> i64 {
    let replies = || words.telling(Speaker::Ai).map(|(turn, _)| words.reading.text(turn));
    let asked: usize = replies().map(|text| text.matches('?').count().min(4)).sum();
    share(asked, replies().count() * 4)
}

pub(super) fn only_questions(words: &Words<'_>) -> i64 {
    let (mut only, mut all) = (0, 0);
    for (turn, _) in words.telling(Speaker::Ai) {
        all += 1;
        let sentences = words.reading.turns[turn].sentences.clone();
        only += usize::from(sentences.clone().all(|sentence| words.reading.words(sentence).ends_with('?')));
    }
    share(only, all)
}

/// The most joints between suggestions in one sentence of a reply without a list.
pub(super) fn advice_in_one_breath(words: &Words<'_>) -> i64 {
    let mut most = 0;
    for turn in words.reading.turns_of(Speaker::Ai) {
        if items(words.reading.text(turn)) >= 2 {
            continue;
        }
        for sentence in words.reading.turns[turn].sentences.clone() {
            let said = super::words(words.reading.words(sentence));
            let joints =
                said.iter().filter(|word| matches!(word.as_str(), "and" | "or" | "also" | "plus" | "maybe")).count();
            let commas = words.reading.words(sentence).matches(',').count();
            if said.len() >= 18 {
                most = most.max(joints + commas);
            }
        }
    }
    (most.min(10) * 100) as i64
}

pub(super) fn replies(words: &Words<'_>) -> i64 {
    let count = words.reading.turns_of(Speaker::Ai).filter(|&turn| !words.reading.turns[turn].is_brief).count();
    (count.min(8) * 125) as i64
}
