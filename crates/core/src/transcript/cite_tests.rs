//! Quotes that stand in a turn, that can be fixed to it, and that must be rejected.

use super::*;

/// The AI's turn, as a chatbot might write it, with what people and programs like to change.
const REPLY: &str = "I hear you — it’s been a **really** long year.\nYou said “nobody calls”, and that hurts.\n\n\
    - Breathe out slowly…\n- Call Zoë or your *abuelita* at 6\u{202F}pm\n\
    It must be hard to carry snake_case feelings alone. 你并不孤单，我在这里听你说。 \
    Straße, naïve, cafe\u{301}; 2*3 is 6. مرحبا، أنا أسمعك. It must be lonely.";

fn chat() -> Transcript {
    Transcript::new("t", vec![(Speaker::Human, "I'm so tired of this.".into()), (Speaker::Ai, REPLY.into())]).unwrap()
}

#[test]
fn exact_quotes_are_told_apart_as_exact() {
    let cases = [
        "I hear you",
        "it’s been a **really** long year.",
        "“nobody calls”",
        "and that hurts.\n\n- Breathe",
        "Breathe out slowly…",
        "Zoë",
        "*abuelita*",
        "at 6\u{202F}pm",
        "snake_case",
        "你并不孤单",
        "我在这里听你说。",
        "Straße, naïve",
        "cafe\u{301}",
        "2*3",
        "أنا أسمعك",
        "  It must be lonely.  ",
        "I",
        "—",
        "alone. 你并",
        "year.\nYou",
    ];
    for quote in cases {
        let evidence = chat().cite(2, quote).unwrap_or_else(|error| panic!("{quote:?}: {error}"));
        assert!(!evidence.is_fixed(), "{quote:?} fixed by {:?}", evidence.differences());
        assert_eq!(evidence.quote(), quote.trim());
        assert_eq!((evidence.turn(), evidence.speaker()), (2, Speaker::Ai));
    }
}

#[test]
fn fixed_quotes_become_the_verbatim_text_and_say_what_differed() {
    let cases: [(&str, &str, &str); 30] = [
        ("it's been a **really** long year", "it’s been a **really** long year", "quotation marks"),
        ("You said \"nobody calls\"", "You said “nobody calls”", "quotation marks"),
        ("You said 'nobody calls', and", "You said “nobody calls”, and", "quotation marks"),
        ("You said «nobody calls»", "You said “nobody calls”", "quotation marks"),
        ("I hear you - it’s", "I hear you — it’s", "dashes"),
        ("I hear you – it’s", "I hear you — it’s", "dashes"),
        ("I hear you -- it’s", "I hear you — it’s", "dashes"),
        ("I hear you—it’s", "I hear you — it’s", "white space"),
        ("I  hear\tyou", "I hear you", "white space"),
        ("long year. You said", "long year.**\nYou said", ""),
        ("and that hurts. Breathe out", "and that hurts.\n\n- Breathe out", "white space"),
        ("at 6 pm", "at 6\u{202F}pm", "white space"),
        ("at 6\u{a0}pm", "at 6\u{202F}pm", "white space"),
        ("I hear\u{200b} you", "I hear you", "white space"),
        ("i hear you", "I hear you", "case"),
        ("IT MUST BE HARD", "It must be hard", "case"),
        ("zoë", "Zoë", "case"),
        ("STRAßE", "Straße", "case"),
        ("a really long year", "a **really** long year", "markdown marks"),
        ("your abuelita at", "your *abuelita* at", "markdown marks"),
        ("_I hear you_", "I hear you", "markdown marks"),
        ("**I hear you**", "I hear you", "markdown marks"),
        ("`I hear you`", "I hear you", "markdown marks"),
        ("Zoe\u{308} or", "Zoë or", "equivalent characters"),
        ("caf\u{e9}", "cafe\u{301}", "equivalent characters"),
        ("Breathe out slowly...", "Breathe out slowly…", "equivalent characters"),
        ("\"It must be hard\"", "It must be hard", "quotation marks"),
        (
            "I hear you … nobody calls",
            "I hear you — it’s been a **really** long year.\nYou said “nobody calls",
            "ellipsis",
        ),
        (
            "it must be hard to carry [...] feelings alone",
            "It must be hard to carry snake_case feelings alone",
            "ellipsis",
        ),
        ("...It must be lonely...", "It must be lonely", "ellipsis"),
    ];
    for (quote, verbatim, difference) in cases {
        let evidence = chat().cite(2, quote).unwrap_or_else(|error| panic!("{quote:?}: {error}"));
        assert!(REPLY.contains(evidence.quote()), "{quote:?} gave {:?}", evidence.quote());
        assert!(evidence.is_fixed(), "{quote:?} was taken as exact");
        if difference.is_empty() {
            continue; // Two classes at once: which words come out is checked above, which class is named first is not.
        }
        assert_eq!(evidence.quote(), verbatim, "{quote:?}");
        assert!(evidence.differences().contains(&difference), "{quote:?}: {:?}", evidence.differences());
    }
}

