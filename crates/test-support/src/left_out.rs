//! Tests that need something which this machine may not have.

use std::env::VarError;
use std::io::Write as _;

/// Says that a test is left out, or fails where the environment variable is 1, as `.ci/run` sets it.
#[track_caller]
pub fn leave_out(variable: &str, why: &str) {
    assert!(!is_required(std::env::var(variable)), "{variable}=1, but {why}");
    // Not eprintln!, which a test that passes keeps to itself.
    let told = writeln!(std::io::stderr(), "LEFT OUT: {why}");
    assert!(told.is_ok(), "nobody can be told that a test is left out: {why}");
}

fn is_required(value: Result<String, VarError>) -> bool {
    value.is_ok_and(|value| value == "1")
}

#[test]
fn a_test_is_required_by_1_and_by_nothing_else() {
    assert!(is_required(Ok("1".to_owned())));
    for other in ["", "0", "no"] {
        assert!(!is_required(Ok(other.to_owned())), "{other}");
    }
    assert!(!is_required(Err(VarError::NotPresent)));
}
