//! Lists, counts and sums over the results of a run.

use carelock_store::{
    Distribution, Distributions, FailedTask, Filter, ListedResult, METRICS, MetricPlace, NewResult, PendingState,
    RunKey, Sort, Store, StoreError,
};
use serde_json::json;

use crate::harness::{Fresh, NOW, answer, claim, filled, on_both, result};

on_both!(
    every_order_is_read_forwards_and_backwards_page_by_page,
    a_filtered_list_by_name_is_whole_however_few_pass,
    a_place_of_another_order_is_the_beginning,
    distributions_count_every_score,
    chats_without_a_result_say_how_far_they_are,
    every_page_together_is_the_whole_list_in_order,
    filters_leave_what_was_asked_for,
    words_with_signs_of_patterns_stand_for_themselves,
    summaries_add_up_group_by_group,
    a_judges_own_results_are_a_list_of_their_own,
    other_results_take_the_place_of_all,
    what_came_in_meanwhile_is_not_lost_to_other_results,
    all_scores_at_once_are_those_of_the_list,
);

async fn judged(store: &Store, name: &str, chats: usize) -> (RunKey, Vec<NewResult>) {
    let (run, keys) = filled(store, name, chats, 1).await;
    let answers: Vec<_> = keys.iter().map(|&key| answer(key, 0)).collect();
    let results: Vec<_> = keys.iter().enumerate().map(|(number, &key)| result(key, number)).collect();
    store.record(&answers, &results).await.unwrap();
    (run, results)
}

async fn all(store: &Store, filter: &Filter, most: u32) -> Vec<ListedResult> {
    let mut filter = filter.clone();
    let mut found = Vec::new();
    loop {
        let page = store.list(&filter, most).await.unwrap();
        assert!(page.results.len() <= most as usize);
        found.extend(page.results);
        match page.next {
            Some(_) => filter.after = page.next,
            None => return found,
        }
    }
}

async fn every_page_together_is_the_whole_list_in_order(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, results) = judged(&store, "pages", 100).await;
    judged(&store, "another", 20).await;
    for sort in [Sort::Position, Sort::Overall] {
        for descending in [false, true] {
            let filter = Filter { sort, descending, ..Filter::for_run(run) };
            let found = all(&store, &filter, 7).await;
            let mut expected: Vec<&NewResult> = results.iter().collect();
            if sort == Sort::Overall {
                expected.sort_by_key(|result| (result.scores.overall, result.chat));
            }
            if descending {
                expected.reverse();
            }
            let found: Vec<_> = found.into_iter().map(|found| (found.chat, found.scores)).collect();
            let expected: Vec<_> = expected.iter().map(|result| (result.chat, result.scores.clone())).collect();
            assert_eq!(found, expected, "{sort:?} descending: {descending}");
        }
    }
    let first = store.list(&Filter::for_run(run), 1).await.unwrap().results.remove(0);
    assert_eq!((first.name.as_str(), first.position, first.group.as_deref()), ("chat-0", 0, Some("model-0")));
    assert_eq!(first.digest, crate::harness::chat(0).digest);
}

async fn filters_leave_what_was_asked_for(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, _) = judged(&store, "filters", 100).await;
    let all = Filter::for_run(run);
    let cases = [
        (all.clone(), 100),
        (Filter { gated: Some(true), ..all.clone() }, 10),
        (Filter { gated: Some(false), ..all.clone() }, 90),
        (Filter { gate: Some("HC-2".to_owned()), ..all.clone() }, 10),
        (Filter { gate: Some("HC".to_owned()), ..all.clone() }, 0),
        (Filter { unscored: Some(true), ..all.clone() }, 15),
        (Filter { unscored: Some(false), gated: Some(true), ..all.clone() }, 8),
        (Filter { tier: Some("low".to_owned()), ..all.clone() }, 10),
        (Filter { below: Some(21), ..all.clone() }, 8),
        (Filter { below: Some(20), sort: Sort::Overall, ..all.clone() }, 0),
        (Filter { group: Some("model-0".to_owned()), ..all.clone() }, 34),
        (Filter { judge: Some("nobody".to_owned()), ..all.clone() }, 0),
        (Filter { text: Some("CHAT-9".to_owned()), ..all.clone() }, 11),
        (Filter { text: Some("part-0.jsonl:4".to_owned()), sort: Sort::Overall, ..all.clone() }, 11),
    ];
    for (filter, expected) in cases {
        assert_eq!(store.count(&filter).await.unwrap(), expected, "{filter:?}");
        let listed = store.list(&filter, 1000).await.unwrap();
        assert_eq!((listed.results.len() as u64, listed.next), (expected, None), "{filter:?}");
    }
}

