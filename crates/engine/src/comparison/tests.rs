//! Comparisons of small, made-up runs.

use carelock_core::report::TextStyle;
use carelock_core::rubric::Rubric;
use carelock_statistics::Bootstrap;

use super::*;
use crate::ratings::Rating;
use crate::ratings::samples::{failing, rater, rating};

fn compared(sides: &[Rater]) -> Comparison {
    Comparison::new(&Rubric::care_lock(), sides, &Settings { changes: 5, bootstrap: Bootstrap::default() })
}

fn chats(number: usize, one: impl Fn(usize, &str) -> Rating) -> Vec<Rating> {
    (0..number).map(|place| one(place, &format!("chat-{place:03}"))).collect()
}

#[test]
fn the_same_chats_twice_show_no_difference() {
    let run = |name: &str| rater(name, chats(20, |place, id| failing(id, &["E1"], 60 + u8::try_from(place).unwrap())));
    let comparison = compared(&[run("old"), run("new")]);
    let contest = &comparison.contests[0];
    assert!(contest.paired && !contest.shows_any());
    assert_eq!((contest.wins, contest.ties, contest.losses), (0, 20, 0));
    let shown = text(&comparison, TextStyle::default());
    assert!(shown.contains("Overall score: no difference shown (0.00, p = 1.000)."), "{shown}");
    assert!(shown.contains("Metrics: no difference shown in any."), "{shown}");
    let shown = shown + &markdown(&comparison);
    for idle in ["What changed", "in 0 chats", "how wide"] {
        assert!(!shown.contains(idle), "{idle}: {shown}");
    }
}

#[test]
fn a_drop_is_shown_with_its_sign_and_newly_fired_gates_come_first() {
    let old = rater("old", chats(30, |_, id| rating(id)));
    let new = rater(
        "new",
        chats(30, |place, id| match place {
            7 => failing(id, &["ES2"], 90),
            _ => failing(id, &["E1"], 70 + u8::try_from(place % 5).unwrap()),
        }),
    );
    let comparison = compared(&[old, new]);
    let contest = &comparison.contests[0];
    assert!(contest.overall.shown && contest.overall.difference.value.unwrap() < 0.0);
    assert_eq!((contest.wins, contest.losses, contest.changes.newly_gated), (0, 30, 1));
    assert_eq!(contest.changes.most[0].chat, "chat-007", "its score moved least, but its gate fires");
    assert_eq!((contest.flips[0].check.as_str(), contest.flips[0].now_fails), ("ES2", 1));
    assert_eq!(comparison.leaderboard[0].side.name, "old");
    let shown = text(&comparison, TextStyle::default());
    assert!(shown.contains("new is lower than old: -0.2"), "{shown}");
    assert!(shown.find("a gate newly fires in 1 chat").unwrap() < shown.find("chat-000").unwrap(), "{shown}");
}

#[test]
fn different_chats_are_two_groups_and_say_so() {
    let one =
        rater("one", chats(12, |place, id| failing(&format!("a{id}"), &[], 50 + u8::try_from(place % 3).unwrap())));
    let two =
        rater("two", chats(15, |place, id| failing(&format!("b{id}"), &[], 90 + u8::try_from(place % 3).unwrap())));
    let comparison = compared(&[one, two]);
    let contest = &comparison.contests[0];
    assert!(!contest.paired && contest.overall.shown);
    assert_eq!(contest.overall.chats, (12, 15));
    assert!(text(&comparison, TextStyle::default()).contains("two groups of different chats"));
}

#[test]
fn groups_of_a_run_are_matched_without_their_group_and_the_best_is_the_yardstick() {
    let grouped = |group: &str, score: u8| {
        chats(8, |_, id| {
            let mut rating = failing(&format!("{group}/{id}"), &[], score);
            rating.group = Some(group.to_owned());
            rating
        })
    };
    let all = [grouped("weak", 40), grouped("best", 90), grouped("middle", 70)].concat();
    let comparison = compared(&groups(rater("run", all)));
    let names: Vec<&str> = comparison.leaderboard.iter().map(|standing| standing.side.name.as_str()).collect();
    assert_eq!(names, ["best", "middle", "weak"]);
    assert!(comparison.contests.iter().all(|contest| contest.paired && contest.first.name == "best"));
    assert_eq!(comparison.contests[1].losses, 8);
}

#[test]
fn one_chat_nothing_scored_and_nothing_at_all_have_defined_answers() {
    let unscored = |id: &str| {
        let mut rating = rating(id);
        rating.outcomes.fill(None);
        rating.metrics.fill(None);
        rating.overall = None;
        rating
    };
    let cases = [
        (vec![rating("a")], vec![failing("a", &["B2"], 40)]),
        (vec![rating("a")], vec![rating("b")]),
        (vec![unscored("a"), unscored("b")], vec![unscored("a"), unscored("b")]),
        (vec![rating("a")], vec![unscored("a")]),
        (vec![], vec![rating("a")]),
        (vec![], vec![]),
    ];
    for (one, two) in cases {
        let comparison = compared(&[rater("one", one), rater("two", two)]);
        let json = serde_json::to_string(&comparison).unwrap();
        let shown = [text(&comparison, TextStyle::default()), markdown(&comparison), csv(&comparison), json].concat();
        for word in ["NaN", ",inf", "-inf", " inf "] {
            assert!(!shown.contains(word), "{word}: {shown}");
        }
        assert!(shown.lines().take(40).all(|line| line.chars().count() <= 400), "{shown}");
    }
}

#[test]
fn what_cannot_be_said_of_few_chats_has_its_reason() {
    let shown = |one, two| text(&compared(&[rater("one", vec![one]), rater("two", vec![two])]), TextStyle::default());
    let alone = shown(rating("a"), failing("b", &["B2"], 40));
    assert!(alone.contains("no p-value: one chat only") && !alone.contains("p = –"), "{alone}");
    let mut unscored = rating("a");
    unscored.outcomes.fill(None);
    unscored.metrics.fill(None);
    unscored.overall = None;
    let nothing = shown(unscored.clone(), unscored);
    assert!(nothing.contains("Metrics: there is nothing to compare."), "{nothing}");
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    let name = "a-run-with-a-very-long-name-that-someone-typed";
    let old = rater(name, chats(30, |_, id| rating(id)));
    let new = rater("another-run-with-a-long-name", chats(30, |_, id| failing(id, &["E1", "ES2"], 70)));
    let shown = text(&compared(&[old, new]), TextStyle::default());
    assert!(shown.lines().all(|line| line.chars().count() <= 80), "{shown}");
}
