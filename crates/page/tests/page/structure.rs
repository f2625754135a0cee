//! What a page holds, and that its links lead somewhere.

use std::collections::BTreeSet;

use carelock_core::report::Report;
use carelock_core::report::safe_text::as_said;
use carelock_core::rubric::Rubric;
use carelock_page::{Entry, Style, close_page, open_page, report_article, report_page};
use insta::assert_snapshot;

use super::fixtures;
use super::markup::{Token, text, tokens, turns, values};

pub(crate) fn page(report: &Report) -> String {
    report_page(report, &Rubric::care_lock(), Style::Inline).unwrap()
}

pub(crate) fn links_lead_somewhere(name: &str, page: &str) {
    let tokens = tokens(page);
    let ids = values(&tokens, "id");
    let unique: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(ids.len(), unique.len(), "{name}: an id stands twice");
    for address in values(&tokens, "href") {
        let target = address.strip_prefix('#').unwrap_or_else(|| panic!("{name}: {address} leads out of the page"));
        assert!(unique.contains(&target.to_owned()), "{name}: nothing is called {target}");
    }
    for named in ["aria-labelledby", "aria-describedby"] {
        for target in values(&tokens, named) {
            assert!(unique.contains(&target), "{name}: {named} {target}");
        }
    }
    for named in ["data-checks", "data-turns", "data-quotes"] {
        for target in values(&tokens, named).iter().flat_map(|list| list.split(' ')) {
            assert!(unique.contains(&target.to_owned()), "{name}: {named} {target}");
        }
    }
}

#[test]
fn every_link_has_its_target_and_every_id_is_unique() {
    for (name, report) in fixtures::all() {
        links_lead_somewhere(name, &page(&report));
    }
}

#[test]
fn several_reports_on_one_page_do_not_share_their_links() {
    let rubric = Rubric::care_lock();
    let reports = [fixtures::small(), fixtures::small(), fixtures::panel(), fixtures::nasty()];
    let mut page = open_page("Several", Style::Inline, &[("reports", "To the list of chats")]).unwrap();
    for (number, report) in (1..).zip(&reports) {
        page.push_str(&report_article(report, &rubric, number).unwrap());
    }
    let entries: Vec<Entry> = (1..).zip(&reports).map(|(number, report)| Entry::new(report, number)).collect();
    page.push_str(&close_page(&entries).unwrap());
    links_lead_somewhere("several", &page);
}

fn quotes(report: &Report) -> Vec<String> {
    let mut quotes: Vec<&str> = Vec::new();
    let members = report.panel.iter().flat_map(|panel| &panel.reports);
    for (_, _, check) in report.checks().chain(members.flat_map(Report::checks)) {
        quotes.extend(check.quote.as_deref());
        quotes.extend(check.judged.iter().filter_map(|before| before.quote.as_deref()));
    }
    quotes.extend(report.gates.iter().filter_map(|gate| gate.quote.as_deref()));
    quotes.extend(report.moments.iter().map(|moment| moment.quote.as_str()));
    quotes.into_iter().map(as_said).collect()
}

#[test]
fn every_quote_is_marked_where_it_stands() {
    for (name, report) in fixtures::all() {
        let turns = turns(&tokens(&page(&report)));
        for quote in quotes(&report) {
            let wanted: Vec<(char, bool)> = quote.chars().map(|letter| (letter, true)).collect();
            let is_marked = turns.iter().any(|turn| turn.windows(wanted.len()).any(|part| part == wanted));
            assert!(is_marked, "{name}: {quote:?}");
        }
    }
}

#[test]
fn the_chat_reads_as_it_was_said() {
    for (name, report) in fixtures::all() {
        let shown: Vec<String> =
            turns(&tokens(&page(&report))).iter().map(|turn| turn.iter().map(|(letter, _)| letter).collect()).collect();
        let said: Vec<String> = report.turns.iter().map(|turn| as_said(&turn.text)).collect();
        assert_eq!(shown, said, "{name}");
    }
}

#[test]
fn quotes_that_overlap_are_cut_where_they_do() {
    let page = page(&fixtures::overlapping());
    let words = page.lines().filter(|line| line.starts_with("<div class=\"words\"")).nth(1).unwrap();
    assert_snapshot!(words.replace("<mark", "\n<mark").replace("<sup", "\n<sup"));
}

#[test]
fn a_check_without_a_quote_stands_beside_the_turns_it_cites() {
    let page = page(&fixtures::small());
    let whole = page.split("<li class=\"marginal whole\">").nth(1).unwrap();
    assert!(whole.split("</li>").next().unwrap().contains("href=\"#c-ER4\""));
}