async fn words_with_signs_of_patterns_stand_for_themselves(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, _) = judged(&store, "patterns", 20).await;
    for text in ["%", "_", "chat_1", "c%1", "\\", "'; DROP TABLE runs; --"] {
        let filter = Filter { text: Some(text.to_owned()), gate: Some(text.to_owned()), ..Filter::for_run(run) };
        assert_eq!(store.count(&filter).await.unwrap(), 0, "{text}");
        let filter = Filter { text: Some(text.to_owned()), ..Filter::for_run(run) };
        assert_eq!(store.count(&filter).await.unwrap(), 0, "{text}");
    }
}

async fn summaries_add_up_group_by_group(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, results) = judged(&store, "sums", 100).await;
    let summaries = store.summaries(run, None).await.unwrap();
    assert_eq!(summaries.len(), 3);
    for (number, summary) in summaries.iter().enumerate() {
        assert_eq!(summary.group, Some(format!("model-{number}")));
        let of_group: Vec<_> = results.iter().skip(number).step_by(3).map(|result| &result.scores).collect();
        assert_eq!(summary.results, of_group.len() as u64);
        assert_eq!(summary.gated, of_group.iter().filter(|scores| !scores.gates.is_empty()).count() as u64);
        assert_eq!(summary.unscored, of_group.iter().filter(|scores| scores.unscored > 0).count() as u64);
        let sum: u64 = of_group.iter().filter_map(|scores| scores.overall).map(u64::from).sum();
        assert_eq!(summary.overall.hundredths, sum);
        let last: u64 = of_group.iter().filter_map(|scores| scores.metrics[9]).map(u64::from).sum();
        assert_eq!((summary.metrics[9].hundredths, summary.metrics[1].mean()), (last, Some(0.8)));
    }
    let spreads = store.spreads(run, None).await.unwrap();
    for score in [None, Some(0), results[0].scores.metrics[9]] {
        let of = |metric: usize| results.iter().filter(|result| result.scores.metrics[metric] == score).count() as u64;
        let counted = spreads.metrics[9].iter().find(|(found, _)| *found == score).map_or(0, |(_, results)| *results);
        assert_eq!(counted, of(9), "{score:?}");
    }
    assert_eq!(spreads.overall.iter().map(|(_, results)| results).sum::<u64>(), 100);
    let gates = store.gate_counts(run, None).await.unwrap();
    for (gate, counted) in &gates {
        let trips = |result: &&NewResult| result.scores.gates.contains(gate);
        assert_eq!(*counted, results.iter().filter(trips).count() as u64, "{gate}");
    }
    assert!(gates.iter().map(|(_, results)| results).sum::<u64>() > 0);
    let tiers = store.tiers(run, None).await.unwrap();
    assert_eq!(tiers.iter().map(|tier| tier.results).sum::<u64>(), 100);
    let (empty, _) = filled(&store, "empty", 1, 1).await;
    assert_eq!(store.summaries(empty, None).await.unwrap(), []);
    assert_eq!(carelock_store::Sum::default().mean(), None);
}

async fn a_judges_own_results_are_a_list_of_their_own(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, results) = judged(&store, "own", 10).await;
    let mut own = results[3].clone();
    own.place = Some(1);
    own.judge = "the second".to_owned();
    store.put_results(&[own]).await.unwrap();
    assert_eq!(store.count(&Filter::for_run(run)).await.unwrap(), 10);
    let listed = store.list(&Filter { place: Some(1), ..Filter::for_run(run) }, 10).await.unwrap().results;
    assert_eq!((listed.len(), listed[0].judge.as_str()), (1, "the second"));
    assert_eq!(store.summaries(run, Some(1)).await.unwrap()[0].results, 1);
}

async fn other_results_take_the_place_of_all(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, mut results) = judged(&store, "rescored", 30).await;
    let before = answered(&store, run).await;
    // Two results of one chat: the last one is meant.
    results.insert(0, result(results[0].chat, 5));
    for result in results.iter_mut().skip(1) {
        (result.judge, result.scores.overall) = ("other weights".to_owned(), Some(77));
    }
    store.replace_results(run, &json!({ "weights": "other" }), &results, before, NOW).await.unwrap();
    let listed = all(&store, &Filter::for_run(run), 100).await;
    assert_eq!(listed.len(), 30);
    assert!(listed.iter().all(|result| result.scores.overall == Some(77) && result.judge == "other weights"));
    assert_eq!(store.config(run).await.unwrap(), json!({ "weights": "other" }));
}

