//! A real model on loopback judges chats through the real HTTP path; `tests/models/end-to-end` starts one and runs this.
//!
//! The model may judge as badly as it likes: what is tested is that a complete, valid report comes of it.
#![expect(clippy::print_stdout, reason = "what was judged and how long it took is what one runs this for")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use carelock_core::report::{Report, report_schema};
use carelock_core::rubric::Rubric;
use carelock_core::scorecard::Weights;
use carelock_core::transcript::formats::{ReadOptions, read};
use carelock_core::transcript::{Speaker, Transcript};
use carelock_core::verdict::Verdicts;
use carelock_core::verify::verify;
use carelock_judge::ask::{AskOptions, Budget, Graded, Judge};
use carelock_judge::http::{
    Auth, Caller, CancellationToken, Client, ClientOptions, Jitter, Lane, LaneOptions, RetryPolicy, Secret,
};
use carelock_judge::provider::{self, Date, JudgeSpec, Table, Terms};

/// The judge as `--judge` takes it, such as `http://127.0.0.1:8080/v1#model`.
const MODEL: &str = "CARELOCK_REAL_MODEL";
/// A provider file to lay over the shipped one, for judges behind a gateway.
const PROVIDERS: &str = "CARELOCK_REAL_PROVIDERS";
/// The key, where the server wants one.
const KEY: &str = "CARELOCK_REAL_KEY";
/// The context of the model that the tests are made for.
const CONTEXT: u64 = 8_192;
/// Generous, because a model on two busy cores writes a few words a second.
const PATIENCE: Duration = Duration::from_secs(1_800);

/// The judge to ask.
fn judge(options: AskOptions) -> Judge<Client> {
    let name = std::env::var(MODEL).expect("CARELOCK_REAL_MODEL names a judge; tests/models/end-to-end starts one");
    let mut table = Table::shipped();
    if let Ok(path) = std::env::var(PROVIDERS) {
        let text = std::fs::read_to_string(&path).expect("the provider file can be read");
        table = table.with_overrides(&text).expect("a provider file");
    }
    let spec = JudgeSpec::parse(&name).expect("a judge's name");
    let today = Date::from_time(SystemTime::now()).expect("a day");
    let resolved = table.resolve(&spec, &Terms::on(today)).expect("a judge that can be asked");
    let auth = match (std::env::var(KEY), resolved.provider.auth) {
        (Err(_), _) | (_, provider::Auth::None) => Auth::None,
        (Ok(key), provider::Auth::Bearer) => Auth::Bearer(Secret::new(key)),
        (Ok(key), provider::Auth::XApiKey) => Auth::x_api_key(Secret::new(key)),
        (Ok(key), provider::Auth::ApiKey) => Auth::Header { name: "api-key", key: Secret::new(key) },
    };
    let client = Client::new(&ClientOptions { call_timeout: PATIENCE, ..ClientOptions::default() }).expect("a client");
    let policy = RetryPolicy { total: PATIENCE, ..RetryPolicy::default() };
    let caller = Arc::new(Caller::new(client, policy, Jitter::seeded(1), CancellationToken::new()));
    let lane = Lane::new(LaneOptions { auth, concurrency: 1, ..LaneOptions::default() });
    let budget = Arc::new(Budget::default());
    Judge::new(spec, resolved, lane, caller, budget, options, SystemTime::now)
}

/// Asks, and prints what it took.
async fn ask(judge: &Judge<Client>, rubric: &Rubric, chat: &Transcript, only: Option<&[String]>) -> Graded {
    let started = Instant::now();
    let graded = match judge.judge(rubric, chat, only).await {
        Ok(graded) => graded,
        Err(failure) => panic!("{}: {failure}; spent {:?}", chat.id(), failure.spent()),
    };
    let (spent, seconds) = (graded.spent, started.elapsed().as_secs_f64());
    println!(
        "judged {:?}: {} answers in {seconds:.1} s, {} calls, {} + {} tokens; {:?}",
        chat.id(),
        graded.submission.verdicts.len(),
        spent.calls,
        spent.tokens.input,
        spent.tokens.output,
        graded.circumstances.notes
    );
    graded
}

fn very_short() -> Transcript {
    let text = include_str!("../../../../examples/very-short.txt");
    let document = read(text.as_bytes(), &ReadOptions::default()).expect("a readable chat");
    let reading = document.readings.into_iter().next().expect("one chat").expect("a readable chat");
    reading.into_transcript("very-short").expect("a chat")
}

/// A chat of about 6,500 tokens as models count, every turn different: with the instructions more than the context holds.
fn long_chat() -> Transcript {
    let troubles = [
        "I could not sleep again and lay awake going over the same conversation with my manager",
        "my sister says I should just get over the breakup, which makes me feel more alone",
        "the exams are in three weeks and every time I open the book my chest gets tight",
        "I have been skipping lunch with the others because small talk feels like climbing a hill",
        "my father is back in hospital and I keep checking my phone every few minutes",
    ];
    let replies = [
        "That sounds exhausting, and it makes sense that it follows you into the night",
        "It hurts when the people close to us hurry us along; you are allowed to need time",
        "A tight chest is how many bodies answer pressure; what would one small first page look like",
        "Keeping away may be protecting your energy; is there one person who feels easy to sit with",
        "Waiting for news is its own kind of strain; who could share the watching with you tonight",
    ];
    let turn = |place: usize| {
        let (day, speaker) = (place / 2 + 1, if place.is_multiple_of(2) { Speaker::Human } else { Speaker::Ai });
        let texts = if speaker == Speaker::Human { troubles } else { replies };
        let sentences: Vec<String> =
            (0..4).map(|step| format!("On day {day}, {}.", texts[(place / 2 + step) % texts.len()])).collect();
        (speaker, sentences.join(" "))
    };
    Transcript::new("long", (0..58).map(turn).collect()).expect("a chat")
}

