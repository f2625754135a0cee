//! Two runs against each other, and the groups of one.

use super::looks::look;
use super::runs::filled;
use super::stage::{Stage, address_of};
use anyhow::Result;

#[tokio::test]
async fn two_runs_are_chosen_and_compared_with_gates_and_flipped_checks_first() -> Result<()> {
    let stage = Stage::new(filled()?, &[]).await?;
    stage.open("/runs").await?;
    for run in [1, 2] {
        stage.click(&format!("input[name=run][value='{run}']")).await?;
    }
    stage.click("form.runs button").await?;
    stage.arrive("/compare").await?;
    let title = stage.words("#comparison-title").await?;
    assert!(title.contains("by people") && title.contains("by program"), "{title}");
    let order = stage.value("[...document.querySelectorAll('.contest h3')].map((title) => title.textContent)").await?;
    assert_eq!((&order[0], &order[1]), (&"Chat by chat".into(), &"Checks that flipped".into()));
    assert!(order.as_array().is_some_and(|titles| titles.iter().any(|title| title == "Differences")));
    look(&stage).await?;
    stage.browser.assert_quiet().await?;

    stage.click(".actions a[href*='comparison.html']").await?;
    let page = stage.browser.downloaded("comparison.html").await?;
    stage.click(".change-row a").await?;
    stage.see("article.report .turn").await?;
    stage.browser.assert_quiet().await?;
    stage.browser.open(address_of(&page)).await?;
    stage.see("#comparison-title").await?;
    stage.assert_fine().await
}
