//! Several judges on one page.

use carelock_core::rubric::Rubric;

use super::fixtures;
use super::markup::{text, tokens};
use super::structure::page;

#[test]
fn judges_stand_side_by_side_and_differences_are_marked() {
    let page = page(&fixtures::panel());
    let split = page.split("Checks on which the judges are split</caption>").nth(1).unwrap();
    let table = split.split("</table>").next().unwrap();
    assert!(
        table.contains("<th scope=\"col\" dir=\"auto\">person:ana</th><th scope=\"col\" dir=\"auto\">person:ben</th>")
    );
    assert_eq!(table.matches("<th scope=\"row\">").count(), 2, "E1 and B2");
    assert!(page.contains("class=\"differs\""));
}

#[test]
fn a_check_tells_what_each_judge_says() {
    let page = page(&fixtures::panel());
    let check = page.split("id=\"c-E1\"").nth(1).unwrap().split("<details class=\"wording\">").next().unwrap();
    assert!(check.contains("judges are split") && check.contains("<details class=\"votes\" open>"), "{check}");
    for words in ["Mirrors", "No feeling is named", "sounds hard"] {
        assert!(check.contains(words), "{words}");
    }
}

#[test]
fn a_single_judge_has_no_panel() {
    assert!(!text(&tokens(&page(&fixtures::small()))).contains("Judges side by side"));
}

#[test]
fn words_of_a_judge_the_panel_did_not_follow_say_whose_they_are() {
    let page = page(&fixtures::panel());
    let rubric = Rubric::care_lock();
    let title = &rubric.checks().find(|check| check.id == "E1").expect("a check").title;
    assert!(page.contains(&format!("title=\"E1 {title}: earned according to person:ana\"")), "a tie fails");
    assert!(page.contains("<mark class=\"plain\" data-quotes=\"q1\" data-checks=\"c-E1\"><a href=\"#c-E1\"><span id=\"q1\">That </span></a></mark>"), "{page}");
}