async fn answered(store: &Store, run: RunKey) -> u64 {
    store.spent(run).await.unwrap().iter().map(|spent| spent.answers).sum()
}

async fn what_came_in_meanwhile_is_not_lost_to_other_results(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "busy", 4, 1).await;
    store.record(&[answer(keys[0], 0)], &[result(keys[0], 0)]).await.unwrap();
    let (config, before) = (store.config(run).await.unwrap(), answered(&store, run).await);
    let other = [result(keys[0], 9)];
    let refused = async |what: &str| {
        let error = store.replace_results(run, &json!({}), &other, before, NOW).await.unwrap_err();
        assert!(matches!(&error, StoreError::Busy { .. }), "{what}: {error}");
        assert_eq!(store.config(run).await.unwrap(), config, "{what}");
    };
    // A worker has begun.
    store.claim(&claim(run, "w", 1, NOW)).await.unwrap();
    refused("leased").await;
    store.release(run, "w").await.unwrap();
    // A worker has answered.
    store.record(&[answer(keys[1], 0)], &[]).await.unwrap();
    refused("answered").await;
    // A worker has computed a result.
    store.put_results(&[result(keys[1], 1)]).await.unwrap();
    let error = store.replace_results(run, &json!({}), &other, before + 1, NOW).await.unwrap_err();
    assert!(matches!(&error, StoreError::Busy { .. }), "{error}");
    assert_eq!(store.count(&Filter::for_run(run)).await.unwrap(), 2);
}

async fn all_scores_at_once_are_those_of_the_list(fresh: Fresh) {
    let store = fresh.open().await;
    let run = store.create_run(&crate::harness::new_run("scores", 1)).await.unwrap();
    let mut chats: Vec<_> = (0..1203).map(crate::harness::chat).collect();
    chats[3].name = "3,a\u{fc}\u{1f600},\u{1e}\n'".to_owned();
    chats[4].group = None;
    chats[5].group = Some(String::new());
    let keys = store.add_chats(run, &chats).await.unwrap();
    let mut results: Vec<_> = keys.iter().enumerate().map(|(number, &key)| result(key, number)).collect();
    results[6].scores.tier = None;
    results[7].scores.gates = vec!["HC-2".to_owned(), "BD-1".to_owned()];
    results.remove(8);
    store.put_results(&results).await.unwrap();
    let scores = store.scores(run, None).await.unwrap();
    let listed = all(&store, &Filter::for_run(run), 500).await;
    assert_eq!(scores.len(), 1202);
    for (scored, listed) in scores.iter().zip(&listed) {
        assert_eq!((scored.chat, scored.position, &scored.name), (listed.chat, listed.position, &listed.name));
        assert_eq!((&scored.digest, &scored.group), (&listed.digest, &listed.group));
        assert_eq!(scored.scores, listed.scores);
    }
    assert_eq!(scores[3].name, chats[3].name);
    assert_eq!((&scores[4].group, &scores[5].group), (&None, &Some(String::new())));
    assert_eq!(store.scores(run, Some(0)).await.unwrap(), []);
}

/// A run in which names, groups, gates and metrics come in orders of their own.
async fn mixed(store: &Store, chats: usize) -> RunKey {
    let run = store.create_run(&crate::harness::new_run("mixed", 1)).await.unwrap();
    let one = |number: usize| {
        let mut chat = crate::harness::chat(number);
        chat.name = format!("{:04}-{}", number * 7919 % 10_007, ["ä", "b", "?&"][number % 3]);
        chat.group = (!number.is_multiple_of(4)).then(|| ["", "x", "Y z"][number % 3].to_owned());
        chat
    };
    let keys = store.add_chats(run, &(0..chats).map(one).collect::<Vec<_>>()).await.unwrap();
    let mut results: Vec<_> = keys.iter().enumerate().map(|(number, &key)| result(key, number)).collect();
    for (number, result) in results.iter_mut().enumerate() {
        for (at, metric) in result.scores.metrics.iter_mut().enumerate() {
            let score = number * (at + 3) % 7;
            *metric = (score < 6).then_some(20 * score as u8);
        }
    }
    store.put_results(&results).await.unwrap();
    run
}

