//! What a judge learns and keeps over many calls: room, context, mechanism, money.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use carelock_judge::ask::AskOptions;
use carelock_judge::prompt::{Prompt, estimate_tokens, parse_back};
use serde_json::Value;

use super::case::{judge, judge_with, kind, open};
use super::flavour::{FLAVOURS, Flavour};
use super::script::{CHAT, INTENDED, RUBRIC, all_ids, cites, good, long_chat, plain, with_check};
use carelock_test_support::fault_server::{FaultServer, Seen, Step};

fn body(seen: &Seen) -> Value {
    serde_json::from_slice(&seen.body).expect("JSON was sent")
}

fn system_of(body: &Value) -> String {
    let text = body.pointer("/system/0/text").or_else(|| body.pointer("/messages/0/content"));
    text.and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn room_of(body: &Value) -> u64 {
    let room = body.get("max_tokens").or_else(|| body.get("max_completion_tokens"));
    room.and_then(Value::as_u64).expect("the room for the answer")
}

/// The checks whose lines stand in the instructions.
fn asked(seen: &Seen) -> Vec<String> {
    let system = system_of(&body(seen));
    let held = |id: &String| ['P', 'A', 'C'].iter().any(|letter| system.contains(&format!("\n{id} {letter}")));
    all_ids().into_iter().filter(held).collect()
}

#[tokio::test]
async fn an_answer_cut_off_gets_twice_the_room() {
    for flavour in FLAVOURS {
        let server = FaultServer::start([flavour.cut_by_length("{"), flavour.says(&good())]).await;
        judge(flavour, &server).judge(&RUBRIC, &CHAT, None).await.expect("graded");
        let rooms: Vec<u64> = server.seen().iter().map(|seen| room_of(&body(seen))).collect();
        assert_eq!(rooms[1], rooms[0] * 2, "{flavour:?}");
    }
}

#[tokio::test]
async fn asking_again_quotes_the_problem_and_keeps_to_one_exchange() {
    for flavour in FLAVOURS {
        let junk = "x".repeat(50_000);
        let steps = [flavour.says(&junk), flavour.says("No."), flavour.says(&good())];
        let server = FaultServer::start(steps).await;
        judge(flavour, &server).judge(&RUBRIC, &CHAT, None).await.expect("graded");
        let seen = server.seen();
        let sizes: Vec<usize> = seen.iter().map(|seen| seen.body.len()).collect();
        assert!(sizes[1] < sizes[0] + 14_000 && sizes[2] < sizes[0] + 1_000, "{flavour:?}: {sizes:?}");
        assert!(String::from_utf8_lossy(&seen[2].body).contains("there is no JSON object in it"), "{flavour:?}");
    }
}

/// A server whose context takes so many tokens by our own count, and which answers just what it is asked.
async fn small_server(flavour: Flavour, limit: u64, says_limit: bool) -> FaultServer {
    FaultServer::start_choosing(move |seen| {
        let sent = body(seen);
        let messages = sent["messages"].as_array().map(Vec::as_slice).unwrap_or_default();
        let words =
            messages.iter().filter_map(|message| message["content"].as_str()).map(estimate_tokens).sum::<usize>();
        let system = sent.pointer("/system/0/text").and_then(Value::as_str).map_or(0, estimate_tokens);
        if (words + system) as u64 > limit {
            return flavour.overflow(says_limit.then_some(limit));
        }
        flavour.says(&plain(&asked(seen)))
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_chat_that_does_not_fit_is_judged_in_parts_that_hold_every_turn() {
    let chat = long_chat(200);
    let system = estimate_tokens(Prompt::new(&RUBRIC).system()) as u64;
    let plain_all = carelock_core::verdict::Submission::from_json(&plain(&all_ids())).expect("answers");
    for flavour in FLAVOURS {
        // DeepSeek's schema stands in the instructions, which our plan does not count.
        let limit = system + 14_000;
        let server = small_server(flavour, limit, true).await;
        let judge = judge(flavour, &server);
        let graded = judge.judge(&RUBRIC, &chat, None).await.unwrap_or_else(|failure| panic!("{flavour:?}: {failure}"));
        assert!(graded.circumstances.windows > 1, "{flavour:?}");
        let notes = graded.circumstances.notes.join("\n");
        assert!(notes.contains("overlapping parts") && notes.contains(&format!("context is {limit}")), "{notes}");
        assert!(open("windows", &graded.submission, &plain_all, &chat).is_empty(), "{flavour:?}");
        let mut shown: Vec<u32> = Vec::new();
        for seen in server.seen().iter().skip(1) {
            let sent = body(seen);
            let last = sent["messages"].as_array().and_then(|all| all.last()).expect("a message");
            let turns = parse_back(last["content"].as_str().expect("text")).expect("a frame");
            assert!(turns.iter().all(|turn| chat.turn(turn.idx) == Some(turn)), "{flavour:?}: a turn was cut");
            shown.extend(turns.iter().map(|turn| turn.idx));
        }
        shown.sort_unstable();
        shown.dedup();
        assert_eq!(shown.len(), 200, "{flavour:?}");
        let calls = server.calls();
        let again = judge.judge(&RUBRIC, &chat, None).await.expect("graded");
        assert_eq!(server.calls(), calls * 2 - 1, "{flavour:?}: the limit is learned once");
        assert_eq!(again.submission, graded.submission, "{flavour:?}: who found out makes no difference");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_does_not_say_what_fits_is_asked_less_and_in_the_end_given_up() {
    let chat = long_chat(60);
    for flavour in FLAVOURS {
        let server = small_server(flavour, 12_000, false).await;
        let ended = judge(flavour, &server).judge(&RUBRIC, &chat, None).await;
        let graded = ended.unwrap_or_else(|failure| panic!("{flavour:?}: {failure}"));
        assert!(graded.circumstances.notes.iter().any(|note| note.contains("did not fit")), "{flavour:?}");
        let hopeless = FaultServer::start_choosing(move |_| flavour.overflow(None)).await;
        let failure = judge(flavour, &hopeless).judge(&RUBRIC, &chat, None).await.expect_err("it never fits");
        assert_eq!(kind(&failure), "too long", "{flavour:?}: {failure}");
        assert!(hopeless.calls() <= 4, "{flavour:?}: {} calls", hopeless.calls());
    }
}

#[tokio::test]
async fn spent_money_and_wrong_keys_stop_every_later_call() {
    for flavour in FLAVOURS {
        for error in [flavour.quota(), flavour.error(401, "authentication_error", "wrong key")] {
            let server = FaultServer::start_choosing(move |_| error.clone()).await;
            let judge = judge(flavour, &server);
            for _ in 0..3 {
                let failure = judge.judge(&RUBRIC, &CHAT, None).await.expect_err("no money");
                assert!(failure.stops_everything(), "{flavour:?}: {failure}");
            }
            assert_eq!(server.calls(), 1, "{flavour:?}");
        }
    }
}

#[tokio::test]
async fn a_refused_mechanism_is_refused_once_and_every_report_says_so() {
    for flavour in FLAVOURS {
        let mut steps = vec![flavour.unknown_mechanism()];
        steps.extend(vec![flavour.says(&good()); 2]);
        let server = FaultServer::start(steps).await;
        let judge = judge(flavour, &server);
        let first = judge.judge(&RUBRIC, &CHAT, None).await.expect("graded");
        let second = judge.judge(&RUBRIC, &CHAT, None).await.expect("graded");
        assert_eq!(server.calls(), 3, "{flavour:?}");
        assert_eq!(first.submission, second.submission, "{flavour:?}");
        let used = &second.submission.judge.parameters["structured_output"];
        assert_eq!(used, flavour.mechanisms()[1], "{flavour:?}");
    }
}

#[tokio::test]
async fn tokens_are_counted_with_those_from_the_cache_and_of_failed_tries() {
    for flavour in FLAVOURS {
        let server = FaultServer::start([flavour.says("No."), flavour.says(&good())]).await;
        let graded = judge(flavour, &server).judge(&RUBRIC, &CHAT, None).await.expect("graded");
        let tokens = graded.submission.judge.tokens.expect("tokens");
        assert_eq!((tokens.input, tokens.cached, tokens.output), (2000, 1200, 400), "{flavour:?}");
        let refused = FaultServer::start([flavour.refusal()]).await;
        let failure = judge(flavour, &refused).judge(&RUBRIC, &CHAT, None).await.expect_err("refused");
        assert_eq!(failure.spent().tokens.input, 1000, "{flavour:?}: a refusal is charged too");
        assert!(failure.wants_fallback() && !failure.stops_everything(), "{flavour:?}");
    }
}

#[tokio::test]
async fn a_second_look_beyond_the_cap_is_not_taken_and_the_first_answers_stand() {
    let weak = with_check("T1", cites("fail", &[4], "words that nobody ever said"));
    for (flavour, cap) in [(Flavour::OpenAi, "0.02"), (Flavour::Anthropic, "0.01"), (Flavour::DeepSeek, "0.02")] {
        // One call fits; what it says it used leaves no room for another.
        let mut reply = flavour.reply(&weak);
        let field = if flavour.speaks_messages() { "output_tokens" } else { "completion_tokens" };
        reply["usage"][field] = serde_json::json!(15_000);
        let server = FaultServer::start([Step::json(200, &reply.to_string())]).await;
        let cap = cap.parse().expect("an amount");
        let judge = judge_with(flavour, &server, Duration::from_secs(30), Some(cap), AskOptions::default());
        let graded = judge.judge(&RUBRIC, &CHAT, None).await.unwrap_or_else(|failure| panic!("{flavour:?}: {failure}"));
        assert_eq!(server.calls(), 1, "{flavour:?}");
        let unscored = open("cap", &graded.submission, &INTENDED, &CHAT);
        assert_eq!(unscored.into_iter().collect::<Vec<_>>(), ["T1"], "{flavour:?}");
        assert!(graded.circumstances.notes.iter().any(|note| note.contains("cap")), "{flavour:?}");
    }
}

#[tokio::test]
async fn only_the_checks_wanted_are_asked() {
    for flavour in FLAVOURS {
        let server = FaultServer::start_choosing(move |seen| flavour.says(&plain(&asked(seen)))).await;
        let wanted = ["T1".to_owned(), "ES3".to_owned()];
        let graded = judge(flavour, &server).judge(&RUBRIC, &CHAT, Some(&wanted)).await.expect("graded");
        let answered: Vec<&str> = graded.submission.verdicts.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(answered, ["T1", "ES3"], "{flavour:?}");
        let nothing = judge(flavour, &server).judge(&RUBRIC, &CHAT, Some(&[])).await.expect("nothing to ask");
        assert!(nothing.submission.verdicts.is_empty() && server.calls() == 1, "{flavour:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sixty_four_chats_at_once_come_out_as_one_alone() {
    for flavour in FLAVOURS {
        let count = Arc::new(AtomicUsize::new(0));
        let server = FaultServer::start_choosing(move |_| match count.fetch_add(1, Ordering::SeqCst) % 5 {
            0 => flavour.error_with(429, "rate_limit_error", "slow", &[("retry-after-ms", "20")]),
            1 => Step::ResetMidBody,
            _ => flavour.says(&good()),
        })
        .await;
        let judge = Arc::new(judge(flavour, &server));
        let mut chats = tokio::task::JoinSet::new();
        for _ in 0..64 {
            let judge = Arc::clone(&judge);
            chats.spawn(async move { judge.judge(&RUBRIC, &CHAT, None).await });
        }
        let ended = tokio::time::timeout(Duration::from_secs(120), chats.join_all()).await.expect("no hang");
        let mut graded = 0;
        let mut first: Option<carelock_core::verdict::Submission> = None;
        for result in ended {
            match result {
                Ok(done) => {
                    assert!(open("64 chats", &done.submission, &INTENDED, &CHAT).is_empty());
                    assert_eq!(first.get_or_insert_with(|| done.submission.clone()), &done.submission);
                    graded += 1;
                }
                Err(failure) => assert_eq!(kind(&failure), "unavailable", "{flavour:?}: {failure}"),
            }
        }
        assert!(graded >= 50, "{flavour:?}: {graded} of 64 chats");
    }
}
