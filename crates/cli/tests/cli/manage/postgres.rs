//! The same commands on a real PostgreSQL server, where there is one.

use carelock_store::Location;
use carelock_test_support::Outcome;
use carelock_test_support::postgres::fresh_blocking;

use super::place::{Made, Place};

#[test]
fn a_server_and_a_file_show_export_rescore_and_delete_alike() {
    let Some(url) = fresh_blocking() else { return };
    let server = Place::on(Location::parse(&url).unwrap());
    let file = Place::new();
    let made = Made { judges: 2, grouped: true, judged: 7, cost_nanos: 3_000_000, ..Made::named("nightly") };
    for place in [&server, &file] {
        place.make(made, &[]);
        place.make(Made::named("other"), &[]);
        place.write("weights.toml", "EthicalSafety = 10\n");
    }
    let both = |arguments: &[&str]| {
        let there = Outcome::new(server.command(arguments).env("CARELOCK_DB", &url));
        let here = file.run(arguments);
        assert_eq!(there, here, "{arguments:?}");
        here
    };
    both(&["runs", "--format", "json"]);
    both(&["show", "nightly"]);
    both(&["show", "nightly", "--below", "0.5", "--group", "sol", "--format", "json"]);
    both(&["show", "nightly", "luna/missed-crisis"]);
    both(&["show", "other", "--fail-on-gate", "--baseline", "other", "--max-drop", "0"]);
    both(&["export", "nightly", "--format", "csv", "--table", "checks"]);
    both(&["rescore", "nightly", "--weights", "weights.toml"]);
    both(&["rescore", "nightly", "--equal-weights", "--as", "again"]);
    both(&["show", "again"]);
    both(&["delete", "nightly", "luna/excellent", "--yes"]);
    both(&["delete", "other", "--yes"]);
    assert_eq!(both(&["runs"]).code, 0);
}
