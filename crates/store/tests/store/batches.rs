//! Batch jobs: written down before they are sent, found again after a restart.

use carelock_store::{BatchItem, Claim, NewBatch, Progress};

use crate::harness::{Fresh, MINUTE, NOW, answer, claim, filled, on_both};

on_both!(a_job_is_found_again_after_a_restart, one_worker_at_a_time_has_a_job, a_new_owner_takes_the_tasks_of_a_job);

pub(crate) fn job(run: carelock_store::RunKey, chats: &[carelock_store::ChatKey]) -> NewBatch {
    let items = chats.iter().map(|&chat| BatchItem { custom_id: format!("c-{:04}", chat.0), chat }).collect();
    NewBatch {
        run,
        place: 0,
        part: 1,
        provider: "openai".to_owned(),
        created: NOW,
        detail: None,
        worker: "sender".to_owned(),
        until: NOW,
        items,
    }
}

async fn a_job_is_found_again_after_a_restart(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "batch", 100, 1).await;
    let first = store.insert_batch(&job(run, &keys[..90])).await.unwrap();
    let second = store.insert_batch(&job(run, &keys[90..])).await.unwrap();
    let mut open = store.open_batches(run).await.unwrap();
    assert_eq!((open.len(), open[0].key, open[0].state.as_str(), &open[0].remote), (2, first, "new", &None));
    open[0].remote = Some("batch_abc".to_owned());
    open[0].state = "in_progress".to_owned();
    open[0].detail = Some("{\"file\":\"file-1\"}".to_owned());
    store.update_batch(&open[0], false).await.unwrap();
    store.update_batch(&open[1], true).await.unwrap();
    drop(store);
    let store = fresh.open().await;
    assert_eq!(store.open_batches(run).await.unwrap(), open[..1]);
    assert_eq!(store.batch_items(first).await.unwrap(), job(run, &keys[..90]).items);
    assert_eq!(store.batch_items(second).await.unwrap().len(), 10);
    store.delete_run(run).await.unwrap();
    assert!(store.update_batch(&open[0], true).await.is_err());
}

async fn one_worker_at_a_time_has_a_job(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "lease", 2, 1).await;
    let batch = store.insert_batch(&job(run, &keys)).await.unwrap();
    assert!(store.lease_batch(batch, "a", NOW, NOW + MINUTE).await.unwrap());
    assert!(!store.lease_batch(batch, "b", NOW, NOW + MINUTE).await.unwrap());
    assert!(store.lease_batch(batch, "a", NOW, NOW + 2 * MINUTE).await.unwrap());
    assert!(!store.lease_batch(batch, "b", NOW + MINUTE, NOW + 9 * MINUTE).await.unwrap());
    assert!(store.lease_batch(batch, "b", NOW + 2 * MINUTE, NOW + 9 * MINUTE).await.unwrap());
}

async fn a_new_owner_takes_the_tasks_of_a_job(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "tasks", 5, 2).await;
    store.claim(&Claim { place: Some(0), ..claim(run, "dead", 5, NOW) }).await.unwrap();
    let batch = store.insert_batch(&job(run, &keys[..3])).await.unwrap();
    store.record(&[answer(keys[0], 0)], &[]).await.unwrap();
    assert_eq!(store.lease_batch_tasks(batch, "next", NOW + 60 * MINUTE).await.unwrap(), 2);
    // The other two of the dead worker return when its lease has run out; those of the job stay.
    let others = store.claim(&Claim { place: Some(0), ..claim(run, "third", 9, NOW + MINUTE) }).await.unwrap();
    assert_eq!(others.iter().map(|task| task.chat).collect::<Vec<_>>(), keys[3..]);
    assert_eq!(store.progress(run).await.unwrap(), Progress { open: 5, leased: 4, answered: 1, failed: 0 });
}
