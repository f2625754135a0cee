//! The keyboard alone leads from the first page to a check in the report, and always shows where one is.

use super::chats::example_text;
use super::stage::Stage;
use anyhow::{Result, bail, ensure};
use carelock_browser_tests::thirtyfour::prelude::*;

/// Whether the focus is on something that can be seen, and how it is told from what has none.
const FOCUS: &str = "const at = document.activeElement;
    if (!at || at === document.body) return ['', true];
    const marks = (one) => { const style = getComputedStyle(one);
        return style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2; };
    let around = at, seen = false;
    for (let steps = 0; around && steps < 3; steps += 1, around = around.parentElement) seen ||= marks(around);
    const box = at.getBoundingClientRect();
    const within = box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight && box.right > 0;
    const name = at.tagName + (at.id && '#' + at.id) + ' ' + at.outerHTML.slice(0, 120);
    return [at.matches(arguments[0]) ? 'there' : name, seen && within];";

/// Presses Tab until an element has the focus; fails where the focus cannot be seen on the way.
async fn tab_to(stage: &Stage, selector: &str) -> Result<()> {
    for _ in 0..120 {
        stage.browser.press(Key::Tab).await?;
        let focus = stage.browser.execute(FOCUS, vec![selector.into()]).await?;
        let (name, is_visible): (String, bool) = focus.convert()?;
        ensure!(is_visible, "the focus cannot be seen on {name}");
        if name == "there" {
            return Ok(());
        }
    }
    bail!("Tab never reaches {selector}")
}

#[tokio::test]
async fn tab_enter_and_space_lead_from_an_empty_page_to_a_check_in_the_report() -> Result<()> {
    let stage = Stage::empty().await?;
    stage.open("/").await?;
    stage.until("document.documentElement.classList.contains('scripted')").await?;
    tab_to(&stage, "#text").await?;
    stage.insert(&example_text("missed-crisis.txt")?).await?;
    stage.see("#understood [data-chats='1']").await?;
    tab_to(&stage, "input[name=judge][value=builtin]").await?;
    stage.browser.press(" ").await?;
    stage.until("!document.activeElement.checked").await?;
    stage.browser.press(" ").await?;
    stage.until("document.activeElement.checked").await?;
    tab_to(&stage, "#start").await?;
    stage.browser.press(Key::Enter).await?;
    stage.arrive("/runs/1/chats/1").await?;
    stage.see(".check[data-lights]").await?;
    tab_to(&stage, ".contents a[href$=checks]").await?;
    stage.browser.press(Key::Enter).await?;
    tab_to(&stage, ".check[data-quotes]").await?;
    stage.browser.press(" ").await?;
    stage.until("document.activeElement.matches('.check.lit') && document.querySelector('.turn.lit')").await?;
    stage.browser.press(Key::Escape).await?;
    stage.until("!document.querySelector('.lit')").await?;
    stage.browser.press(Key::Enter).await?;
    stage.until("document.querySelector('mark.lit')").await?;
    tab_to(&stage, ".check summary").await?;
    stage.browser.press(Key::Enter).await?;
    stage.until("document.activeElement.parentElement.open").await?;
    stage.browser.assert_quiet().await
}

#[tokio::test]
async fn a_focus_that_cannot_be_seen_is_noticed() -> Result<()> {
    let stage = Stage::empty().await?;
    stage.open("/rubric").await?;
    let hide = "document.styleSheets[0].insertRule('* { outline: none !important }')";
    stage.value(hide).await?;
    let refusal = tab_to(&stage, "main a").await.expect_err("it passed").to_string();
    assert!(refusal.contains("cannot be seen"), "{refusal}");
    Ok(())
}
