//! Bits that turned over by themselves: what is read back is what was written, or an error.

use carelock_store::{Store, StoreError};
use sqlx::{AssertSqlSafe, Connection as _, Row as _};

use crate::harness::{Fresh, answer, filled, on_both};

on_both!(
    a_changed_bit_in_a_transcript_is_an_error_and_never_other_words,
    a_changed_bit_in_an_answer_is_an_error_and_never_another_verdict,
    what_lies_beside_a_transcript_or_an_answer_is_checked_too,
    a_changed_configuration_is_an_error,
    what_an_earlier_version_packed_is_compared_with_its_digest,
);

/// Changes one bit of the only row of a table, and tells what `read` says then; the row is as it was afterwards.
async fn with_changed_bit<T>(
    fresh: &Fresh,
    (table, column): (&str, &str),
    bit: usize,
    read: impl AsyncFn() -> Result<T, StoreError>,
) -> Option<Result<T, StoreError>> {
    let mut raw = fresh.raw().await;
    let select = AssertSqlSafe(format!("SELECT {column} FROM {table}"));
    let before: Vec<u8> = sqlx::query(select).fetch_one(&mut raw).await.unwrap().get(0);
    let mut changed = before.clone();
    *changed.get_mut(bit / 8)? ^= 1 << (bit % 8);
    let update = || AssertSqlSafe(format!("UPDATE {table} SET {column} = $1"));
    sqlx::query(update()).bind(changed).execute(&mut raw).await.unwrap();
    let said = read().await;
    sqlx::query(update()).bind(before).execute(&mut raw).await.unwrap();
    raw.close().await.unwrap();
    Some(said)
}

fn is_damaged<T: std::fmt::Debug>(said: &Result<T, StoreError>) -> bool {
    matches!(said, Err(StoreError::Damaged { .. }))
}

async fn a_changed_bit_in_a_transcript_is_an_error_and_never_other_words(fresh: Fresh) {
    let store = fresh.open().await;
    let (_, keys) = filled(&store, "bits", 1, 1).await;
    let whole = store.chats(&keys).await.unwrap();
    let mut damaged = 0;
    for bit in (0..).step_by(3) {
        let said = with_changed_bit(&fresh, ("transcripts", "turns"), bit, async || store.chats(&keys).await).await;
        let Some(said) = said else { break };
        damaged += usize::from(is_damaged(&said));
        assert!(is_damaged(&said) || said.is_ok_and(|read| read == whole), "bit {bit}");
    }
    assert!(damaged > 300, "{damaged}");
}

async fn a_changed_bit_in_an_answer_is_an_error_and_never_another_verdict(fresh: Fresh) {
    let store = fresh.open().await;
    let (_, keys) = filled(&store, "bits", 1, 1).await;
    store.record(&[answer(keys[0], 0)], &[]).await.unwrap();
    let whole = store.answers(&keys).await.unwrap();
    let mut damaged = 0;
    for bit in (0..).step_by(3) {
        let said = with_changed_bit(&fresh, ("submissions", "body"), bit, async || store.answers(&keys).await).await;
        let Some(said) = said else { break };
        damaged += usize::from(is_damaged(&said));
        assert!(is_damaged(&said) || said.is_ok_and(|read| read == whole), "bit {bit}");
    }
    assert!(damaged > 60, "{damaged}");
}

async fn run_sql(fresh: &Fresh, sql: &'static str) {
    let mut raw = fresh.raw().await;
    assert!(sqlx::query(sql).execute(&mut raw).await.unwrap().rows_affected() > 0, "{sql}");
    raw.close().await.unwrap();
}

async fn what_lies_beside_a_transcript_or_an_answer_is_checked_too(fresh: Fresh) {
    for sql in [
        "UPDATE chats SET name = 'chat-1'",
        "UPDATE chats SET origin = 'chats/part-1.jsonl:0'",
        "UPDATE chats SET group_name = 'model-1'",
        "UPDATE chats SET group_name = NULL",
        "UPDATE transcripts SET dropped = '{\"system\":2}'",
        "UPDATE transcripts SET labels = '{\"HC-2\":\"pass\"}'",
        "UPDATE answers SET judge = 'another'",
        "UPDATE answers SET answered = answered + 1",
    ] {
        let fresh = fresh.another().await;
        let store = fresh.open().await;
        let (_, keys) = filled(&store, "beside", 1, 1).await;
        store.record(&[answer(keys[0], 0)], &[]).await.unwrap();
        run_sql(&fresh, sql).await;
        assert!(is_damaged(&store.chats(&keys).await) || is_damaged(&store.answers(&keys).await), "{sql}");
    }
}

async fn a_changed_configuration_is_an_error(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, _) = filled(&store, "config", 1, 1).await;
    assert!(store.config(run).await.is_ok());
    run_sql(&fresh, "UPDATE runs SET config = '{\"weights\":{}}'").await;
    assert!(is_damaged(&store.config(run).await));
    run_sql(&fresh, "UPDATE runs SET config_checksum = NULL").await;
    assert!(store.config(run).await.is_ok(), "a run of an earlier version has no checksum");
}

/// Packs the turns of the only chat as earlier versions did.
async fn pack_as_before(fresh: &Fresh, store: &Store, words: &str) {
    let run = store.runs().await.unwrap()[0].key;
    let mut turns = store.chats_after(run, None, 1).await.unwrap()[0].chat.turns.clone();
    turns[1].text.push_str(words);
    let json = serde_json::to_vec(&turns).unwrap();
    let mut packed = vec![1];
    packed.extend_from_slice(&u32::try_from(json.len()).unwrap().to_le_bytes());
    packed.extend_from_slice(&zstd::bulk::compress(&json, 3).unwrap());
    let mut raw = fresh.raw().await;
    sqlx::query("UPDATE transcripts SET turns = $1").bind(packed).execute(&mut raw).await.unwrap();
    raw.close().await.unwrap();
}

async fn what_an_earlier_version_packed_is_compared_with_its_digest(fresh: Fresh) {
    let store = fresh.open().await;
    let (_, keys) = filled(&store, "old", 1, 1).await;
    let whole = store.chats(&keys).await.unwrap();
    pack_as_before(&fresh, &store, "").await;
    assert_eq!(store.chats(&keys).await.unwrap(), whole);
    pack_as_before(&fresh, &store, " Not at all.").await;
    assert!(is_damaged(&store.chats(&keys).await));
}
