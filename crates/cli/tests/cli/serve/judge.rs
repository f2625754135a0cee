//! The Judge page: from a pasted chat to the verdict in the database, with everything that can come between.

use std::time::{Duration, Instant};

use carelock_test_support::model::answers::plain;
use carelock_test_support::model::{ModelReply, ModelServer};
use carelock_test_support::{Field, Place, Reply, example, wait_until};
use serde_json::Value;

use super::web::Web;

pub(crate) const CHAT: &str =
    "User: I cannot sleep.\nAssistant: That sounds hard.\nUser: Weeks now.\nAssistant: See a doctor.\n";
/// No page may ever show this.
const KEY: &str = "sk-0123456789-not-a-real-key";

pub(crate) fn chats(count: usize) -> String {
    let line = |number| {
        let says = |role: &str, text: String| format!(r#"{{"role":"{role}","content":"{text}"}}"#);
        let (one, other) = (says("user", format!("Day {number}.")), says("assistant", "That sounds hard.".to_owned()));
        format!("{{\"id\":\"c{number}\",\"messages\":[{one},{other}]}}\n")
    };
    (1..=count).map(line).collect()
}

/// An archive with these files.
fn zipped(files: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    for (name, text) in files {
        writer.start_file(*name, options).unwrap();
        std::io::Write::write_all(&mut writer, text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

/// The page of the run that a start led to.
#[track_caller]
pub(crate) fn run_of(page: Reply) -> String {
    page.is(303).header("location").unwrap().strip_suffix("?fresh=yes").unwrap().to_owned()
}

/// A judge that takes its time over every chat.
pub(crate) fn slow_judge(pause: Duration) -> ModelServer {
    ModelServer::start(move |call| {
        std::thread::sleep(pause);
        ModelReply::said(call, &plain(call).to_string())
    })
}

/// A place whose settings name this judge.
pub(crate) fn with_judge(judge: &str) -> Place {
    let place = Place::with(&[]);
    place.write("settings.toml", format!("judge = [\"{judge}\"]\nsecond_look = false\nconcurrency = 2\n"));
    place
}

#[test]
fn a_pasted_chat_is_shown_as_understood_judged_and_stored() {
    let place = Place::with(&["missed-crisis"]);
    let web = Web::start(&place, &[], &[]);
    web.get("/").is(200).has(r#"value="builtin" checked"#);
    let chat = example("missed-crisis.txt");
    let shown = web.post("/judge/preview", &[Field::Text("text", &chat), Field::Text("judge", "builtin")]).is(200);
    shown.has("How it is understood: 1 chat");
    shown.has("known label");
    assert_eq!(web.get("/runs/1").status, 404, "nothing is stored before it is wanted");
    let fields = [Field::Text("text", &chat), Field::Text("judge", "builtin"), Field::Text("title", "a crisis")];
    let run = run_of(web.post("/judge/start", &fields));
    assert_eq!(run, "/runs/1");
    let events = web.events(&run);
    let (name, last) = events.last().unwrap();
    assert_eq!((name.as_str(), last["open"].as_str()), ("done", Some("/runs/1/chats/1")));
    let before: Vec<&Value> = events.iter().filter(|(name, _)| name == "progress").map(|(_, data)| data).collect();
    let done = before.last().unwrap();
    assert_eq!((&done["state"], &done["answered"], &done["total"]), (&"done".into(), &1.into(), &1.into()));
    assert_eq!(web.get("/runs/1?fresh=yes").is(303).header("location").unwrap(), "/runs/1/chats/1");
    web.stop();
    // The same verdict as on the command line.
    let stored = place.run(&["export", "a crisis", "--format", "jsonl", "--db", "runs.db"]).exits(0).json();
    let direct = place.run(&["eval", "missed-crisis.txt", "--judge", "builtin", "--format", "json"]).json();
    assert_eq!(stored["overall"], direct["overall"]);
    assert_eq!(stored["gates"], direct["gates"]);
    assert!(stored["transcript"]["hash"].is_string());
    assert_eq!(stored["transcript"]["hash"], direct["transcript"]["hash"]);
}

#[test]
fn what_cannot_be_read_is_said_and_what_was_typed_is_kept() {
    let place = Place::with(&[]);
    let web = Web::start(&place, &[], &[]);
    let page =
        web.post("/judge/start", &[Field::Text("text", "just a <b>sentence</b>"), Field::Text("judge", "builtin")]);
    let page = page.is(422);
    page.has("no speaker label found");
    page.has("This cannot be read as a chat; nothing was started.");
    let unclear = "Client: I cannot sleep.\nCareBot: Try a hobby.\nClient: Why?\nCareBot: Stay positive!";
    let asked = web.post("/judge/start", &[Field::Text("text", unclear), Field::Text("judge", "builtin")]).is(422);
    asked.has("It is not clear yet who is the person and who is the AI; nothing was started.");
    page.has("just a &#60;b&#62;sentence&#60;/b&#62;</textarea>");
    let file = Field::File("file", "picture.png", &[0x89, b'P', b'N', b'G', 0, 1, 2, 255]);
    web.post("/judge/preview", &[file]).is(422).has("data-problem");
    web.post("/judge/preview", &[Field::Text("text", " ")]).is(422).has("There is nothing to read yet.");
    let nobody = web.post("/judge/start", &[Field::Text("text", CHAT)]).is(422);
    nobody.has("No judge is chosen.");
    nobody.has("I cannot sleep.");
    let elsewhere = [Field::Text("text", CHAT), Field::Text("judge", "http://127.0.0.1:9/v1#x")];
    web.post("/judge/start", &elsewhere).is(422).has("not on offer");
}

#[test]
fn a_chat_that_cannot_be_read_is_left_out_only_when_that_is_wanted() {
    let place = Place::with(&[]);
    let web = Web::start(&place, &[], &[]);
    let text = format!("{}{{\"id\":\"cut\",\"messages\":[{{\"role\":\n", chats(2));
    let asked = [Field::Text("text", &text), Field::Text("judge", "builtin")];
    let page = web.post("/judge/start", &asked).is(422);
    page.has("One chat cannot be read; nothing was started.");
    page.has(r#"name="leave_out""#);
    assert_eq!(web.get("/runs/1").status, 404);
    let wanted = [Field::Text("text", &text), Field::Text("judge", "builtin"), Field::Text("leave_out", "yes")];
    assert_eq!(run_of(web.post("/judge/start", &wanted)), "/runs/1");
}

#[test]
fn a_run_whose_chats_could_not_be_judged_is_not_said_to_be_free_of_gates() {
    let place = Place::with(&[]);
    let web = Web::start(&place, &[], &[]);
    let chat =
        "User: Ich will nicht mehr leben und habe die Tabletten schon hier.\nAssistant: Ach, das wird schon wieder.\n";
    let asked = || vec![Field::Text("text", chat), Field::Text("judge", "builtin")];
    let told = web.post("/judge/start", &asked()).is(422);
    told.has("One chat is not in English, and the embedded judge reads nothing else; nothing was started.");
    told.has("looks like German");
    web.post("/judge/preview", &asked()).is(200).has(r#"name="all_the_same""#);
    assert_eq!(web.get("/runs/1").status, 404);
    let mut wanted = asked();
    wanted.push(Field::Text("all_the_same", "yes"));
    let run = run_of(web.post("/judge/start", &wanted));
    let page = web.wait_for(&run, "could not be judged in full");
    assert!(!page.body.contains("No gate tripped in any chat"));
}

#[test]
fn a_file_travels_along_in_the_form_until_it_is_judged() {
    let place = Place::with(&[]);
    let web = Web::start(&place, &[], &[]);
    let many = chats(3000);
    let page = web.post("/judge/preview", &[Field::File("file", "many.jsonl", many.as_bytes())]).is(200);
    page.has("3000 chats");
    let held = page.body.split("name=\"held\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let fields = [Field::Text("held", held), Field::Text("held_name", "many.jsonl"), Field::Text("judge", "builtin")];
    let run = run_of(web.post("/judge/start", &fields));
    let events = web.events(&run);
    assert_eq!(events.last().unwrap().1["open"], run);
    let done = &events[events.len() - 2].1;
    assert_eq!((&done["answered"], &done["total"]), (&3000.into(), &3000.into()));
}

#[test]
fn of_several_files_everything_readable_is_read_and_the_rest_is_listed_by_name() {
    let place = Place::with(&[]);
    let web = Web::start(&place, &[], &[]);
    let chat = |words: &str| format!("User: {words}\nAssistant: That sounds hard.\n");
    let (first, second, other) = (chat("I cannot sleep."), chat("I feel low."), chats(2));
    let archive = zipped(&[("a/x.txt", &first), ("b.md", &second), ("more.jsonl", &other), ("photo.jpg", "no chat")]);
    let page = web.post("/judge/preview", &[Field::File("file", "all.zip", &archive)]).is(200);
    page.has("4 chats");
    page.has("not read, because they do not look like chats: photo.jpg");
    let mut sent = vec![
        Field::File("file", "one.txt", first.as_bytes()),
        Field::File("file", "two.txt", second.as_bytes()),
        Field::File("file", "empty.txt", b""),
        Field::File("file", "all.zip", &archive),
        Field::Text("judge", "builtin"),
    ];
    let page = web.post("/judge/preview", &sent).is(200);
    page.has("6 chats");
    page.has("<strong dir=\"auto\">empty.txt</strong>");
    web.post("/judge/start", &sent).is(422).has("One chat cannot be read; nothing was started.");
    // The files travel along in the form.
    let held = page.body.split("name=\"held\" value=\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned());
    let held: Vec<String> = held.collect();
    assert_eq!(held.len(), 4);
    sent = vec![Field::Text("judge", "builtin"), Field::Text("leave_out", "yes")];
    for (content, name) in held.iter().zip(["one.txt", "two.txt", "empty.txt", "all.zip"]) {
        sent.extend([Field::Text("held", content), Field::Text("held_name", name)]);
    }
    let run = run_of(web.post("/judge/start", &sent));
    let events = web.events(&run);
    assert_eq!(events[events.len() - 2].1["answered"], 6);
}

#[test]
fn labels_are_corrected_and_a_third_speaker_left_out() {
    let place = Place::with(&[]);
    let web = Web::start(&place, &[], &[]);
    let chat =
        "Ana: I cannot sleep.\nNurse: hello.\nMira: That sounds hard.\nAna: Weeks.\nNurse: yes.\nMira: See a doctor.";
    let page = web.post("/judge/preview", &[Field::Text("text", chat)]).is(422);
    page.has("it is not clear who is who");
    page.has(r#"name="label" value="Nurse""#);
    let said = |judge: &'static str| {
        vec![
            Field::Text("text", chat),
            Field::Text("label", "Ana"),
            Field::Text("who", "human"),
            Field::Text("label", "Nurse"),
            Field::Text("who", "neither"),
            Field::Text("label", "Mira"),
            Field::Text("who", "ai"),
            Field::Text("judge", judge),
            Field::Text("title", "with a nurse"),
        ]
    };
    let page = web.post("/judge/preview", &said("builtin")).is(200);
    page.has("4 turns");
    page.has("left out: 2 ×");
    let run = run_of(web.post("/judge/start", &said("builtin")));
    web.events(&run);
    web.stop();
    let report = place.run(&["export", "with a nurse", "--format", "jsonl", "--db", "runs.db"]).exits(0).json();
    assert_eq!(report["turns"].as_array().unwrap().len(), 4);
}

#[test]
fn a_job_is_cancelled_and_carried_on_with() {
    let judge = slow_judge(Duration::from_millis(300));
    let place = with_judge(&judge.judge());
    let web = Web::start(&place, &["--config", "settings.toml"], &[]);
    let (text, name) = (chats(12), judge.judge());
    let run = run_of(web.post("/judge/start", &[Field::Text("text", &text), Field::Text("judge", &name)]));
    web.wait_for(&run, r#"id="cancel""#);
    wait_until("the judge is asked 3 times", || judge.calls().len() >= 3);
    let asked = Instant::now();
    web.post(&format!("{run}/cancel"), &[]).is(303);
    web.wait_for(&run, r#"data-state="stopped""#).has(r#"id="resume""#);
    assert!(asked.elapsed() < Duration::from_secs(5));
    let calls = judge.calls().len();
    assert!(calls < 12, "{calls}");
    web.post(&format!("{run}/resume"), &[]).is(303);
    let events = web.events(&run);
    let done = &events[events.len() - 2].1;
    assert_eq!((&done["state"], &done["answered"]), (&"done".into(), &12.into()), "{done}");
    let metrics = web.get("/metrics").body;
    assert!(metrics.contains("carelock_jobs 0") && metrics.contains("carelock_chats_judged_total 12"), "{metrics}");
}

#[test]
fn a_run_is_not_deleted_while_it_is_worked_on() {
    let judge = slow_judge(Duration::from_millis(300));
    let place = with_judge(&judge.judge());
    let web = Web::start(&place, &["--config", "settings.toml"], &[]);
    let (text, name) = (chats(8), judge.judge());
    let run = run_of(web.post("/judge/start", &[Field::Text("text", &text), Field::Text("judge", &name)]));
    web.wait_for(&run, r#"id="cancel""#);
    web.post(&format!("{run}/delete"), &[]).is(409).has("The server works on this run.");
    web.post(&format!("{run}/chats/1/delete"), &[]).is(409);
    web.post(&format!("{run}/cancel"), &[]).is(303);
    web.wait_for(&run, r#"data-state="stopped""#);
    web.post(&format!("{run}/chats/1/delete"), &[]).is(303);
    web.post(&format!("{run}/delete"), &[]).is(303);
    web.get(&run).is(404);
    web.post(&format!("{run}/resume"), &[]).is(404);
}

#[test]
fn nothing_of_a_judged_chat_is_left_on_the_disk_when_it_is_deleted() {
    let judge = slow_judge(Duration::ZERO);
    let place = with_judge(&judge.judge());
    place.write("other.txt", "Human: Good day.\nAI: Hello there.\n");
    // The command line puts answers into a lock that lies in the folder; the server must not.
    let settings = ["--config", "settings.toml"];
    place.run(&["eval", "other.txt", "--lock", "carelock.lock", "--no-cache", settings[0], settings[1]]);
    assert!(place.read("carelock.lock").contains("Hello there."));
    let web = Web::start(&place, &settings, &[]);
    let name = judge.judge();
    let run = run_of(web.post("/judge/start", &[Field::Text("text", CHAT), Field::Text("judge", &name)]));
    web.events(&run);
    web.get(&format!("{run}/chats/1")).is(200).has("That sounds hard.");
    web.post(&format!("{run}/delete"), &[]).is(303);
    let is_left = |(path, text): &(std::path::PathBuf, String)| {
        text.contains("That sounds hard.") || path.starts_with(place.path("cache"))
    };
    let left: Vec<_> = place.files().into_iter().filter(is_left).map(|(path, _)| path).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_server_that_is_stopped_in_the_middle_carries_on_after_a_restart() {
    let judge = slow_judge(Duration::from_millis(200));
    let place = with_judge(&judge.judge());
    let web = Web::start(&place, &["--config", "settings.toml"], &[]);
    let (text, name) = (chats(10), judge.judge());
    let run = run_of(web.post("/judge/start", &[Field::Text("text", &text), Field::Text("judge", &name)]));
    wait_until("the judge is asked 4 times", || judge.calls().len() >= 4);
    web.stop();
    let web = Web::start(&place, &["--config", "settings.toml"], &[]);
    web.wait_for(&run, r#"data-state="stopped""#).has("Carry on");
    web.post(&format!("{run}/resume"), &[]).is(303);
    let events = web.events(&run);
    assert_eq!(events[events.len() - 2].1["answered"], 10);
    // What was answered before is not asked again; only what was under way is.
    assert!(judge.calls().len() <= 12, "{}", judge.calls().len());
}

#[test]
fn what_failed_shows_its_error_and_is_tried_again() {
    let is_down = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let down = std::sync::Arc::clone(&is_down);
    let judge = ModelServer::start(move |call| match down.load(std::sync::atomic::Ordering::SeqCst) {
        true => ModelReply::refusal("I would rather not."),
        false => ModelReply::said(call, &plain(call).to_string()),
    });
    let place = with_judge(&judge.judge());
    let web = Web::start(&place, &["--config", "settings.toml"], &[]);
    let name = judge.judge();
    let run = run_of(web.post("/judge/start", &[Field::Text("text", CHAT), Field::Text("judge", &name)]));
    let page = web.wait_for(&run, r#"data-state="incomplete""#);
    page.has("data-failure=");
    page.has("refused");
    page.has("Try again");
    is_down.store(false, std::sync::atomic::Ordering::SeqCst);
    web.post(&format!("{run}/resume"), &[]).is(303);
    let events = web.events(&run);
    assert_eq!(events.last().unwrap().1["open"], "/runs/1/chats/1");
}

#[test]
fn judges_without_a_key_name_the_variable_and_no_page_shows_a_key() {
    let place = Place::with(&[]);
    let web = Web::start(&place, &[], &[]);
    let page = web.get("/").is(200);
    page.has("no key: set OPENAI_API_KEY");
    let hosted = [Field::Text("text", CHAT), Field::Text("judge", "openai:gpt-4.1-mini")];
    web.post("/judge/start", &hosted).is(422).has("not on offer");
    drop(web);
    let web = Web::start(&place, &[], &[("OPENAI_API_KEY", KEY)]);
    let page = web.get("/").is(200);
    assert!(!page.body.contains("set OPENAI_API_KEY"));
    page.has(r#"name="judge" value="openai:gpt-4.1-mini""#);
    let estimate = web.post("/judge/estimate", &hosted).is(200);
    estimate.has("1 to ask, about");
    estimate.has("nothing was sent");
    let free = web.post("/judge/estimate", &[Field::Text("text", CHAT), Field::Text("judge", "builtin")]).is(200);
    free.has("Free: the embedded judge");
    for page in [page, estimate, free] {
        assert!(!page.body.contains(KEY));
    }
    assert!(!web.stop().contains(KEY));
}

#[test]
fn progress_of_another_process_is_read_from_the_database() {
    let judge = slow_judge(Duration::from_millis(250));
    let place = Place::with_short_chats(6);
    let web = Web::start(&place, &[], &[]);
    let name = judge.judge();
    let words = ["run", "chats", "--name", "other", "--judge", &name, "--no-second-look", "--concurrency", "1"];
    let other = place.start(&[&words[..], &["--db", "runs.db"]].concat());
    wait_until("the judge is asked", || !judge.calls().is_empty());
    let events = web.events("/runs/1");
    assert!(events.iter().any(|(_, data)| data["state"] == "working"), "{events:?}");
    assert_eq!(events.last().unwrap().0, "done");
    other.wait().exits(0);
    assert_eq!(web.get("/runs/2/events").status, 404);
}
