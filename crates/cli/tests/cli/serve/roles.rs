//! Nobody may do more than their role allows: every address is tried with every role.

use carelock_test_support::{Place, Server};

use super::started;

const ROLES: [&str; 4] = ["read", "rate", "judge", "admin"];
/// The folder of the pages; their addresses stand in functions that are named after what one must be allowed to do.
const PAGES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../web/src/pages");

struct Address {
    method: String,
    path: String,
    role: &'static str,
}

/// The addresses of the API, from its own document.
fn of_api(wire: &Server, token: &str) -> Vec<Address> {
    let bearer = format!("Bearer {token}");
    let document = wire.send("GET", "/api/v1/openapi.json", &[("Authorization", &bearer)], b"").json();
    let mut found = Vec::new();
    for (path, operations) in document["paths"].as_object().expect("paths") {
        for (method, operation) in operations.as_object().expect("operations") {
            let needs = operation["description"].as_str().expect("what it needs");
            let role = ROLES.into_iter().find(|role| needs == format!("Needs the role {role}."));
            found.push(Address { method: method.to_uppercase(), path: path.clone(), role: role.expect("a role") });
        }
    }
    found
}

/// The text of every file of the pages.
fn files() -> Vec<String> {
    let mut paths = vec![std::path::PathBuf::from(PAGES)];
    let mut texts = Vec::new();
    while let Some(path) = paths.pop() {
        match std::fs::read_dir(&path) {
            Ok(folder) => paths.extend(folder.map(|entry| entry.expect("an entry").path())),
            Err(_) => texts.push(std::fs::read_to_string(path).expect("a file")),
        }
    }
    texts
}

/// The addresses of pages, from the functions that name them.
fn of_pages() -> Vec<Address> {
    let functions = [("reading", "read"), ("rating", "rate"), ("judging", "judge"), ("administering", "admin")];
    let methods = [("get(", "GET"), ("post(", "POST"), ("delete(", "DELETE"), ("put(", "PUT")];
    let texts = files();
    let mut found = Vec::new();
    for (text, (function, role)) in texts.iter().flat_map(|text| functions.map(|function| (text, function))) {
        let Some(body) = text.split(&format!("fn {function}()")).nth(1) else { continue };
        let body = body.split("\n}").next().expect("its end");
        for route in body.split(".route(").skip(1) {
            let path = route.split('"').nth(1).expect("an address").to_owned();
            for (_, method) in methods.iter().filter(|(word, _)| route.contains(word)) {
                found.push(Address { method: (*method).to_owned(), path: path.clone(), role });
            }
        }
    }
    assert!(found.len() > 20, "{}", found.len());
    found
}

/// An address with something in its blanks.
fn filled(path: &str) -> String {
    let part = |part: &str| match part {
        "{name}" => "report".to_owned(),
        blank if blank.starts_with('{') => "999999".to_owned(),
        other => other.to_owned(),
    };
    path.split('/').map(part).collect::<Vec<_>>().join("/")
}

/// The mark that forms of a browser with this cookie carry.
fn mark(cookie: &str) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("carelock form 1");
    hasher.update(cookie.as_bytes());
    hasher.finalize().to_hex().to_string()
}

#[test]
fn every_address_is_closed_to_every_lower_role_and_open_to_the_others() {
    let mut tokens = Vec::new();
    let wire = Server::filled(
        |place| tokens = ROLES.iter().map(|role| place.token(&format!("one who may {role}"), role)).collect(),
        &["--auth"],
    );
    let cookie = "a".repeat(64);
    let (browser, mark) = (format!("carelock={cookie}"), mark(&cookie));
    for Address { method, path, role } in of_api(&wire, &tokens[0]).into_iter().chain(of_pages()) {
        let is_api = path.starts_with("/api/") || path == "/metrics";
        let address = if is_api { filled(&path) } else { format!("{}?mark={mark}", filled(&path)) };
        let needed = ROLES.iter().position(|known| *known == role).expect("a role");
        let without = wire.send(&method, &address, &[("Cookie", &browser)], b"");
        assert_eq!(without.status, if is_api { 401 } else { 303 }, "{method} {path} without a token");
        for (at, token) in tokens.iter().enumerate() {
            let bearer = format!("Bearer {token}");
            let reply = wire.send(&method, &address, &[("Cookie", &browser), ("Authorization", &bearer)], b"");
            let is_open = reply.status != 401 && reply.status != 403;
            // Who only rates reads nothing that could tell a verdict.
            let is_allowed = at >= needed && !(ROLES[at] == "rate" && role == "read");
            assert_eq!(is_open, is_allowed, "{method} {path} as {}: {}", ROLES[at], reply.status);
        }
    }
    wire.assert_sound();
}

