//! What the server does not take on, and what it leaves behind when something breaks off.

use std::time::Duration;

use carelock_test_support::{Field, Place, wait_for, wait_until};

use super::judge::{CHAT, chats, run_of, slow_judge, with_judge};
use super::web::Web;

/// An archive with one file of zeros in it, made by hand: one zero, and then again and again the 258 bytes before.
fn zeros(megabytes: usize) -> Vec<u8> {
    let mut bits: Vec<bool> = vec![true, true, false];
    let put = |bits: &mut Vec<bool>, code: u32, length: u32| {
        bits.extend((0..length).rev().map(|at| code >> at & 1 == 1));
    };
    put(&mut bits, 0b0011_0000, 8);
    for _ in 0..(megabytes << 20) / 258 {
        put(&mut bits, 0b1_1000_1010_0000, 13);
    }
    put(&mut bits, 0, 7);
    let byte = |eight: &[bool]| eight.iter().rev().fold(0, |byte, &bit| byte << 1 | u8::from(bit));
    let packed: Vec<u8> = bits.chunks(8).map(byte).collect();
    let name = b"conversations.json";
    let four = |number: usize| u32::try_from(number).unwrap().to_le_bytes();
    // Deflate; no time, no checksum: nobody gets as far as that.
    let mut about = vec![20, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    about.extend([four(packed.len()), four(1 + (megabytes << 20) / 258 * 258)].concat());
    about.extend([18, 0, 0, 0]);
    let mut zip = [&b"PK\x03\x04"[..], &about, name, &packed].concat();
    let place = zip.len();
    zip.extend([&b"PK\x01\x02\x14\x00"[..], &about, &[0; 10], &four(0), name].concat());
    let length = zip.len() - place;
    zip.extend([&b"PK\x05\x06\0\0\0\0\x01\0\x01\0"[..], &four(length), &four(place), &[0, 0]].concat());
    zip
}

#[test]
fn an_archive_that_unpacks_to_far_more_than_may_be_sent_is_refused() {
    let place = Place::with(&[]);
    let web = Web::start(&place, &["--max-body", "1"], &[]);
    let bomb = zeros(16);
    assert!(bomb.len() < 256 << 10, "{}", bomb.len());
    for path in ["/judge/preview", "/judge/start"] {
        let fields = [Field::File("file", "chats.zip", &bomb), Field::Text("judge", "builtin")];
        web.post(path, &fields).is(422).has("unpacks to more than 8 MiB");
    }
}

#[test]
fn forms_wait_outside_while_as_many_as_may_are_inside() {
    let place = Place::with(&[]);
    let web = Web::start(&place, &["--max-evaluations", "1"], &[]);
    let fields = [Field::Text("text", CHAT), Field::Text("judge", "builtin")];
    // Where the quick form was inside when the slow one came, the slow one was turned away: it comes again.
    let slow = wait_for("the slow form keeps the place", || {
        let slow = web.begin_chunked("/judge/preview");
        (web.post("/judge/preview", &fields).status == 503).then_some(slow)
    });
    for path in ["/judge/estimate", "/judge/start"] {
        assert_eq!(web.post(path, &fields).status, 503, "{path}");
    }
    drop(slow);
    wait_until("the server answers so", || web.post("/judge/preview", &fields).status == 200);
}

#[test]
fn a_run_is_stored_in_full_where_the_browser_no_longer_waits() {
    let place = Place::with(&[]);
    let web = Web::start(&place, &[], &[]);
    let many = chats(6_000);
    let fields = [Field::File("file", "many.jsonl", many.as_bytes()), Field::Text("judge", "builtin")];
    let sent = web.begin_post("/judge/start", &fields);
    wait_until("the server answers so", || web.get("/runs/1").status == 200);
    drop(sent);
    let events = web.events("/runs/1");
    assert_eq!(events[events.len() - 2].1["answered"], 6_000);
}

#[test]
fn where_no_place_is_left_nothing_is_stored_and_nothing_reopened() {
    let judge = slow_judge(Duration::from_secs(300));
    let place = with_judge(&judge.judge());
    let web = Web::start(&place, &["--config", "settings.toml"], &[]);
    let name = judge.judge();
    let fields = [Field::Text("text", CHAT), Field::Text("judge", &name)];
    let first = run_of(web.post("/judge/start", &fields));
    for _ in 1..100 {
        run_of(web.post("/judge/start", &fields));
    }
    assert_eq!(web.post("/judge/start", &fields).status, 503);
    assert_eq!(web.get("/runs/101").status, 404);
    web.post(&format!("{first}/cancel"), &[]).is(303);
    web.wait_for(&first, r#"data-state="stopped""#);
    run_of(web.post("/judge/start", &fields));
    assert_eq!(web.post(&format!("{first}/resume"), &[]).status, 503);
}

#[test]
fn a_run_that_a_dead_server_was_storing_is_gone_after_the_next_start() {
    let place = Place::with_short_chats(1);
    let web = Web::start(&place, &[], &[]);
    let fields = [Field::Text("text", CHAT), Field::Text("judge", "builtin")];
    for _ in 0..2 {
        let run = run_of(web.post("/judge/start", &fields));
        web.events(&run);
    }
    web.stop();
    let words = ["run", "chats", "--name", "from files", "--judge", "builtin", "--db", "runs.db"];
    place.run(&words).exits(0);
    // The second is as young as if another server were storing it.
    change(&place, "UPDATE runs SET state = 'filling'");
    change(&place, "UPDATE runs SET created = 1000 WHERE id <> 2");
    let web = Web::start(&place, &[], &[]);
    wait_until("the server answers so", || web.get("/runs/1").status == 404);
    assert_eq!((web.get("/runs/2").status, web.get("/runs/3").status), (200, 200));
}

#[test]
fn a_run_whose_worker_died_is_shown_as_stopped() {
    let place = Place::with(&[]);
    let web = Web::start(&place, &[], &[]);
    run_of(web.post("/judge/start", &[Field::Text("text", CHAT), Field::Text("judge", "builtin")]));
    web.events("/runs/1");
    web.stop();
    change(&place, "UPDATE runs SET state = 'open'");
    change(&place, "UPDATE tasks SET state = 1, owner = 'dead', until = 1000");
    let web = Web::start(&place, &[], &[]);
    web.get("/runs/1").is(200).has(r#"data-state="stopped""#);
    assert_eq!(web.events("/runs/1").last().unwrap().0, "done");
}

#[test]
fn a_page_of_runs_goes_on_where_the_last_one_was_deleted_meanwhile() {
    let place = Place::with(&[]);
    let web = Web::start(&place, &[], &[]);
    for _ in 0..4 {
        let run = run_of(web.post("/judge/start", &[Field::Text("text", CHAT), Field::Text("judge", "builtin")]));
        web.events(&run);
    }
    let page = |path: &str| -> serde_json::Value { serde_json::from_str(&web.get(path).is(200).body).unwrap() };
    let numbers = |page: &serde_json::Value| -> Vec<i64> {
        page["runs"].as_array().unwrap().iter().map(|run| run["number"].as_i64().unwrap()).collect()
    };
    let first = page("/api/v1/runs?limit=2");
    assert_eq!((numbers(&first), &first["next"]), (vec![4, 3], &3.into()));
    web.post("/runs/3/delete", &[]).is(303);
    let second = page("/api/v1/runs?limit=2&after=3");
    assert_eq!((numbers(&second), second.get("next")), (vec![2, 1], None));
    assert_eq!(numbers(&page("/api/v1/runs?after=1")), [] as [i64; 0]);
}

fn change(place: &Place, sql: &'static str) {
    let path = place.path("runs.db").display().to_string();
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        use sqlx::Connection as _;
        sqlx::any::install_default_drivers();
        let mut connection = sqlx::AnyConnection::connect(&format!("sqlite://{path}")).await.unwrap();
        sqlx::query(sql).execute(&mut connection).await.unwrap();
        connection.close().await.unwrap();
    });
}

#[test]
fn pages_are_compressed_for_who_asks_but_for_those_with_the_mark_of_forms() {
    let place = Place::with_short_chats(2);
    place.run(&["run", "chats", "--name", "n", "--db", "runs.db"]).exits(0);
    let server = carelock_test_support::Server::start(&place, &[]);
    let ask = |path: &str, encoding: &str| server.send("GET", path, &[("Accept-Encoding", encoding)], b"");
    let plain = server.get("/runs/1/chats/1");
    let small = ask("/runs/1/chats/1", "br, gzip");
    assert_eq!((small.header("content-encoding"), plain.header("content-encoding")), (Some("gzip"), None));
    assert!(small.bytes.len() * 2 < plain.bytes.len(), "{} of {}", small.bytes.len(), plain.bytes.len());
    assert_eq!(small.bytes[..2], [0x1f, 0x8b]);
    let with_forms = ask("/", "gzip");
    assert!(
        with_forms.header("content-encoding").is_none() && with_forms.body.contains("?mark="),
        "{}",
        with_forms.head
    );
    let file = ask("/runs/1/chats/1/report.html", "gzip");
    assert_eq!(file.header("content-encoding"), Some("gzip"));
    assert!(ask("/runs/1/events", "gzip").header("content-encoding").is_none());
}
