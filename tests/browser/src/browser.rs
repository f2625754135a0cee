//! One browser session: what it looks at, under which conditions, and what it complained about.

use crate::driver;
use anyhow::{Context, Result, bail};
use carelock_test_support::Running;
use serde_json::json;
use std::fmt;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use thirtyfour::prelude::*;

/// How large the screen is, and whether it is that of a device held in the hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Pixels across.
    pub width: u32,
    /// Pixels down.
    pub height: u32,
    /// Whether the page's own `viewport` is honoured and fingers are expected.
    pub mobile: bool,
}

impl Size {
    /// A laptop.
    pub const WIDE: Self = Self { width: 1440, height: 900, mobile: false };
    /// A tablet.
    pub const MIDDLE: Self = Self { width: 768, height: 1024, mobile: true };
    /// A phone.
    pub const NARROW: Self = Self { width: 390, height: 844, mobile: true };
    /// The three of them.
    pub const ALL: [Self; 3] = [Self::WIDE, Self::MIDDLE, Self::NARROW];
}

/// The colours a reader has asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Scheme {
    /// Both of them.
    pub const ALL: [Self; 2] = [Self::Light, Self::Dark];

    /// The name that style sheets know.
    pub fn name(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// A warning or an error in the browser's log: of a script, of the network, or against the page's security policy.
#[derive(Clone, Debug)]
pub struct Problem {
    /// `WARNING` or `SEVERE`.
    pub level: String,
    /// Where it came from, such as `console-api`, `network`, `security`.
    pub source: String,
    /// The browser's words.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}: {}", self.level, self.source, self.message)
    }
}

/// A browser of one's own; it, its driver and its files are gone when it is dropped.
///
/// Everything a WebDriver session can do is at hand as well: `find`, `query`, `execute`, `action_chain`, …
pub struct Browser {
    // Dropped in this order, after the session is closed: the driver is killed, the folder removed.
    session: WebDriver,
    driver: Running,
    folder: TempDir,
    scripts: AtomicBool,
}

impl Deref for Browser {
    type Target = WebDriver;

    fn deref(&self) -> &WebDriver {
        &self.session
    }
}

impl Browser {
    /// Starts one: wide, light, scripts allowed.
    pub async fn start() -> Result<Self> {
        let folder = TempDir::with_prefix("carelock-browser.")?;
        let (driver, address) = driver::start();
        let session = driver::session(&address, &folder)
            .await
            .with_context(|| format!("{}{}", driver.stdout(), driver.stderr()))?;
        let browser = Self { session, driver, folder, scripts: AtomicBool::new(true) };
        browser.set_script_timeout(Duration::from_secs(30)).await?;
        browser.size(Size::WIDE).await?;
        browser.scheme(Scheme::Light).await?;
        let behaviour = json!({ "behavior": "allow", "downloadPath": browser.downloads() });
        browser.cdp().send_raw("Browser.setDownloadBehavior", behaviour).await?;
        Ok(browser)
    }

    /// Opens an address and waits until it is loaded.
    pub async fn open(&self, address: impl AsRef<str>) -> Result<()> {
        let address = address.as_ref();
        self.goto(address).await.with_context(|| format!("{address} could not be opened"))
    }

    /// Gives the screen another size, at once and for every page opened after.
    pub async fn size(&self, size: Size) -> Result<()> {
        let Size { width, height, mobile } = size;
        let metrics = json!({
            "width": width, "height": height, "screenWidth": width, "screenHeight": height,
            "deviceScaleFactor": 1, "mobile": mobile,
        });
        self.cdp().send_raw("Emulation.setDeviceMetricsOverride", metrics).await?;
        self.cdp().send_raw("Emulation.setTouchEmulationEnabled", json!({ "enabled": mobile })).await?;
        Ok(())
    }

    /// Asks for light or dark, at once and for every page opened after; movement is always asked to be little.
    pub async fn scheme(&self, scheme: Scheme) -> Result<()> {
        let features = json!({ "features": [
            { "name": "prefers-color-scheme", "value": scheme.name() },
            { "name": "prefers-reduced-motion", "value": "reduce" },
        ]});
        self.cdp().send_raw("Emulation.setEmulatedMedia", features).await?;
        Ok(())
    }

