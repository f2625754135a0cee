//! Accessibility, judged by axe-core inside the page.

use crate::browser::Browser;
use crate::server::target;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fmt;

/// A rule of axe-core that a page breaks, and where.
#[derive(Clone, Debug)]
pub struct Violation {
    /// The rule, such as `image-alt`.
    pub rule: String,
    /// `minor`, `moderate`, `serious` or `critical`.
    pub impact: String,
    /// What ought to hold.
    pub help: String,
    /// Every element: a selector, and what is wrong with it.
    pub places: Vec<String>,
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} ({}): {}", self.rule, self.impact, self.help)?;
        self.places.iter().try_for_each(|place| write!(formatter, "\n  {place}"))
    }
}

const RUN: &str = "const done = arguments[0];
    axe.run(document, { resultTypes: ['violations'] }).then(
        ({ violations }) => done({ violations }),
        (error) => done({ error: String(error) }));";

impl Browser {
    /// Everything that axe-core finds wrong with the page, of whatever weight.
    pub async fn violations(&self) -> Result<Vec<Violation>> {
        if self.allows_scripts() {
            return self.ask_axe().await;
        }
        // Without scripts no promise is ever kept. Those of the page were passed over when it was read, and stay so.
        self.scripts(true).await?;
        let found = self.ask_axe().await;
        self.scripts(false).await?;
        found
    }

    async fn ask_axe(&self) -> Result<Vec<Violation>> {
        let known = self.execute("return typeof axe === 'object'", vec![]).await?;
        if known.json() != &Value::Bool(true) {
            self.execute(source()?, vec![]).await.context("axe-core could not be put into the page")?;
        }
        let answer = self.execute_async(RUN, vec![]).await.context("axe-core did not finish")?;
        let found = answer.json()["violations"].as_array();
        let found = found.with_context(|| format!("axe-core failed: {}", answer.json()["error"]))?;
        Ok(found.iter().map(violation).collect())
    }

    /// Fails if the page breaks a rule in a way that is serious or critical.
    pub async fn assert_accessible(&self) -> Result<()> {
        let mut found = self.violations().await?;
        found.retain(|violation| matches!(violation.impact.as_str(), "serious" | "critical"));
        if found.is_empty() {
            return Ok(());
        }
        let lines: Vec<String> = found.iter().map(Violation::to_string).collect();
        bail!("{} is not accessible:\n{}", self.current_url().await?, lines.join("\n"))
    }
}

fn source() -> Result<String> {
    let file = target()?.join("browser/node_modules/axe-core/axe.min.js");
    std::fs::read_to_string(&file)
        .with_context(|| format!("{} cannot be read\nfix: tests/browser/prepare installs it", file.display()))
}

fn violation(found: &Value) -> Violation {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let places = found["nodes"].as_array().into_iter().flatten();
    Violation {
        rule: text(&found["id"]),
        impact: text(&found["impact"]),
        help: text(&found["help"]),
        places: places.map(|node| format!("{} {}", selector(node), text(&node["failureSummary"]))).collect(),
    }
}

fn selector(node: &Value) -> String {
    let parts = node["target"].as_array().into_iter().flatten();
    let parts: Vec<&str> = parts.filter_map(Value::as_str).collect();
    parts.join(" ")
}