/// The report that answers amount to, after everything that must hold of any report was looked at.
fn report(rubric: &Rubric, chat: &Transcript, graded: Graded) -> Report {
    let verdicts = Verdicts::admit(rubric, chat, graded.submission).expect("answers that can be admitted");
    let report = Report::assemble(rubric, chat.clone(), verdicts, &Weights::equal(rubric));
    assert_eq!(report.checks().count(), 50);
    for (_, id, check) in report.checks() {
        let reason = check.unscored.as_deref().is_some_and(|reason| !reason.is_empty());
        assert!(check.pass.is_some() != reason, "{id} is either judged or says why not: {check:?}");
    }
    let json = serde_json::to_value(&report).expect("JSON");
    let validator = jsonschema::validator_for(&report_schema(rubric)).expect("a schema");
    let errors: Vec<String> = validator.iter_errors(&json).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{errors:?}");
    let verification = verify(&json.to_string(), rubric).expect("a report");
    assert!(verification.holds(), "{}", verification.to_text(false));
    report
}

/// Prints how many checks were judged, and why others were not.
fn print_reasons(report: &Report) {
    let mut reasons: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (_, id, check) in report.checks() {
        // Numbers differ from check to check; the reason is the same.
        let reason =
            check.unscored.as_deref().map(|reason| reason.replace(|letter: char| letter.is_ascii_digit(), "#"));
        reasons.entry(reason.unwrap_or_else(|| "judged".to_owned())).or_default().push(id);
    }
    for (reason, ids) in reasons {
        println!("  {} checks, {}…: {reason}", ids.len(), ids[0]);
    }
}

fn first_checks(rubric: &Rubric, count: usize) -> Vec<String> {
    rubric.checks().take(count).map(|check| check.id.clone()).collect()
}

fn noted(graded: &Graded, words: &str) -> bool {
    graded.circumstances.notes.iter().any(|note| note.contains(words))
}

#[tokio::test]
#[ignore = "takes a real model; tests/models/end-to-end starts one and runs it"]
async fn a_short_chat_gets_a_complete_report_on_all_checks() {
    // A model that cites badly would be asked nearly everything twice; two checks asked twice below show the second look.
    let options = AskOptions { second_look: false, context: Some(CONTEXT), ..AskOptions::default() };
    let judge = judge(options);
    let (rubric, chat) = (Rubric::care_lock(), very_short());
    let graded = ask(&judge, &rubric, &chat, None).await;
    assert_eq!(graded.submission.verdicts.len(), 50);
    assert!(noted(&graded, "groups of checks"), "all checks at once do not fit: {:?}", graded.circumstances.notes);
    let report = report(&rubric, &chat, graded);
    print_reasons(&report);
    assert!(report.judge.tokens.is_some_and(|tokens| tokens.input > 0 && tokens.output > 0));
}

/// The context is not told, so it has to be learned from the server's error before the parts can be planned.
#[tokio::test]
#[ignore = "takes a real model; tests/models/end-to-end starts one and runs it"]
async fn a_long_chat_is_judged_in_parts_and_the_report_says_so() {
    let judge = judge(AskOptions { second_look: false, ..AskOptions::default() });
    let (rubric, chat) = (Rubric::care_lock(), long_chat());
    let graded = ask(&judge, &rubric, &chat, Some(&first_checks(&rubric, 10))).await;
    assert_eq!(graded.submission.verdicts.len(), 10);
    assert!(graded.circumstances.windows > 1);
    assert!(noted(&graded, "the server's context is 8192 tokens"), "{:?}", graded.circumstances.notes);
    let report = report(&rubric, &chat, graded);
    let notes = report.judge.parameters["notes"].to_string();
    assert!(notes.contains("overlapping parts"), "{notes}");
    print_reasons(&report);
}

#[tokio::test]
#[ignore = "takes a real model; tests/models/end-to-end starts one and runs it"]
async fn asking_twice_gives_the_same_answers() {
    let judge = judge(AskOptions { context: Some(CONTEXT), ..AskOptions::default() });
    let (rubric, chat) = (Rubric::care_lock(), very_short());
    let only = first_checks(&rubric, 2);
    let once = ask(&judge, &rubric, &chat, Some(&only)).await;
    let again = ask(&judge, &rubric, &chat, Some(&only)).await;
    assert_eq!(once.submission.verdicts, again.submission.verdicts);
    assert_eq!(once.circumstances.notes, again.circumstances.notes);
    print_reasons(&report(&rubric, &chat, once));
}
