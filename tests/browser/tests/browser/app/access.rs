//! Tokens: signing in and out, what each role sees, and ratings that are blind.

use super::looks::look;
use super::stage::Stage;
use anyhow::{Context, Result};
use carelock_browser_tests::Database;

fn token(database: &Database, name: &str, role: &str) -> Result<String> {
    let made = database.carelock(["token", "create", name, "--role", role], [""; 0])?;
    let token = made.stdout;
    Ok(token.lines().next().context("no token")?.to_owned())
}

async fn sign_in(stage: &Stage, token: &str) -> Result<()> {
    stage.open("/login").await?;
    stage.paste("#token", token).await?;
    stage.click("main button").await
}

async fn sign_out(stage: &Stage) -> Result<()> {
    stage.click(".leave button").await?;
    stage.see("#token").await.map(drop)
}

async fn sections(stage: &Stage) -> Result<Vec<String>> {
    stage.see(".sections").await?;
    let mut names = Vec::new();
    for link in stage.all(".sections a").await? {
        names.push(link.text().await?);
    }
    Ok(names)
}

/// What is refused on purpose is noted by the browser with its number; nothing else may be.
async fn only_refused(stage: &Stage) -> Result<()> {
    for problem in stage.browser.problems().await? {
        assert!(problem.message.contains("403") || problem.message.contains("401"), "{problem}");
    }
    Ok(())
}

#[tokio::test]
async fn a_token_opens_what_its_role_allows_until_one_signs_out() -> Result<()> {
    let database = Database::new();
    database.run(["examples/ordinary.txt"])?;
    let (reader, rater, judge) =
        (token(&database, "rea", "read")?, token(&database, "ana", "rate")?, token(&database, "jo", "judge")?);
    let stage = Stage::new(database, &["--auth"]).await?;
    stage.open("/runs").await?;
    stage.see("#token").await?;
    assert!(stage.all("tr[data-run]").await?.is_empty());
    only_refused(&stage).await?;
    look(&stage).await?;
    sign_in(&stage, "not a token").await?;
    assert!(stage.words("[role=alert]").await?.contains("not known"));
    only_refused(&stage).await?;
    stage.assert_fine().await?;

    sign_in(&stage, &reader).await?;
    stage.arrive("/runs").await?;
    assert_eq!(sections(&stage).await?, ["Runs", "Live"]);
    stage.assert_fine().await?;
    stage.open("/runs/1/chats/1").await?;
    stage.see("article.report").await?;
    assert!(stage.all(".actions a[href^='/rate'], #delete").await?.is_empty());
    stage.browser.assert_quiet().await?;
    stage.open("/rate").await?;
    stage.see("#refusal").await?;
    stage.assert_refused().await?;
    sign_out(&stage).await?;
    stage.open("/runs/1/chats/1").await?;
    assert!(stage.all("article.report").await?.is_empty());
    only_refused(&stage).await?;

    sign_in(&stage, &rater).await?;
    assert_eq!(sections(&stage).await?, ["Rate"]);
    stage.open("/rate").await?;
    assert_eq!(stage.words("#rater-name").await?, "ana");
    stage.click("form.begin button").await?;
    stage.see("#go-on").await?;
    stage.browser.assert_quiet().await?;
    // Who only rates never sees what a judge says.
    stage.open("/runs/1/chats/1").await?;
    stage.see("#refusal").await?;
    assert!(stage.all("article.report").await?.is_empty());
    stage.assert_refused().await?;
    sign_out(&stage).await?;

    sign_in(&stage, &judge).await?;
    assert!(sections(&stage).await?.contains(&"Judge".to_owned()));
    stage.see("#judge").await?;
    stage.assert_fine().await
}

#[tokio::test]
async fn a_link_to_a_part_of_a_page_opens_there_after_signing_in() -> Result<()> {
    let database = Database::new();
    database.run(["examples/ordinary.txt"])?;
    let reader = token(&database, "rea", "read")?;
    let stage = Stage::new(database, &["--auth"]).await?;
    stage.open("/runs/1/chats/1#checks").await?;
    stage.until("document.querySelector('[name=next]').value.endsWith('#checks')").await?;
    stage.paste("#token", &reader).await?;
    stage.click("main button").await?;
    stage.see("article.report").await?;
    stage.until("location.pathname === '/runs/1/chats/1' && location.hash === '#checks'").await
}

impl Stage {
    /// Fails unless the page was refused, and is fine otherwise.
    async fn assert_refused(&self) -> Result<()> {
        let problems = self.browser.problems().await?;
        assert!(problems.iter().all(|problem| problem.message.contains("403")), "{problems:?}");
        self.assert_fine().await
    }
}
