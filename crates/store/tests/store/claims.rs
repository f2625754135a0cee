//! Claiming work: no two workers have the same task, and what a dead worker had comes back.

use std::collections::HashSet;

use carelock_store::{Claim, ClaimedTask, FailedTask, Progress, RunState};

use crate::harness::{Fresh, MINUTE, NOW, answer_to, claim, filled, new_run, on_both};

on_both!(
    claims_of_many_workers_never_overlap,
    several_stores_that_answer_at_once_answer_everything_once,
    a_claim_gives_whole_chats_in_order,
    only_one_judges_tasks_are_claimed_where_that_is_asked,
    a_lease_that_ran_out_returns_and_a_renewed_one_does_not,
    a_run_that_is_not_open_gives_nothing,
    a_released_task_can_be_claimed_again,
    a_failed_task_stays_failed_until_it_is_reopened,
    a_failure_of_a_worker_that_lost_its_lease_changes_nothing,
);

async fn claims_of_many_workers_never_overlap(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "many", 200, 2).await;
    let mut workers = Vec::new();
    for number in 0..6 {
        let store = fresh.open().await;
        workers.push(tokio::spawn(async move {
            let mut mine = Vec::new();
            loop {
                let tasks = store.claim(&claim(run, &format!("worker-{number}"), 7, NOW)).await.unwrap();
                if tasks.is_empty() {
                    return mine;
                }
                mine.extend(tasks);
            }
        }));
    }
    let mut seen: HashSet<(i64, u32)> = HashSet::new();
    for worker in workers {
        for task in worker.await.unwrap() {
            assert!(seen.insert((task.chat.0, task.place)), "{task:?} was claimed twice");
            assert_eq!(task.attempt, 1);
        }
    }
    assert_eq!(seen.len(), 2 * keys.len());
    assert_eq!(store.progress(run).await.unwrap(), Progress { leased: 400, ..Progress::default() });
}

async fn several_stores_that_answer_at_once_answer_everything_once(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, _) = filled(&store, "at-once", 120, 2).await;
    let mut workers = Vec::new();
    for number in 0..4 {
        let store = fresh.open().await;
        workers.push(tokio::spawn(async move {
            let worker = format!("worker-{number}");
            let mut kept = 0;
            // Every lease has run out by the time of the next claim, so workers take tasks from each other.
            for round in 0.. {
                let now = NOW + round * 2 * MINUTE;
                let tasks = store.claim(&claim(run, &worker, 11, now)).await.unwrap();
                if tasks.is_empty() && store.progress(run).await.unwrap().answered == 240 {
                    return kept;
                }
                store.renew(run, &worker, now + MINUTE).await.unwrap();
                let answers: Vec<_> = tasks.iter().rev().map(answer_to).collect();
                kept += store.record(&answers, &[]).await.unwrap().kept;
            }
            kept
        }));
    }
    let mut kept = 0;
    for worker in workers {
        kept += worker.await.unwrap();
    }
    assert_eq!(kept, 240, "each task has one answer");
    assert_eq!(store.spent(run).await.unwrap().iter().map(|spent| spent.answers).sum::<u64>(), 240);
    assert_eq!(store.progress(run).await.unwrap(), Progress { answered: 240, ..Progress::default() });
}

async fn a_claim_gives_whole_chats_in_order(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "order", 5, 3).await;
    let first = store.claim(&claim(run, "a", 6, NOW)).await.unwrap();
    let expected: Vec<ClaimedTask> =
        keys[..2].iter().flat_map(|&chat| (0..3).map(move |place| ClaimedTask { chat, place, attempt: 1 })).collect();
    assert_eq!(first, expected);
    let second = store.claim(&claim(run, "b", 3, NOW)).await.unwrap();
    assert!(second.iter().all(|task| task.chat == keys[2]));
}

async fn only_one_judges_tasks_are_claimed_where_that_is_asked(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "place", 4, 2).await;
    let wanted = Claim { place: Some(1), ..claim(run, "a", 10, NOW) };
    let tasks = store.claim(&wanted).await.unwrap();
    assert_eq!(tasks.len(), keys.len());
    assert!(tasks.iter().all(|task| task.place == 1));
    assert_eq!(store.progress(run).await.unwrap(), Progress { open: 4, leased: 4, ..Progress::default() });
}

