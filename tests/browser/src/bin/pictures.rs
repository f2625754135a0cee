//! Draws the pictures of the web app for the README and docs: `pictures FOLDER`.

use anyhow::{Context, Result};
use carelock_browser_tests::pictures::{Extent, take};
use carelock_browser_tests::{Browser, Database, Scheme, Server, Size};
use std::path::PathBuf;

/// One picture: its name, the page, and how it is looked at.
struct Picture {
    name: &'static str,
    path: &'static str,
    size: Size,
    scheme: Scheme,
    extent: Extent,
}

const PICTURES: &[Picture] = &[
    Picture { name: "start", path: "/", size: Size::WIDE, scheme: Scheme::Light, extent: Extent::Screen },
    Picture { name: "start-dark", path: "/", size: Size::WIDE, scheme: Scheme::Dark, extent: Extent::Screen },
    Picture { name: "start-phone", path: "/", size: Size::NARROW, scheme: Scheme::Light, extent: Extent::Screen },
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.context("no folder to draw into\nfix: name one: `pictures docs/pictures`")?;
    let database = Database::new()?;
    database.run(["examples/excellent.txt", "examples/missed-crisis.txt", "examples/ordinary.txt"])?;
    let server = Server::start(&database)?;
    let browser = Browser::start().await?;
    for Picture { name, path, size, scheme, extent } in PICTURES {
        browser.size(*size).await?;
        browser.scheme(*scheme).await?;
        browser.open(server.at(path)).await?;
        browser.assert_quiet().await?;
        take(&browser, &folder, name, *extent).await?;
    }
    Ok(())
}
