//! Drivers, browsers and servers start, say why when they do not, and leave nothing behind.

use super::pages;
use anyhow::Result;
use carelock_browser_tests::{Browser, Database};
use carelock_test_support::wait_until;
use std::path::Path;
use std::process::Command;

/// The processes whose command line names a folder.
fn processes_of(folder: &Path) -> Result<usize> {
    let folder = folder.to_string_lossy();
    let lines = std::fs::read_dir("/proc")?.flatten().map(|entry| std::fs::read(entry.path().join("cmdline")));
    Ok(lines.flatten().filter(|line| String::from_utf8_lossy(line).contains(&*folder)).count())
}

fn exists(process: u32) -> bool {
    Path::new("/proc").join(process.to_string()).exists()
}

fn wait_until_gone(folder: &Path) {
    wait_until("the browser is gone", || processes_of(folder).is_ok_and(|count| count == 0));
}

#[tokio::test]
async fn a_browser_that_is_dropped_leaves_no_process_and_no_file() -> Result<()> {
    let browser = Browser::start().await?;
    browser.open(pages::serve()? + "/clean").await?;
    let (driver, folder) = (browser.driver_id(), browser.folder().to_owned());
    assert!(exists(driver) && processes_of(&folder)? > 0);
    drop(browser);
    wait_until_gone(&folder);
    assert!(!exists(driver) && !folder.exists());
    Ok(())
}

#[tokio::test]
async fn a_browser_ends_with_its_driver_even_when_that_is_killed() -> Result<()> {
    let browser = Browser::start().await?;
    assert!(processes_of(browser.folder())? > 0);
    assert!(Command::new("kill").args(["-9", &browser.driver_id().to_string()]).status()?.success());
    wait_until_gone(browser.folder());
    Ok(())
}

#[test]
fn a_database_is_filled_by_the_binary_itself() -> Result<()> {
    let database = Database::new();
    database.run(["examples/diagnosis.txt", "examples/ordinary.txt"])?;
    assert!(database.file().is_file());
    let refusal = database.run(["examples/no-such-chat.txt"]).expect_err("there is no such chat").to_string();
    assert!(refusal.contains("no-such-chat.txt"), "{refusal}");
    Ok(())
}
