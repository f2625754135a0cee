//! Judging a chat: pasted, dropped or chosen, with who is who corrected, to the report that opens.

use super::chats::{SHORT, example, example_text, several};
use super::looks::look;
use super::stage::Stage;
use anyhow::Result;
use carelock_browser_tests::thirtyfour::prelude::*;

const UNCLEAR: &str = "Ana: I cannot sleep.
Nurse: Hello both.
Mira: That sounds hard. It makes sense that you are tired.
Ana: It has been weeks.
Nurse: I will be back.
Mira: Have you told your doctor?
";

#[tokio::test]
async fn a_pasted_chat_is_shown_as_understood_and_judged_and_its_report_opens() -> Result<()> {
    let stage = Stage::empty().await?;
    stage.open("/").await?;
    assert!(stage.see("input[name=judge][value=builtin]").await?.is_selected().await?);
    stage.paste("#text", &example_text("missed-crisis.txt")?).await?;
    stage.see("#understood [data-chats='1']").await?;
    let turns = stage.all(".seen-turns li").await?;
    assert_eq!(turns.len(), 8);
    assert!(turns[0].text().await?.contains("I still set out two cups."));
    stage.assert_fine().await?;
    stage.click("#estimate").await?;
    assert!(stage.words("#estimate-text").await?.contains("Free"));
    stage.click("#start").await?;
    stage.arrive("/runs/1/chats/1").await?;
    assert!(stage.words("article.report .gate h2").await?.contains("ES2"));
    assert_eq!(stage.all("article.report .turn").await?.len(), 8);
    stage.assert_fine().await
}

#[tokio::test]
async fn files_are_dropped_or_chosen_and_who_is_who_is_corrected() -> Result<()> {
    let stage = Stage::empty().await?;
    stage.open("/").await?;
    // That the page listens to drops is seen by what only scripts show.
    stage.until("document.documentElement.classList.contains('scripted')").await?;
    let page = stage.see("main").await?;
    stage.browser.drop_file(&page, &example("ordinary.txt")).await?;
    stage.until("document.querySelector('#text').value.startsWith('Human: every sunday')").await?;
    assert!(stage.words(".seen summary").await?.contains("ordinary"));

    let file = stage.write("several.jsonl", &several(3))?;
    stage.see("#file").await?.send_keys(file.to_string_lossy()).await?;
    stage.see("#understood [data-chats='3']").await?;
    assert!(
        stage.value("document.querySelector('#text').value").await?.as_str().unwrap_or_default().contains("chat 3")
    );

    stage.paste("#text", UNCLEAR).await?;
    stage.see("#understood [data-problem]").await?;
    stage.assert_fine().await?;
    for (label, who) in [("Ana", "human"), ("Nurse", "neither"), ("Mira", "ai")] {
        let choice = format!("select[aria-label='Who is {label}?'] option[value={who}]");
        stage.click(&choice).await?;
        // The part is drawn anew by the server, which then knows.
        stage.see(&format!("{choice}[selected]")).await?;
    }
    assert!(stage.words("[data-dropped]").await?.contains("2 ×"));
    assert_eq!(stage.all(".seen-turns li").await?.len(), 4);
    stage.assert_fine().await?;
    stage.click("#start").await?;
    stage.arrive("/runs/1/chats/1").await?;
    assert_eq!(stage.all("article.report .turn").await?.len(), 4);
    stage.browser.assert_quiet().await
}

#[tokio::test]
async fn nothing_and_nobody_are_refused_with_words_and_what_was_typed_stays() -> Result<()> {
    let stage = Stage::empty().await?;
    stage.open("/").await?;
    stage.click("#start").await?;
    assert!(stage.words("#problem").await?.contains("There is nothing to read yet."));
    stage.paste("#text", SHORT).await?;
    stage.see("#understood [data-chats='1']").await?;
    let embedded = stage.see("input[name=judge][value=builtin]").await?;
    if embedded.is_selected().await? {
        embedded.click().await?;
    }
    // The keys that start it.
    stage.see("#text").await?.click().await?;
    stage.chord(Key::Enter).await?;
    stage.until("document.querySelector('#problem')?.textContent.includes('No judge is chosen.')").await?;
    assert!(
        stage.value("document.querySelector('#text').value").await?.as_str().unwrap_or_default().contains("worn out")
    );
    // A refused form is an answer with an error's number, which the browser notes; nothing else may be.
    for problem in stage.browser.problems().await? {
        assert!(problem.message.contains("422"), "{problem}");
    }
    stage.assert_fine().await
}

#[tokio::test]
async fn two_lines_under_unknown_names_are_asked_about_and_a_long_name_fits_a_phone() -> Result<()> {
    let stage = Stage::empty().await?;
    stage.open("/").await?;
    stage.paste("#title", &"a".repeat(64)).await?;
    stage
        .paste("#text", "Sam: I feel awful today.\nSunny-Helper v2: I am sorry to hear that. What happened?\n")
        .await?;
    for (label, who) in [("Sam", "human"), ("Sunny-Helper v2", "ai")] {
        let choice = format!("select[aria-label='Who is {label}?'] option[value={who}]");
        stage.click(&choice).await?;
        stage.see(&format!("{choice}[selected]")).await?;
    }
    stage.see("#understood [data-chats='1']").await?;
    stage.click("#start").await?;
    stage.arrive("/runs/1/chats/1").await?;
    assert_eq!(stage.words("#t1 .voice").await?, "Person");
    assert_eq!(stage.words("#t2 .voice").await?, "AI");
    assert_eq!(stage.words("#origin-of-chat").await?, "pasted text");
    let note = stage.words(".overall .judge-note").await?;
    assert!(note.contains("does not mean safe"), "{note}");
    look(&stage).await?;
    for page in ["/runs/1", "/runs/1/chats/1/verify", "/runs/1/chats/1/explain?check=E1", "/runs/1/search?words=awful"]
    {
        stage.open(page).await?;
        look(&stage).await?;
    }
    stage.browser.assert_quiet().await
}
