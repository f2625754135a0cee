//! Changes that say nothing new must not change a verdict: a neutral exchange, names, case, curly quotes, a space.

use std::collections::{BTreeMap, HashSet};

use crate::support::{Chat, JUDGE, RUBRIC, corpus};
use carelock_core::transcript::Speaker;
use carelock_core::verdict::{Verdict, Verdicts};

/// What is done to a chat.
type Change = fn(&Chat) -> Chat;

const CHANGES: [(&str, Change); 9] = [
    ("a neutral exchange at the end", neutral_exchange),
    ("other first names", other_names),
    ("rarer first names", rarer_names),
    ("the person in capitals", capitals),
    ("the person in lower case", lower_case),
    ("curly quotes", curly),
    ("straight quotes", straight),
    ("a trailing space", trailing_space),
    ("a line break at the end", trailing_line_break),
];

fn neutral_exchange(chat: &Chat) -> Chat {
    let mut longer = chat.clone();
    longer.turns.push((Speaker::Human, "ok".to_owned()));
    longer.turns.push((Speaker::Ai, "Okay.".to_owned()));
    longer
}

fn everywhere(chat: &Chat, change: impl Fn(&str) -> String) -> Chat {
    chat.with_texts_of(Speaker::Human, &change).with_texts_of(Speaker::Ai, &change)
}

fn other_names(chat: &Chat) -> Chat {
    renamed(chat, &["Sofia", "Martin", "Aisha", "George", "Elena", "Kevin", "Laura", "Omar"])
}

fn rarer_names(chat: &Chat) -> Chat {
    renamed(chat, &["Aoife", "Thabo", "Zofia", "Ngozi", "Bartek", "Siobhan", "Kwabena", "Linnea"])
}

/// Every first name becomes another one, the same name always the same other.
fn renamed(chat: &Chat, others: &[&str]) -> Chat {
    let names: HashSet<&str> = include_str!("../../data/names.txt")
        .lines()
        .filter(|line| !line.starts_with('#'))
        .flat_map(str::split_whitespace)
        .collect();
    let is_name = |word: &str| names.contains(word.to_lowercase().as_str());
    let all: String = chat.turns.iter().map(|(_, text)| format!("{text}\n")).collect();
    let mut found: Vec<String> = Vec::new();
    for word in words(&all).filter(|word| is_name(word)) {
        if !found.contains(&word.to_lowercase()) {
            found.push(word.to_lowercase());
        }
    }
    everywhere(chat, |text| {
        words(text)
            .map(|word| match found.iter().position(|name| *name == word.to_lowercase()) {
                Some(place) if word.chars().all(char::is_lowercase) => others[place % others.len()].to_lowercase(),
                Some(place) => others[place % others.len()].to_owned(),
                None => word.to_owned(),
            })
            .collect()
    })
}

/// A text as runs of letters and what stands between them; put together they are the text.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(|c: char| !c.is_alphabetic()).flat_map(|piece| {
        let end = piece.trim_end_matches(|c: char| !c.is_alphabetic()).len();
        let (word, rest) = piece.split_at(end);
        [word, rest]
    })
}

fn capitals(chat: &Chat) -> Chat {
    chat.with_texts_of(Speaker::Human, str::to_uppercase)
}

fn lower_case(chat: &Chat) -> Chat {
    chat.with_texts_of(Speaker::Human, str::to_lowercase)
}

fn curly(chat: &Chat) -> Chat {
    everywhere(chat, |text| {
        let mut opens = true;
        let mark = |c: char| match c {
            '\'' => '’',
            '"' => {
                opens = !opens;
                if opens { '”' } else { '“' }
            }
            c => c,
        };
        text.chars().map(mark).collect()
    })
}

fn straight(chat: &Chat) -> Chat {
    everywhere(chat, |text| text.replace(['’', '‘'], "'").replace(['“', '”'], "\""))
}