async fn a_lease_that_ran_out_returns_and_a_renewed_one_does_not(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "leases", 4, 1).await;
    assert_eq!(store.claim(&claim(run, "dead", 2, NOW)).await.unwrap().len(), 2);
    assert_eq!(store.claim(&claim(run, "alive", 2, NOW)).await.unwrap().len(), 2);
    assert_eq!(store.claim(&claim(run, "third", 9, NOW + MINUTE - 1)).await.unwrap(), []);
    assert_eq!(store.renew(run, "alive", NOW + 3 * MINUTE).await.unwrap(), 2);
    let returned = store.claim(&claim(run, "third", 9, NOW + MINUTE)).await.unwrap();
    let expected: Vec<_> = keys[..2].iter().map(|&chat| ClaimedTask { chat, place: 0, attempt: 2 }).collect();
    assert_eq!(returned, expected);
    assert_eq!(store.renew(run, "dead", NOW + 9 * MINUTE).await.unwrap(), 0, "what was lost is not renewed");
}

async fn a_run_that_is_not_open_gives_nothing(fresh: Fresh) {
    let store = fresh.open().await;
    let run = store.create_run(&new_run("filling", 1)).await.unwrap();
    store.add_chats(run, &[crate::harness::chat(1)]).await.unwrap();
    assert_eq!(store.claim(&claim(run, "a", 9, NOW)).await.unwrap(), []);
    store.seal(run, "blake3:x").await.unwrap();
    store.set_state(run, RunState::Done).await.unwrap();
    assert_eq!(store.claim(&claim(run, "a", 9, NOW)).await.unwrap(), []);
    store.set_state(run, RunState::Open).await.unwrap();
    assert_eq!(store.claim(&claim(run, "a", 9, NOW)).await.unwrap().len(), 1);
}

async fn a_released_task_can_be_claimed_again(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, _) = filled(&store, "released", 3, 1).await;
    let tasks = store.claim(&claim(run, "a", 3, NOW)).await.unwrap();
    store.record(&[answer_to(&tasks[0])], &[]).await.unwrap();
    assert_eq!(store.release(run, "a").await.unwrap(), 2);
    assert_eq!(store.claim(&claim(run, "b", 9, NOW)).await.unwrap().len(), 2);
}

async fn a_failed_task_stays_failed_until_it_is_reopened(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, _) = filled(&store, "failures", 3, 1).await;
    let tasks = store.claim(&claim(run, "a", 2, NOW)).await.unwrap();
    let failed = |task: &ClaimedTask, error: &str, again| FailedTask {
        chat: task.chat,
        place: task.place,
        error: error.to_owned(),
        again,
    };
    let both = [failed(&tasks[1], "out of credit", false), failed(&tasks[0], "a hiccup", true)];
    store.fail("a", &both).await.unwrap();
    assert_eq!(store.progress(run).await.unwrap(), Progress { open: 2, failed: 1, ..Progress::default() });
    let found = store.failures(run, 10).await.unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].name.as_str(), found[0].attempts, found[0].error.as_str()), ("chat-1", 1, "out of credit"));
    assert_eq!(store.reopen_failed(run).await.unwrap(), 1);
    let again = store.claim(&claim(run, "b", 9, NOW)).await.unwrap();
    assert_eq!(again.iter().map(|task| task.attempt).collect::<Vec<_>>(), [2, 2, 1]);
}

async fn a_failure_of_a_worker_that_lost_its_lease_changes_nothing(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, _) = filled(&store, "late", 1, 1).await;
    let tasks = store.claim(&claim(run, "slow", 1, NOW)).await.unwrap();
    store.claim(&claim(run, "quick", 1, NOW + MINUTE)).await.unwrap();
    let late = FailedTask { chat: tasks[0].chat, place: 0, error: "too late".to_owned(), again: false };
    store.fail("slow", &[late]).await.unwrap();
    assert_eq!(store.progress(run).await.unwrap(), Progress { leased: 1, ..Progress::default() });
}
