//! Sizes, schemes, scripts, keys, files and pictures are really what they are said to be.

use super::pages;
use anyhow::Result;
use carelock_browser_tests::pictures::{self, Extent};
use carelock_browser_tests::thirtyfour::prelude::*;
use carelock_browser_tests::{Browser, Scheme, Size};
use serde_json::json;
use std::path::Path;

async fn background(browser: &Browser) -> Result<String> {
    Ok(browser.find(By::Tag("body")).await?.css_value("background-color").await?)
}

#[tokio::test]
async fn a_dark_scheme_reaches_the_style_sheet_and_leaves_it_again() -> Result<()> {
    let browser = Browser::start().await?;
    browser.open(pages::serve()? + "/clean").await?;
    assert_eq!(background(&browser).await?, "rgba(255, 255, 255, 1)");
    browser.scheme(Scheme::Dark).await?;
    assert_eq!(background(&browser).await?, "rgba(1, 2, 3, 1)");
    browser.refresh().await?;
    assert_eq!(background(&browser).await?, "rgba(1, 2, 3, 1)");
    browser.scheme(Scheme::Light).await?;
    assert_eq!(background(&browser).await?, "rgba(255, 255, 255, 1)");
    Ok(())
}

#[tokio::test]
async fn scripts_that_are_forbidden_do_not_run_and_the_page_can_still_be_read_and_checked() -> Result<()> {
    let (browser, address) = (Browser::start().await?, pages::serve()?);
    for (allowed, words) in [(true, "two"), (false, "one"), (true, "two")] {
        browser.scripts(allowed).await?;
        browser.open(format!("{address}/clean")).await?;
        assert_eq!(browser.find(By::Tag("p")).await?.text().await?, words);
        browser.assert_accessible().await?;
        assert_eq!(browser.find(By::Tag("p")).await?.text().await?, words);
        browser.assert_fits().await?;
        browser.assert_quiet().await?;
    }
    Ok(())
}

#[tokio::test]
async fn every_size_is_the_one_the_page_sees() -> Result<()> {
    let browser = Browser::start().await?;
    browser.open(pages::serve()? + "/clean").await?;
    for size in Size::ALL {
        browser.size(size).await?;
        let seen = browser.execute("return [innerWidth, innerHeight, matchMedia('(pointer: coarse)').matches]", vec![]);
        let seen: (u32, u32, bool) = seen.await?.convert()?;
        assert_eq!(seen, (size.width, size.height, size.mobile));
    }
    Ok(())
}

#[tokio::test]
async fn the_keyboard_alone_reaches_a_link_and_what_it_leads_to_is_downloaded() -> Result<()> {
    let browser = Browser::start().await?;
    browser.open(pages::serve()? + "/download").await?;
    browser.press(Key::Tab).await?;
    assert_eq!(browser.active_element().await?.text().await?, "download");
    browser.press(Key::Enter).await?;
    assert_eq!(std::fs::read_to_string(browser.downloaded("report.json").await?)?, "{}");
    let refusal = browser.downloaded("other.json").await.expect_err("it was never asked for").to_string();
    assert!(refusal.contains("report.json"), "{refusal}");
    browser.assert_quiet().await
}

#[tokio::test]
async fn a_dropped_file_arrives_with_its_name_and_content() -> Result<()> {
    let browser = Browser::start().await?;
    browser.open(pages::serve()? + "/zone").await?;
    let file = browser.folder().join("chat.txt");
    std::fs::write(&file, "User: hello")?;
    let zone = browser.find(By::Css(".zone")).await?;
    browser.drop_file(&zone, &file).await?;
    zone.wait_until().has_text("chat.txt: User: hello").await?;
    browser.assert_quiet().await
}

/// Width and height, from the head of a PNG file.
fn measure(picture: &Path) -> Result<(u32, u32)> {
    let bytes = std::fs::read(picture)?;
    assert_eq!(&bytes[1..4], b"PNG");
    let number = |at: usize| bytes[at..at + 4].iter().fold(0, |sum, byte| sum << 8 | u32::from(*byte));
    Ok((number(16), number(20)))
}

#[tokio::test]
async fn a_picture_shows_the_screen_or_the_whole_page() -> Result<()> {
    let browser = Browser::start().await?;
    browser.open(pages::serve()? + "/tall").await?;
    for size in Size::ALL {
        browser.size(size).await?;
        let folder = browser.folder().join("pictures");
        let screen = pictures::take(&browser, &folder, "screen", Extent::Screen).await?;
        assert_eq!(measure(&screen)?, (size.width, size.height));
        let page = pictures::take(&browser, &folder, "page", Extent::Page).await?;
        let (width, height) = measure(&page)?;
        assert!(width == size.width && height > 3000, "{width} x {height}");
    }
    let printed = pictures::print(&browser, browser.folder(), "page").await?;
    assert!(std::fs::read(printed)?.starts_with(b"%PDF-"));
    Ok(())
}

/// The fonts in which the element of a language is drawn.
async fn fonts(browser: &Browser, language: &str) -> Result<Vec<String>> {
    let document = browser.cdp().send_raw("DOM.getDocument", ()).await?;
    let wanted = json!({ "nodeId": document["root"]["nodeId"], "selector": format!("[lang={language}]") });
    let node = browser.cdp().send_raw("DOM.querySelector", wanted).await?;
    let fonts = browser.cdp().send_raw("CSS.getPlatformFontsForNode", &node).await?;
    let fonts = fonts["fonts"].as_array().into_iter().flatten();
    Ok(fonts.filter_map(|font| font["familyName"].as_str().map(str::to_owned)).collect())
}

#[tokio::test]
async fn chinese_and_arabic_have_letters_to_be_drawn_with() -> Result<()> {
    let browser = Browser::start().await?;
    browser.open(pages::serve()? + "/writing").await?;
    browser.cdp().send_raw("DOM.enable", ()).await?;
    browser.cdp().send_raw("CSS.enable", ()).await?;
    // What no font has is drawn as boxes, in the font that is there for everything; that font may have a language's letters too.
    let boxes = fonts(&browser, "qaa").await?;
    for (language, known) in [("zh", "zh-cn"), ("ar", "ar")] {
        let found = fonts(&browser, language).await?;
        let is_drawn = |font: &String| !boxes.contains(font) || has_letters(font, known);
        assert!(!found.is_empty() && found.iter().all(is_drawn), "{found:?}, boxes in {boxes:?}");
    }
    Ok(())
}

/// Whether a font that is installed has the letters of a language.
fn has_letters(font: &str, language: &str) -> bool {
    let listed = std::process::Command::new("fc-list").args([&format!(":lang={language}"), "family"]).output();
    listed.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(font))
}
