//! A process that dies at any moment: the next one carries on from what was stored, and nothing is sent or paid twice.

use std::time::Duration;

use carelock_judge::batch::{BatchError, CustomId, EarlierBatch, PartKey, RemoteId};

use super::batch_client::{BatchClient, clock};
use super::provider::Provider;
use super::replies::{BOTH, Batch, Words};
use carelock_test_support::fault_server::{Answer, Step};

/// What a store would keep of a part: strings alone.
struct Stored {
    key: String,
    ids: Vec<String>,
    remote: Option<String>,
}

impl Stored {
    fn new(client: &BatchClient) -> Self {
        let part = client.only_part();
        let ids = part.ids().iter().map(|id| id.as_str().to_owned()).collect();
        Self { key: part.key().as_str().to_owned(), ids, remote: None }
    }

    fn read(&self) -> (PartKey, Vec<CustomId>, Option<RemoteId>) {
        let key = PartKey::parse(&self.key).expect("a key");
        let ids = self.ids.iter().map(|id| CustomId::parse(id).expect("a name")).collect();
        (key, ids, self.remote.as_ref().map(|id| RemoteId::parse(id).expect("a name")))
    }
}

/// The next process: finds the part or sends it, and carries on to the end.
async fn carry_on(provider: &Provider, stored: &Stored, chats: usize) {
    let client = BatchClient::new(provider, chats);
    let (key, ids, remote) = stored.read();
    assert_eq!(client.only_part().key(), &key, "the same chats give the same part");
    let id = match remote {
        Some(id) => id,
        None => match client.job.recover(&key, &ids, clock()).await.expect("the provider is asked") {
            EarlierBatch::Sent(id) | EarlierBatch::Perhaps(id) => id,
            EarlierBatch::No => client.job.submit(&client.only_part()).await.expect("it is sent"),
        },
    };
    client.finish(&id, &ids).await;
    let world = provider.world();
    assert_eq!(world.opened, 1, "the part was sent once");
    assert!(world.direct.is_empty(), "nothing was paid for again");
    assert!(world.files.is_empty(), "nothing is left behind");
}

#[tokio::test]
async fn a_process_that_died_before_it_sent_the_part_leaves_it_to_the_next() {
    for words in BOTH {
        let provider = Provider::start(words).await;
        let stored = Stored::new(&BatchClient::new(&provider, 4));
        carry_on(&provider, &stored, 4).await;
    }
}

#[tokio::test]
async fn a_process_that_died_after_the_upload_leaves_no_copy_behind() {
    let provider = Provider::start(Words::OpenAi).await;
    let stored = Stored::new(&BatchClient::new(&provider, 4));
    provider.world().files.insert("file_old".to_owned(), (format!("{}.jsonl", stored.key), b"{}".to_vec()));
    provider.world().files.insert("file_other".to_owned(), ("another.jsonl".to_owned(), b"{}".to_vec()));
    let client = BatchClient::new(&provider, 4);
    let (key, ids, _) = stored.read();
    assert_eq!(client.job.recover(&key, &ids, clock()).await, Ok(EarlierBatch::No));
    assert!(provider.world().files.remove("file_other").is_some(), "files of others stay");
    assert!(provider.world().files.is_empty());
    carry_on(&provider, &stored, 4).await;
}

#[tokio::test]
async fn a_process_that_died_before_it_stored_the_batchs_name_finds_it_again() {
    for words in BOTH {
        for already_over in [false, true] {
            let provider = Provider::start(words).await;
            provider.world().looks = 5;
            let stored = {
                let client = BatchClient::new(&provider, 4);
                let stored = Stored::new(&client);
                client.job.submit(&client.only_part()).await.expect("it is sent, and its name is lost");
                stored
            };
            {
                // Batches of others, before and after: of another size, long ago, or already known.
                let mut world = provider.world();
                let own = world.batches.remove(0);
                let other = |number: usize, size: usize, old: bool| Batch {
                    id: format!("batch_other{number}"),
                    requests: vec![own.requests[0].clone(); size],
                    status: if words == Words::OpenAi { "completed" } else { "in_progress" },
                    old,
                    ..Batch::default()
                };
                world.batches = vec![other(1, 4, true), other(2, 3, false), own.clone(), other(3, 5, false)];
                if already_over {
                    world.end(words, 2);
                }
            }
            let client = BatchClient::new(&provider, 4);
            let (key, ids, _) = stored.read();
            let found = client.job.recover(&key, &ids, clock()).await.expect("the provider is asked");
            let certain = words == Words::OpenAi || already_over;
            assert_eq!(matches!(found, EarlierBatch::Sent(_)), certain, "{words:?}: {found:?}");
            assert_eq!(matches!(found, EarlierBatch::Perhaps(_)), !certain, "{words:?}: {found:?}");
            carry_on(&provider, &stored, 4).await;
        }
    }
}

