//! Tokens, and ratings by people.

use carelock_store::{ChatKey, NewToken, RaterProgress, RatingState, Role, RunKey, Store, StoreError};
use sqlx::Row as _;

use crate::harness::{Fresh, NOW, filled, on_both};

on_both!(
    a_token_is_found_by_its_hash_until_it_is_revoked,
    chats_are_queued_once_and_in_order,
    a_rating_is_saved_finished_and_opened_again,
    a_change_that_rests_on_an_old_version_changes_nothing,
    of_many_who_save_at_once_one_succeeds,
    changes_are_undone_one_by_one_and_only_so_many_are_kept,
    raters_and_queues_say_how_far_everyone_is,
    ratings_go_with_their_chat_and_their_run,
    what_is_unfinished_is_so_in_every_run_with_the_same_text,
);

fn token(name: &str, role: Role) -> NewToken {
    NewToken { name: name.to_owned(), role, hash: format!("blake3:{name}"), created: NOW }
}

async fn a_token_is_found_by_its_hash_until_it_is_revoked(fresh: Fresh) {
    let store = fresh.open().await;
    assert!(!store.has_tokens().await.unwrap());
    for (name, role) in ["reader", "rater", "judge", "boss"].into_iter().zip(Role::ALL) {
        store.add_token(&token(name, role)).await.unwrap();
    }
    let error = store.add_token(&NewToken { hash: "x".to_owned(), ..token("boss", Role::Read) }).await.unwrap_err();
    assert!(matches!(&error, StoreError::TokenTaken { name, .. } if name == "boss"), "{error}");
    assert!(error.to_string().contains("fix:"), "{error}");
    let names: Vec<_> = store.tokens().await.unwrap().into_iter().map(|token| (token.name, token.role)).collect();
    assert_eq!((names.len(), names[3].clone()), (4, ("boss".to_owned(), Role::Admin)));
    let found = store.token_with_hash("blake3:rater").await.unwrap().unwrap();
    assert_eq!((found.name.as_str(), found.role, found.created), ("rater", Role::Rate, NOW));
    assert_eq!(store.token_with_hash("rater").await.unwrap(), None);
    assert!(store.has_tokens().await.unwrap());
    assert!(store.revoke_token("rater").await.unwrap());
    assert!(!store.revoke_token("rater").await.unwrap());
    assert_eq!(store.token_with_hash("blake3:rater").await.unwrap(), None);
    store.add_token(&token("rater", Role::Read)).await.unwrap();
    let same_hash = NewToken { name: "other".to_owned(), ..token("rater", Role::Admin) };
    assert!(store.add_token(&same_hash).await.is_err(), "two tokens cannot have one hash");
}

async fn chats_are_queued_once_and_in_order(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "queued", 100, 1).await;
    let (_, foreign) = filled(&store, "other", 1, 1).await;
    let order: Vec<ChatKey> = keys.iter().rev().copied().collect();
    assert_eq!(store.queue_ratings(run, "ann", &order[..70]).await.unwrap(), 70);
    assert_eq!(store.queue_ratings(run, "ann", &[order[70], order[0], order[70], foreign[0]]).await.unwrap(), 1);
    assert_eq!(store.queue_ratings(run, "ann", &order[60..]).await.unwrap(), 29);
    assert_eq!(store.queue_ratings(run, "bob", &keys[..2]).await.unwrap(), 2);
    assert_eq!(store.queue_ratings(run, "bob", &[]).await.unwrap(), 0);
    let queued = store.ratings_of_run(run, Some("ann"), None, 1000).await.unwrap();
    assert_eq!(queued.iter().map(|rating| rating.chat).collect::<Vec<_>>(), order);
    assert!(queued.is_sorted_by(|left, right| left.position < right.position));
    assert_eq!((queued[0].name.as_str(), queued[0].state, queued[0].version), ("chat-99", RatingState::Waiting, 0));
    assert_eq!(store.ratings_of_run(run, None, Some(RatingState::Waiting), 1000).await.unwrap().len(), 102);
    assert_eq!(store.ratings_of_run(run, None, Some(RatingState::Done), 1000).await.unwrap(), []);
    assert_eq!(store.ratings_of_run(run, None, None, 5).await.unwrap().len(), 5);
    assert_eq!(store.rating(keys[5], "bob").await.unwrap(), None);
    assert_eq!(store.next_rating(run, "nobody").await.unwrap(), None);
}

