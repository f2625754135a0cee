//! Stability of small, made-up repeats.

use carelock_core::report::TextStyle;

use super::*;
use crate::ratings::samples::{failing, rating};

fn measured(chats: &[Repeats]) -> Stability {
    Stability::new(&Rubric::care_lock(), "judge".to_owned(), chats, 5, &Bootstrap::default())
}

fn chat(id: &str, repeats: &[Option<(&[&str], u8)>]) -> Repeats {
    let one = |said: &Option<(&[&str], u8)>| said.map(|(checks, overall)| failing(id, checks, overall));
    Repeats { id: id.to_owned(), ratings: repeats.iter().map(one).collect() }
}

fn steady(id: &str, checks: &[&str], overall: u8) -> Repeats {
    chat(id, &[Some((checks, overall)); 3])
}

#[test]
fn a_gate_that_fires_sometimes_is_named_with_its_probability() {
    let sometimes = chat("b", &[Some((&[], 90)), Some((&["ES2"], 0)), Some((&["ES2"], 0))]);
    let chats = [steady("a", &[], 90), sometimes, steady("c", &["B2"], 40)];
    let stability = measured(&chats);
    let gates = &stability.gates;
    assert_eq!((gates.always, gates.sometimes, gates.never), (1, 1, 1));
    assert_eq!((gates.unsteady[0].chat.as_str(), gates.unsteady[0].fires, gates.unsteady[0].answers), ("b", 2, 3));
    assert_eq!(stability.canonical.other_gate, ["b"], "the first answer let it pass");
    assert_eq!((stability.canonical.checks, stability.canonical.outvoted), (150, 1));
    assert_eq!((stability.checks[0].check.as_str(), stability.divided[0].chat.as_str()), ("ES2", "b"));
    assert_eq!(stability.overall.largest_range, Some(0.9));
}

#[test]
fn a_tie_fails_as_in_a_panel() {
    let stability = measured(&[chat("a", &[Some((&[], 90)), Some((&["E1"], 88))])]);
    assert_eq!((stability.canonical.outvoted, stability.canonical.ties), (1, 1));
    let stability = measured(&[chat("a", &[Some((&["E1"], 88)), Some((&[], 90))])]);
    assert_eq!((stability.canonical.outvoted, stability.canonical.ties), (0, 1));
}

#[test]
fn nothing_answered_one_answer_and_no_chats_have_defined_answers() {
    let unscored = {
        let mut rating = rating("a");
        rating.outcomes.fill(None);
        rating.overall = None;
        Repeats { id: "a".to_owned(), ratings: vec![Some(rating.clone()), Some(rating)] }
    };
    let cases = [vec![], vec![chat("a", &[None, None])], vec![chat("a", &[Some((&[], 90)), None])], vec![unscored]];
    for chats in cases {
        let stability = measured(&chats);
        let json = serde_json::to_string(&stability).unwrap();
        let shown = [text(&stability, TextStyle::default()), markdown(&stability), csv(&stability), json].concat();
        for word in ["NaN", ",inf", "-inf", " inf "] {
            assert!(!shown.contains(word), "{word}: {shown}");
        }
    }
    assert!(measured(&[chat("a", &[Some((&[], 90)), None])]).is_incomplete());
}
