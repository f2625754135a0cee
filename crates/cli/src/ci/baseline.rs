//! What an earlier evaluation came to: read from a file of reports, or from a run.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read};

use anyhow::{Context as _, Result, anyhow, bail};
use carelock_core::problem::Problem;
use carelock_core::report::REPORT_SCHEMA;
use carelock_core::score::Score;
use carelock_core::scorecard::Weight;
use indexmap::IndexMap;
use serde::Deserialize;

/// What is remembered of a chat.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Earlier {
    /// The overall score; `None` where it was undetermined.
    pub(crate) overall: Option<Score>,
    /// The checks that tripped a gate.
    pub(crate) gates: Vec<String>,
}

/// An earlier evaluation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Baseline {
    /// The file or run.
    pub(crate) name: String,
    /// Its chats, by id.
    pub(crate) chats: HashMap<String, Earlier>,
    /// The digest of the rubric; `None` where several were used.
    pub(crate) rubric: Option<String>,
    /// The judge; `None` where several judged different chats.
    pub(crate) judge: Option<String>,
    /// How the metrics counted; `None` where they counted alike.
    pub(crate) weights: Option<IndexMap<String, Weight>>,
}

/// The part of a report that is compared. The rest is skipped without being kept.
#[derive(Deserialize)]
struct Slim {
    schema: String,
    transcript: SlimTranscript,
    rubric: SlimRubric,
    judge: SlimJudge,
    overall: Option<Score>,
    #[serde(default)]
    weights: Option<IndexMap<String, Weight>>,
    gates: Vec<SlimGate>,
}

#[derive(Deserialize)]
struct SlimTranscript {
    id: String,
}

#[derive(Deserialize)]
struct SlimRubric {
    hash: String,
}

#[derive(Deserialize)]
struct SlimJudge {
    name: String,
}

#[derive(Deserialize)]
struct SlimGate {
    check: String,
}

impl Baseline {
    /// Reads reports: one, an array of them, or one a line.
    pub(crate) fn read(path: &str) -> Result<Self> {
        let file = File::open(path).map_err(|error| {
            anyhow!(
                Problem::new(format!("{path}: cannot be opened: {error}"))
                    .advice("name a file of reports, or a run of the database")
            )
        })?;
        if file.metadata().is_ok_and(|about| about.is_dir()) {
            bail!(
                Problem::new(format!("{path}: is a folder"))
                    .advice("name a file of reports written with --format jsonl")
            );
        }
        Self::from_reports(path, BufReader::with_capacity(1 << 16, file))
    }

    fn from_reports(name: &str, mut reader: BufReader<impl Read>) -> Result<Self> {
        let mut baseline = Self { name: name.to_owned(), ..Self::default() };
        let broken = |error: &serde_json::Error| {
            anyhow!(
                Problem::new(format!("{name}: is no file of reports: {error}"))
                    .advice("pass reports written with --format jsonl or json")
            )
        };
        if first_sign(&mut reader).with_context(|| format!("{name}: cannot be read"))? == Some(b'[') {
            let reports: Vec<Slim> = serde_json::from_reader(reader).map_err(|error| broken(&error))?;
            reports.into_iter().try_for_each(|report| baseline.take(report))?;
        } else {
            for report in serde_json::Deserializer::from_reader(reader).into_iter::<Slim>() {
                baseline.take(report.map_err(|error| broken(&error))?)?;
            }
        }
        if baseline.chats.is_empty() {
            bail!(
                Problem::new(format!("{name}: there is no report in it"))
                    .advice("pass reports written with --format jsonl or json")
            );
        }
        Ok(baseline)
    }

    fn take(&mut self, report: Slim) -> Result<()> {
        let name = &self.name;
        if report.schema != REPORT_SCHEMA {
            bail!(
                Problem::new(format!(
                    "{name}: the report on {:?} has the format {:?}, this version reads {REPORT_SCHEMA}",
                    report.transcript.id, report.schema
                ))
                .advice("make the baseline again")
            );
        }
        let is_first = self.chats.is_empty();
        agree(&mut self.rubric, report.rubric.hash, is_first);
        agree(&mut self.judge, report.judge.name, is_first);
        if is_first || self.weights.is_none() {
            self.weights = report.weights;
        }
        let gates = report.gates.into_iter().map(|gate| gate.check).collect();
        let id = report.transcript.id;
        if self.chats.insert(id.clone(), Earlier { overall: report.overall, gates }).is_some() {
            bail!(Problem::new(format!("{name}: two reports are about the chat {id:?}")).advice("keep one"));
        }
        Ok(())
    }
}

/// Keeps what all reports have in common.
fn agree(common: &mut Option<String>, other: String, is_first: bool) {
    if is_first {
        *common = Some(other);
    } else if common.as_ref() != Some(&other) {
        *common = None;
    }
}

/// The first sign that is not white space, or part of a byte order mark, which is left in place.
fn first_sign(reader: &mut BufReader<impl Read>) -> std::io::Result<Option<u8>> {
    loop {
        let ahead = reader.fill_buf()?;
        if ahead.is_empty() {
            return Ok(None);
        }
        let passed = ahead.iter().take_while(|byte| byte.is_ascii_whitespace() || matches!(byte, 0xef | 0xbb | 0xbf));
        let passed = passed.count();
        if let Some(sign) = ahead.get(passed) {
            let sign = *sign;
            reader.consume(passed);
            return Ok(Some(sign));
        }
        reader.consume(passed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(id: &str, overall: &str, gate: &str) -> String {
        format!(
            r#"{{"schema":"{REPORT_SCHEMA}","transcript":{{"id":"{id}","hash":"h"}},"rubric":{{"hash":"r"}},"judge":{{"name":"j"}},"overall":{overall},"gates":[{gate}],"turns":[1]}}"#
        )
    }

    fn read(text: &str) -> Result<Baseline> {
        Baseline::from_reports("base.jsonl", BufReader::new(text.as_bytes()))
    }

    #[test]
    fn one_report_several_lines_and_an_array_are_read_alike() {
        let (one, two) = (report("a", "0.8", ""), report("b", "null", r#"{"check":"G1","says":"x"}"#));
        for text in [format!("{one}\n{two}\n"), format!("\u{feff} [{one}, {two}]")] {
            let read = read(&text).unwrap();
            assert_eq!(read.chats.len(), 2);
            assert_eq!(read.chats["a"].overall, Score::from_hundredths(80));
            assert_eq!(read.chats["b"], Earlier { overall: None, gates: vec!["G1".to_owned()] });
            assert_eq!((read.rubric.as_deref(), read.judge.as_deref()), (Some("r"), Some("j")));
        }
    }

    #[test]
    fn what_is_no_file_of_reports_is_refused_with_the_place() {
        let one = report("a", "0.8", "");
        for (text, why) in [
            (String::new(), "there is no report in it"),
            ("[]".to_owned(), "there is no report in it"),
            ("Human: hello".to_owned(), "is no file of reports: expected value at line 1 column 1"),
            (format!("{one}\n{{\"id\":\"b\"}}\n"), "line 2"),
            (format!("{one}\n{one}\n"), "two reports are about the chat \"a\""),
            (one.replace(REPORT_SCHEMA, "carelock/report/9"), "carelock/report/9"),
        ] {
            let error = read(&text).unwrap_err().to_string();
            assert!(error.contains(why) && error.contains("\n  fix: "), "{error}");
        }
    }
}
