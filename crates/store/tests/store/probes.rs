//! Conversations of a probe: kept entry by entry, each once, and gone with their run.

use carelock_store::ProbeTurn;

use crate::harness::{Fresh, new_run, on_both};

on_both!(an_entry_is_kept_once_and_read_back_in_order, a_conversation_can_be_forgotten_and_goes_with_its_run,);

fn turn(conversation: &str, number: u32) -> ProbeTurn {
    ProbeTurn { conversation: conversation.to_owned(), number, body: format!("{{\"n\":{number}}}") }
}

async fn an_entry_is_kept_once_and_read_back_in_order(fresh: Fresh) {
    let store = fresh.open().await;
    let run = store.create_run(&new_run("probe", 1)).await.unwrap();
    for number in [1, 0, 10, 2] {
        assert!(store.add_probe_turn(run, &turn("ana/1", number)).await.unwrap());
    }
    assert!(store.add_probe_turn(run, &turn("ana/2", 0)).await.unwrap());
    assert!(!store.add_probe_turn(run, &turn("ana/1", 2)).await.unwrap(), "another process was quicker");
    let kept = store.probe_turns(run).await.unwrap();
    let expected = [("ana/1", 0), ("ana/1", 1), ("ana/1", 2), ("ana/1", 10), ("ana/2", 0)];
    assert_eq!(kept, expected.map(|(conversation, number)| turn(conversation, number)));
}

async fn a_conversation_can_be_forgotten_and_goes_with_its_run(fresh: Fresh) {
    let store = fresh.open().await;
    let run = store.create_run(&new_run("probe", 1)).await.unwrap();
    store.add_probe_turn(run, &turn("ana/1", 0)).await.unwrap();
    store.add_probe_turn(run, &turn("ben/1", 0)).await.unwrap();
    store.forget_conversation(run, "ana/1").await.unwrap();
    assert_eq!(store.probe_turns(run).await.unwrap(), [turn("ben/1", 0)]);
    store.delete_run(run).await.unwrap();
    assert_eq!(store.probe_turns(run).await.unwrap(), []);
}
