//! Who has what, and taking it back from a worker that is gone.

use carelock_store::{Claim, Lease};

use crate::batches::job;
use crate::harness::{Fresh, MINUTE, NOW, claim, filled, on_both};

on_both!(
    the_leases_of_a_run_are_told_by_worker,
    what_a_dead_worker_has_is_taken_back_and_what_it_renewed_is_not,
    nothing_that_is_in_an_open_batch_is_claimed,
    what_was_claimed_without_learning_of_it_is_given_back,
);

async fn the_leases_of_a_run_are_told_by_worker(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "who", 6, 1).await;
    store.claim(&claim(run, "a", 2, NOW)).await.unwrap();
    store.claim(&claim(run, "b", 1, NOW)).await.unwrap();
    store.insert_batch(&job(run, &keys[4..])).await.unwrap();
    let lease = |worker: &str, until, tasks, batches| Lease { worker: worker.to_owned(), until, tasks, batches };
    let expected = [lease("a", NOW + MINUTE, 2, 0), lease("b", NOW + MINUTE, 1, 0), lease("sender", NOW, 0, 1)];
    assert_eq!(store.leases(run).await.unwrap(), expected);
}

async fn what_a_dead_worker_has_is_taken_back_and_what_it_renewed_is_not(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "dead", 4, 1).await;
    store.claim(&claim(run, "dead", 3, NOW)).await.unwrap();
    let batch = store.insert_batch(&job(run, &keys[..1])).await.unwrap();
    assert_eq!(store.take_back(run, "dead", NOW).await.unwrap(), 0, "it has renewed its lease since");
    assert_eq!(store.take_back(run, "sender", i64::MAX).await.unwrap(), 0);
    assert!(store.lease_batch(batch, "next", NOW, NOW + MINUTE).await.unwrap(), "its batch is free");
    assert_eq!(store.take_back(run, "dead", NOW + MINUTE).await.unwrap(), 3);
    assert_eq!(store.leases(run).await.unwrap().len(), 1);
}

async fn nothing_that_is_in_an_open_batch_is_claimed(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "batched", 5, 2).await;
    store.insert_batch(&job(run, &keys[..3])).await.unwrap();
    let claimed = store.claim(&Claim { place: Some(0), ..claim(run, "direct", 9, NOW) }).await.unwrap();
    assert_eq!(claimed.iter().map(|task| task.chat).collect::<Vec<_>>(), keys[3..], "they are paid for already");
    let others = store.claim(&Claim { place: Some(1), ..claim(run, "direct", 9, NOW) }).await.unwrap();
    assert_eq!(others.len(), 5, "another judge is not in the batch");
    let batch = store.open_batches(run).await.unwrap().remove(0);
    store.update_batch(&batch, true).await.unwrap();
    let rest = store.claim(&Claim { place: Some(0), ..claim(run, "direct", 9, NOW) }).await.unwrap();
    assert_eq!(rest.iter().map(|task| task.chat).collect::<Vec<_>>(), keys[..3]);
}

async fn what_was_claimed_without_learning_of_it_is_given_back(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "lost", 4, 1).await;
    store.claim(&claim(run, "a", 4, NOW)).await.unwrap();
    assert_eq!(store.release_all_but(run, "a", &keys[..1]).await.unwrap(), 3);
    assert_eq!(store.release_all_but(run, "a", &[]).await.unwrap(), 1);
}
