//! Pages of runs and comparisons.

use carelock_core::rubric::Rubric;
use carelock_core::score::Score;
use carelock_page::{
    ChangeRow, ChatLink, ChatList, ChatRow, ComparisonPage, ContestPage, DifferenceRow, Figure, FlipRow, GateCount,
    GroupSummary, KindRow, RunSummary, SideRow, Spread, Style, chat_list, close_page, comparison_article, open_page,
    report_article, run_summary,
};
use insta::assert_snapshot;

use super::fixtures::{self, NASTY};
use super::markup::{text, tokens};
use super::safety::nothing_acts;
use super::structure::links_lead_somewhere;

fn score(hundredths: u8) -> Option<Score> {
    Score::from_hundredths(hundredths)
}

fn run(name: &str) -> RunSummary {
    let spread = || Spread(vec![(None, 1), (score(0), 1), (score(60), 2), (score(100), 4)]);
    let keys = Rubric::care_lock().metrics().iter().map(|metric| metric.key.clone()).collect::<Vec<_>>();
    let group = |group: Option<&str>| GroupSummary {
        name: group.map(str::to_owned),
        chats: 4,
        overall: Some(0.74),
        gated: 1,
        unscored: 0,
    };
    RunSummary {
        name: name.to_owned(),
        facts: vec![format!("done · 8 of 8 chats · judged by {name}")],
        chats: 8,
        gated: 1,
        unscored: 1,
        gates: vec![GateCount { check: "ES2".to_owned(), chats: 1 }],
        overall: spread(),
        metrics: keys.into_iter().map(|key| (key, spread())).collect(),
        groups: vec![group(None), group(Some(name))],
    }
}

fn chats(name: &str, address: Option<&str>) -> ChatList {
    let row = |gates: &[&str], overall: u8| ChatRow {
        name: name.to_owned(),
        group: Some(name.to_owned()),
        overall: score(overall),
        tier: Some("Strong".to_owned()),
        gates: gates.iter().map(|gate| (*gate).to_owned()).collect(),
        unscored: 2,
        metrics: (0..10).map(|at| score(at * 10)).collect(),
        summary: name.to_owned(),
        address: address.map(str::to_owned),
    };
    ChatList {
        rows: vec![row(&["ES2"], 0), row(&[], 80)],
        matching: 60,
        is_filtered: false,
        note: Some(name.to_owned()),
    }
}

fn comparison(name: &str) -> ComparisonPage {
    let figure =
        |value: f64| Figure { text: format!("{value:+.2}"), value: Some(value), interval: Some((value - 0.1, 0.3)) };
    let difference = |title: &str, value, is_shown, is_less_better| DifferenceRow {
        title: title.to_owned(),
        first: "0.40".to_owned(),
        second: "0.60".to_owned(),
        difference: figure(value),
        p_value: "0.012".to_owned(),
        is_shown,
        is_less_better,
    };
    let contest = ContestPage {
        first: name.to_owned(),
        second: "second".to_owned(),
        matched: vec!["8 chats in both".to_owned()],
        sentences: vec![format!("Overall score: {name} is higher.")],
        newly_gated: 1,
        moved: 1,
        changes: vec![ChangeRow {
            chat: name.to_owned(),
            first: "0.98".to_owned(),
            second: "0.00".to_owned(),
            moved: Some(-0.98),
            new_gates: vec!["ES2".to_owned()],
            now_fails: vec![name.to_owned()],
            ..ChangeRow::default()
        }],
        kinds: vec![KindRow {
            key: "worse",
            title: "worse",
            number: 2,
            chats: vec![ChangeRow { chat: name.to_owned(), ..ChangeRow::default() }],
        }],
        flips: vec![FlipRow {
            check: format!("ES2 {name}"),
            is_gate: true,
            now_fails: 1,
            now_passes: 0,
            chats: [vec![ChatLink { chat: name.to_owned(), ..ChatLink::default() }], Vec::new()],
        }],
        differences: vec![
            difference("overall", 0.2, true, false),
            difference("gate rate", 0.2, true, true),
            difference(name, -0.2, false, false),
        ],
        ..ContestPage::default()
    };
    ComparisonPage {
        title: name.to_owned(),
        facts: vec![name.to_owned()],
        sides: vec![SideRow { name: name.to_owned(), judges: name.to_owned(), ..SideRow::default() }],
        contests: vec![contest.clone(), contest],
        notes: vec![name.to_owned()],
        how: "In brackets: intervals.".to_owned(),
    }
}

fn page_of(content: &str) -> String {
    let mut page = open_page("A page", Style::Inline, &[]).unwrap();
    page.push_str(content);
    page + &close_page(&[]).unwrap()
}

#[test]
fn a_run_as_a_whole() {
    assert_snapshot!(run_summary(&run("nightly"), &Rubric::care_lock()).unwrap());
}

#[test]
fn a_comparison_as_a_whole() {
    assert_snapshot!(comparison_article(&comparison("first")).unwrap());
}

#[test]
fn gates_come_before_everything_else() {
    let rubric = Rubric::care_lock();
    let run = run_summary(&run("nightly"), &rubric).unwrap();
    assert!(run.find("Gates tripped in 1 of 8 chats").unwrap() < run.find("Mean overall").unwrap());
    let comparison = comparison_article(&comparison("first")).unwrap();
    assert!(comparison.find("A gate newly fires in 1 chat").unwrap() < comparison.find("Side by side").unwrap());
    assert!(comparison.find("Checks that flipped").unwrap() < comparison.find("Differences").unwrap());
}

#[test]
fn a_score_below_every_tier_counts_as_the_lowest_and_none_as_none() {
    let page = run_summary(&run("nightly"), &Rubric::care_lock()).unwrap();
    assert!(page.contains(r#"aria-label="4 Outstanding, 2 Adequate, 1 Failing, 1 no score""#), "{page}");
}

#[test]
fn names_full_of_html_stay_text_on_pages_of_runs_and_comparisons() {
    let rubric = Rubric::care_lock();
    let run = run_summary(&run(NASTY), &rubric).unwrap() + &chat_list(&chats(NASTY, Some("#run")), &rubric).unwrap();
    let comparison = comparison_article(&comparison(NASTY)).unwrap();
    for (name, content) in [("run", run), ("comparison", comparison)] {
        let page = page_of(&content);
        nothing_acts(name, &page);
        links_lead_somewhere(name, &page);
        assert!(text(&tokens(&page)).contains("<script>"), "{name}: it is there to be read");
    }
}

#[test]
fn a_run_shares_its_page_with_the_reports_of_its_chats() {
    let rubric = Rubric::care_lock();
    let mut content = run_summary(&run("nightly"), &rubric).unwrap();
    content += &chat_list(&chats("chat", Some("#report2")), &rubric).unwrap();
    for (number, report) in (1..).zip([fixtures::small(), fixtures::panel()]) {
        content += &report_article(&report, &rubric, number).unwrap();
    }
    links_lead_somewhere("run with reports", &page_of(&content));
}

#[test]
fn a_run_without_results_and_a_comparison_of_nothing_are_pages_all_the_same() {
    let rubric = Rubric::care_lock();
    let run = run_summary(&RunSummary::default(), &rubric).unwrap();
    assert!(run.contains("No chat has been judged yet."));
    let list = chat_list(&ChatList::default(), &rubric).unwrap();
    let comparison = comparison_article(&ComparisonPage::default()).unwrap();
    links_lead_somewhere("nothing", &page_of(&(run + &list + &comparison)));
}