    /// Allows or forbids the scripts of pages opened after.
    pub async fn scripts(&self, allowed: bool) -> Result<()> {
        self.scripts.store(allowed, Ordering::Relaxed);
        self.cdp().send_raw("Emulation.setScriptExecutionDisabled", json!({ "value": !allowed })).await?;
        Ok(())
    }

    /// Whether pages may run scripts.
    pub(crate) fn allows_scripts(&self) -> bool {
        self.scripts.load(Ordering::Relaxed)
    }

    /// Types into whatever has the focus: `browser.press(Key::Tab)`, `browser.press("words")`.
    pub async fn press(&self, keys: impl Into<TypingData>) -> Result<()> {
        self.action_chain().send_keys(keys).perform().await?;
        Ok(())
    }

    /// Drops a file onto the middle of an element, as from a file manager.
    pub async fn drop_file(&self, onto: &WebElement, file: &Path) -> Result<()> {
        onto.scroll_into_view().await?;
        let middle = "const box = arguments[0].getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];";
        let (x, y): (f64, f64) = self.execute(middle, vec![onto.to_json()?]).await?.convert()?;
        let file = file.canonicalize().with_context(|| format!("{} cannot be dropped", file.display()))?;
        let data = json!({ "items": [], "files": [file], "dragOperationsMask": 1 });
        for kind in ["dragEnter", "dragOver", "drop"] {
            let event = json!({ "type": kind, "x": x, "y": y, "data": data });
            self.cdp().send_raw("Input.dispatchDragEvent", event).await?;
        }
        Ok(())
    }

    /// Waits for a download to be whole and says where it lies; before the name may stand what it is of.
    pub async fn downloaded(&self, name: &str) -> Result<PathBuf> {
        let until = Instant::now() + Duration::from_secs(10);
        loop {
            // The browser writes under another name and gives this one when all is there.
            let found = std::fs::read_dir(self.downloads())?.filter_map(|entry| Some(entry.ok()?.path()));
            let mut found =
                found.filter(|path| path.file_name().is_some_and(|file| file.to_string_lossy().ends_with(name)));
            if let Some(file) = found.next() {
                return Ok(file);
            }
            if Instant::now() > until {
                bail!("{name} was not downloaded; there is only {:?}", listing(&self.downloads())?);
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// The warnings and errors since the last time they were asked for.
    pub async fn problems(&self) -> Result<Vec<Problem>> {
        let entries = self.browser_log().await?;
        Ok(entries
            .into_iter()
            .filter(|entry| matches!(entry.level.as_str(), "WARNING" | "SEVERE"))
            .map(|entry| Problem {
                level: entry.level,
                source: entry.source.unwrap_or_default(),
                message: entry.message,
            })
            .collect())
    }

    /// Fails unless scripts, network and security policy had nothing to complain about since the last look.
    pub async fn assert_quiet(&self) -> Result<()> {
        let problems = self.problems().await?;
        if problems.is_empty() {
            return Ok(());
        }
        let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
        bail!("the browser complained on {}:\n{}", self.current_url().await?, lines.join("\n"))
    }

    /// Fails if the page is wider than the screen.
    pub async fn assert_fits(&self) -> Result<()> {
        let widths = "return [document.documentElement.scrollWidth, screen.width];";
        let (page, screen): (f64, f64) = self.execute(widths, vec![]).await?.convert()?;
        if page > screen {
            bail!("{} is {page} pixels wide on a screen of {screen}", self.current_url().await?);
        }
        Ok(())
    }

    /// The driver's process id.
    pub fn driver_id(&self) -> u32 {
        self.driver.id()
    }

    /// The folder that everything of this browser lies in.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    fn downloads(&self) -> PathBuf {
        self.folder.path().join("downloads")
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The client's own way out would wait for a connection of the runtime that this very drop holds up.
        let _ = self.session.clone().leak();
        let _ = driver::close(&self.session);
    }
}

fn listing(folder: &Path) -> Result<Vec<PathBuf>> {
    Ok(std::fs::read_dir(folder)?.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?)
}
