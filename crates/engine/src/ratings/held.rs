//! Files whose records are read once for the figures, and some of them again for their words.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, Result};
use carelock_core::verdict::Submission;
use serde_json::value::RawValue;

use crate::input::{read_text, text_name};

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FilePart {
    offset: u64,
    length: usize,
    /// The number of the line, or of the record where records are not lines.
    pub(super) number: usize,
}

/// A file that can be looked into again.
#[derive(Debug)]
pub(super) enum RatingFile {
    /// Records in a text that is held whole.
    Text { name: String, text: String },
    /// A record a line; only their places are held, because such files are large.
    Lines { name: String, file: Mutex<File> },
    /// A filled-in sheet.
    Sheet { name: String, answers: Vec<Submission> },
}

impl RatingFile {
    /// What the file is called in messages.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Text { name, .. } | Self::Lines { name, .. } | Self::Sheet { name, .. } => name,
        }
    }

    /// Where a record stands, in messages; the number of the only record of a text says nothing.
    pub(super) fn at(&self, place: FilePart, several: bool) -> String {
        match self {
            Self::Lines { name, .. } => format!("{name}, line {}", place.number),
            Self::Text { name, .. } if several => format!("{name}, record {}", place.number),
            Self::Text { name, .. } | Self::Sheet { name, .. } => name.clone(),
        }
    }

    /// Opens a file of JSON records and finds them; the text itself where it is not JSON at all.
    pub(super) fn open(path: &str) -> Result<Result<(Self, Vec<FilePart>), String>> {
        let name = text_name(path).to_owned();
        let has_lines = Path::new(path).extension().is_some_and(|ending| ending == "jsonl" || ending == "ndjson");
        if has_lines && path != "-" && Path::new(path).is_file() {
            let file = File::open(path).with_context(|| format!("{path}: cannot be opened"))?;
            let places = lines(&file).with_context(|| format!("{path}: cannot be read"))?;
            return Ok(Ok((Self::Lines { name, file: Mutex::new(file) }, places)));
        }
        let text = read_text(path)?;
        if !text.trim_start_matches('\u{feff}').trim_start().starts_with(['{', '[']) {
            return Ok(Err(text));
        }
        let places = records(&text);
        Ok(Ok((Self::Text { name, text }, places)))
    }

    /// The text at a place.
    pub(super) fn text(&self, place: FilePart) -> Result<String> {
        let start = usize::try_from(place.offset).unwrap_or(usize::MAX);
        match self {
            Self::Text { text, .. } => Ok(text.get(start..start + place.length).unwrap_or_default().to_owned()),
            Self::Sheet { .. } => Ok(String::new()),
            Self::Lines { name, file } => {
                let mut bytes = vec![0; place.length];
                let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
                let read = file.seek(SeekFrom::Start(place.offset)).and_then(|_| file.read_exact(&mut bytes));
                drop(file);
                read.with_context(|| format!("{name}: cannot be read"))?;
                String::from_utf8(bytes).with_context(|| format!("{name}, line {}: not UTF-8", place.number))
            }
        }
    }
}

/// The lines of a file that are not blank.
fn lines(file: &File) -> std::io::Result<Vec<FilePart>> {
    let mut reader = BufReader::with_capacity(1 << 18, file);
    let (mut places, mut line, mut offset) = (Vec::new(), Vec::new(), 0);
    for number in 1.. {
        line.clear();
        let length = reader.read_until(b'\n', &mut line)?;
        if length == 0 {
            break;
        }
        if !line.iter().all(u8::is_ascii_whitespace) {
            places.push(FilePart { offset, length, number });
        }
        offset += length as u64;
    }
    Ok(places)
}

/// The records of a text: one, an array of them, or one after the other.
fn records(text: &str) -> Vec<FilePart> {
    let start = text.len() - text.trim_start_matches('\u{feff}').trim_start().len();
    let whole = text[start..].trim_end();
    let place = |number: usize, part: &str| {
        let offset = part.as_ptr() as usize - text.as_ptr() as usize;
        FilePart { offset: offset as u64, length: part.len(), number }
    };
    if whole.starts_with('[')
        && let Ok(items) = serde_json::from_str::<Vec<&RawValue>>(whole)
    {
        return (1..).zip(items).map(|(number, item)| place(number, item.get())).collect();
    }
    let mut values = serde_json::Deserializer::from_str(whole).into_iter::<&RawValue>();
    let mut places = Vec::new();
    loop {
        let begin = values.byte_offset();
        let number = places.len() + 1;
        match values.next() {
            Some(Ok(value)) => places.push(place(number, value.get())),
            // What is not JSON is handed on as it is: the error about it names the place.
            Some(Err(_)) => {
                places.push(place(number, &whole[begin..]));
                return places;
            }
            None => return places,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_found_in_arrays_in_rows_and_alone() {
        for (text, expected) in [
            ("{\"a\": 1}", vec!["{\"a\": 1}"]),
            ("\u{feff} [{\"a\": 1}, {\"b\":\n2}]\n", vec!["{\"a\": 1}", "{\"b\":\n2}"]),
            ("{\"a\": 1}\n\n{\"b\": 2}\n", vec!["{\"a\": 1}", "{\"b\": 2}"]),
            ("{\"a\": 1} {oh", vec!["{\"a\": 1}", " {oh"]),
            ("[]", vec![]),
        ] {
            let held = RatingFile::Text { name: String::new(), text: text.to_owned() };
            let found: Vec<String> = records(text).into_iter().map(|place| held.text(place).unwrap()).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn lines_are_found_again_by_their_places() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        std::fs::write(&path, "{\"a\": \"ü\"}\n\n  \n{\"b\": 2}").unwrap();
        let (held, places) = RatingFile::open(&path.display().to_string()).unwrap().unwrap();
        let numbers: Vec<usize> = places.iter().map(|place| place.number).collect();
        assert_eq!(numbers, [1, 4]);
        assert_eq!(held.text(places[1]).unwrap(), "{\"b\": 2}");
        assert_eq!(held.text(places[0]).unwrap(), "{\"a\": \"ü\"}\n");
    }
}
