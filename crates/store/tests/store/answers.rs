//! Answers: kept once, kept together, and still there when nobody closed the database.

use carelock_store::{ChatKey, Progress, StoreError};

use crate::harness::{Fresh, MINUTE, NOW, answer, answer_to, claim, filled, on_both, result};

on_both!(
    answers_come_back_as_they_were_given,
    a_second_answer_is_refused_and_the_first_one_stays,
    the_second_of_two_equal_answers_in_one_call_is_refused,
    a_result_that_rests_on_a_refused_answer_is_not_kept,
    a_late_answer_counts_where_there_is_no_other,
    many_answers_are_committed_together_or_not_at_all,
    a_store_dropped_without_closing_loses_nothing,
    chats_that_are_through_but_have_no_result_are_found,
    an_answer_to_a_deleted_chat_is_an_error_of_its_own,
    what_was_spent_is_added_up_by_judge,
);

async fn answers_come_back_as_they_were_given(fresh: Fresh) {
    let store = fresh.open().await;
    let (_, keys) = filled(&store, "answers", 3, 2).await;
    let given = [answer(keys[1], 1), answer(keys[0], 0), answer(keys[1], 0)];
    let recorded = store.record(&given, &[]).await.unwrap();
    assert_eq!((recorded.kept, recorded.refused.len()), (3, 0));
    let found = store.answers(&keys).await.unwrap();
    let order: Vec<(ChatKey, u32)> = found.iter().map(|answer| (answer.chat, answer.place)).collect();
    assert_eq!(order, [(keys[0], 0), (keys[1], 0), (keys[1], 1)]);
    assert_eq!((found[0].body.as_str(), found[0].answered), (given[1].body.as_str(), NOW));
    assert_eq!(found[2].judge, "scripted");
}

async fn a_second_answer_is_refused_and_the_first_one_stays(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "second", 2, 1).await;
    let tasks = store.claim(&claim(run, "slow", 2, NOW)).await.unwrap();
    let again = store.claim(&claim(run, "quick", 2, NOW + MINUTE)).await.unwrap();
    assert_eq!(again.len(), 2);
    assert_eq!(store.record(&[answer_to(&again[0])], &[]).await.unwrap().kept, 1);
    let mut late = [answer_to(&tasks[0]), answer_to(&tasks[1])];
    late[0].body = "{\"late\":true}".to_owned();
    let recorded = store.record(&late, &[]).await.unwrap();
    assert_eq!((recorded.kept, recorded.refused), (1, vec![(keys[0], 0)]));
    assert_eq!(store.answers(&keys[..1]).await.unwrap()[0].body, answer_to(&again[0]).body);
    assert_eq!(store.progress(run).await.unwrap(), Progress { answered: 2, ..Progress::default() });
}

async fn the_second_of_two_equal_answers_in_one_call_is_refused(fresh: Fresh) {
    let store = fresh.open().await;
    let (_, keys) = filled(&store, "equal", 1, 1).await;
    let recorded = store.record(&[answer(keys[0], 0), answer(keys[0], 0)], &[]).await.unwrap();
    assert_eq!((recorded.kept, recorded.refused), (1, vec![(keys[0], 0)]));
    assert_eq!(store.answers(&keys).await.unwrap().len(), 1);
}

async fn a_result_that_rests_on_a_refused_answer_is_not_kept(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "stale", 2, 1).await;
    store.record(&[answer(keys[0], 0)], &[result(keys[0], 1)]).await.unwrap();
    let given = [answer(keys[0], 0), answer(keys[1], 0)];
    let mut stale = result(keys[0], 10);
    stale.judge = "late".to_owned();
    store.record(&given, &[stale, result(keys[1], 2)]).await.unwrap();
    let page = store.list(&carelock_store::Filter::for_run(run), 10).await.unwrap();
    let found: Vec<_> = page.results.into_iter().map(|found| (found.chat, found.judge, found.scores)).collect();
    let expected = [result(keys[0], 1), result(keys[1], 2)].map(|kept| (kept.chat, kept.judge, kept.scores));
    assert_eq!(found, expected);
}

