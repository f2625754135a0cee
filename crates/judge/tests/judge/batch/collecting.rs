//! Collecting: whatever the results look like, each request ends once, with its answer or with a reason.

use carelock_judge::batch::{BatchError, Fate, State, Unanswered};
use carelock_judge::outcome::Outcome;

use super::batch_client::{BatchClient, Fates};
use super::provider::{Ending, Provider};
use super::replies::{BOTH, Words};
use carelock_test_support::fault_server::{Answer, Step};

fn reason(client: &BatchClient, fates: &Fates, number: usize) -> Option<Unanswered> {
    match &fates[client.entries(number)[0].id()] {
        Fate::Asked(_) => None,
        Fate::Unanswered(reason) => Some(reason.clone()),
    }
}

#[tokio::test]
async fn every_kind_of_line_has_its_end_and_what_has_no_answer_is_asked_directly() {
    let endings = [
        Ending::Answered,
        Ending::Twice,
        Ending::Errored,
        Ending::Rejected,
        Ending::Expired,
        Ending::Cancelled,
        Ending::Shapeless,
        Ending::Missing,
        Ending::Truncated,
        Ending::Refused,
    ];
    for words in BOTH {
        let provider = Provider::start(words).await;
        {
            let mut world = provider.world();
            world.endings = (0..).map(|number: usize| number.to_string()).zip(endings).collect();
            let unknown =
                r#"{"custom_id":"nobody","response":{"status_code":200,"body":{}},"result":{"type":"expired"}}"#;
            let odd = ["", "not JSON", "{\"custom_id\": 7}", "[]", unknown, "\u{feff}{", "{\"custom_id\":\"a/b\"}"];
            world.extra_lines = odd.map(str::to_owned).to_vec();
        }
        let client = BatchClient::new(&provider, endings.len());
        let part = client.only_part();
        let id = client.job.submit(&part).await.expect("it is sent");
        client.job.wait(&id, |_| {}).await.expect("it ends");
        let (collected, fates) = client.collect(&id, part.ids()).await.expect("results");
        assert_eq!((collected.asked, collected.unanswered, collected.missing), (4, 5, 1), "{words:?}");
        assert_eq!((collected.unknown, collected.duplicates, collected.broken), (1, 1, 5), "{words:?}");
        assert!(!collected.is_foreign());
        let of = |number| reason(&client, &fates, number);
        for number in [0, 1, 8, 9] {
            assert_eq!(of(number), None);
        }
        assert!(
            matches!(of(2), Some(Unanswered::Errored(what)) if what.contains("500") && what.contains("went wrong"))
        );
        assert!(matches!(of(3), Some(Unanswered::Errored(what)) if what.contains("400")));
        assert_eq!((of(4), of(5)), (Some(Unanswered::Expired), Some(Unanswered::Cancelled)));
        assert_eq!((of(6), of(7)), (Some(Unanswered::Unreadable), Some(Unanswered::Missing)));
        let reasons = client.reasons(&fates).await;
        for number in [0, 1] {
            assert_eq!(reasons[&number], format!("batch {number}"), "the first line counts");
        }
        for number in 2..=8 {
            assert_eq!(reasons[&number], format!("direct {number}"));
        }
        assert!(reasons[&9].starts_with("refused"), "{}", reasons[&9]);
        assert_eq!(provider.world().direct.len(), 7, "one direct call each, none for the refusal");
    }
}

#[tokio::test]
async fn what_a_model_says_in_a_batch_is_read_as_in_a_direct_call() {
    for words in BOTH {
        let provider = Provider::start(words).await;
        provider.world().endings = [("0", Ending::Truncated), ("1", Ending::Refused), ("3", Ending::Empty)]
            .map(|(number, ending)| (number.to_owned(), ending))
            .into();
        let client = BatchClient::new(&provider, 4);
        let part = client.only_part();
        let id = client.job.submit(&part).await.expect("it is sent");
        client.job.wait(&id, |_| {}).await.expect("it ends");
        let (_, fates) = client.collect(&id, part.ids()).await.expect("results");
        let outcome = |number: usize| match &fates[client.entries(number)[0].id()] {
            Fate::Asked(asking) => asking.outcome.clone(),
            Fate::Unanswered(reason) => panic!("{reason}"),
        };
        assert_eq!(outcome(0), Outcome::Truncated);
        assert!(matches!(outcome(1), Outcome::Refused { .. }));
        assert!(matches!(outcome(2), Outcome::Answered(reply) if reply.tokens.is_some()));
        let graded = client.judge(0, &fates).await.expect("with twice the room");
        assert_eq!(graded.spent.calls, 2);
        let asked = provider.world().direct[0].clone();
        let room = asked.get("max_tokens").or(asked.get("max_completion_tokens")).and_then(serde_json::Value::as_u64);
        assert_eq!(room, Some(8000));
        let graded = client.judge(3, &fates).await.expect("asked again");
        assert_eq!(graded.submission.verdicts[0].1.why, "direct 3", "an answer is used once");
        assert_eq!(graded.spent.calls, 2);
    }
}

