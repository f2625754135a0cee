//! Every page at every width, light and dark, with short and long chats and in other writings.

use super::chats::{ARABIC, CHINESE, SHORT, long};
use super::stage::{Stage, address_of};
use anyhow::{Context, Result};
use carelock_browser_tests::{Database, Scheme, Size};
use std::path::Path;

/// Two runs of a short, a long, a Chinese and an Arabic chat.
fn filled() -> Result<Database> {
    let database = Database::new();
    let mut files = Vec::new();
    for (name, text) in
        [("1 short", SHORT.to_owned()), ("2 long", long(200)?), ("3 中文", CHINESE.into()), ("4 عربي", ARABIC.into())]
    {
        let file = database.file().with_file_name(format!("{name}.txt"));
        std::fs::write(&file, text)?;
        files.push(file.to_string_lossy().into_owned());
    }
    let all: Vec<&str> = files.iter().map(String::as_str).collect();
    database.run([&all[..], &["--name", "first", "--group", "日本語 العربية"]].concat())?;
    database.run([&all[..3], &["examples/missed-crisis.txt", "--name", "第二 ثانٍ", "--group", "b"]].concat())?;
    Ok(database)
}

/// Looks at the page that is open under all conditions.
pub(crate) async fn look(stage: &Stage) -> Result<()> {
    let address = stage.browser.current_url().await?;
    for scheme in Scheme::ALL {
        stage.browser.scheme(scheme).await?;
        for size in Size::ALL {
            let context = || format!("{address} at {} pixels, {}", size.width, scheme.name());
            stage.browser.size(size).await?;
            stage.browser.assert_fits().await.with_context(context)?;
            stage.browser.assert_accessible().await.with_context(context)?;
        }
    }
    stage.browser.size(Size::WIDE).await?;
    stage.browser.scheme(Scheme::Light).await
}

async fn look_at(stage: &Stage, pages: &[&str]) -> Result<()> {
    for page in pages {
        stage.open(page).await?;
        look(stage).await?;
        stage.browser.assert_quiet().await?;
    }
    Ok(())
}

#[tokio::test]
async fn pages_for_reading_fit_and_are_accessible_under_all_conditions() -> Result<()> {
    let stage = Stage::new(filled()?, &[]).await?;
    look_at(&stage, &["/runs", "/runs/1", "/runs/1/chats/1", "/runs/1/chats/2", "/runs/1/chats/3", "/runs/1/chats/4"])
        .await?;
    look_at(&stage, &["/rubric", "/runs/1/delete", "/compare", "/compare?a=1&b=2"]).await?;
    look_at(&stage, &["/runs/1/search?words=a", "/runs/1/chats/1/verify", "/runs/1/chats/1/explain?check=ES2"]).await?;
    look_at(&stage, &["/rate/1/agreement", "/rate/1/progress"]).await?;
    for text in [CHINESE, ARABIC] {
        let chat = stage.write("chat.txt", text)?;
        let made = stage.database.call([Path::new("eval"), &chat, Path::new("--format"), Path::new("html")])?;
        let page = stage.write("report.html", &made.stdout)?;
        stage.browser.open(address_of(&page)).await?;
        look(&stage).await?;
        stage.browser.assert_quiet().await?;
    }
    stage.open("/nowhere").await?;
    look(&stage).await
}

#[tokio::test]
async fn pages_for_judging_and_rating_fit_and_are_accessible_under_all_conditions() -> Result<()> {
    let stage = Stage::new(filled()?, &[]).await?;
    look_at(&stage, &["/", "/rate", "/rate?rater=ana"]).await?;
    stage.click("form.begin button").await?;
    stage.see("#go-on").await?;
    let run = stage.value("location.pathname.split('/')[2]").await?;
    let run = run.as_str().context("no run")?;
    // The chats of the second run are numbered on from those of the first.
    let first = if run == "1" { 1 } else { 5 };
    let pages = [
        format!("/rate/{run}?rater=ana"),
        format!("/rate/{run}/{first}?rater=ana"),
        format!("/rate/{run}/{}?metric=10&rater=ana", first + 1),
        format!("/rate/{run}/{}?metric=2&rater=ana", first + 2),
        format!("/rate/{run}/{first}/finish?rater=ana"),
        format!("/rate/{run}/progress"),
    ];
    look_at(&stage, &pages.iter().map(String::as_str).collect::<Vec<_>>()).await?;
    for text in [long(200)?, CHINESE.to_owned(), ARABIC.to_owned()] {
        stage.open("/").await?;
        stage.paste("#text", &text).await?;
        stage.see("#understood [data-chats='1']").await?;
        look(&stage).await?;
    }
    stage.browser.assert_quiet().await
}
