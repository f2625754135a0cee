//! A server over a run of example chats, and the people who rate them.

use carelock_test_support::{Place, Server, Visitor};

/// A server over a run `demo` of the named example chats; each line of `before` is a command that is run first. What
/// those commands printed comes back.
pub(crate) fn serve(chats: &[&str], before: &[&[&str]], options: &[&str]) -> (Server, Vec<String>) {
    serve_judged(chats, &["--judge", "builtin"], before, options)
}

/// The same, judged in another way.
pub(crate) fn serve_judged(
    chats: &[&str],
    judge: &[&str],
    before: &[&[&str]],
    options: &[&str],
) -> (Server, Vec<String>) {
    let place = Place::new();
    for name in chats {
        place.copy(&format!("{name}.txt"), &format!("chats/{name}.txt"));
    }
    let usual = ["run", "chats", "--name", "demo", "--db", "runs.db"];
    printed(&place, &[&usual, judge].concat());
    let told = before.iter().map(|line| printed(&place, line)).collect();
    (Server::start(&place, options), told)
}

/// What the program prints; it must not complain.
pub(crate) fn printed(place: &Place, arguments: &[&str]) -> String {
    let outcome = place.run(arguments);
    // What falls short of a threshold or cannot be judged in full is no mistake of the command.
    assert!(outcome.code != 2, "{arguments:?}: {outcome}");
    outcome.stdout
}

/// Somebody who says their name.
pub(crate) fn named(server: &Server, name: &str) -> Visitor {
    Visitor::named(&server.address, "/rate", name)
}

/// Somebody with a token.
pub(crate) fn with_token(server: &Server, token: &str) -> Visitor {
    Visitor::with_token(&server.address, "/rate", token)
}

/// Somebody who has shown nothing.
pub(crate) fn unknown(server: &Server) -> Visitor {
    Visitor::at(&server.address, "/rate")
}
