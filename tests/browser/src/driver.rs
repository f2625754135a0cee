//! Chromedriver on a free port, and a fresh headless Chromium with a profile of its own.

use anyhow::{Context, Result};
use carelock_test_support::Running;
use serde_json::json;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;
use thirtyfour::prelude::*;
use thirtyfour::{ChromeCapabilities, ChromiumLikeCapabilities, LoggingPrefsLogLevel};

const ARGUMENTS: &[&str] = &[
    "--headless=new",
    // The browser refuses its sandbox to root, and a container may have little shared memory.
    "--no-sandbox",
    "--disable-dev-shm-usage",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    // No name but the loopback's resolves: a page that asks for anything outside fails, and the failure is logged.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
    // Commands travel through a pipe: when the driver dies, however it dies, the browser sees it closed and ends.
    "--remote-debugging-pipe",
    "--hide-scrollbars",
    "--lang=en",
    "--font-render-hinting=none",
];

const PATIENCE: Duration = Duration::from_secs(10);

/// How often chromedriver is started: the port it picks for IPv6 may be taken for IPv4 by then.
const STARTS: usize = 5;

/// Starts chromedriver; the address is where it takes commands.
pub(crate) fn start() -> (Running, String) {
    let program = std::env::var_os("CARELOCK_CHROMEDRIVER").unwrap_or_else(|| "chromedriver".into());
    let outcome = |line: &str| port(line).map(Some).or_else(|| line.contains("port not available").then_some(None));
    for _ in 0..STARTS {
        let mut running = Running::start(Command::new(&program).arg("--port=0"));
        if let Some(port) = running.wait_for_line(outcome) {
            return (running, format!("http://127.0.0.1:{port}"));
        }
    }
    panic!("chromedriver found no free port in {STARTS} starts");
}

fn port(line: &str) -> Option<u16> {
    let (_, rest) = line.split_once("started successfully on port ")?;
    rest.trim_end_matches('.').parse().ok()
}

/// Opens a session; its profile and its downloads stay under `folder`.
pub(crate) async fn session(address: &str, folder: &TempDir) -> Result<WebDriver> {
    let downloads = folder.path().join("downloads");
    std::fs::create_dir_all(&downloads)?;
    // The workspace builds reqwest without cryptography of its own, and a client cannot be made without any.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let session = WebDriver::new(address, capabilities(folder.path(), &downloads)?)
        .await
        .context("Chromium could not be started\nfix: tests/browser/prepare installs it")?;
    Ok(session)
}

/// Closes a session over a connection of its own, and returns when the browser is gone.
pub(crate) fn close(session: &WebDriver) -> Result<()> {
    let address = session.server_url().socket_addrs(|| None)?;
    let address = address.first().context("the driver has no address")?;
    let mut stream = TcpStream::connect_timeout(address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let identity = session.session_id();
    write!(stream, "DELETE /session/{identity} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n")?;
    // The answer comes when the browser is gone; the driver then keeps the connection open, whatever it was asked.
    stream.read_exact(&mut [0])?;
    Ok(())
}

fn capabilities(folder: &Path, downloads: &Path) -> Result<ChromeCapabilities> {
    let mut wanted = ChromeCapabilities::new();
    for argument in ARGUMENTS {
        wanted.add_arg(argument)?;
    }
    wanted.add_arg(&format!("--user-data-dir={}", folder.join("profile").display()))?;
    wanted.set_browser_log_level(LoggingPrefsLogLevel::All)?;
    wanted.add_experimental_option(
        "prefs",
        json!({ "download.default_directory": downloads, "download.prompt_for_download": false }),
    )?;
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use super::port;

    #[test]
    fn the_port_is_read_from_the_drivers_own_words() {
        assert_eq!(port("ChromeDriver was started successfully on port 34567."), Some(34567));
        assert_eq!(port("Starting ChromeDriver 156.0 on port 0"), None);
    }
}
