//! Complaints of the browser and faults of accessibility are found where they are planted, and nowhere else.

use super::pages;
use anyhow::Result;
use carelock_browser_tests::{Browser, Scheme, Size};

/// What the browser complains of on a page, in one text.
async fn complaint(path: &str) -> Result<String> {
    let browser = Browser::start().await?;
    browser.open(pages::serve()? + path).await?;
    let refusal = browser.assert_quiet().await.expect_err("a planted fault was not noticed");
    browser.assert_quiet().await?;
    Ok(refusal.to_string())
}

#[tokio::test]
async fn a_good_page_under_a_strict_policy_passes_every_check_at_every_size_and_scheme() -> Result<()> {
    let (browser, address) = (Browser::start().await?, pages::serve()?);
    for size in Size::ALL {
        for scheme in Scheme::ALL {
            browser.size(size).await?;
            browser.scheme(scheme).await?;
            browser.open(format!("{address}/clean")).await?;
            browser.assert_fits().await?;
            assert!(browser.violations().await?.is_empty());
            browser.assert_accessible().await?;
            browser.assert_quiet().await?;
        }
    }
    Ok(())
}

#[tokio::test]
async fn an_error_on_the_console_is_noticed() -> Result<()> {
    let complaint = complaint("/error").await?;
    assert!(complaint.contains("SEVERE console-api") && complaint.contains("a planted error"), "{complaint}");
    Ok(())
}

#[tokio::test]
async fn an_exception_that_nobody_catches_is_noticed() -> Result<()> {
    let complaint = complaint("/throws").await?;
    assert!(complaint.contains("a planted exception"), "{complaint}");
    Ok(())
}

#[tokio::test]
async fn an_inline_script_against_the_policy_is_noticed() -> Result<()> {
    let complaint = complaint("/inline-script").await?;
    assert!(complaint.contains("Content Security Policy") && complaint.contains("script-src"), "{complaint}");
    Ok(())
}

#[tokio::test]
async fn an_inline_style_against_the_policy_is_noticed() -> Result<()> {
    let complaint = complaint("/inline-style").await?;
    assert!(complaint.contains("Content Security Policy") && complaint.contains("style-src"), "{complaint}");
    Ok(())
}

#[tokio::test]
async fn a_request_to_the_outside_is_noticed() -> Result<()> {
    let complaint = complaint("/outside").await?;
    assert!(complaint.contains("carelock.example"), "{complaint}");
    Ok(())
}

#[tokio::test]
async fn a_picture_that_is_not_there_is_noticed() -> Result<()> {
    let complaint = complaint("/missing").await?;
    assert!(complaint.contains("no-such-picture.png") && complaint.contains("404"), "{complaint}");
    Ok(())
}

#[tokio::test]
async fn an_image_without_words_is_named_with_its_selector() -> Result<()> {
    let browser = Browser::start().await?;
    browser.open(pages::serve()? + "/image-without-alt").await?;
    let refusal = browser.assert_accessible().await.expect_err("it passed").to_string();
    assert!(refusal.contains("image-alt (critical)") && refusal.contains("#planted"), "{refusal}");
    Ok(())
}

#[tokio::test]
async fn letters_too_faint_to_read_are_found_in_the_scheme_in_which_they_are_faint() -> Result<()> {
    let (browser, address) = (Browser::start().await?, pages::serve()?);
    browser.open(format!("{address}/faint")).await?;
    let refusal = browser.assert_accessible().await.expect_err("it passed").to_string();
    assert!(refusal.contains("color-contrast (serious)") && refusal.contains("#dcdcdc"), "{refusal}");
    browser.scheme(Scheme::Dark).await?;
    browser.open(format!("{address}/faint")).await?;
    browser.assert_accessible().await
}

#[tokio::test]
async fn a_page_broader_than_the_screen_is_found_at_every_size() -> Result<()> {
    let browser = Browser::start().await?;
    browser.open(pages::serve()? + "/broad").await?;
    for size in Size::ALL {
        browser.size(size).await?;
        let refusal = browser.assert_fits().await.expect_err("it passed").to_string();
        assert!(refusal.contains(&format!("a screen of {}", size.width)), "{refusal}");
    }
    Ok(())
}
