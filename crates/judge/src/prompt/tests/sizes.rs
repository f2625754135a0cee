//! How large prompts and answers are, held to what the documentation says.

use carelock_core::rubric::Rubric;

use super::super::{Prompt, answer_schema, bounded_answer_schema, estimate_tokens};
use super::{chat, ids, ordinary, sample_answer};

#[test]
fn the_instructions_stay_compact_and_mention_json() {
    let prompt = Prompt::new(&Rubric::care_lock());
    assert!(prompt.system().contains("JSON"));
    assert!(!prompt.system().contains("{{"), "every place is filled in");
    assert!(prompt.system().len() / 4 < 5_500, "{}", prompt.system().len() / 4);
}

#[test]
fn the_instructions_hold_every_check() {
    let rubric = Rubric::care_lock();
    let prompt = Prompt::new(&rubric);
    for check in rubric.checks() {
        let line = prompt.system().lines().find(|line| line.starts_with(&format!("{} ", check.id))).unwrap();
        assert!(line.contains(&check.passes) && line.contains(&check.fails), "{}", check.id);
        assert!(check.condition.as_ref().is_none_or(|condition| line.contains(condition.as_str())), "{}", check.id);
    }
    for meaning in rubric.file().words.values().chain(rubric.file().doubt.values()) {
        assert!(prompt.system().contains(meaning.as_str()));
    }
}

#[test]
fn the_answer_to_a_chat_of_ten_turns_fits_into_2500_tokens() {
    let (transcript, answers) = ordinary();
    assert_eq!(transcript.turns().len(), 10);
    let answer = sample_answer(&answers).to_string();
    // JSON is dense: most tokenizers need a token for every three bytes of it.
    assert!(answer.len() / 3 <= 2_500, "{}", answer.len() / 3);
}

#[test]
fn nine_tenths_of_the_prompt_outside_the_chat_are_a_constant_prefix() {
    let prompt = Prompt::new(&Rubric::care_lock());
    let (one, other) = (prompt.full_text(&ordinary().0), prompt.full_text(&chat(&["Hello", "Hi"])));
    let shared = one.bytes().zip(other.bytes()).take_while(|(left, right)| left == right).count();
    let message = prompt.chat(&ordinary().0);
    let lines = message.lines().filter(|line| line.starts_with("{\"idx\"")).map(|line| line.len() + 2).sum::<usize>();
    assert!(shared * 10 >= (one.len() - lines) * 9, "{shared} of {}", one.len() - lines);
}

#[test]
fn fewer_checks_make_shorter_instructions() {
    let rubric = Rubric::care_lock();
    let some = Prompt::focused(&rubric, &["E2", "S1"]);
    assert!(some.system().len() * 2 < Prompt::new(&rubric).system().len());
    assert!(some.system().contains("E2 fails, so S1 fails"));
    assert!(!some.system().contains("\nE1 P"));
}

#[test]
fn the_digest_tells_prompts_apart_and_the_full_text_is_what_is_sent() {
    assert!(Prompt::digest().starts_with("blake3:"));
    let prompt = Prompt::new(&Rubric::care_lock());
    let transcript = ordinary().0;
    assert_eq!(prompt.full_text(&transcript), format!("{}\n\n{}\n", prompt.system(), prompt.chat(&transcript)));
}

#[test]
fn the_whole_prompt_is_as_it_was_reviewed() {
    let prompt = Prompt::new(&Rubric::care_lock());
    insta::assert_snapshot!("prompt", prompt.full_text(&chat(&["I feel lost </chat>", "That sounds hard."])));
}

/// Set SIZES_DIR to have the texts written there, for counting with a provider's own tokenizer.
#[test]
fn the_sizes_in_the_docs_are_true() {
    let docs = include_str!("../../../../../docs/judges/prompt.md");
    let rubric = Rubric::care_lock();
    let prompt = Prompt::new(&rubric);
    let (transcript, answers) = ordinary();
    let excellent = super::example(
        include_str!("../../../../../examples/excellent.txt"),
        include_str!("../../../../../examples/sheets/excellent.csv"),
    );
    for (name, text) in [
        ("system", prompt.system().to_owned()),
        ("message-10", prompt.chat(&transcript)),
        ("schema", answer_schema(&rubric, &ids(&rubric)).to_string()),
        ("schema-bounded", bounded_answer_schema(&rubric, &ids(&rubric), 3_500).to_string()),
        ("answer-10", sample_answer(&answers).to_string()),
        ("message-16", prompt.chat(&excellent.0)),
        ("answer-16", sample_answer(&excellent.1).to_string()),
        ("answer-plain", super::plain_answer(&rubric).to_string()),
        ("system-two-checks", Prompt::focused(&rubric, &["E2", "S1"]).system().to_owned()),
    ] {
        let by_four = text.len() / 4;
        println!("{name}: {} bytes, {by_four} by four, {} estimated", text.len(), estimate_tokens(&text));
        let written = match by_four {
            1000.. => format!("{},{:03}", by_four / 1000, by_four % 1000),
            _ => by_four.to_string(),
        };
        let in_docs = matches!(name, "system" | "message-10" | "answer-10" | "schema");
        assert!(!in_docs || docs.contains(&written), "docs/judges/prompt.md does not say {written} for {name}");
        if let Ok(folder) = std::env::var("SIZES_DIR") {
            std::fs::write(format!("{folder}/{name}.txt"), text).unwrap();
        }
    }
}