#[test]
fn a_check_names_its_words_and_turns_and_they_name_it() {
    let page = page(&fixtures::small());
    assert!(
        page.contains(r#"id="c-E1" data-check="E1" data-outcome="earned" data-turns="t2" data-quotes="q1""#),
        "{page}"
    );
    assert!(page.contains(r#"<mark class="good" data-quotes="q1" data-checks="c-E1">"#));
    assert!(page.contains(r#"id="n1" data-quotes="q1" data-checks="c-E1">"#));
}

#[test]
fn what_was_not_found_cites_no_turn_and_says_how_much_was_looked_through() {
    let report = fixtures::example("missed-crisis");
    let page = page(&report);
    let check = page.split("id=\"c-E5\"").nth(1).unwrap().split("What the rubric says").next().unwrap();
    assert!(check.contains("no such sentence found in 4 replies"), "{check}");
    assert!(!check.contains("data-turns") && !check.contains("<blockquote") && !check.contains("href="), "{check}");
    assert!(!page.split("id=\"chat\"").nth(1).unwrap().split("id=\"checks\"").next().unwrap().contains("#c-E5"));
}

#[test]
fn codes_in_the_margin_have_names_and_turns_say_who_speaks() {
    let page = page(&fixtures::small());
    assert!(page.contains("</span> B2 No diagnosis or prescription<span class=\"unseen\">: failed</span>"), "{page}");
    assert!(page.contains("<span class=\"voice human\">Person</span>"));
    assert!(page.contains("<span class=\"voice ai\">AI</span>"));
}

#[test]
fn a_gate_is_explained_where_it_first_stands() {
    for (name, report) in fixtures::all() {
        let page = page(&report);
        assert_eq!(
            page.matches("A gate is a failure that caps the score, however good the rest is.").count(),
            1,
            "{name}"
        );
    }
}

#[test]
fn moments_are_numbered_in_the_order_of_the_chat() {
    let text = text(&tokens(&page(&fixtures::example("missed-crisis"))));
    let places: Vec<usize> = (1..=5).map(|number| text.find(&format!("Moment {number}")).unwrap()).collect();
    assert!(places.is_sorted(), "{places:?}");
}

#[test]
fn what_should_be_known_of_the_judge_stands_beside_the_score() {
    let mut report = fixtures::small();
    report.judge.note = Some("misses some gates".to_owned());
    let page = page(&report);
    let overall = page.split("<section class=\"overall").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(overall.contains("misses some gates"), "{overall}");
}

#[test]
fn headings_come_in_order_and_the_landmarks_are_there() {
    for (name, report) in fixtures::all() {
        let tokens = tokens(&page(&report));
        let mut last = 0;
        for token in &tokens {
            let Token::Open(element, _) = token else { continue };
            let Some(level) = element.strip_prefix('h').and_then(|level| level.parse::<u8>().ok()) else { continue };
            assert!(level <= last + 1, "{name}: h{level} after h{last}");
            last = level;
        }
        for element in ["main", "nav", "h1", "title"] {
            assert!(tokens.iter().any(|token| matches!(token, Token::Open(name, _) if name == element)), "{element}");
        }
        assert!(values(&tokens, "lang").contains(&"en".to_owned()));
    }
}

#[test]
fn the_gate_comes_before_the_score_and_the_score_before_the_metrics() {
    let text = text(&tokens(&page(&fixtures::example("missed-crisis"))));
    let places = ["Gate ES2 Mishandled a crisis", "Overall", "Failing", "Empathy"];
    let found: Vec<Option<usize>> = places.iter().map(|words| text.find(words)).collect();
    assert!(found.iter().all(Option::is_some) && found.is_sorted(), "{found:?}");
}

#[test]
fn what_could_not_be_judged_is_shown_as_such() {
    let text = text(&tokens(&page(&fixtures::nothing_judged())));
    assert!(text.contains("undetermined") && text.contains("50 unscored"), "{text}");
    assert!(text.contains("the judge could not be reached"));
}

#[test]
fn what_the_audit_overruled_is_told_with_the_judges_own_words() {
    let page = page(&fixtures::audited());
    assert!(page.contains("because <a href=\"#c-ES3\">ES3</a> fails. The judge’s reason: <bdi>Polite</bdi>"));
    assert!(page.contains("lowered by the self-audit"));
}

#[test]
fn a_report_of_two_hundred_turns_is_smaller_than_a_megabyte() {
    let page = page(&fixtures::long(200));
    assert!(page.len() < 1_000_000, "{}", page.len());
    links_lead_somewhere("long", &page);
}

#[test]
fn a_small_report_as_a_whole() {
    assert_snapshot!(fixtures::stable(&page(&fixtures::small())));
}
