//! Pictures of what the browser shows, as files.

use crate::browser::Browser;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use thirtyfour::support::base64_decode;

/// How much of a page is in the picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// What fits on the screen.
    Screen,
    /// All of it, from top to bottom.
    Page,
}

/// Writes `name.png` into a folder, which is made if need be, and says where it lies.
pub async fn take(browser: &Browser, folder: &Path, name: &str, extent: Extent) -> Result<PathBuf> {
    let picture = match extent {
        Extent::Screen => browser.screenshot_as_png().await?,
        Extent::Page => whole_page(browser).await?,
    };
    write(folder, &format!("{name}.png"), &picture)
}

/// Prints the page on A4, with its backgrounds, as `name.pdf` into a folder.
pub async fn print(browser: &Browser, folder: &Path, name: &str) -> Result<PathBuf> {
    let paper = json!({ "printBackground": true, "preferCSSPageSize": true, "paperWidth": 8.27, "paperHeight": 11.69 });
    let answer = browser.cdp().send_raw("Page.printToPDF", paper).await?;
    write(folder, &format!("{name}.pdf"), &bytes(&answer)?)
}

async fn whole_page(browser: &Browser) -> Result<Vec<u8>> {
    let metrics = browser.cdp().send_raw("Page.getLayoutMetrics", json!({})).await?;
    let (width, height) = (&metrics["cssContentSize"]["width"], &metrics["cssContentSize"]["height"]);
    let clip = json!({ "x": 0, "y": 0, "width": width, "height": height, "scale": 1 });
    let wanted = json!({ "format": "png", "captureBeyondViewport": true, "clip": clip });
    bytes(&browser.cdp().send_raw("Page.captureScreenshot", wanted).await?)
}

fn bytes(answer: &Value) -> Result<Vec<u8>> {
    let data = answer["data"].as_str().context("the browser sent no data")?;
    Ok(base64_decode(data)?)
}

fn write(folder: &Path, name: &str, content: &[u8]) -> Result<PathBuf> {
    std::fs::create_dir_all(folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let file = folder.join(name);
    std::fs::write(&file, content).with_context(|| format!("{} cannot be written", file.display()))?;
    Ok(file)
}
