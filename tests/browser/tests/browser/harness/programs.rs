//! Drivers, browsers and servers start, say why when they do not, and leave nothing behind.

use super::pages;
use anyhow::Result;
use carelock_browser_tests::{Browser, Database, Server};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The processes whose command line names a folder.
fn processes_of(folder: &Path) -> Result<usize> {
    let folder = folder.to_string_lossy();
    let lines = std::fs::read_dir("/proc")?.flatten().map(|entry| std::fs::read(entry.path().join("cmdline")));
    Ok(lines.flatten().filter(|line| String::from_utf8_lossy(line).contains(&*folder)).count())
}

fn exists(process: u32) -> bool {
    Path::new("/proc").join(process.to_string()).exists()
}

fn wait_until_gone(folder: &Path) -> Result<()> {
    let until = Instant::now() + Duration::from_secs(10);
    while processes_of(folder)? > 0 {
        assert!(Instant::now() < until, "a browser is still there");
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

#[tokio::test]
async fn a_browser_that_is_dropped_leaves_no_process_and_no_file() -> Result<()> {
    let browser = Browser::start().await?;
    browser.open(pages::serve()? + "/clean").await?;
    let (driver, folder) = (browser.driver_id(), browser.folder().to_owned());
    assert!(exists(driver) && processes_of(&folder)? > 0);
    drop(browser);
    wait_until_gone(&folder)?;
    assert!(!exists(driver) && !folder.exists());
    Ok(())
}

#[tokio::test]
async fn a_browser_ends_with_its_driver_even_when_that_is_killed() -> Result<()> {
    let browser = Browser::start().await?;
    assert!(processes_of(browser.folder())? > 0);
    assert!(Command::new("kill").args(["-9", &browser.driver_id().to_string()]).status()?.success());
    wait_until_gone(browser.folder())
}

/// A program in place of the app's binary.
fn stand_in(folder: &TempDir, script: &str) -> Result<PathBuf> {
    let file = folder.path().join("carelock");
    std::fs::write(&file, format!("#!/bin/sh\n{script}\n"))?;
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755))?;
    Ok(file)
}

#[test]
fn a_server_is_found_by_its_first_line_and_ends_when_it_is_dropped() -> Result<()> {
    let folder = TempDir::new()?;
    let script = "echo \"listening on http://127.0.0.1:4000/\"; echo \"$* $EXTRA\"; exec sleep 600";
    let database = Database::of(stand_in(&folder, script)?)?;
    let server = Server::start_with(&database, &["--more"], &[("EXTRA", "extra")])?;
    assert_eq!(server.at("/runs"), "http://127.0.0.1:4000/runs");
    let until = Instant::now() + Duration::from_secs(10);
    while !server.output().contains(&format!("serve --port 0 --db {} --more extra", database.file().display())) {
        assert!(Instant::now() < until, "{}", server.output());
        std::thread::sleep(Duration::from_millis(10));
    }
    let process = server.id();
    drop(server);
    assert!(!exists(process));
    Ok(())
}

#[test]
fn a_server_that_does_not_start_is_quoted() -> Result<()> {
    for (script, words) in
        [("echo 'the port is taken' >&2; exit 2", "the port is taken"), ("echo hello; exec sleep 600", "hello")]
    {
        let folder = TempDir::new()?;
        let database = Database::of(stand_in(&folder, script)?)?;
        let refusal = format!("{:#}", Server::start(&database).err().expect("it started"));
        assert!(refusal.contains(words), "{refusal}");
    }
    Ok(())
}

#[test]
fn a_database_is_filled_by_the_binary_itself() -> Result<()> {
    let database = Database::new()?;
    database.run(["examples/diagnosis.txt", "examples/ordinary.txt"])?;
    assert!(database.file().is_file());
    let refusal = database.run(["examples/no-such-chat.txt"]).expect_err("there is no such chat").to_string();
    assert!(refusal.contains("no-such-chat.txt"), "{refusal}");
    Ok(())
}