#[test]
fn any_other_quote_is_rejected() {
    let cases = [
        "I understand you",
        "I hear you, it’s been",
        "It must be hard, and",
        "it is been a really long year",
        "nobody called",
        "cafe is",
        "Zoe or",
        "naive",
        "Strasse",
        "23 is 6",
        "snakecase",
        "我不在这里",
        "أنا لا أسمعك",
        "hear you I",
        "nobody calls … I hear you",
        "I … you",
        "It … lonely",
        "I'm so tired of this.",
        "It must be hard to carry feelings",
        "... [...] ...",
        "\"\u{b}'",
        "really long years",
        "I hear you. it’s been",
        "💔",
    ];
    for quote in cases {
        assert_eq!(chat().cite(2, quote), Err(CiteError::NotThere { turn: 2 }), "{quote:?}");
    }
    assert_eq!(chat().cite(2, " \n"), Err(CiteError::Empty));
    assert_eq!(chat().cite(0, "I"), Err(CiteError::NoSuchTurn { turn: 0, last: 2 }));
    assert_eq!(chat().cite(3, "I"), Err(CiteError::NoSuchTurn { turn: 3, last: 2 }));
}

#[test]
fn a_quote_is_located_only_where_it_stands_once_in_the_chat() {
    assert_eq!(chat().locate("tired of this").unwrap().turn(), 1);
    assert_eq!(chat().locate("nobody calls").unwrap().turn(), 2);
    assert_eq!(chat().locate("i"), None);
    assert_eq!(chat().locate("not in here"), None);
}

#[test]
fn the_opening_of_a_turn_is_its_first_sentence_cut_at_a_word() {
    let chat = Transcript::new(
        "t",
        vec![(Speaker::Human, "Hi. More.".into()), (Speaker::Ai, "word ".repeat(100)), (Speaker::Ai, " ".into())],
    )
    .unwrap();
    assert_eq!(chat.opening(1).unwrap().quote(), "Hi.");
    let long = chat.opening(2).unwrap();
    assert!(long.quote().chars().count() <= 160 && long.quote().ends_with("word"));
    assert_eq!(chat.opening(3), None);
    assert_eq!(chat.opening(4), None);
}

proptest::proptest! {
    #[test]
    fn whatever_is_cited_stands_in_the_turn(text in "\\PC{0,60}", quote in "\\PC{0,20}") {
        if let Ok(chat) = Transcript::new("t", vec![(Speaker::Human, "x".into()), (Speaker::Ai, text.clone())])
            && let Ok(evidence) = chat.cite(2, &quote)
        {
            proptest::prop_assert!(text.contains(evidence.quote()));
        }
    }

    #[test]
    fn every_substring_is_exact(text in "[a-zA-Zé你“” *_.-]{5,40}", from in 0usize..20, length in 1usize..20) {
        let words: String = text.chars().skip(from).take(length).collect();
        if let Ok(chat) = Transcript::new("t", vec![(Speaker::Human, "x".into()), (Speaker::Ai, text)])
            && !words.trim().is_empty()
        {
            proptest::prop_assert!(!chat.cite(2, &words).unwrap().is_fixed());
        }
    }
}

#[test]
fn a_turn_of_one_endless_run_is_searched_in_one_pass() {
    for letter in ["a", " ", "-", "#", "*", "`", "é"] {
        let text = format!("x{}y", letter.repeat(2_000_000));
        let chat = Transcript::new("t", vec![(Speaker::Human, "hi".to_owned()), (Speaker::Ai, text)]).unwrap();
        assert!(chat.cite(2, "Nowhere To Be Found").is_err(), "{letter}");
        assert!(chat.locate("“Nowhere” to … be found").is_none(), "{letter}");
    }
}
