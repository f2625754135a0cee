//! Tests of the list of judges.

use super::*;

fn today() -> Date {
    "2026-11-15".parse().unwrap()
}

#[test]
fn the_shipped_table_is_listed_as_text() {
    let table = Table::shipped();
    let text = Listing::new(&table, today(), |provider| provider.name == "openai").text();
    insta::assert_snapshot!(text);
}

#[test]
fn no_line_is_wider_than_100_columns() {
    let long = "x".repeat(250);
    let table = Table::shipped()
        .with_overrides(&format!(
            "[[model]]\nprovider = \"openai\"\nid = \"{long}\"\nnote = \"{long} {long}\"\naliases = [\"a{long}\"]\ncontext = 18446744073709551\nmax_output = 18446744073709551\nprice = {{ input = 1000000, cached = 999999.123456, output = 999999.123456 }}\nends = \"2099-01-01\"\n"
        ))
        .unwrap();
    let text = Listing::new(&table, today(), |_| false).text();
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    for line in Listing::new(&Table::shipped(), today(), |_| true).text().lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
}

#[test]
fn the_json_says_whether_a_key_is_set_and_what_became_of_each_model() {
    let table = Table::shipped();
    let json = Listing::new(&table, today(), |provider| provider.name == "anthropic").json();
    let states: Vec<&str> =
        json["providers"].as_array().unwrap().iter().map(|entry| entry["key_state"].as_str().unwrap()).collect();
    assert_eq!(states, ["missing", "set", "missing", "not_needed", "not_needed"]);
    let models = json["providers"][1]["models"].as_array().unwrap();
    let state = |id: &str| models.iter().find(|model| model["id"] == id).unwrap()["state"].clone();
    assert_eq!(state("claude-3-5-sonnet"), "retired");
    assert_eq!(state("claude-sonnet-4-5"), "ending");
    assert_eq!(state("claude-sonnet-5-5"), "served");
    let luna =
        json["providers"][0]["models"].as_array().unwrap().iter().find(|model| model["id"] == "gpt-6-luna").unwrap();
    assert_eq!(luna["price"]["cached"], 0.01);
}

#[test]
fn escape_sequences_in_a_users_table_do_not_reach_the_terminal() {
    let table = Table::shipped()
        .with_overrides("[[model]]\nprovider = \"openai\"\nid = \"m\"\nnote = \"\\u001b[2Jcleared\"\n")
        .unwrap();
    assert!(!Listing::new(&table, today(), |_| false).text().contains('\u{1b}'));
}
