//! Tests of who is meant by which label.

use super::cast::{Part, Sighting, Strength, cast};
use super::*;

fn who(label: &str) -> Option<Speaker> {
    speaker_for(label, &ReadOptions::default()).map(|(speaker, _)| speaker)
}

fn options(human: &[&str], ai: &[&str]) -> ReadOptions {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    ReadOptions { human: owned(human), ai: owned(ai), ..ReadOptions::default() }
}

/// Labels of a format that leaves no doubt, with their counts.
fn certain(labels: &[(&str, usize)]) -> Vec<Sighting> {
    labels
        .iter()
        .map(|&(label, count)| Sighting { label: label.to_owned(), count, strength: Strength::Certain })
        .collect()
}

#[test]
fn known_labels_are_known_in_any_case_and_punctuation() {
    for label in ["user", "USER", " Human ", "help-seeker", "Help Seeker", "**Client**", "usr", "User said", "🧑 User"]
    {
        assert_eq!(who(label), Some(Speaker::Human), "{label}");
    }
    for label in ["AI", "a.i.", "Assistant", "ChatGPT", "Counsellor", "Woebot", "_bot_", "助手", "ChatGPT said"] {
        assert_eq!(who(label), Some(Speaker::Ai), "{label}");
    }
}

#[test]
fn model_names_with_versions_are_the_ai() {
    for label in ["GPT-4", "gpt-4o mini", "GPT-3.5-turbo", "Claude 3.5 Sonnet", "Gemini 1.5 Pro", "Llama-3-70b", "o3"] {
        assert_eq!(who(label), Some(Speaker::Ai), "{label}");
    }
    for label in ["Claude Monet", "Gemini season", "GPT fan"] {
        assert_eq!(who(label), None, "{label}");
    }
}

#[test]
fn names_pronouns_and_system_are_nobody_by_themselves() {
    for label in ["Anna", "You", "Me", "system", "tool", "developer", "", "  ", "🌱"] {
        assert_eq!(who(label), None, "{label}");
    }
    assert!(dropped_as("System").is_some() && dropped_as("tool").is_some() && dropped_as("Developer").is_some());
    assert!(dropped_as("user").is_none() && dropped_as("systematic").is_none());
}

#[test]
fn options_win_and_compare_loosely() {
    let options = options(&["Ana María", "🌱", "bot"], &["System"]);
    assert_eq!(speaker_for("ANA  MARÍA", &options), Some((Speaker::Human, "--human")));
    assert_eq!(speaker_for("🌱", &options), Some((Speaker::Human, "--human")));
    assert_eq!(speaker_for("Bot", &options), Some((Speaker::Human, "--human")));
    assert_eq!(speaker_for("system", &options), Some((Speaker::Ai, "--ai")));
}

#[test]
fn every_listed_label_is_in_its_normal_form_and_on_one_list_only() {
    let dropped: Vec<&str> = DROPPED.iter().map(|(name, _)| *name).collect();
    let lists = [HUMAN, AI, PRONOUNS, &dropped];
    for (index, list) in lists.iter().enumerate() {
        for label in *list {
            assert_eq!(&normal(label), label);
            let on_others = lists.iter().enumerate().any(|(other, list)| other != index && list.contains(label));
            assert!(!on_others, "{label}");
        }
    }
}

#[test]
fn no_known_label_is_an_ordinary_word() {
    for label in HUMAN.iter().chain(AI) {
        assert!(!ordinary_words::contains(label), "{label}");
    }
    for word in ["note", "step 2", "10", "monday"] {
        assert!(ordinary_words::contains(word), "{word}");
    }
}

#[test]
fn real_names_are_refused_with_their_counts() {
    let error = cast(&certain(&[("Ana", 4), ("Luz", 3)]), &ReadOptions::default()).unwrap_err();
    assert!(error.what.contains("\"Ana\" (4 times, unknown), \"Luz\" (3 times, unknown)"), "{error}");
    assert_eq!(error.remedy, Some(Box::new(crate::problem::Speakers::FromList.into())), "{error}");
}

#[test]
fn long_lists_of_names_are_cut_short() {
    let names: Vec<String> = (0..40).map(|number| format!("N{number}")).collect();
    let labels: Vec<(&str, usize)> = names.iter().map(|name| (name.as_str(), 1)).collect();
    let error = cast(&certain(&labels), &ReadOptions::default()).unwrap_err();
    assert!(error.what.ends_with("and 28 more"), "{error}");
}

#[test]
fn with_one_side_named_the_only_other_label_is_the_other_side() {
    let cast = cast(&certain(&[("Ana", 4), ("Luz", 3)]), &options(&[], &["luz"])).unwrap();
    assert_eq!(cast.parts[0], Part::Speaks(Speaker::Human, "the only other label"));
}

#[test]
fn a_side_that_is_named_but_not_there_settles_nothing() {
    assert!(cast(&certain(&[("Ana", 4), ("Luz", 3)]), &options(&["Eva"], &[])).is_err());
}

#[test]
fn several_labels_on_one_side_are_said() {
    let cast = cast(&certain(&[("User", 4), ("Client", 1), ("Bot", 3)]), &ReadOptions::default()).unwrap();
    assert_eq!(cast.notes, ["2 labels were taken for HUMAN: \"User\" (4 times), \"Client\" (once)"]);
}