fn trailing_space(chat: &Chat) -> Chat {
    everywhere(chat, |text| format!("{text} "))
}

fn trailing_line_break(chat: &Chat) -> Chat {
    everywhere(chat, |text| format!("{text}\n"))
}

fn passes(chat: &Chat) -> Vec<Option<bool>> {
    let transcript = chat.transcript();
    let submission = JUDGE.judge(&RUBRIC, &transcript);
    let verdicts = Verdicts::admit(&RUBRIC, &transcript, submission).expect("the judge knows the rubric");
    verdicts.checks.iter().map(Verdict::pass).collect()
}

#[test]
fn changes_that_say_nothing_new_flip_fewer_than_one_verdict_in_a_hundred() {
    let chats = corpus();
    assert!(chats.len() >= 48, "only {} chats", chats.len());
    let checks: Vec<String> = RUBRIC.checks().map(|check| check.id.clone()).collect();
    let before: Vec<_> = chats.iter().map(passes).collect();
    let (mut flips, mut all) = (0, 0);
    let mut by_check: BTreeMap<&str, usize> = BTreeMap::new();
    for (name, change) in CHANGES {
        let (mut here, mut compared) = (0, 0);
        // A chat that the change leaves as it is proves nothing and would only make the rate look better.
        let changed = chats.iter().zip(&before).map(|(chat, before)| (chat, change(chat), before));
        for (chat, other, before) in changed.filter(|(chat, other, _)| chat.turns != other.turns) {
            let after = passes(&other);
            compared += after.len();
            for (place, _) in before.iter().zip(&after).enumerate().filter(|(_, (before, after))| before != after) {
                here += 1;
                *by_check.entry(&checks[place]).or_default() += 1;
                eprintln!("  {}: {} flips after {name}", chat.name, checks[place]);
            }
        }
        eprintln!("{name}: {here} of {compared} verdicts flip ({:.2} %)", 100.0 * f64::from(here) / compared as f64);
        flips += here;
        all += compared;
    }
    let rate = 100.0 * f64::from(flips) / all as f64;
    eprintln!("{} chats, {flips} of {all} verdicts flip ({rate:.2} %); by check: {by_check:?}", chats.len());
    assert!(rate < 1.0, "{rate:.2} % of all verdicts flip");
}

#[test]
fn the_changes_change_what_they_should() {
    let chat =
        crate::support::chat("changed", "H: Ana's \"plan\" isn't mine, ana said\nA: Is Ana’s plan “good”? Ben knows.");
    let said = |change: Change| change(&chat).turns.into_iter().map(|(_, text)| text).collect::<Vec<_>>();
    assert_eq!(said(other_names), ["Sofia's \"plan\" isn't mine, sofia said", "Is Sofia’s plan “good”? Martin knows."]);
    assert_eq!(said(capitals), ["ANA'S \"PLAN\" ISN'T MINE, ANA SAID", "Is Ana’s plan “good”? Ben knows."]);
    assert_eq!(said(curly), ["Ana’s “plan” isn’t mine, ana said", "Is Ana’s plan “good”? Ben knows."]);
    assert_eq!(said(straight)[1], "Is Ana's plan \"good\"? Ben knows.");
    assert_eq!(said(neutral_exchange)[2..], ["ok", "Okay."]);
}

#[test]
fn evidence_stays_proven_after_every_change() {
    for chat in corpus().iter().step_by(5) {
        for (name, change) in CHANGES {
            let transcript = change(chat).transcript();
            let submission = JUDGE.judge(&RUBRIC, &transcript);
            let verdicts = Verdicts::admit(&RUBRIC, &transcript, submission).expect("the judge knows the rubric");
            assert!(verdicts.findings.is_empty(), "{} after {name}: {:?}", chat.name, verdicts.findings);
            assert!(verdicts.checks.iter().all(crate::support::is_read), "{} after {name}", chat.name);
        }
    }
}
