//! What holds for every chat.

use carelock_core::transcript::{Speaker, Transcript};
use proptest::prelude::*;

use super::super::find::stands_alone;
use super::super::{RedactOptions, Redaction};

/// Pieces that make trouble when they stand next to each other.
const PIECES: &[&str] = &[
    "my name is ",
    "I'm ",
    "I am ",
    "call me ",
    "Hi ",
    "Hello there, ",
    "Dr. ",
    "my sister ",
    "this is ",
    "Ana",
    "ana",
    "ANA",
    "Ana's",
    "Lopez",
    "Hope",
    "hope",
    "Jean-Luc",
    "O'Brien",
    "Zoë",
    "Ana\u{301}",
    " is my brother",
    "ana@example.org",
    "b@x.co.uk",
    "@ana_92",
    "u/ana_x",
    "+44 7700 900123",
    "555-234-5678",
    "07700 900123",
    "(020) 7946 0958",
    "988",
    "116 123",
    "4111 1111 1111 1111",
    "123-45-6789",
    "DE89 3704 0044 0532 0130 00",
    "passport number X1234567",
    "X1234567",
    "12 Oak Street",
    "SW1A 1AA",
    "CA 90210",
    "zip 90210",
    "90210",
    "https://x.org/a?b=c",
    "www.a.com",
    "a.com",
    "192.168.0.1",
    "2001:db8::1:2",
    "[NAME_1]",
    "[EMAIL_2B]",
    "NAME_3",
    "[",
    "]",
    "_1",
    "B",
    " ",
    ", ",
    ". ",
    "\n",
    "-",
    "'",
    "’s",
    "@",
    "+",
    "(",
    ")",
    "1",
    "22",
    "333",
    "4444",
    "é",
    "😀",
    "\u{200d}",
    "the ",
    "and ",
    "text me ",
];

fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        8 => proptest::sample::select(PIECES).prop_map(str::to_owned),
        1 => "\\PC{0,6}",
        1 => "[ -~]{0,8}",
    ];
    proptest::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

fn chat() -> impl Strategy<Value = Transcript> {
    let turn =
        (any::<bool>(), text()).prop_map(|(human, text)| (if human { Speaker::Human } else { Speaker::Ai }, text));
    proptest::collection::vec(turn, 0..5).prop_map(|mut turns| {
        turns.push((Speaker::Human, "hi".to_owned()));
        turns.push((Speaker::Ai, "hello".to_owned()));
        Transcript::new("demo", turns).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn every_turn_can_be_restored_exactly(chat in chat()) {
        let redaction = Redaction::new(&chat, &RedactOptions::default());
        for (redacted, original) in redaction.redacted().turns().iter().zip(chat.turns()) {
            prop_assert_eq!(redaction.restore_text(&redacted.text), original.text.as_str());
            prop_assert_eq!(redacted.speaker, original.speaker);
        }
    }

    #[test]
    fn no_value_that_was_found_is_left_anywhere(chat in chat()) {
        let redaction = Redaction::new(&chat, &RedactOptions::default());
        for turn in redaction.redacted().turns() {
            for (_, _, value, _) in redaction.replaced() {
                for (place, _) in turn.text.match_indices(value) {
                    let inside = super::super::placeholder::standing(&turn.text)
                        .any(|standing| standing.start <= place && place < standing.end);
                    let left = stands_alone(&turn.text, place..place + value.len()) && !inside;
                    prop_assert!(!left, "{:?} is left in {:?}", value, turn.text);
                }
            }
        }
    }

    #[test]
    fn redacting_twice_changes_nothing_more(chat in chat()) {
        let once = Redaction::new(&chat, &RedactOptions::default());
        let twice = Redaction::new(once.redacted(), &RedactOptions::default());
        prop_assert_eq!(once.redacted(), twice.redacted());
    }

    #[test]
    fn no_text_makes_it_panic(human in any::<String>(), ai in any::<String>()) {
        let turns = vec![(Speaker::Human, format!("x{human}")), (Speaker::Ai, format!("x{ai}"))];
        let chat = Transcript::new("demo", turns).unwrap();
        let redaction = Redaction::new(&chat, &RedactOptions::default());
        let restored = redaction.restore_text(&redaction.redacted().turns()[0].text);
        prop_assert_eq!(restored, chat.turns()[0].text.as_str());
    }
}

#[test]
fn twice_the_text_takes_about_twice_the_time() {
    let piece = "I'm Ana, ana@x.org, +44 7700 900123, 12 Oak Street. aaaa 1111 @@@@ ((((( my sister ";
    let took = |times: usize| {
        let turns = vec![(Speaker::Human, piece.repeat(times)), (Speaker::Ai, "ok".to_owned())];
        let chat = Transcript::new("demo", turns).unwrap();
        let start = std::time::Instant::now();
        drop(Redaction::new(&chat, &RedactOptions::default()));
        start.elapsed()
    };
    took(10);
    let (small, large) = (took(300), took(2400));
    // Eight times the text; sixty-four times would be quadratic. The bound is wide because machines are busy.
    assert!(large < small * 32 + std::time::Duration::from_millis(200), "{small:?} and {large:?}");
}
