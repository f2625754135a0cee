//! Runs: progress as it happens, stopping and carrying on, lists that are filtered and sorted, and deleting.

use super::chats::{SHORT, several};
use super::looks::look;
use super::slow_judge::SlowJudge;
use super::stage::Stage;
use anyhow::Result;
use carelock_browser_tests::Database;
use carelock_browser_tests::thirtyfour::prelude::*;

/// A server that knows a slow judge, with a chat or several in the form and that judge chosen.
async fn with(judge: &SlowJudge, text: &str, embedded: bool) -> Result<Stage> {
    let database = Database::new();
    let settings = database.file().with_file_name("settings.toml");
    std::fs::write(&settings, judge.settings())?;
    let stage = Stage::new(database, &["--config", &settings.to_string_lossy()]).await?;
    stage.open("/").await?;
    stage.paste("#text", text).await?;
    stage.see("#understood [data-chats]").await?;
    let builtin = stage.see("input[name=judge][value=builtin]").await?;
    if builtin.is_selected().await? != embedded {
        stage.click("input[name=judge][value=builtin]").await?;
    }
    let slow = format!("input[name=judge][value='{}']", judge.name());
    if !stage.see(&slow).await?.is_selected().await? {
        stage.click(&slow).await?;
    }
    stage.click("#start").await?;
    stage.arrive("/runs/1").await?;
    Ok(stage)
}

async fn shows(stage: &Stage, answered: usize) -> Result<()> {
    stage.until(&format!("document.querySelector('#progress [data-answered]')?.textContent === '{answered}'")).await
}

#[tokio::test]
async fn progress_moves_without_reloading_survives_a_reload_and_ends_at_the_report() -> Result<()> {
    let judge = SlowJudge::start();
    let stage = with(&judge, SHORT, true).await?;
    shows(&stage, 1).await?;
    judge.wait_for(1);
    assert_eq!(stage.words("#progress [data-total]").await?, "2");
    look(&stage).await?;
    stage.browser.refresh().await?;
    shows(&stage, 1).await?;
    judge.release(1_000);
    stage.arrive("/runs/1/chats/1").await?;
    assert!(stage.words("[id$=panel-title]").await?.contains("Judges side by side"));
    stage.browser.assert_quiet().await
}

#[tokio::test]
async fn a_job_is_stopped_shows_what_it_has_and_is_carried_on_with() -> Result<()> {
    let judge = SlowJudge::start();
    let stage = with(&judge, &several(4), false).await?;
    shows(&stage, 0).await?;
    // What is kept in the page itself is gone when it is loaded again.
    stage.value("window.kept = true").await?;
    judge.wait_for(1);
    judge.release(1);
    shows(&stage, 1).await?;
    assert_eq!(stage.value("window.kept").await?, true, "the page was loaded again");
    judge.wait_for(2);
    stage.open("/runs").await?;
    let done = |count: usize| format!("document.querySelector('[data-field=done]').textContent === '{count} of 4'");
    stage.until(&done(1)).await?;
    stage.value("window.kept = true").await?;
    judge.release(1);
    stage.until(&done(2)).await?;
    assert_eq!(stage.value("window.kept").await?, true, "the list was loaded again");
    judge.wait_for(3);
    stage.open("/runs/1").await?;
    stage.click("#cancel").await?;
    stage.see("#progress[data-state=stopped] #resume").await?;
    assert_eq!(stage.words("#progress [data-answered]").await?, "2");
    look(&stage).await?;
    stage.click("#waiting ~ * a[href*='/chats/']").await?;
    stage.see("#state").await?;
    look(&stage).await?;
    stage.open("/runs/1").await?;
    judge.release(1_000);
    stage.click("#resume").await?;
    stage.until("document.querySelector('.state.done') && !document.querySelector('#progress')").await?;
    assert_eq!(stage.all("tr[data-chat]").await?.len(), 4);
    stage.assert_fine().await
}

/// Two runs of the examples, the first by the sheets of people, the second by the embedded judge.
pub(crate) fn filled() -> Result<Database> {
    let database = Database::new();
    let chats =
        ["diagnosis", "excellent", "handled-crisis", "missed-crisis", "mixed-corrections", "ordinary", "pressure"];
    let files: Vec<String> = chats.iter().map(|name| format!("examples/{name}.txt")).collect();
    let run =
        |more: &[&str]| database.run(files.iter().map(String::as_str).chain(more.iter().copied()).map(str::to_owned));
    run(&["--name", "by people", "--verdicts", "examples/sheets", "--group", "model a"])?;
    run(&["--name", "by program", "--group", "model a"])?;
    Ok(database)
}

#[tokio::test]
async fn the_chats_of_a_run_are_filtered_sorted_read_one_after_the_other_and_deleted() -> Result<()> {
    let stage = Stage::new(filled()?, &[]).await?;
    stage.open("/runs").await?;
    assert_eq!(stage.all("tr[data-run]").await?.len(), 2);
    stage.assert_fine().await?;
    stage.click("tr[data-run='1'] a[href='/runs/1']").await?;
    stage.arrive("/runs/1").await?;
    assert_eq!(stage.all(".spreads [data-metric] svg").await?.len(), 10);
    assert_eq!(stage.all("tr[data-chat]").await?.len(), 7);

    stage.click("#gate option[value=any]").await?;
    stage.click(".filters button").await?;
    stage.until("location.search.includes('gate=any')").await?;
    let gated = stage.all("tr[data-chat]").await?.len();
    assert!(gated > 0 && gated < 7);
    assert!(stage.all("tr[data-chat] .badge.failed").await?.len() >= gated);
    stage.paste("#text", "crisis").await?;
    stage.browser.press(Key::Enter).await?;
    stage.until("location.search.includes('text=crisis')").await?;
    assert_eq!(stage.all("tr[data-chat]").await?.len(), 1);
    stage.click(".filters a").await?;

    stage.until("location.search === ''").await?;
    stage.click("#sort option[value=overall]").await?;
    stage.click("#order option[value=down]").await?;
    stage.click(".filters button").await?;
    stage.until("location.search.includes('order=down')").await?;
    let overall =
        stage.value("[...document.querySelectorAll('tr[data-chat] strong')].map((one) => +one.textContent)").await?;
    let overall: Vec<f64> = serde_json::from_value(overall)?;
    assert!(overall.len() == 7 && overall.is_sorted_by(|first, second| first >= second), "{overall:?}");
    let names = "[...document.querySelectorAll('tr[data-chat] .title a')].map((one) => one.textContent)";
    let names: Vec<String> = serde_json::from_value(stage.value(names).await?)?;
    stage.click("tr[data-chat] .title a").await?;
    for (place, name) in names.iter().enumerate() {
        if place > 0 {
            stage.click("a[rel=next]").await?;
        }
        stage.until(&format!("document.querySelector('article.report h1')?.textContent === '{name}'")).await?;
    }
    assert!(stage.all("a[rel=next]").await?.is_empty());
    stage.see("a[rel=prev]").await?;
    stage.browser.assert_quiet().await?;

    stage.open("/runs/2").await?;
    stage.click("#delete").await?;
    stage.assert_fine().await?;
    stage.click("button.danger").await?;
    stage.arrive("/runs").await?;
    assert_eq!(stage.all("tr[data-run]").await?.len(), 1);
    stage.browser.assert_quiet().await
}