#[test]
fn a_name_beyond_this_machine_needs_tokens_without_being_asked_to() {
    let mut shown = String::new();
    let options = ["--origin", "https://care.example.org"];
    let wire = Server::filled(|place| shown = place.token("anna", "read"), &options);
    let status = |headers: &[(&str, &str)]| wire.send("GET", "/api/v1/runs", headers, b"").status;
    for host in [wire.address.as_str(), "care.example.org"] {
        assert_eq!(status(&[("Host", host)]), 401, "{host}");
        assert_eq!(status(&[("Host", host), ("Authorization", &format!("Bearer {shown}"))]), 200, "{host}");
    }
    let refused = Place::new().run(&["serve", "--port", "0", options[0], options[1]]);
    let said = &refused.stderr;
    assert!(refused.code != 0 && said.contains("an --origin beyond this machine needs tokens"), "{said}");
    let own = started(&["--origin", "http://localhost:3000"]);
    assert_eq!(own.get("/api/v1/runs").status, 200);
}

#[test]
fn unknown_malformed_and_revoked_tokens_open_nothing() {
    let mut shown = String::new();
    let wire = Server::filled(
        |place| {
            shown = place.token("anna", "admin");
            place.token("ben", "read");
        },
        &["--auth"],
    );
    let status = |value: &str| wire.send("GET", "/api/v1/runs", &[("Authorization", value)], b"").status;
    assert_eq!(status(&format!("Bearer {shown}")), 200);
    assert_eq!(status(&format!("bearer {shown}")), 200);
    let other = format!("Bearer {}", "0".repeat(64));
    for value in [
        other.as_str(),
        "Bearer",
        "Bearer ",
        "Basic YTpi",
        &shown,
        "Bearer ' OR 1=1 --",
        &format!("Bearer {}", &shown[1..]),
    ] {
        assert_eq!(status(value), 401, "{value}");
    }
    wire.place.run(&["token", "revoke", "anna", "--db", "runs.db"]);
    assert_eq!(status(&format!("Bearer {shown}")), 401, "revoked while the server runs");
    assert!(!wire.log().contains(&shown[1..]), "tokens are never written down");
    wire.assert_sound();
}

#[test]
fn trying_tokens_out_is_slow_and_the_right_one_is_let_in_all_the_while() {
    let mut shown = String::new();
    let wire = Server::filled(|place| shown = place.token("anna", "read"), &["--auth"]);
    let cookie = "b".repeat(64);
    let (browser, address) = (format!("carelock={cookie}"), format!("/login?mark={}", mark(&cookie)));
    let enter = |token: &str| {
        let headers = [("Cookie", browser.as_str()), ("Content-Type", "application/x-www-form-urlencoded")];
        wire.send("POST", &address, &headers, format!("token={token}").as_bytes())
    };
    let begun = std::time::Instant::now();
    let statuses: Vec<u16> = std::thread::scope(|scope| {
        let guesses: Vec<_> = (0..40).map(|at| scope.spawn(move || enter(&format!("guess-{at}")).status)).collect();
        let right = enter(&shown);
        assert_eq!(right.status, 303, "the right one is let in");
        guesses.into_iter().map(|guess| guess.join().expect("a guess")).collect()
    });
    assert!(statuses.iter().all(|status| [403, 429].contains(status)), "{statuses:?}");
    assert!(statuses.contains(&429), "{statuses:?}");
    assert!(begun.elapsed() >= std::time::Duration::from_millis(300));
    wire.assert_sound();
}
