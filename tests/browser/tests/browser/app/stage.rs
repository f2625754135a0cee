//! A database, the app's server on it and a browser in front of it, with the steps that all tests are made of.

use anyhow::{Context, Result, bail};
use carelock_browser_tests::thirtyfour::prelude::*;
use carelock_browser_tests::{Browser, Database, Server, serve_with};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(30);

/// All three; the browser is closed first.
pub(crate) struct Stage {
    pub(crate) browser: Browser,
    pub(crate) server: Server,
    pub(crate) database: Database,
}

impl Stage {
    /// On an empty database.
    pub(crate) async fn empty() -> Result<Self> {
        Self::new(Database::new(), &[]).await
    }

    /// On a database that may be filled already, the server with further arguments.
    pub(crate) async fn new(database: Database, arguments: &[&str]) -> Result<Self> {
        let server = serve_with(&database, arguments);
        Ok(Self { browser: Browser::start().await?, server, database })
    }

    /// Opens a page of the app.
    pub(crate) async fn open(&self, path: &str) -> Result<()> {
        self.browser.open(self.server.at(path)).await
    }

    /// Waits for an element; there may be others after it.
    pub(crate) async fn see(&self, selector: &str) -> Result<WebElement> {
        match self.browser.query(By::Css(selector)).wait(PATIENCE, PAUSE).first().await {
            Ok(found) => Ok(found),
            Err(_) => bail!("there is no {selector} on {}", self.story().await),
        }
    }

    /// All such elements that are there now.
    pub(crate) async fn all(&self, selector: &str) -> Result<Vec<WebElement>> {
        Ok(self.browser.find_all(By::Css(selector)).await?)
    }

    /// Waits for an element and clicks it.
    pub(crate) async fn click(&self, selector: &str) -> Result<()> {
        let found = self.see(selector).await?;
        found.scroll_into_view().await?;
        found.click().await.with_context(|| format!("{selector} cannot be clicked"))
    }

    /// Waits for an element; what is written in it.
    pub(crate) async fn words(&self, selector: &str) -> Result<String> {
        Ok(self.see(selector).await?.text().await?)
    }

    /// Waits until the page fulfils a condition, written as an expression of JavaScript.
    pub(crate) async fn until(&self, condition: &str) -> Result<()> {
        let script = format!("return Boolean({condition});");
        let until = Instant::now() + PATIENCE;
        loop {
            // A page that is just being left answers nothing.
            if let Ok(answer) = self.browser.execute(script.as_str(), vec![]).await
                && answer.json() == &json!(true)
            {
                return Ok(());
            }
            if Instant::now() > until {
                bail!("never came true: {condition}; this is {}", self.story().await);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// What an expression of JavaScript comes to.
    pub(crate) async fn value(&self, expression: &str) -> Result<serde_json::Value> {
        Ok(self.browser.execute(format!("return {expression};"), vec![]).await?.json().clone())
    }

    /// Waits until the browser is at a path, whatever the question behind it.
    pub(crate) async fn arrive(&self, path: &str) -> Result<()> {
        self.until(&format!("location.pathname === '{path}' && document.readyState === 'complete'")).await
    }

    /// Puts text in at once where the focus is, as pasting does.
    pub(crate) async fn insert(&self, text: &str) -> Result<()> {
        self.browser.cdp().send_raw("Input.insertText", json!({ "text": text })).await?;
        Ok(())
    }

    /// Presses a key while Control is held.
    pub(crate) async fn chord(&self, key: impl Into<TypingData>) -> Result<()> {
        let chain = self.browser.action_chain().key_down(Key::Control).send_keys(key).key_up(Key::Control);
        Ok(chain.perform().await?)
    }

    /// Pastes text into a field in place of what is there.
    pub(crate) async fn paste(&self, selector: &str, text: &str) -> Result<()> {
        self.click(selector).await?;
        self.chord("a").await?;
        self.insert(text).await
    }

    /// Fails unless the page fits, is accessible, and gave the browser nothing to complain about.
    pub(crate) async fn assert_fine(&self) -> Result<()> {
        self.browser.assert_fits().await?;
        self.browser.assert_accessible().await?;
        self.browser.assert_quiet().await
    }

    /// A file in the browser's own folder.
    pub(crate) fn write(&self, name: &str, content: &str) -> Result<PathBuf> {
        let file = self.browser.folder().join(name);
        std::fs::write(&file, content)?;
        Ok(file)
    }

    /// Where the browser is and what it shows there.
    async fn story(&self) -> String {
        let address = self.browser.current_url().await.map(String::from).unwrap_or_default();
        let body = self.browser.find(By::Tag("body")).await;
        let words = match body {
            Ok(body) => body.text().await.unwrap_or_default(),
            Err(_) => String::new(),
        };
        let words: String = words.chars().take(2000).collect();
        format!("{address}:\n{words}\nthe server said:\n{}", self.server.output())
    }
}

/// The address of a file on disk.
pub(crate) fn address_of(file: &Path) -> String {
    format!("file://{}", file.display())
}
