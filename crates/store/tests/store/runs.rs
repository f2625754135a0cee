//! Runs and their chats: made, found, filled, sealed.

use carelock_store::{RunState, StoreError};

use crate::harness::{Fresh, chat, filled, new_run, on_both};

on_both!(
    a_run_is_made_found_and_finished,
    two_runs_of_one_name_are_refused,
    chats_come_back_as_they_were_added,
    two_chats_of_one_id_are_refused_and_nothing_of_the_call_is_kept,
    a_sealed_run_takes_no_more_chats,
    texts_with_the_character_zero_are_kept_with_its_sign,
    what_no_version_has_written_is_called_damaged,
);

async fn a_run_is_made_found_and_finished(fresh: Fresh) {
    let store = fresh.open().await;
    assert_eq!(store.runs().await.unwrap(), []);
    let first = store.create_run(&new_run("first", 2)).await.unwrap();
    let second = store.create_run(&new_run("second", 1)).await.unwrap();
    assert!(first < second);
    let found = store.run("first").await.unwrap();
    assert_eq!((found.key, found.state, found.judges, found.chats), (first, RunState::Filling, 2, 0));
    let names: Vec<String> = store.runs().await.unwrap().into_iter().map(|run| run.name).collect();
    assert_eq!(names, ["second", "first"]);
    assert_eq!(store.config(first).await.unwrap(), new_run("first", 2).config);
    store.seal(first, "blake3:abc").await.unwrap();
    store.set_state(first, RunState::Done).await.unwrap();
    let found = store.run("first").await.unwrap();
    assert_eq!((found.state, found.dataset.as_deref()), (RunState::Done, Some("blake3:abc")));
    let error = store.run("third").await.unwrap_err();
    assert!(matches!(&error, StoreError::NoSuchRun { .. }), "{error}");
    assert!(error.to_string().contains("there is no run named \"third\"\n  fix: "), "{error}");
}

async fn two_runs_of_one_name_are_refused(fresh: Fresh) {
    let store = fresh.open().await;
    let first = store.create_run(&new_run("nightly", 1)).await.unwrap();
    let error = store.create_run(&new_run("nightly", 1)).await.unwrap_err();
    assert!(matches!(&error, StoreError::NameTaken { name, .. } if name == "nightly"), "{error}");
    assert!(error.to_string().contains("fix: choose another name"), "{error}");
    assert_eq!(store.runs().await.unwrap().len(), 1);
    store.delete_run(first).await.unwrap();
    let again = store.create_run(&new_run("nightly", 1)).await.unwrap();
    assert!(again > first, "numbers are not used again");
}

async fn chats_come_back_as_they_were_added(fresh: Fresh) {
    let store = fresh.open().await;
    let run = store.create_run(&new_run("chats", 2)).await.unwrap();
    // More than a statement takes, in sizes that need every kind of statement.
    let first = store.add_chats(run, &(0..150).map(chat).collect::<Vec<_>>()).await.unwrap();
    let second = store.add_chats(run, &(150..157).map(chat).collect::<Vec<_>>()).await.unwrap();
    assert_eq!(store.add_chats(run, &[]).await.unwrap(), []);
    let keys = [first, second].concat();
    let found = store.chats(&keys).await.unwrap();
    assert_eq!(found.len(), 157);
    for (number, stored) in found.iter().enumerate() {
        assert_eq!((stored.key, stored.position), (keys[number], number as u64));
        assert_eq!(stored.chat, chat(number));
    }
    let page = store.chats_after(run, Some(149), 3).await.unwrap();
    assert_eq!(page.iter().map(|chat| chat.position).collect::<Vec<_>>(), [150, 151, 152]);
    assert_eq!(store.chats_after(run, None, 1).await.unwrap()[0], found[0]);
    assert_eq!(store.chat_named(run, "chat-156").await.unwrap(), Some(keys[156]));
    assert_eq!(store.chat_named(run, "chat-157").await.unwrap(), None);
    assert_eq!(store.run("chats").await.unwrap().chats, 157);
    assert_eq!(store.progress(run).await.unwrap().open, 2 * 157);
}

async fn two_chats_of_one_id_are_refused_and_nothing_of_the_call_is_kept(fresh: Fresh) {
    let store = fresh.open().await;
    let run = store.create_run(&new_run("twice", 1)).await.unwrap();
    store.add_chats(run, &[chat(1)]).await.unwrap();
    for chats in [vec![chat(2), chat(1)], vec![chat(2), chat(3), chat(3)]] {
        let error = store.add_chats(run, &chats).await.unwrap_err();
        assert!(matches!(&error, StoreError::ChatTwice { .. }), "{error}");
        let last = chats.last().unwrap();
        assert!(error.to_string().contains(&format!("\"{}\", the second from {}", last.name, last.origin)), "{error}");
    }
    assert_eq!(store.run("twice").await.unwrap().chats, 1);
    assert_eq!(store.progress(run).await.unwrap().total(), 1);
    // Another run may have the same ids.
    filled(&store, "other", 5, 1).await;
}

async fn a_sealed_run_takes_no_more_chats(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, _) = filled(&store, "sealed", 1, 1).await;
    let error = store.add_chats(run, &[chat(9)]).await.unwrap_err();
    assert!(matches!(&error, StoreError::Sealed { .. }), "{error}");
    let error = store.seal(run, "blake3:other").await.unwrap_err();
    assert!(matches!(&error, StoreError::Sealed { .. }), "{error}");
}

async fn what_no_version_has_written_is_called_damaged(fresh: Fresh) {
    let store = fresh.open().await;
    filled(&store, "odd", 2, 1).await;
    let mut raw = fresh.raw().await;
    sqlx::query("UPDATE runs SET chats = -1").execute(&mut raw).await.unwrap();
    for error in [store.run("odd").await.unwrap_err(), store.runs().await.unwrap_err()] {
        assert!(matches!(&error, StoreError::Damaged { .. }), "{error}");
    }
}

async fn texts_with_the_character_zero_are_kept_with_its_sign(fresh: Fresh) {
    let store = fresh.open().await;
    let run = store.create_run(&new_run("zero", 1)).await.unwrap();
    let mut odd = chat(1);
    odd.name = "a\0b".to_owned();
    odd.turns[0].text = "in a turn \0 it stays".to_owned();
    odd.digest = carelock_core::transcript::turns_digest(&odd.turns);
    let keys = store.add_chats(run, std::slice::from_ref(&odd)).await.unwrap();
    assert_eq!(store.chat_named(run, "a\0b").await.unwrap(), Some(keys[0]));
    let found = store.chats(&keys).await.unwrap();
    assert_eq!((found[0].chat.name.as_str(), &found[0].chat.turns), ("a\u{2400}b", &odd.turns));
}
