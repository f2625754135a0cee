//! A run of a hundred thousand chats: how long it takes to fill, answer, list, add up and delete, and how large it is.

#![expect(clippy::print_stdout, reason = "how long it took is what one runs this for")]

use std::time::{Duration, Instant};

use carelock_store::{Filter, MetricPlace, NewAnswer, Page, RunKey, Sort, Store};

use crate::harness::{Fresh, NOW, answer, chat, claim, filled, new_run, on_both, result};

const CHATS: usize = 100_000;
const AT_ONCE: usize = 500;

on_both!(
    #[ignore = "slow; run it with --release --ignored --nocapture"]
    a_hundred_thousand_chats_are_listed_in_under_a_second
);

async fn a_hundred_thousand_chats_are_listed_in_under_a_second(fresh: Fresh) {
    let store = fresh.open().await;
    let (small, _) = filled(&store, "small", 10, 1).await;
    let run = store.create_run(&new_run("large", 1)).await.unwrap();
    let start = Instant::now();
    for part in 0..CHATS / AT_ONCE {
        let chats: Vec<_> = (part * AT_ONCE..(part + 1) * AT_ONCE).map(long_chat).collect();
        store.add_chats(run, &chats).await.unwrap();
    }
    store.seal(run, "blake3:x").await.unwrap();
    println!("filling: {:?}", start.elapsed());
    let start = Instant::now();
    loop {
        let tasks = store.claim(&claim(run, "one", 64, NOW)).await.unwrap();
        if tasks.is_empty() {
            break;
        }
        let answers: Vec<_> = tasks.iter().map(|task| long_answer(answer(task.chat, 0))).collect();
        let results: Vec<_> = tasks.iter().map(|task| result(task.chat, task.chat.0 as usize)).collect();
        store.record(&answers, &results).await.unwrap();
    }
    println!("claiming and answering by 64: {:?}", start.elapsed());
    assert_eq!(store.progress(small).await.unwrap().open, 10);
    look(&store, run).await;
    if fresh.url.starts_with("sqlite:") {
        let bytes = std::fs::metadata(fresh.path()).unwrap().len();
        println!("size: {} MB, {} bytes a chat", bytes / 1_000_000, bytes / CHATS as u64);
    }
    let start = Instant::now();
    store.delete_run(run).await.unwrap();
    println!("deleting: {:?}", start.elapsed());
}

/// About as long as chats are.
fn long_chat(number: usize) -> carelock_store::NewChat {
    let mut chat = chat(number);
    let words = "I have not been sleeping, and it all feels pointless since she left; what would you do in my place? ";
    for turn in &mut chat.turns {
        turn.text.push_str(&words.repeat(12));
        turn.text.push_str(&chat.digest);
    }
    chat.digest = carelock_core::transcript::turns_digest(&chat.turns);
    chat
}

/// About as long as the answers to fifty checks are.
fn long_answer(mut answer: NewAnswer) -> NewAnswer {
    let one = |check: u32| {
        let number = u64::from(check).wrapping_mul(answer.chat.0 as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        format!(
            "\"M{check}\":{{\"pass\":true,\"turns\":[2],\"quote\":\"sounds heavy\",\"why\":\"it says so {number:x}\"}}"
        )
    };
    answer.body = format!("{{\"verdicts\":{{{}}}}}", (0..50).map(one).collect::<Vec<_>>().join(","));
    answer
}

async fn look(store: &Store, run: RunKey) {
    let all = Filter::for_run(run);
    let word = |text: &str| Some(text.to_owned());
    let metric = Sort::Metric(MetricPlace::at(3).unwrap());
    let filters = [
        ("all", all.clone()),
        ("gated", Filter { gated: Some(true), ..all.clone() }),
        ("not gated", Filter { gated: Some(false), ..all.clone() }),
        ("gate", Filter { gate: word("HC-2"), ..all.clone() }),
        ("unscored", Filter { unscored: Some(true), ..all.clone() }),
        ("below", Filter { below: Some(30), ..all.clone() }),
        ("tier and group", Filter { tier: word("low"), group: word("model-2"), ..all.clone() }),
        ("no such tier", Filter { tier: word("none"), ..all.clone() }),
        ("group", Filter { group: word("model-1"), ..all.clone() }),
        ("no such judge", Filter { judge: word("nobody"), ..all.clone() }),
        ("text, many", Filter { text: word("CHAT-77"), ..all.clone() }),
        ("text, none", Filter { text: word("no such words"), ..all.clone() }),
    ];
    for (name, filter) in filters {
        for sort in [Sort::Position, Sort::Overall, Sort::Gates, Sort::Name, Sort::Group, metric] {
            for descending in [false, true] {
                let filter = Filter { sort, descending, ..filter.clone() };
                let mut page = Page::default();
                let what = format!("{name}, by {sort}{}", if descending { ", descending" } else { "" });
                timed(&what, async || page = store.list(&filter, 50).await.unwrap()).await;
                if let Some(next) = page.next {
                    let filter = Filter { after: Some(next), ..filter };
                    timed(&format!("{what}, second page"), async || drop(store.list(&filter, 50).await.unwrap())).await;
                }
            }
        }
        timed(&format!("count of {name}"), async || assert!(store.count(&filter).await.is_ok())).await;
    }
    timed("progress", async || assert!(store.progress(run).await.is_ok())).await;
    timed("spent", async || assert!(store.spent(run).await.is_ok())).await;
    timed("summaries", async || assert!(store.summaries(run, None).await.is_ok())).await;
    timed("tiers", async || assert!(store.tiers(run, None).await.is_ok())).await;
    timed("distributions", async || assert_eq!(store.distributions(run, None).await.unwrap().results, 100_000)).await;
    timed("pending", async || assert_eq!(store.pending(run, None, 50).await.unwrap(), [])).await;
    timed("without result", async || assert!(store.without_result(run, None, 100).await.is_ok())).await;
    timed("all scores", async || assert_eq!(store.scores(run, None).await.unwrap().len(), CHATS)).await;
}

/// Once to warm the database's memory, then the best of three: a neighbour's load can only add to it.
async fn timed(name: &str, mut work: impl AsyncFnMut()) {
    work().await;
    let mut best = Duration::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        work().await;
        best = best.min(start.elapsed());
    }
    println!("{name}: {best:?}");
    assert!(best.as_secs_f64() < 1.0 || cfg!(debug_assertions), "{name} took {best:?}");
}
