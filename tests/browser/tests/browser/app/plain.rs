//! Without scripts a chat is judged, its report read, runs are browsed and a metric is rated.

use super::chats::example_text;
use super::stage::Stage;
use anyhow::Result;
use carelock_browser_tests::thirtyfour::prelude::*;

#[tokio::test]
async fn forms_and_links_alone_judge_a_chat_show_its_report_and_rate_it() -> Result<()> {
    let stage = Stage::empty().await?;
    stage.browser.scripts(false).await?;
    stage.open("/").await?;
    stage.paste("#text", &example_text("missed-crisis.txt")?).await?;
    stage.click("#preview").await?;
    stage.see("#understood [data-chats='1']").await?;
    stage.assert_fine().await?;
    stage.click("#start").await?;
    // The page of a run under way loads itself again, until there is a report to lead to.
    stage.arrive("/runs/1/chats/1").await?;
    assert!(stage.words("article.report .gate h2").await?.contains("ES2"));
    stage.click("[data-check=ES2] [href*='#']").await?;
    stage.see(":target").await?;
    stage.assert_fine().await?;

    stage.click(".sections a[href='/runs']").await?;
    stage.click(".gated").await?;
    stage.until("location.search === '?gate=any'").await?;
    assert_eq!(stage.all("tr[data-chat]").await?.len(), 1);
    stage.assert_fine().await?;

    stage.click(".sections a[href='/rate']").await?;
    stage.paste("#rater", "ana").await?;
    stage.browser.press(Key::Enter).await?;
    stage.click("form.begin button").await?;
    stage.click("#go-on").await?;
    stage.arrive("/rate/1/1").await?;
    stage.assert_fine().await?;
    stage.click("#check-E1 input[value=yes]").await?;
    stage.click("#turn-of-E1 option[value='2']").await?;
    stage.paste("#quote-of-E1", "Two cups, every time").await?;
    for check in ["E2", "E3", "E4", "E5"] {
        stage.click(&format!("#check-{check} input[value=skip]")).await?;
        stage.paste(&format!("#why-of-{check}"), "It is not clear.").await?;
    }
    stage.click("#save-next").await?;
    stage.see("[data-step='2'][aria-current=step]").await?;
    assert_eq!(stage.words("#answered").await?, "5");
    stage.click("[data-step='1']").await?;
    stage.see("[data-step='1'][aria-current=step]").await?;
    assert!(stage.see("#check-E1 input[value=yes]").await?.is_selected().await?);
    assert!(stage.all("[data-complaint]:not([hidden])").await?.is_empty());
    stage.browser.assert_quiet().await
}