async fn a_rating_is_saved_finished_and_opened_again(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "rated", 3, 1).await;
    store.queue_ratings(run, "ann", &keys).await.unwrap();
    let first = store.next_rating(run, "ann").await.unwrap().unwrap();
    assert_eq!((first.queued.chat, first.body, first.queued.started), (keys[0], None, None));
    let second = store.rating(keys[1], "ann").await.unwrap().unwrap().queued.key;
    let error = store.finish_rating(second, 0, NOW).await.unwrap_err();
    assert!(matches!(error, StoreError::RatingEmpty { .. }), "{error}");
    assert_eq!(store.save_rating(second, 0, "{\"a\":\"\u{0}ü\"}", NOW).await.unwrap(), 1);
    // What was begun comes before what waits.
    let next = store.next_rating(run, "ann").await.unwrap().unwrap();
    assert_eq!((next.queued.chat, next.body.as_deref()), (keys[1], Some("{\"a\":\"\u{0}ü\"}")));
    assert_eq!((next.queued.started, next.queued.changed, next.queued.finished), (Some(NOW), Some(NOW), None));
    assert_eq!(store.finish_rating(second, 1, NOW + 5).await.unwrap(), 2);
    for error in [
        store.save_rating(second, 2, "{}", NOW).await.unwrap_err(),
        store.undo_rating(second, 2, NOW).await.unwrap_err(),
        store.finish_rating(second, 2, NOW).await.unwrap_err(),
    ] {
        assert!(matches!(error, StoreError::RatingDone { .. }), "{error}");
    }
    let done = store.rating(keys[1], "ann").await.unwrap().unwrap().queued;
    assert_eq!((done.state, done.finished, done.version), (RatingState::Done, Some(NOW + 5), 2));
    assert_eq!(store.next_rating(run, "ann").await.unwrap().unwrap().queued.chat, keys[0]);
    let error = store.reopen_rating(second, 1, NOW).await.unwrap_err();
    assert!(matches!(error, StoreError::RatingStale { version: 2, .. }), "{error}");
    assert_eq!(store.reopen_rating(second, 2, NOW + 9).await.unwrap(), 3);
    assert_eq!(store.reopen_rating(second, 3, NOW + 9).await.unwrap(), 3, "it is open already");
    let open = store.rating_numbered(second).await.unwrap().unwrap();
    assert_eq!((open.queued.state, open.queued.finished, open.queued.started), (RatingState::Open, None, Some(NOW)));
    assert_eq!(store.undo_rating(second, 3, NOW).await.unwrap().unwrap().body, None);
}

async fn a_change_that_rests_on_an_old_version_changes_nothing(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "stale", 1, 1).await;
    store.queue_ratings(run, "ann", &keys).await.unwrap();
    let key = store.rating(keys[0], "ann").await.unwrap().unwrap().queued.key;
    store.save_rating(key, 0, "here", NOW).await.unwrap();
    let before = store.rating_numbered(key).await.unwrap().unwrap();
    for version in [0, 2, u64::MAX] {
        for error in [
            store.save_rating(key, version, "elsewhere", NOW + 1).await.unwrap_err(),
            store.undo_rating(key, version, NOW + 1).await.unwrap_err(),
            store.finish_rating(key, version, NOW + 1).await.unwrap_err(),
        ] {
            assert!(matches!(error, StoreError::RatingStale { version: 1, .. }), "{error}");
            assert!(error.to_string().contains("fix:"), "{error}");
        }
    }
    assert_eq!(store.rating_numbered(key).await.unwrap().unwrap(), before);
    assert!(store.delete_rating(keys[0], "ann").await.unwrap());
    assert!(!store.delete_rating(keys[0], "ann").await.unwrap());
    let error = store.save_rating(key, 1, "late", NOW).await.unwrap_err();
    assert!(matches!(error, StoreError::NoSuchRating { .. }), "{error}");
}

async fn of_many_who_save_at_once_one_succeeds(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "at once", 1, 1).await;
    store.queue_ratings(run, "ann", &keys).await.unwrap();
    let key = store.rating(keys[0], "ann").await.unwrap().unwrap().queued.key;
    let save = |number: usize| {
        let store = store.clone();
        tokio::spawn(async move { store.save_rating(key, 0, &format!("draft {number}"), NOW).await })
    };
    let saving: Vec<_> = (0..8).map(save).collect();
    let mut saved = Vec::new();
    for (number, one) in saving.into_iter().enumerate() {
        match one.await.unwrap() {
            Ok(version) => saved.push((number, version)),
            Err(error) => assert!(matches!(error, StoreError::RatingStale { version: 1, .. }), "{error}"),
        }
    }
    assert_eq!((saved.len(), saved[0].1), (1, 1));
    let body = store.rating_numbered(key).await.unwrap().unwrap().body;
    assert_eq!(body, Some(format!("draft {}", saved[0].0)));
}

async fn changes_are_undone_one_by_one_and_only_so_many_are_kept(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "undone", 1, 1).await;
    store.queue_ratings(run, "ann", &keys).await.unwrap();
    let key = store.rating(keys[0], "ann").await.unwrap().unwrap().queued.key;
    assert_eq!(store.undo_rating(key, 0, NOW).await.unwrap(), None);
    assert_eq!(store.rating_numbered(key).await.unwrap().unwrap().queued.version, 0, "nothing was undone");
    for number in 0..210 {
        store.save_rating(key, number, &format!("draft {number}"), NOW).await.unwrap();
    }
    let mut version = 210;
    for number in (9..209).rev() {
        let undone = store.undo_rating(key, version, NOW).await.unwrap().unwrap();
        assert_eq!((undone.body, undone.queued.version), (Some(format!("draft {number}")), version + 1));
        version += 1;
        if number == 100 {
            // A change in between is the next to be undone.
            version = store.save_rating(key, version, "another", NOW).await.unwrap();
            let undone = store.undo_rating(key, version, NOW).await.unwrap().unwrap();
            assert_eq!(undone.body.as_deref(), Some("draft 100"));
            version += 1;
        }
    }
    assert_eq!(store.undo_rating(key, version, NOW).await.unwrap(), None, "older changes are forgotten");
}

