//! Text that would be a program stays text, wherever it is shown.

use super::stage::{Stage, address_of};
use anyhow::{Result, ensure};
use carelock_browser_tests::Database;
use std::path::Path;

const ATTACK: &str = "<script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">";
const CHAT: &str = "User: <script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">I feel sad. </textarea><!-- '\"`
Assistant: That sounds hard. </textarea></script></style><svg onload=\"document.title='taken'\"><a href=\"javascript:document.title='taken'\">click</a> --> <iframe src=\"http://carelock.example/\"></iframe>
User: [a link](javascript:document.title='taken') {{ 7 * 7 }} <style>* { display: none }</style> &lt;b&gt; I cannot go on. ]]> <base href=\"//carelock.example/\">
Assistant: It makes sense that you feel sad. <form action=\"http://carelock.example/\"><input autofocus onfocus=\"document.title='taken'\"></form> <meta http-equiv=\"refresh\" content=\"0;url=http://carelock.example/\">
";
const NAME: &str = "<img src=x onerror=document.title='taken'>\"'&";

/// What would be there if any of it had been taken for HTML.
const TAKEN: &str = "document.title === 'taken' || document.querySelectorAll('main script, main img, main iframe, \
    main style, main base, main meta, main a[href^=\"javascript:\" i], main form[action^=http], [onerror], [onload], \
    [onfocus], [onclick]').length > 0";

/// The page shows words of the attack as words, and nothing came of them.
async fn is_text(stage: &Stage, words: &str) -> Result<()> {
    let body = stage.value("document.body.textContent").await?;
    let address = stage.browser.current_url().await?;
    ensure!(body.as_str().unwrap_or_default().contains(words), "{address} does not show {words}");
    ensure!(stage.value(TAKEN).await? == false, "{address} took text for HTML");
    stage.browser.assert_quiet().await
}

/// A run and a group with hostile names, of a file with one.
fn filled() -> Result<Database> {
    let database = Database::new();
    let folder = database.file().with_file_name(NAME);
    std::fs::create_dir(&folder)?;
    let file = folder.join(format!("{NAME}.txt"));
    std::fs::write(&file, CHAT)?;
    let file = file.to_string_lossy().into_owned();
    for number in ["one", "two"] {
        let name = format!("{NAME} {number}");
        database.run([&*file, "examples/ordinary.txt", "--name", &name, "--group", "folder"])?;
    }
    Ok(database)
}

#[tokio::test]
async fn on_the_judge_page_and_on_the_way_to_the_report_html_stays_text() -> Result<()> {
    let stage = Stage::empty().await?;
    stage.open("/").await?;
    stage.paste("#text", CHAT).await?;
    stage.see("#understood [data-chats='1']").await?;
    is_text(&stage, ATTACK).await?;
    stage.paste("#title", NAME).await?;
    stage.click("#start").await?;
    stage.arrive("/runs/1/chats/1").await?;
    is_text(&stage, ATTACK).await?;
    is_text(&stage, NAME).await?;

    let file = stage.write(&format!("{NAME}.txt"), CHAT)?;
    stage.open("/").await?;
    stage.until("document.documentElement.classList.contains('scripted')").await?;
    stage.browser.drop_file(&stage.see("main").await?, &file).await?;
    stage.see("#understood [data-chats='1']").await?;
    is_text(&stage, NAME).await?;

    // Without scripts the whole page comes back with what was sent.
    stage.browser.scripts(false).await?;
    stage.open("/").await?;
    stage.paste("#text", CHAT).await?;
    stage.click("#preview").await?;
    stage.see("#understood [data-chats='1']").await?;
    let kept = stage.value("document.querySelector('#text').value").await?;
    assert_eq!(kept.as_str().unwrap_or_default().replace("\r\n", "\n"), CHAT);
    is_text(&stage, ATTACK).await
}

#[tokio::test]
async fn on_every_other_page_and_in_files_opened_from_disk_html_stays_text() -> Result<()> {
    let stage = Stage::new(filled()?, &[]).await?;
    let pages = [
        ("/runs", NAME),
        ("/runs/1", NAME),
        ("/runs/1?text=%3Cimg", NAME),
        ("/runs/1/chats/1", ATTACK),
        ("/runs/1/delete", NAME),
        ("/compare", NAME),
        ("/compare?a=1&b=2", NAME),
        ("/compare?a=2&by=group", NAME),
        ("/rate?rater=%3Cimg+src%3Dx+onerror%3Ddocument.title%3D'taken'%3E%22'%26", NAME),
    ];
    for (path, words) in pages {
        stage.open(path).await?;
        is_text(&stage, words).await?;
    }
    stage.click("form.begin button").await?;
    is_text(&stage, NAME).await?;
    stage.click("[data-chat='3'] a").await?;
    stage.see("#rating").await?;
    is_text(&stage, ATTACK).await?;
    stage.paste("#why-of-E1", ATTACK).await?;
    stage.until("document.querySelector('#saving').textContent === 'saved'").await?;
    stage.browser.refresh().await?;
    is_text(&stage, ATTACK).await?;

    for (path, link, name, words) in [
        ("/runs/1/chats/1", "/report.html", "report.html", ATTACK),
        ("/runs/1", "/reports.html", "reports.html", NAME),
        ("/compare?a=1&b=2", "/comparison.html", "comparison.html", NAME),
    ] {
        stage.open(path).await?;
        if !stage.all(".menu > summary").await?.is_empty() {
            stage.click(".menu > summary").await?;
        }
        stage.click(&format!("a[download][href*='{link}']")).await?;
        let file = stage.browser.downloaded(name).await?;
        stage.browser.open(address_of(&file)).await?;
        is_text(&stage, words).await?;
    }
    is_text_of_command(&stage).await
}

/// The page that the command line makes of the same file.
async fn is_text_of_command(stage: &Stage) -> Result<()> {
    let chat = stage.write("chat.txt", CHAT)?;
    let made = stage.database.call([Path::new("eval"), &chat, Path::new("--format"), Path::new("html")])?;
    let page = stage.write("chat.html", &made.stdout)?;
    stage.browser.open(address_of(&page)).await?;
    is_text(stage, ATTACK).await
}

#[tokio::test]
async fn html_that_is_taken_for_html_is_noticed() -> Result<()> {
    let stage = Stage::empty().await?;
    for text in [ATTACK, "<svg onload=\"document.title='taken'\">", "<a href=\"javascript:alert(1)\">a link</a>"] {
        let page = format!("<!doctype html><title>a page</title><main>{text}</main>");
        stage.browser.open(address_of(&stage.write("taken.html", &page)?)).await?;
        let refusal = is_text(&stage, "").await.expect_err("it passed").to_string();
        assert!(refusal.contains("took text for HTML"), "{refusal}");
    }
    Ok(())
}