#[tokio::test]
async fn a_download_that_breaks_off_is_read_again_and_nothing_counts_twice() {
    let nothing = Answer { status: 200, headers: Vec::new(), body: Vec::new(), after: std::time::Duration::ZERO };
    for words in BOTH {
        let provider = Provider::start(words).await;
        let client = BatchClient::new(&provider, 6);
        let part = client.only_part();
        let id = client.job.submit(&part).await.expect("it is sent");
        client.job.wait(&id, |_| {}).await.expect("it ends");
        let content = match words {
            Words::OpenAi => "GET /v1/files/file_0003/content".to_owned(),
            Words::Anthropic => format!("GET /v1/messages/batches/{id}/results"),
        };
        let content: &'static str = content.leak();
        provider.fault(content, true, Step::CutOff(nothing.clone(), 900));
        provider.fault(content, true, Step::CutOff(nothing.clone(), 1));
        provider.fault(content, false, Step::json(500, "{}"));
        let (collected, fates) = client.collect(&id, part.ids()).await.expect("results");
        assert_eq!((collected.asked, collected.duplicates, collected.broken, collected.missing), (6, 0, 0, 0));
        assert_eq!(provider.count(content), 4);
        assert!(client.reasons(&fates).await.values().all(|reason| reason.starts_with("batch")));
        for _ in 0..4 {
            provider.fault(content, true, Step::CutOff(nothing.clone(), 900));
        }
        let error = client.collect(&id, part.ids()).await.expect_err("it never comes whole");
        assert!(matches!(error, BatchError::Unavailable { .. }), "answers that are there are not paid for again");
    }
}

#[tokio::test]
async fn results_that_end_in_the_middle_of_a_line_are_used_as_far_as_they_go() {
    for words in BOTH {
        let provider = Provider::start(words).await;
        provider.world().cut = true;
        let client = BatchClient::new(&provider, 4);
        let part = client.only_part();
        let id = client.job.submit(&part).await.expect("it is sent");
        client.job.wait(&id, |_| {}).await.expect("it ends");
        let (collected, fates) = client.collect(&id, part.ids()).await.expect("results");
        assert_eq!((collected.asked, collected.broken, collected.missing), (3, 1, 1), "{words:?}");
        let reasons = client.reasons(&fates).await;
        assert_eq!(reasons.values().filter(|reason| reason.starts_with("direct")).count(), 1);
        assert_eq!(reasons[&0], "direct 0", "the first request stands last");
    }
}

#[tokio::test]
async fn a_batch_that_ends_badly_as_a_whole_says_why_for_each_request() {
    let cases = [
        ("expired", None, State::Expired, Unanswered::Expired),
        ("cancelled", None, State::Cancelled, Unanswered::Cancelled),
        ("failed", Some("invalid_json_line"), State::Failed, Unanswered::Errored("invalid_json_line: sorry".into())),
        (
            "failed",
            Some("token_limit_exceeded"),
            State::Failed,
            Unanswered::Errored("token_limit_exceeded: sorry".into()),
        ),
    ];
    for (status, problem, state, why) in cases {
        let provider = Provider::start(Words::OpenAi).await;
        {
            let mut world = provider.world();
            world.fails = Some((status, problem));
            world.endings = [("1".to_owned(), Ending::Missing)].into();
        }
        let client = BatchClient::new(&provider, 2);
        let part = client.only_part();
        let id = client.job.submit(&part).await.expect("it is sent");
        let progress = client.job.wait(&id, |_| {}).await.expect("it ends");
        assert_eq!((progress.state, progress.queue_full), (state, problem == Some("token_limit_exceeded")));
        let (_, fates) = client.collect(&id, part.ids()).await.expect("results");
        assert_eq!(reason(&client, &fates, 1), Some(why));
        assert_eq!(reason(&client, &fates, 0).is_none(), status != "failed", "what was answered before counts");
    }
}

#[tokio::test]
async fn a_batch_that_is_gone_is_said_to_be_gone_and_stops_nothing_else() {
    for words in BOTH {
        let provider = Provider::start(words).await;
        let client = BatchClient::new(&provider, 1);
        let part = client.only_part();
        let gone = carelock_judge::batch::RemoteId::parse("batch_never").expect("a name");
        assert_eq!(client.collect(&gone, part.ids()).await.expect_err("gone"), BatchError::Gone { id: gone.clone() });
        assert_eq!(client.job.clean(&gone).await, Ok(0));
        let id = client.job.submit(&part).await.expect("the lane is still open");
        client.finish(&id, part.ids()).await;
    }
}