async fn a_late_answer_counts_where_there_is_no_other(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, _) = filled(&store, "late", 1, 1).await;
    let tasks = store.claim(&claim(run, "slow", 1, NOW)).await.unwrap();
    store.claim(&claim(run, "quick", 1, NOW + MINUTE)).await.unwrap();
    assert_eq!(store.record(&[answer_to(&tasks[0])], &[]).await.unwrap().kept, 1);
    assert_eq!(store.renew(run, "quick", NOW + 5 * MINUTE).await.unwrap(), 0, "there is nothing left to hold");
    assert_eq!(store.progress(run).await.unwrap(), Progress { answered: 1, ..Progress::default() });
}

async fn many_answers_are_committed_together_or_not_at_all(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "group", 300, 1).await;
    let mut answers: Vec<_> = keys.iter().map(|&key| answer(key, 0)).collect();
    answers.push(answer(ChatKey(999_999), 0));
    assert!(store.record(&answers, &[]).await.is_err());
    assert_eq!(store.progress(run).await.unwrap().answered, 0);
    answers.pop();
    let results: Vec<_> = keys.iter().enumerate().map(|(number, &key)| result(key, number)).collect();
    assert_eq!(store.record(&answers, &results).await.unwrap().kept, 300);
    assert_eq!(store.progress(run).await.unwrap().answered, 300);
    assert_eq!(store.count(&carelock_store::Filter::for_run(run)).await.unwrap(), 300);
}

async fn a_store_dropped_without_closing_loses_nothing(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "dropped", 10, 1).await;
    let tasks = store.claim(&claim(run, "first", 6, NOW)).await.unwrap();
    let answers: Vec<_> = tasks[..4].iter().map(answer_to).collect();
    store.record(&answers, &[]).await.unwrap();
    drop(store);
    let store = fresh.open().await;
    assert_eq!(store.answers(&keys).await.unwrap().len(), 4);
    assert_eq!(store.claim(&claim(run, "second", 99, NOW)).await.unwrap().len(), 4, "those nobody had");
    let rest = store.claim(&claim(run, "second", 99, NOW + MINUTE)).await.unwrap();
    assert_eq!(rest.iter().filter(|task| tasks[4..].iter().any(|lost| lost.chat == task.chat)).count(), 2);
}

async fn chats_that_are_through_but_have_no_result_are_found(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "unfinished", 4, 2).await;
    let both = |chat| [answer(chat, 0), answer(chat, 1)];
    store.record(&both(keys[0]), &[result(keys[0], 0)]).await.unwrap();
    store.record(&both(keys[1]), &[]).await.unwrap();
    store.record(&[answer(keys[2], 0)], &[]).await.unwrap();
    assert_eq!(store.without_result(run, None, 10).await.unwrap(), [keys[1]]);
    store.record(&both(keys[3]), &[]).await.unwrap();
    assert_eq!(store.without_result(run, None, 1).await.unwrap(), [keys[1]]);
    assert_eq!(store.without_result(run, Some(keys[1]), 10).await.unwrap(), [keys[3]]);
    store.put_results(&[result(keys[3], 3)]).await.unwrap();
    store.put_results(&[result(keys[1], 1)]).await.unwrap();
    assert_eq!(store.without_result(run, None, 10).await.unwrap(), []);
}

async fn an_answer_to_a_deleted_chat_is_an_error_of_its_own(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "deleted", 1, 1).await;
    store.delete_run(run).await.unwrap();
    let error = store.record(&[answer(keys[0], 0)], &[]).await.unwrap_err();
    assert!(matches!(&error, StoreError::Gone { .. }), "{error}");
}

async fn what_was_spent_is_added_up_by_judge(fresh: Fresh) {
    let store = fresh.open().await;
    let (run, keys) = filled(&store, "spent", 3, 2).await;
    let mut kept = answer(keys[0], 1);
    (kept.from_record, kept.cost_nanos) = (true, 0);
    store.record(&[answer(keys[0], 0), answer(keys[1], 0), kept], &[]).await.unwrap();
    let spent = store.spent(run).await.unwrap();
    assert_eq!(spent.len(), 2);
    assert_eq!((spent[0].answers, spent[0].input_tokens, spent[0].cost_nanos), (2, 2400, 3000));
    assert_eq!((spent[1].place, spent[1].from_record, spent[1].cost_nanos), (1, 1, 0));
}
