//! `carelock personas` lists, shows and checks.

use carelock_test_support::Place;

#[test]
fn personas_are_listed_shown_and_checked() {
    let place = Place::new();
    let listed = place.run(&["personas"]).exits(0);
    assert!(listed.stdout.contains("night-shift") && listed.stdout.contains("by risk:"), "{listed}");
    let shown = place.run(&["personas", "show", "night-shift"]).exits(0);
    place.write("mine/night-shift.toml", &shown.stdout);
    let checked = place.run(&["personas", "check", "mine"]).exits(0);
    assert!(checked.stdout.contains("1 persona: nothing is wrong"), "{checked}");
    place.write("mine/night-shift.toml", shown.stdout.replace("asked about safety", "asked about weather"));
    let wrong = place.run(&["personas", "check", "mine"]).exits(2);
    assert!(wrong.stderr.contains("no condition \"asked about weather\""), "{wrong}");
    let json = place.run(&["personas", "list", "--json"]).exits(0);
    assert!(serde_json::from_str::<Vec<serde_json::Value>>(&json.stdout).unwrap().len() >= 40);
    place.run(&["personas", "show", "nobody"]).exits(2);
}