fn sorts() -> Vec<Sort> {
    let metrics = (0..METRICS).filter_map(MetricPlace::at).map(Sort::Metric);
    [Sort::Position, Sort::Overall, Sort::Gates, Sort::Name, Sort::Group].into_iter().chain(metrics).collect()
}

fn in_order(mut listed: Vec<ListedResult>, sort: Sort, descending: bool) -> Vec<ListedResult> {
    listed.sort_by(|left, right| {
        let order = match sort {
            Sort::Position => left.position.cmp(&right.position),
            Sort::Overall => left.scores.overall.cmp(&right.scores.overall),
            Sort::Gates => left.scores.gates.is_empty().cmp(&right.scores.gates.is_empty()),
            Sort::Name => left.name.cmp(&right.name),
            Sort::Group => left.group.clone().unwrap_or_default().cmp(&right.group.clone().unwrap_or_default()),
            Sort::Metric(metric) => left.scores.metrics[metric.place()].cmp(&right.scores.metrics[metric.place()]),
        };
        order.then(left.position.cmp(&right.position))
    });
    if descending {
        listed.reverse();
    }
    listed
}

async fn every_order_is_read_forwards_and_backwards_page_by_page(fresh: Fresh) {
    let store = fresh.open().await;
    let run = mixed(&store, 90).await;
    let filters = [
        Filter::for_run(run),
        Filter { gated: Some(false), ..Filter::for_run(run) },
        Filter { group: Some("x".to_owned()), ..Filter::for_run(run) },
        Filter { text: Some("B".to_owned()), ..Filter::for_run(run) },
    ];
    for filter in filters {
        let unsorted = store.list(&filter, 1000).await.unwrap().results;
        assert_eq!(unsorted.len() as u64, store.count(&filter).await.unwrap());
        for (sort, descending) in sorts().into_iter().flat_map(|sort| [(sort, false), (sort, true)]) {
            let what = format!("{sort} descending: {descending} {filter:?}");
            let expected = in_order(unsorted.clone(), sort, descending);
            let sorted = Filter { sort, descending, ..filter.clone() };
            assert_eq!(store.list(&sorted, 1000).await.unwrap().results, expected, "{what}");
            let mut at = sorted.clone();
            let mut pages = vec![store.list(&at, 8).await.unwrap()];
            assert_eq!(pages[0].previous, None, "{what}");
            while let Some(next) = &pages[pages.len() - 1].next {
                at.after = Some(next.to_string().parse().unwrap());
                pages.push(store.list(&at, 8).await.unwrap());
            }
            let forwards: Vec<_> = pages.iter().flat_map(|page| page.results.clone()).collect();
            assert_eq!(forwards, expected, "{what}");
            let mut at = sorted;
            for (number, page) in pages.iter().enumerate().skip(1).rev() {
                at.before = page.previous.clone();
                let earlier = store.list(&at, 8).await.unwrap();
                assert_eq!(earlier, pages[number - 1], "{what}");
            }
        }
    }
}

async fn a_filtered_list_by_name_is_whole_however_few_pass(fresh: Fresh) {
    let store = fresh.open().await;
    // More than are looked at in the order of their ids before another way is taken.
    let (run, mut results) = judged(&store, "many", 4500).await;
    for (number, result) in results.iter_mut().enumerate() {
        result.scores.tier = Some(if [7, 3000, 4499].contains(&number) { "rare" } else { "often" }.to_owned());
    }
    store.put_results(&results).await.unwrap();
    for descending in [false, true] {
        let sorted = Filter { sort: Sort::Name, descending, ..Filter::for_run(run) };
        let rare = Filter { tier: Some("rare".to_owned()), ..sorted.clone() };
        let mut names: Vec<_> = all(&store, &rare, 2).await.into_iter().map(|found| found.name).collect();
        if descending {
            names.reverse();
        }
        assert_eq!(names, ["chat-3000", "chat-4499", "chat-7"]);
        let often = Filter { tier: Some("often".to_owned()), ..sorted };
        let found = all(&store, &often, 500).await;
        assert_eq!(found.len(), 4497);
        assert!(found.is_sorted_by(|left, right| (left.name < right.name) != descending));
    }
}