async fn rate(store: &Store, chat: ChatKey, rater: &str, done: bool) {
    let key = store.rating(chat, rater).await.unwrap().unwrap().queued.key;
    store.save_rating(key, 0, &format!("by {rater}"), NOW).await.unwrap();
    if done {
        store.finish_rating(key, 1, NOW).await.unwrap();
    }
}

fn progress(rater: &str, waiting: u64, open: u64, done: u64) -> RaterProgress {
    RaterProgress { rater: rater.to_owned(), waiting, open, done }
}

async fn raters_and_queues_say_how_far_everyone_is(fresh: Fresh) {
    let store = fresh.open().await;
    let (first, keys) = filled(&store, "first", 5, 1).await;
    let (second, others) = filled(&store, "second", 2, 1).await;
    for (run, rater, chats) in [(first, "bob", &keys[..2]), (first, "ann", &keys[..]), (second, "ann", &others[..])] {
        store.queue_ratings(run, rater, chats).await.unwrap();
    }
    rate(&store, keys[0], "ann", true).await;
    rate(&store, keys[0], "bob", false).await;
    rate(&store, keys[1], "ann", false).await;
    assert_eq!(store.raters(first).await.unwrap(), [progress("ann", 3, 1, 1), progress("bob", 1, 1, 0)]);
    let queues = store.queues("ann").await.unwrap();
    assert_eq!(queues, [(second, progress("ann", 2, 0, 0)), (first, progress("ann", 3, 1, 1))]);
    assert_eq!(queues[1].1.total(), 5);
    assert_eq!(store.queues("nobody").await.unwrap(), []);
    assert_eq!(store.raters(RunKey(99)).await.unwrap(), []);
    let of_chat = store.ratings_of_chat(keys[0]).await.unwrap();
    let bodies: Vec<_> = of_chat.iter().map(|rating| rating.body.as_deref().unwrap()).collect();
    assert_eq!(bodies, ["by ann", "by bob"]);
}

async fn ratings_go_with_their_chat_and_their_run(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "gone", 3, 1).await;
    store.queue_ratings(run, "ann", &keys).await.unwrap();
    for &key in &keys {
        rate(&store, key, "ann", false).await;
    }
    let mut raw = fresh.raw().await;
    let mut rows = async |table: &str| -> i64 {
        let sql = sqlx::AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
        sqlx::query(sql).fetch_one(&mut raw).await.unwrap().get(0)
    };
    assert_eq!((rows("ratings").await, rows("rating_changes").await), (3, 3));
    store.delete_chats(run, &keys[..1]).await.unwrap();
    assert_eq!((rows("ratings").await, rows("rating_changes").await), (2, 2));
    store.delete_run(run).await.unwrap();
    assert_eq!((rows("ratings").await, rows("rating_changes").await), (0, 0));
    assert_eq!(store.queues("ann").await.unwrap(), []);
}

async fn what_is_unfinished_is_so_in_every_run_with_the_same_text(fresh: Fresh) {
    let store = fresh.open().await;
    let (first, keys) = filled(&store, "first", 3, 1).await;
    let (second, same) = filled(&store, "second", 2, 1).await;
    store.queue_ratings(first, "ann", &keys[1..]).await.unwrap();
    assert_eq!(store.unfinished_chats(first, "ann").await.unwrap(), keys[1..]);
    assert_eq!(store.unfinished_chats(second, "ann").await.unwrap(), same[1..]);
    assert_eq!(store.unfinished_runs("ann").await.unwrap(), [first, second]);
    assert!(store.is_unfinished(same[1], "ann").await.unwrap() && !store.is_unfinished(same[0], "ann").await.unwrap());
    let key = store.rating(keys[1], "ann").await.unwrap().unwrap().queued.key;
    store.save_rating(key, 0, "begun", NOW).await.unwrap();
    assert!(store.is_unfinished(keys[1], "ann").await.unwrap(), "begun is not finished");
    store.finish_rating(key, 1, NOW).await.unwrap();
    assert!(!store.is_unfinished(keys[1], "ann").await.unwrap());
    assert_eq!(store.unfinished_chats(first, "ann").await.unwrap(), keys[2..]);
    assert_eq!(store.unfinished_runs("ann").await.unwrap(), [first]);
    assert_eq!(store.unfinished_runs("bob").await.unwrap(), []);
}
