//! One rater's ratings from a file or a folder.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::Path;

use anyhow::{Result, anyhow, bail};
use carelock_core::problem::Problem;
use carelock_core::rubric::Rubric;
use carelock_core::verdict::read_sheet;
use rayon::prelude::*;

use super::held::{FilePart, RatingFile};
use super::record::{self, Read};
use super::{Rater, Source};
use crate::input::text_name;

/// File endings that are looked into in a folder.
const ENDINGS: [&str; 5] = ["json", "jsonl", "ndjson", "csv", "tsv"];

/// Reads everything in a file, in standard input (-) or in a folder as the ratings of one rater.
pub(super) fn read_rater(rubric: &Rubric, path: &str) -> Result<Rater> {
    let mut rater = Rater { name: short_name(path), ..Rater::default() };
    let mut found = RaterFindings::default();
    for file in files(path)? {
        found.take(rubric, &file, &mut rater)?;
    }
    if rater.ratings.is_empty() {
        bail!(
            Problem::new(format!("{}: nobody's verdicts are in it", text_name(path)))
                .advice("give labels, rating sheets or reports")
        );
    }
    found.finish(&mut rater);
    Ok(rater)
}

/// What the whole path says in one or two words.
fn short_name(path: &str) -> String {
    if path == "-" {
        return text_name(path).to_owned();
    }
    Path::new(path).file_name().map_or_else(|| path.to_owned(), |name| name.to_string_lossy().into_owned())
}

fn files(path: &str) -> Result<Vec<String>> {
    if !Path::new(path).is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in walkdir::WalkDir::new(path).sort_by_file_name() {
        let entry = entry.map_err(|error| anyhow!("{path}: cannot be listed: {error}"))?;
        let ending = entry.path().extension().map(|ending| ending.to_string_lossy().to_lowercase());
        if entry.file_type().is_file() && ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str())) {
            files.push(entry.path().display().to_string());
        }
    }
    Ok(files)
}

/// What is gathered over all files of a rater.
#[derive(Default)]
struct RaterFindings {
    judges: HashSet<String>,
    other_rubric: usize,
    weights: BTreeSet<String>,
    /// Where each chat was rated.
    places: HashMap<String, String>,
}

impl RaterFindings {
    fn take(&mut self, rubric: &Rubric, path: &str, rater: &mut Rater) -> Result<()> {
        let stem = Path::new(path).file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let file = rater.files.len();
        match RatingFile::open(path)? {
            Ok((held, places)) => {
                let several = places.len() > 1;
                let read = |place: &FilePart| {
                    let number = place.number;
                    let id = if several { format!("{stem}:{number}") } else { stem.clone() };
                    let at = held.at(*place, several);
                    let record = record::read(rubric, &held.text(*place)?, &id);
                    record.map(|read| (at.clone(), read)).map_err(|error| error.context(at.clone()))
                };
                let read: Vec<Result<(String, Read)>> = places.par_iter().map(read).collect();
                for (read, place) in read.into_iter().zip(places) {
                    let (at, mut read) = read?;
                    read.rating.source = Source::Record { file, place };
                    self.add(&at, read, rater)?;
                }
                rater.files.push(held);
            }
            Err(sheet) => {
                let name = text_name(path).to_owned();
                let answers = read_sheet(rubric, &sheet).map_err(|error| error.within(&name))?;
                for (chat, answer) in answers.iter().enumerate() {
                    let id = answer.transcript.as_ref().and_then(|about| about.id.clone());
                    let rating = record::of_answers(rubric, id.unwrap_or_else(|| stem.clone()), &answer.verdicts);
                    let mut rating = rating.map_err(|error| error.context(name.clone()))?;
                    rating.source = Source::Sheet { file, chat };
                    rating.digest = answer.transcript.as_ref().and_then(|about| about.hash.clone());
                    let judge = Some(answer.judge.name.clone()).filter(|judge| judge != "unnamed");
                    self.add(&name, Read { rating, judge, other_rubric: false, weights: String::new() }, rater)?;
                }
                rater.files.push(RatingFile::Sheet { name, answers });
            }
        }
        Ok(())
    }

    fn add(&mut self, at: &str, read: Read, rater: &mut Rater) -> Result<()> {
        if let Some(earlier) = self.places.insert(read.rating.id.clone(), at.to_owned()) {
            let id = &read.rating.id;
            bail!(
                Problem::new(format!("{at}: the chat {id:?} was rated in {earlier} already"))
                    .advice("keep one rating a chat, or name two raters as two files")
            );
        }
        self.other_rubric += usize::from(read.other_rubric);
        self.judges.extend(read.judge);
        self.weights.insert(read.weights);
        rater.ratings.push(read.rating);
        Ok(())
    }

    fn finish(self, rater: &mut Rater) {
        rater.judges = self.judges.into_iter().collect();
        rater.judges.sort();
        let weights: Vec<String> = self.weights.into_iter().collect();
        rater.weights = match weights.as_slice() {
            [] => String::new(),
            [same] => same.clone(),
            several => format!("{} different weightings", several.len()),
        };
        if self.other_rubric > 0 {
            let (name, count) = (&rater.name, self.other_rubric);
            rater
                .notes
                .push(format!("{name}: {count} reports rest on another rubric; checks are matched by their ids"));
        }
    }
}