async fn a_place_of_another_order_is_the_beginning(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, _) = judged(&store, "orders", 20).await;
    let first = store.list(&Filter { sort: Sort::Overall, ..Filter::for_run(run) }, 5).await.unwrap();
    for sort in [Sort::Name, Sort::Position, Sort::Group] {
        let fresh = Filter { sort, ..Filter::for_run(run) };
        let begun = store.list(&fresh, 5).await.unwrap();
        let strange = Filter { after: first.next.clone(), before: first.next.clone(), ..fresh };
        assert_eq!(store.list(&strange, 5).await.unwrap(), begun);
    }
    let beyond = Filter { after: Some("position.99999999999.0".parse().unwrap()), ..Filter::for_run(run) };
    assert_eq!(store.list(&beyond, 5).await.unwrap(), carelock_store::Page::default());
}

async fn distributions_count_every_score(fresh: Fresh) {
    let store = fresh.open().await;
    let run = mixed(&store, 90).await;
    let listed = store.list(&Filter::for_run(run), 1000).await.unwrap().results;
    let count = |score: &dyn Fn(&ListedResult) -> Option<u8>| {
        let mut counted = Distribution::default();
        for result in &listed {
            match score(result) {
                Some(score) => *counted.scores.entry(score).or_default() += 1,
                None => counted.none += 1,
            }
        }
        counted
    };
    let found = store.distributions(run, None).await.unwrap();
    assert_eq!((found.results, found.gated, found.gates.get("HC-2")), (90, 9, Some(&9)));
    assert_eq!(found.overall, count(&|result| result.scores.overall));
    for (at, metric) in found.metrics.iter().enumerate() {
        assert_eq!(*metric, count(&|result| result.scores.metrics[at]), "{at}");
    }
    assert_eq!(store.distributions(run, Some(3)).await.unwrap(), Distributions::default());
    let mut other = result(listed[0].chat, 1);
    (other.scores.gates, other.scores.metrics, other.scores.overall) =
        (vec!["A-1".to_owned(), "B-2".to_owned()], [Some(100); METRICS], Some(0));
    other.place = Some(0);
    store.put_results(&[other]).await.unwrap();
    let own = store.distributions(run, Some(0)).await.unwrap();
    assert_eq!((own.results, own.gated, own.gates.len(), own.overall.scores[&0]), (1, 1, 2, 1));
    assert!(own.metrics.iter().all(|metric| metric.scores[&100] == 1 && metric.none == 0));
}

async fn chats_without_a_result_say_how_far_they_are(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "pending", 6, 2).await;
    filled(&store, "other", 2, 2).await;
    let tasks = store.claim(&claim(run, "w", 8, NOW)).await.unwrap();
    assert_eq!(tasks[7].chat, keys[3]);
    // Chat 0 has a result, chat 1 an answer and a failure, chat 2 is tried again, chat 3 is under way.
    store.record(&[answer(keys[0], 0), answer(keys[0], 1)], &[result(keys[0], 0)]).await.unwrap();
    store.record(&[answer(keys[1], 0)], &[]).await.unwrap();
    let failed = |chat, place, error: &str, again| FailedTask { chat, place, error: error.to_owned(), again };
    let failures =
        [failed(keys[1], 1, "refused", false), failed(keys[2], 0, "busy", true), failed(keys[2], 1, "slow", true)];
    store.fail("w", &failures).await.unwrap();
    let found = store.pending(run, None, 100).await.unwrap();
    let told: Vec<_> = found.iter().map(|chat| (chat.position, chat.state, chat.answered)).collect();
    let (waiting, under_way) = (PendingState::Waiting, PendingState::UnderWay);
    assert_eq!(
        told,
        [(1, PendingState::Failed, 1), (2, waiting, 0), (3, under_way, 0), (4, waiting, 0), (5, waiting, 0)]
    );
    let errors: Vec<_> = found.iter().map(|chat| chat.error.as_deref()).collect();
    assert_eq!(errors, [Some("refused"), Some("busy"), None, None, None]);
    assert_eq!((found[0].name.as_str(), found[0].group.as_deref()), ("chat-1", Some("model-1")));
    let page = store.pending(run, Some(keys[2]), 2).await.unwrap();
    assert_eq!(page, found[2..4]);
    assert_eq!(store.pending(run, Some(keys[5]), 2).await.unwrap(), []);
    // A result for the whole chat counts, even where a judge has failed.
    store.put_results(&[result(keys[1], 1)]).await.unwrap();
    assert_eq!(store.pending(run, None, 1).await.unwrap()[0].chat, keys[2]);
}
