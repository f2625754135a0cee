//! Sending parts: within the limits, exactly what a direct call sends, and once, whatever breaks on the way.

use std::time::Duration;

use carelock_judge::batch::{BatchError, State};
use carelock_judge::provider::StructuredOutput;
use carelock_judge::wire::{CallTarget, to_request};
use serde_json::Value;

use super::batch_client::{BatchClient, Setting};
use super::provider::Provider;
use super::replies::{BOTH, Words};
use carelock_test_support::fault_server::Step;

fn opening(words: Words) -> &'static str {
    if words == Words::OpenAi { "POST /v1/batches" } else { "POST /v1/messages/batches" }
}

#[tokio::test]
async fn a_batch_is_sent_waited_for_collected_and_cleaned_and_costs_half() {
    for words in BOTH {
        let provider = Provider::start(words).await;
        provider.world().looks = 3;
        let client = BatchClient::new(&provider, 5);
        assert!(client.job.retention().contains("retention"), "{}", client.job.retention());
        let part = client.only_part();
        let id = client.job.submit(&part).await.expect("it is sent");
        let mut states = Vec::new();
        let progress = client.job.wait(&id, |progress| states.push(progress.state)).await.expect("it ends");
        assert_eq!(states, [State::Running, State::Running, State::Running, State::Finished]);
        assert_eq!((progress.answered, progress.total), (5, 5));
        let (collected, fates) = client.collect(&id, part.ids()).await.expect("results");
        let graded = client.judge(3, &fates).await.expect("answers");
        let model = &client.judge.resolved().model;
        let full = model.price.expect("a price").estimate(1000, 100);
        assert_eq!(graded.spent.cost.picodollars() * 2, full.picodollars());
        assert_eq!(collected.cost.picodollars() * 2, full.picodollars() * 5);
        assert!(part.estimate() > collected.cost);
        assert!(graded.circumstances.notes.iter().any(|note| note.contains("batch")));
        for (number, reason) in client.reasons(&fates).await {
            assert_eq!(reason, format!("batch {number}"));
        }
        assert!(client.job.clean(&id).await.expect("cleaned") > 0);
        let world = provider.world();
        assert!(world.files.is_empty() && world.direct.is_empty(), "nothing is left, nothing was asked directly");
        assert_eq!((world.opened, world.batches.len()), (1, usize::from(words == Words::OpenAi)));
    }
}

#[tokio::test]
async fn each_request_is_exactly_what_a_direct_call_sends() {
    for words in BOTH {
        let provider = Provider::start(words).await;
        let client = BatchClient::new(&provider, 3);
        client.job.submit(&client.only_part()).await.expect("it is sent");
        for number in 0..3 {
            client.judge.judge(&client.rubric, &client.chats[number], Some(&["E1".to_owned()])).await.expect("answers");
        }
        let world = provider.world();
        let sent: Vec<Value> = world.batches[0].requests.iter().map(|(_, body)| body.clone()).collect();
        assert_eq!(sent, world.direct);
    }
}

#[tokio::test]
async fn parts_keep_to_the_limits_and_chats_stay_whole() {
    for words in BOTH {
        let provider = Provider::start(words).await;
        let by_count = BatchClient::with(&provider, Setting { chats: 7, turns: 2, requests: 3, ..Setting::default() });
        let counts: Vec<usize> = by_count.parts().iter().map(|part| part.ids().len()).collect();
        assert_eq!(counts, [3, 3, 1]);
        let whole = BatchClient::new(&provider, 7).only_part().bytes();
        let bytes = whole / 2;
        let by_size = BatchClient::with(&provider, Setting { chats: 7, turns: 2, bytes, ..Setting::default() });
        let parts = by_size.parts();
        assert!(parts.len() > 1 && parts.iter().all(|part| part.bytes() <= bytes));
        assert_eq!(parts.iter().map(|part| part.ids().len()).sum::<usize>(), 7);
        let keys: Vec<_> = parts.iter().map(|part| part.key().clone()).collect();
        let again: Vec<_> = by_size.parts().iter().map(|part| part.key().clone()).collect();
        assert_eq!(keys, again, "the same chats give the same parts");
        let tiny = BatchClient::with(&provider, Setting { chats: 2, turns: 2, bytes: 100, ..Setting::default() });
        let left: Vec<_> = tiny.job.parts((0..2).map(|number| tiny.entries(number))).collect();
        assert!(left.len() == 2 && left.iter().all(|part| part.as_ref().is_err_and(|left| left.ids.len() == 1)));
    }
}

#[tokio::test]
async fn a_long_chat_is_sent_in_its_parts_and_put_together() {
    for words in BOTH {
        let provider = Provider::start(words).await;
        let setting = Setting { chats: 2, turns: 60, context: Some(12_000), ..Setting::default() };
        let client = BatchClient::with(&provider, setting);
        let entries = client.entries(1);
        assert!(entries.len() > 1);
        let too_few = BatchClient::with(&provider, Setting { requests: entries.len() - 1, ..setting });
        assert!(too_few.job.parts([too_few.entries(0)]).all(|part| part.is_err()), "a chat is not torn apart");
        let part = client.only_part();
        let id = client.job.submit(&part).await.expect("it is sent");
        client.job.wait(&id, |_| {}).await.expect("it ends");
        let (_, fates) = client.collect(&id, part.ids()).await.expect("results");
        let graded = client.judge(1, &fates).await.expect("answers");
        assert_eq!(graded.circumstances.windows as usize, entries.len());
        assert!(provider.world().direct.is_empty());
    }
}