#[tokio::test]
async fn a_process_that_died_while_waiting_or_collecting_carries_on_from_the_stored_name() {
    for words in BOTH {
        let provider = Provider::start(words).await;
        let mut stored = Stored::new(&BatchClient::new(&provider, 4));
        {
            let client = BatchClient::new(&provider, 4);
            let part = client.only_part();
            let id = client.job.submit(&part).await.expect("it is sent");
            stored.remote = Some(id.as_str().to_owned());
            client.job.wait(&id, |_| {}).await.expect("it ends");
            // The download breaks off after the first answers, and the process dies while it tries again.
            let results = match words {
                Words::OpenAi => "GET /v1/files/",
                Words::Anthropic => "GET /v1/messages/batches/batch_0001/results",
            };
            let cut = Answer { status: 200, headers: Vec::new(), body: Vec::new(), after: Duration::ZERO };
            provider.fault(results, true, Step::CutOff(cut, 900));
            provider.fault(results, false, Step::Hang);
            let taken = tokio::sync::Notify::new();
            tokio::select! {
                _ = client.job.collect(&id, part.ids(), |_| taken.notify_one()) => panic!("it hangs"),
                () = taken.notified() => {}
            }
        }
        provider.world().faults.clear();
        carry_on(&provider, &stored, 4).await;
    }
}

#[tokio::test]
async fn somebody_elses_batch_taken_for_ours_is_recognised_by_its_results() {
    let provider = Provider::start(Words::Anthropic).await;
    let stored = Stored::new(&BatchClient::new(&provider, 4));
    let foreign = |number: usize| (format!("theirs-{number}"), serde_json::json!({}));
    provider.world().batches.push(Batch {
        id: "msgbatch_theirs".to_owned(),
        requests: (0..4).map(foreign).collect(),
        looks: 2,
        status: "in_progress",
        ..Batch::default()
    });
    let client = BatchClient::new(&provider, 4);
    let (key, ids, _) = stored.read();
    let Ok(EarlierBatch::Perhaps(id)) = client.job.recover(&key, &ids, clock()).await else { panic!("it may be ours") };
    client.job.wait(&id, |_| {}).await.expect("it ends");
    let (collected, _) = client.collect(&id, &ids).await.expect("results");
    assert!(collected.is_foreign());
    assert_eq!((collected.unknown, collected.missing), (4, 4));
    assert_eq!(
        BatchClient::new(&provider, 4).job.recover(&key, &ids, clock()).await,
        Ok(EarlierBatch::No),
        "now it is known"
    );
    let known = BatchClient::new(&provider, 4);
    provider.world().batches[0].status = "in_progress";
    known.job.knows([id]);
    assert_eq!(known.job.recover(&key, &ids, clock()).await, Ok(EarlierBatch::No), "the caller knows whose it is");
    provider.world().batches.clear();
    carry_on(&provider, &stored, 4).await;
}

#[tokio::test]
async fn where_too_many_batches_are_listed_nothing_is_said_of_the_part() {
    for words in BOTH {
        let provider = Provider::start(words).await;
        let stored = Stored::new(&BatchClient::new(&provider, 4));
        let other = |number: usize, old: bool| Batch {
            id: format!("batch_other{number}"),
            requests: vec![("theirs".to_owned(), serde_json::json!({})); 3],
            status: "in_progress",
            old,
            ..Batch::default()
        };
        provider.world().batches = (0..200).map(|number| other(number, false)).collect();
        let (key, ids, _) = stored.read();
        let found = BatchClient::new(&provider, 4).job.recover(&key, &ids, clock()).await;
        assert_eq!(found, Err(BatchError::Unclear { key: key.clone() }), "{words:?}");
        // Those from before the part was written down need not be looked through.
        provider.world().batches = (0..200).map(|number| other(number, number < 190)).collect();
        assert_eq!(
            BatchClient::new(&provider, 4).job.recover(&key, &ids, clock()).await,
            Ok(EarlierBatch::No),
            "{words:?}"
        );
    }
}

#[tokio::test]
async fn a_batch_that_failed_is_not_taken_for_one_that_was_sent() {
    let provider = Provider::start(Words::OpenAi).await;
    provider.world().fails = Some(("failed", Some("token_limit_exceeded")));
    let client = BatchClient::new(&provider, 2);
    let part = client.only_part();
    let id = client.job.submit(&part).await.expect("it is sent");
    client.job.wait(&id, |_| {}).await.expect("it ends");
    assert_eq!(client.job.recover(part.key(), part.ids(), clock()).await, Ok(EarlierBatch::No));
    assert!(provider.world().files.is_empty(), "its upload is deleted, too");
}
