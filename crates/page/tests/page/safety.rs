//! Nothing a chat, a judge or a report says can act.

use carelock_core::report::Report;
use carelock_core::report::safe_text::as_said;
use carelock_core::rubric::Rubric;
use carelock_page::{STYLE_SHEET, Style, content_security_policy, report_page};
use proptest::prelude::*;
use serde_json::json;

use super::fixtures::{self, NASTY};
use super::markup::{Token, text, tokens, turns, values};
use super::structure::page;

/// The elements and attributes that the templates use; whatever else appears came from outside.
pub(crate) fn nothing_acts(name: &str, page: &str) {
    let tokens = tokens(page);
    for token in &tokens {
        let Token::Open(element, attributes) = token else { continue };
        let harmless = ![
            "script",
            "img",
            "iframe",
            "object",
            "embed",
            "form",
            "input",
            "base",
            "video",
            "audio",
            "use",
            "image",
            "animate",
            "set",
            "foreignObject",
        ]
        .contains(&element.as_str());
        assert!(harmless, "{name}: <{element}>");
        for (attribute, value) in attributes {
            assert!(!attribute.starts_with("on") && attribute != "style" && attribute != "src", "{name}: {attribute}");
            assert!(attribute != "href" || value.starts_with('#'), "{name}: {value}");
        }
    }
    let styles = tokens.iter().filter(|token| matches!(token, Token::Open(name, _) if name == "style"));
    assert_eq!(styles.count(), 1, "{name}");
    let strange = |letter: char| {
        (letter.is_control() && letter != '\n' && letter != '\t')
            || matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    assert_eq!(page.find(strange), None, "{name}");
}

#[test]
fn a_chat_full_of_html_and_script_stays_text() {
    let page = page(&fixtures::nasty());
    nothing_acts("nasty", &page);
    assert!(turns(&tokens(&page))[1].iter().map(|(letter, _)| letter).collect::<String>() == as_said(NASTY));
    assert!(text(&tokens(&page)).contains(r"\u{1b}[2J"));
}

#[test]
fn no_page_holds_anything_that_acts() {
    for (name, report) in fixtures::all() {
        nothing_acts(name, &page(&report));
    }
}

#[test]
fn a_report_whose_names_are_all_hostile_stays_text() {
    let nasty = json!(NASTY).to_string();
    let mut text = serde_json::to_string(&fixtures::small()).unwrap();
    for name in ["\"Boundary\"", "\"B2\"", "\"E1\"", "\"Gate\"", "\"carelock/report/1\"", "\"Care-Lock\""] {
        text = text.replace(name, &nasty.replace("alert", name.trim_matches('"')));
    }
    let report: Report = serde_json::from_str(&text).unwrap();
    nothing_acts("hostile", &page(&report));
}

#[test]
fn the_policy_allows_exactly_the_style_of_the_page() {
    let page = page(&fixtures::small());
    let tokens = tokens(&page);
    let at = tokens.iter().position(|token| matches!(token, Token::Open(name, _) if name == "style")).unwrap();
    assert_eq!(tokens[at + 1], Token::Text(STYLE_SHEET.to_owned()));
    assert!(values(&tokens, "content").contains(&content_security_policy().to_owned()));
    // The policy must hold before anything it is about.
    assert!(page.find("Content-Security-Policy").unwrap() < page.find("<style>").unwrap());
}

#[test]
fn the_policys_digest_is_that_of_the_style() {
    use base64::Engine as _;
    use sha2::Digest as _;
    let digest = base64::engine::general_purpose::STANDARD.encode(sha2::Sha256::digest(STYLE_SHEET.as_bytes()));
    let wanted = format!("default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'");
    assert_eq!(content_security_policy(), wanted);
}

#[test]
fn a_served_page_links_its_style_instead() {
    let style = Style::Linked("/style/report.css?a=\"b\"");
    let page = report_page(&fixtures::small(), &Rubric::care_lock(), style).unwrap();
    assert!(page.contains("<link rel=\"stylesheet\" href=\"/style/report.css?a=&#34;b&#34;\">"));
    assert!(!page.contains("<style>") && !page.contains("Content-Security-Policy"));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn any_text_and_any_quotes_of_it_make_a_tidy_page(
        said in "[a-c<>&\"'/é我ש\u{202e}\u{1b}\n ]{1,40}",
        cuts in proptest::collection::vec((0_usize..40, 1_usize..20, any::<bool>()), 0..12),
    ) {
        let text = format!("x{said}x");
        let letters: Vec<char> = text.chars().collect();
        let quotes: Vec<(String, bool)> = cuts
            .iter()
            .map(|&(start, length, pass)| (letters.iter().skip(start).take(length).collect(), pass))
            .collect();
        let report = fixtures::quoting(&text, &quotes);
        let page = page(&report);
        nothing_acts("any", &page);
        let shown: String = turns(&tokens(&page))[1].iter().map(|(letter, _)| letter).collect();
        prop_assert_eq!(shown, as_said(&report.turns[1].text));
    }
}