#[tokio::test]
async fn errors_on_the_way_are_tried_again_and_the_part_is_sent_once() {
    let busy = || Step::answer(429, &[("retry-after-ms", "3")], r#"{"error":{"type":"rate_limit_error"}}"#);
    let broken = || Step::json(500, r#"{"error":{"type":"api_error","message":"oops"}}"#);
    for words in BOTH {
        let provider = Provider::start(words).await;
        let base = if words == Words::OpenAi { "GET /v1/batches/" } else { "GET /v1/messages/batches/" };
        for step in [busy(), broken(), Step::Close, Step::ResetMidBody] {
            provider.fault("POST /v1/files", false, step.clone());
            provider.fault(base, false, step);
        }
        provider.fault(opening(words), false, busy());
        provider.fault(opening(words), false, broken());
        // The batch is opened, and nobody hears of it.
        provider.fault(opening(words), true, Step::Close);
        provider.fault("POST /v1/files", true, broken());
        let client = BatchClient::new(&provider, 4);
        let part = client.only_part();
        let id = match client.job.submit(&part).await {
            Ok(id) => id,
            // More goes wrong with the upload than is tried; a second try comes through.
            Err(BatchError::Unavailable { .. }) => client.job.submit(&part).await.expect("it is sent"),
            Err(error) => panic!("{error}"),
        };
        client.finish(&id, part.ids()).await;
        assert_eq!(provider.world().opened, 1, "{words:?}");
        assert!(provider.world().direct.is_empty());
    }
}

#[tokio::test]
async fn a_second_copy_of_an_upload_is_deleted() {
    let provider = Provider::start(Words::OpenAi).await;
    provider.fault("POST /v1/files", true, Step::Close);
    let client = BatchClient::new(&provider, 2);
    client.job.submit(&client.only_part()).await.expect("it is sent");
    assert_eq!(provider.count("POST /v1/files"), 2);
    assert_eq!(provider.world().files.len(), 1);
}

#[tokio::test]
async fn a_batch_that_is_not_taken_leaves_no_chats_behind() {
    let provider = Provider::start(Words::OpenAi).await;
    provider.fault("POST /v1/batches", false, Step::json(400, r#"{"error":{"message":"no such endpoint"}}"#));
    let client = BatchClient::new(&provider, 2);
    let error = client.job.submit(&client.only_part()).await.expect_err("it is refused");
    assert!(matches!(error, BatchError::Misconfigured { .. }) && error.to_string().contains("fix: "), "{error}");
    assert!(provider.world().files.is_empty());
}

#[tokio::test]
async fn a_wrong_key_is_said_at_once_and_never_shown() {
    for words in BOTH {
        let provider = Provider::start(words).await;
        let refusal = r#"{"error":{"type":"authentication_error","message":"bad key zk-planted-0123456789abcdef"}}"#;
        provider.fault("POST /v1", false, Step::json(401, refusal));
        let client = BatchClient::new(&provider, 2);
        let error = client.job.submit(&client.only_part()).await.expect_err("it is refused");
        assert!(matches!(error, BatchError::Misconfigured { .. }), "{error}");
        assert!(!format!("{error} {error:?}").contains("planted"), "{error}");
        assert_eq!(provider.server.calls(), 1);
    }
}

#[tokio::test]
async fn stopping_leaves_the_batch_running_and_cancelling_ends_it() {
    for words in BOTH {
        let provider = Provider::start(words).await;
        provider.world().looks = 1_000_000;
        let client = BatchClient::new(&provider, 2);
        let part = client.only_part();
        let id = client.job.submit(&part).await.expect("it is sent");
        let stop = client.cancel.clone();
        let stopped = client.job.wait(&id, |_| stop.cancel()).await.expect_err("it was stopped");
        assert_eq!(stopped, BatchError::Stopped);
        assert!(stopped.to_string().contains("resume"));
        assert_eq!(provider.count("POST /v1"), if words == Words::OpenAi { 2 } else { 1 }, "nothing was cancelled");
        let later = BatchClient::new(&provider, 2);
        assert!(matches!(later.collect(&id, part.ids()).await, Err(BatchError::NotOver { .. })));
        assert!(matches!(later.job.clean(&id).await, Err(BatchError::NotOver { .. })));
        assert_eq!(later.job.cancel(&id).await.expect("cancelled").state, State::Cancelling);
        provider.world().batches[0].looks = 0;
        let over = later.job.wait(&id, |_| {}).await.expect("it ends");
        assert_eq!(over.state, if words == Words::OpenAi { State::Cancelled } else { State::Finished });
        assert_eq!(later.job.cancel(&id).await.expect("as good").state, over.state);
    }
}

#[tokio::test]
async fn a_job_can_be_worked_on_by_a_task_of_its_own() {
    let provider = Provider::start(Words::OpenAi).await;
    let client = BatchClient::new(&provider, 1);
    let asked = CallTarget::from(client.judge.resolved());
    let only = ["E1".to_owned()];
    let questions = client.judge.first_questions(&client.rubric, &client.chats[0], Some(&only)).expect("they fit");
    assert!(to_request(&questions[0], &asked, StructuredOutput::JsonSchema).url.ends_with("/chat/completions"));
    let task = tokio::spawn(async move {
        let part = client.only_part();
        let id = client.job.submit(&part).await.expect("it is sent");
        client.finish(&id, part.ids()).await;
    });
    tokio::time::timeout(Duration::from_secs(30), task).await.expect("in time").expect("no panic");
}
