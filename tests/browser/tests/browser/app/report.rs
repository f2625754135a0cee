//! Reading a report: checks and words light each other up, and it leaves as files.

use super::chats::{example, long};
use super::looks::look;
use super::stage::{Stage, address_of};
use anyhow::{Context, Result};
use carelock_browser_tests::thirtyfour::prelude::*;
use carelock_browser_tests::{Database, Scheme, Size};
use std::path::Path;

/// A report page with a judge's verdicts and every kind of evidence.
async fn opened() -> Result<Stage> {
    let database = Database::new();
    database.run(["examples/missed-crisis.txt", "--verdicts", "examples/sheets/missed-crisis.csv"])?;
    let stage = Stage::new(database, &[]).await?;
    stage.open("/runs/1/chats/1").await?;
    stage.see(".check[data-lights]").await?;
    Ok(stage)
}

async fn names(element: &WebElement, attribute: &str) -> Result<Vec<String>> {
    let names = element.attr(attribute).await?.with_context(|| format!("no {attribute}"))?;
    Ok(names.split(' ').map(str::to_owned).collect())
}

const IN_VIEW: &str = "(() => { const lit = [...document.querySelectorAll('mark.lit')];
    return lit.some((one) => { const box = one.getBoundingClientRect(); return box.top >= 0 && box.bottom <= innerHeight; }); })()";

#[tokio::test]
async fn a_check_lights_up_its_turns_and_words_light_up_their_checks() -> Result<()> {
    let stage = opened().await?;
    let chosen = stage.see(".check.failed[data-turns][data-quotes]").await?;
    let turns = names(&chosen, "data-turns").await?;
    let title = chosen.find(By::Css("h4")).await?;
    title.scroll_into_view().await?;
    title.click().await?;
    stage.until("document.querySelector('.check.lit')").await?;
    for turn in &turns {
        assert!(stage.see(&format!("#{turn}.turn.lit")).await.is_ok(), "{turn}");
    }
    assert_eq!(stage.all(".turn.lit").await?.len(), turns.len());
    stage.until(IN_VIEW).await?;
    assert!(stage.words("[data-said]").await.is_ok());
    stage.browser.press(Key::Escape).await?;
    stage.until("!document.querySelector('.lit')").await?;

    let words = stage.see(".words mark[data-checks]").await?;
    let serves = names(&words, "data-checks").await?;
    words.scroll_into_view().await?;
    words.click().await?;
    for check in &serves {
        stage.see(&format!("#{check}.check.lit")).await?;
    }
    assert_eq!(stage.all(".check.lit").await?.len(), serves.len());
    assert!(!stage.all("mark.lit").await?.is_empty());
    stage.browser.press(Key::Escape).await?;

    stage.click(".cell.failed[data-checks]").await?;
    stage.see(".check.failed.lit").await?;
    stage.click(".timeline a").await?;
    stage.until("document.querySelector('.turn:target, .turn:has(:target)')").await?;
    stage.assert_fine().await
}

#[tokio::test]
async fn what_is_folded_opens_when_it_is_chosen_and_a_question_mark_shows_the_keys() -> Result<()> {
    let stage = opened().await?;
    assert!(stage.all("details.folded[open]").await?.is_empty(), "earned checks are folded");
    stage.click(".cell.earned[data-checks]").await?;
    stage.see("details.folded[open] > .check.earned.lit").await?;
    stage.value("document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }))").await?;
    stage.until("document.querySelector('dialog#keys').open").await?;
    look(&stage).await?;
    stage.click("dialog#keys button").await?;
    stage.until("!document.querySelector('dialog#keys').open").await?;
    stage.assert_fine().await
}

#[tokio::test]
async fn every_file_of_a_report_is_downloaded_and_the_json_verifies() -> Result<()> {
    let stage = opened().await?;
    let link = |name: &str| format!(".actions a[href$='/report.{name}']");
    for (kind, words) in [("md", "# "), ("csv", "ES2"), ("txt", "ES2")] {
        stage.click(".menu > summary").await?;
        stage.click(&link(kind)).await?;
        stage.click(".menu > summary").await?;
        let file = stage.browser.downloaded(&format!("report.{kind}")).await?;
        assert!(std::fs::read_to_string(file)?.contains(words), "{kind}");
    }
    stage.click(".menu > summary").await?;
    stage.click(&link("json")).await?;
    let report = stage.browser.downloaded("report.json").await?;
    let verified = stage.database.call([Path::new("verify"), &report])?;
    assert_eq!(verified.code, 0, "{verified}");
    stage.click(&link("html")).await?;
    let page = stage.browser.downloaded("report.html").await?;
    stage.browser.assert_quiet().await?;
    stage.browser.open(address_of(&page)).await?;
    assert!(stage.words("article.report .gate h2").await?.contains("ES2"));
    stage.assert_fine().await
}

#[tokio::test]
async fn a_panel_stands_side_by_side_with_its_disagreements_marked() -> Result<()> {
    let database = Database::new();
    let chat = example("ordinary.txt");
    let sheet = example("sheets/ordinary.csv");
    database.run([Path::new("--judge"), Path::new("builtin"), Path::new("--verdicts"), &sheet, &chat])?;
    let stage = Stage::new(database, &[]).await?;
    stage.open("/runs/1/chats/1").await?;
    assert!(stage.words("[id$=panel-title]").await?.contains("Judges side by side"));
    assert!(!stage.all("tr.differs").await?.is_empty());
    let split = stage.all(".check .badge.split").await?.len();
    assert!(split > 0);
    // Every check that is split stands in the table of those, too.
    assert_eq!(stage.all("[aria-label='Checks on which the judges are split'] tbody tr").await?.len(), split);
    look(&stage).await?;
    stage.browser.assert_quiet().await
}

#[tokio::test]
async fn a_long_chat_as_one_file_is_small_and_opens_from_disk_without_anything_else() -> Result<()> {
    let stage = Stage::empty().await?;
    let chat = stage.write("long.txt", &long(200)?)?;
    let made = stage.database.call([Path::new("eval"), &chat, Path::new("--format"), Path::new("html")])?;
    assert!(made.stdout.len() < 1 << 20, "{} bytes", made.stdout.len());
    let page = stage.write("long.html", &made.stdout)?;
    stage.browser.scripts(false).await?;
    stage.browser.open(address_of(&page)).await?;
    assert_eq!(stage.all(".turn").await?.len(), 200);
    for size in Size::ALL {
        stage.browser.size(size).await?;
        stage.browser.assert_fits().await?;
    }
    stage.browser.scheme(Scheme::Dark).await?;
    stage.assert_fine().await
}
