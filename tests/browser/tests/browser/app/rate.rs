//! A person rates a chat from the first check to the report, with evidence, notes, a change taken back and a reload.

use super::looks::look;
use super::stage::Stage;
use anyhow::Result;
use carelock_browser_tests::Database;
use carelock_browser_tests::thirtyfour::prelude::*;
use carelock_core::rubric::{Kind, Rubric};
use std::path::Path;

/// The key that answers a check of this kind where the chat gives it no reason for anything else.
fn key(kind: Kind) -> char {
    match kind {
        Kind::Presence => 'n',
        Kind::Absence => 'y',
        Kind::Conditional => 't',
    }
}

async fn saved(stage: &Stage) -> Result<()> {
    stage.until("document.querySelector('#saving').textContent === 'saved'").await
}

/// The rating page of the first metric, for ana, blind to the embedded judge's run.
async fn begun() -> Result<Stage> {
    let database = Database::new();
    database.run(["examples/ordinary.txt"])?;
    let stage = Stage::new(database, &[]).await?;
    stage.open("/rate").await?;
    stage.paste("#rater", "ana").await?;
    stage.browser.press(Key::Enter).await?;
    stage.see("#rater-name").await?;
    stage.assert_fine().await?;
    stage.click("form.begin button").await?;
    stage.arrive("/rate/1").await?;
    stage.assert_fine().await?;
    stage.click("#go-on").await?;
    stage.arrive("/rate/1/1").await?;
    stage.until("!document.querySelector('#use').closest('.needs-script').hidden").await?;
    Ok(stage)
}

/// Marks a paragraph of a turn with the mouse and takes it for the check that is chosen.
async fn take_paragraph(stage: &Stage, turn: u32) -> Result<String> {
    let words = stage.see(&format!("[data-turn='{turn}'] [data-words]")).await?;
    words.scroll_into_view().await?;
    // The third click selects the paragraph: one word alone is too short to be evidence.
    stage.browser.action_chain().double_click_element(&words).click().perform().await?;
    let selected = stage.value("getSelection().toString().trim()").await?;
    stage.click("#use").await?;
    Ok(selected.as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn evidence_is_chosen_with_the_mouse_notes_are_kept_and_a_change_is_taken_back() -> Result<()> {
    let stage = begun().await?;
    let field = |name: &str, check: &str| format!("document.querySelector('#{name}-of-{check}').value");
    let asks = "document.querySelector('#quote-of-E1').checkVisibility()";
    assert_eq!(stage.value(asks).await?, false, "nothing is answered yet");
    stage.click("#check-E1 input[value=no]").await?;
    assert_eq!(stage.value(asks).await?, false, "what is not there cannot be quoted");
    stage.click("#check-E1 input[value=yes]").await?;
    assert_eq!(stage.value(asks).await?, true);
    stage.until("!document.querySelector('#check-E1 [data-complaint]').hidden").await?;
    let quote = take_paragraph(&stage, 2).await?;
    assert!(!quote.is_empty());
    assert_eq!(stage.value(&field("quote", "E1")).await?, quote.as_str());
    assert_eq!(stage.value(&field("turn", "E1")).await?, "2");
    stage.see("[data-turn='2'].cited").await?;
    stage.until("document.querySelector('#check-E1 [data-complaint]').hidden").await?;

    // Words of two turns are nobody's evidence.
    let (from, to) =
        (stage.see("[data-turn='1'] [data-words]").await?, stage.see("[data-turn='2'] [data-words]").await?);
    let drag = stage.browser.action_chain().move_to_element_center(&from).click_and_hold();
    drag.move_to_element_center(&to).release().perform().await?;
    stage.until("document.querySelector('#use-says').textContent.includes('one turn only')").await?;

    stage.paste("#why-of-E1", "It names how she feels.").await?;
    saved(&stage).await?;
    stage.paste("#note", "Warm, but brief.").await?;
    saved(&stage).await?;
    stage.click("#check-E2 input[value=no]").await?;
    stage.until("document.querySelector('#answered').textContent === '2'").await?;
    saved(&stage).await?;
    stage.assert_fine().await?;

    stage.browser.refresh().await?;
    assert_eq!(stage.value(&field("quote", "E1")).await?, quote.as_str());
    assert_eq!(stage.value(&field("why", "E1")).await?, "It names how she feels.");
    assert_eq!(stage.value("document.querySelector('#note').value").await?, "Warm, but brief.");
    assert!(stage.see("#check-E2 input[value=no]").await?.is_selected().await?);

    stage.click("#undo button").await?;
    assert!(stage.words("#undone").await?.contains("E2"));
    assert!(!stage.see("#check-E2 input[value=no]").await?.is_selected().await?);
    assert!(stage.see("#check-E1 input[value=yes]").await?.is_selected().await?);
    stage.browser.assert_quiet().await
}

#[tokio::test]
async fn a_chat_is_rated_by_keys_to_the_end_and_agreement_is_shown() -> Result<()> {
    let stage = begun().await?;
    let rubric = Rubric::care_lock();
    let steps = rubric.metrics().len();
    for (number, metric) in (1..).zip(rubric.metrics()) {
        stage.see(&format!("[data-step='{number}'][aria-current=step]")).await?;
        stage.until("!document.querySelector('#use').closest('.needs-script').hidden").await?;
        let keys: String = std::iter::once('1').chain(metric.check.iter().map(|check| key(check.kind))).collect();
        stage.browser.press(keys).await?;
        stage.until(&format!("document.querySelector('#answered').textContent === '{}'", number * 5)).await?;
        stage.click(if number == steps { "#save-finish" } else { "#save-next" }).await?;
    }
    stage.arrive("/rate/1/1/finish").await?;
    assert!(stage.words(".lead").await?.contains("50 of 50"));
    stage.assert_fine().await?;
    stage.paste("#summary", "Kind, but it hurries to advice.").await?;
    stage.click("#finish").await?;
    stage.arrive("/rate/1/1/report").await?;
    assert!(stage.words("article.report").await?.contains("person:ana"));
    assert!(stage.words("article.report .summary").await?.contains("Kind, but it hurries to advice."));
    stage.see("#figures tr[data-side*=builtin]").await?;
    assert!(!stage.all(".difference").await?.is_empty());
    look(&stage).await?;
    stage.click(".rate-bar a[href*='report.json']").await?;
    let report = stage.browser.downloaded("report.json").await?;
    let verified = stage.database.call([Path::new("verify"), &report])?;
    assert_eq!(verified.code, 0, "{verified}");
    stage.open("/rate/1?rater=ana").await?;
    stage.see("[data-chat='1'][data-state=done]").await?;
    stage.assert_fine().await
}
