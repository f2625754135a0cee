//! Tests of tables.

use proptest::prelude::*;

use super::{looks_like, read};
use crate::transcript::Speaker::{self, Ai, Human};
use crate::transcript::formats::{ReadError, ReadOptions, Reading};

fn named(human: &[&str], ai: &[&str]) -> ReadOptions {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    ReadOptions { human: owned(human), ai: owned(ai), ..ReadOptions::default() }
}

fn readings(text: &str) -> Vec<Reading> {
    assert!(looks_like(text, &ReadOptions::default()), "{text}");
    read(text, &ReadOptions::default()).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(text: &str) -> ReadError {
    assert!(looks_like(text, &ReadOptions::default()), "{text}");
    read(text, &ReadOptions::default()).err().unwrap()
}

fn expect(pairs: &[(Speaker, &str)]) -> Vec<(Speaker, String)> {
    pairs.iter().map(|&(who, text)| (who, text.to_owned())).collect()
}

#[test]
fn rows_are_grouped_by_chat_in_the_order_first_seen() {
    let readings = readings("conv_id,role,content,turn\nb,user,hi,1\na,user,yo,1\nb,assistant,hello,2\na,bot,hey,2\n");
    assert_eq!(readings.len(), 2);
    assert_eq!((readings[0].id.as_deref(), readings[0].at.as_str()), (Some("b"), "line 2"));
    assert_eq!(readings[0].turns, expect(&[(Human, "hi"), (Ai, "hello")]));
    assert_eq!(readings[0].notes, ["columns: chat ← conv_id, speaker ← role, text ← content, order ← turn"]);
    assert_eq!(readings[1].speakers[1].label, "bot");
    assert_eq!(readings[1].speakers[1].turns, 1);
}

#[test]
fn tabs_and_semicolons_work_too() {
    for delimiter in ["\t", ";"] {
        let text = "Speaker,Message\nPatient,\"a\nb: c\"\nTherapist,ok\n".replace(',', delimiter);
        let reading = &readings(&text)[0];
        assert_eq!(reading.turns, expect(&[(Human, "a\nb: c"), (Ai, "ok")]));
        assert_eq!((reading.id.as_deref(), reading.at.as_str()), (None, ""));
        assert!(reading.notes[1].contains("one chat"), "{:?}", reading.notes);
    }
}

#[test]
fn quotes_commas_and_other_scripts_stand_as_written() {
    let reading = &readings("role,text\nuser,\"she said \"\"no\"\", 😢\"\nai,שלום\n")[0];
    assert_eq!(reading.turns, expect(&[(Human, "she said \"no\", 😢"), (Ai, "שלום")]));
}

#[test]
fn the_order_column_puts_rows_in_order_and_says_so() {
    let reading = &readings("role,text,idx,mood\nai,second,10,x\nuser,first,9,y\n")[0];
    assert_eq!(reading.turns, expect(&[(Human, "first"), (Ai, "second")]));
    assert!(reading.notes[0].ends_with("order ← idx; not used: mood"), "{:?}", reading.notes);
    assert!(reading.notes.iter().any(|note| note.contains("put in the order of `idx`")));
    let reading = &readings("role,text,date\nuser,a,12/03/24\nai,b,11/03/24\n")[0];
    assert_eq!(reading.turns[0].1, "a");
    assert!(reading.notes.iter().any(|note| note.contains("taken as they stand")));
}

#[test]
fn numbers_that_start_over_without_a_chat_column_are_no_order() {
    let reading = &readings("turn,role,text\n1,user,a\n2,ai,b\n1,user,c\n2,ai,d\n")[0];
    assert_eq!(reading.turns, expect(&[(Human, "a"), (Ai, "b"), (Human, "c"), (Ai, "d")]));
    assert!(reading.notes.iter().any(|note| note.contains("starts over")), "{:?}", reading.notes);
}

#[test]
fn an_id_that_never_comes_back_numbers_messages() {
    let of_messages = readings("id,role,text\n1,user,hi\n2,ai,hello\n");
    assert_eq!(of_messages.len(), 1);
    assert!(of_messages[0].notes.iter().any(|note| note.contains("numbers the messages")));
    assert_eq!(readings("id,role,text\n1,user,hi\n1,ai,hello\n2,user,a\n2,ai,b\n").len(), 2);
}

#[test]
fn exchanges_are_read_from_pairs_of_columns() {
    for header in
        ["prompt,response", "Question,Answer", "user,assistant", "input,output", "human,ai", "Context,Response"]
    {
        let reading = &readings(&format!("{header}\nhi,hello\nok,\n"))[0];
        assert_eq!(reading.turns, expect(&[(Human, "hi"), (Ai, "hello"), (Human, "ok")]));
        assert_eq!(reading.dropped["empty cell"], 1);
        assert!(reading.notes.iter().any(|note| note.contains("one exchange")), "{:?}", reading.notes);
        assert_eq!((reading.speakers[0].turns, reading.speakers[1].turns), (2, 1));
    }
    assert_eq!(readings("id,system,prompt,response\n1,be kind,hi,hello\n2,,a,b\n").len(), 2);
}

#[test]
fn system_and_tool_rows_are_dropped_and_counted() {
    let reading = &readings("role,content\nsystem,be kind\nuser,hi\ntool,{}\nassistant,hello\n")[0];
    assert_eq!(reading.turns.len(), 2);
    assert_eq!((reading.dropped["system message"], reading.dropped["tool message"]), (1, 1));
}

#[test]
fn a_ragged_row_is_refused_with_its_line() {
    let error = refused("role,text\nuser,\"a\nb\"\nai,one, two\n");
    assert_eq!(error.at, "line 4");
    assert_eq!(refused("\n\nrole,text\n\nuser,a\n\n\nai,b,c\n").at, "line 8");
    assert!(error.what.contains("3 cells and the header 2"), "{error}");
}

#[test]
fn two_columns_for_one_meaning_are_refused_by_name() {
    assert!(refused("role,text,content\nuser,a,b\n").what.contains("`text`, `content`"));
    assert!(refused("instruction,input,output\na,b,c\n").what.contains("`instruction`, `input`"));
    assert!(refused("prompt,response,answer\na,b,c\n").what.contains("`response`, `answer`"));
}

#[test]
fn unknown_speakers_are_refused_with_their_counts_unless_named() {
    let text = "speaker,text\nAnna,hi\nMira,hello\nAnna,ok\n";
    let error = refused(text);
    assert_eq!(error.at, "column `speaker`");
    assert!(error.what.contains("\"Anna\" (2 times, unknown), \"Mira\" (once, unknown)"), "{error}");
    let reading = &read(text, &named(&["anna"], &[])).unwrap()[0];
    assert_eq!(reading.turns[1].0, Ai);
    assert_eq!(reading.speakers[1].because, "the only other label");
}

#[test]
fn empty_cells_that_matter_are_refused_with_their_line() {
    assert_eq!(refused("role,text\nuser,a\n,b\n").at, "line 3");
    assert_eq!(refused("chat_id,role,text\n1,user,a\n,ai,b\n").at, "line 3");
    assert!(refused("role,text\n").what.contains("no rows"));
}

#[test]
fn prose_and_other_formats_are_not_tables() {
    for text in [
        "",
        "Hello, I feel low, and tired\nso, what now",
        "User: hi, text, role\nAI: ok",
        "text\nhello",
        "role\nuser",
        "name,age\nAna,3",
        "I said; text",
        "{\"role\":\"user\",\"text\":\"hi\"}",
    ] {
        assert!(!looks_like(text, &ReadOptions::default()), "{text}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(
        text in "(role,text|id;speaker;message|prompt\tresponse)?(\n(user|ai|Anna)?[,;\t\"]\\PC{0,12}){0,6}"
    ) {
        let _ = looks_like(&text, &ReadOptions::default());
        let _ = read(&text, &ReadOptions::default());
        let _ = read(&text, &named(&["Anna"], &[]));
    }

    #[test]
    fn what_was_said_comes_back_unchanged(said in proptest::collection::vec("[^\\r]{0,30}", 1..6)) {
        let quoted = |text: &String| text.replace('"', "\"\"");
        let rows: String = said.iter().map(|text| format!("user,\"{}\"\nai,\"ok\"\n", quoted(text))).collect();
        let reading = &read(&format!("role,text\n{rows}"), &ReadOptions::default()).unwrap()[0];
        let back: Vec<&String> = reading.turns.iter().step_by(2).map(|(_, text)| text).collect();
        prop_assert_eq!(back, said.iter().collect::<Vec<_>>());
    }
}
