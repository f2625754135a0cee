//! Data exports inside a zip archive.

use std::io::{self, Cursor, Read};

use zip::ZipArchive;
use zip::read::ZipFile;
use zip::result::ZipError;

use super::record::later_try;
use super::{ReadError, Reading};
use crate::problem::Remedy;

/// The most a file may unpack to. A real export of years of chats stays far below; a zip bomb does not.
pub(super) const UNPACKED_LIMIT: u64 = 2 << 30;

/// The files of an archive that are read, and those that are not.
pub(super) struct Chosen {
    /// The place in the archive and the path of each that is read, in the order they are read in.
    files: Vec<(usize, String)>,
    /// The paths of those that cannot hold a chat, by the looks of their names.
    pub(super) left_out: Vec<String>,
    /// Whether the files are the parts of one export.
    pub(super) is_export: bool,
    /// Whether it is a log of Inspect, whose samples are read.
    pub(super) is_log: bool,
}

/// An archive whose files are unpacked one at a time.
pub(super) struct Archive<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    pub(super) chosen: Chosen,
    limit: u64,
    left: u64,
}

impl<'a> Archive<'a> {
    /// Looks into an archive and chooses what is read: `conversations.json` wherever it lies, all parts of one that was
    /// split (`conversations-000.json`, …), or else everything that may be a chat by its name.
    pub(super) fn open(bytes: &'a [u8], limit: u64) -> Result<Self, ReadError> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| zip_error("", &error))?;
        let chosen = choose(&archive)?;
        Ok(Self { archive, chosen, limit, left: limit })
    }

    /// The paths of the files that are read.
    pub(super) fn names(&self) -> Vec<String> {
        self.chosen.files.iter().map(|(_, name)| name.clone()).collect()
    }

    /// Unpacks the file at a place among those that are read. All together may not unpack to more than the limit.
    pub(super) fn unpack(&mut self, place: usize) -> Result<Vec<u8>, ReadError> {
        let Some((index, name)) = self.chosen.files.get(place) else { return Ok(Vec::new()) };
        // Counted before room is made for it: what the archive states need not be true.
        let most = self.left.saturating_add(1);
        let counted = io::copy(&mut file(&mut self.archive, *index, name)?.take(most), &mut io::sink());
        let size = counted.map_err(|error| damaged(name, &error))?;
        if size > self.left {
            let what = format!("unpacks to more than {}", self::size(self.limit));
            let or = "unpack the archive yourself and give the files in it".to_owned();
            return Err(ReadError::new(name, what, Remedy::RaiseMaxSize { or }));
        }
        self.left -= size;
        let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
        let read = file(&mut self.archive, *index, name)?.take(size).read_to_end(&mut bytes);
        read.map(|_| bytes).map_err(|error| damaged(name, &error))
    }
}

fn file<'archive, 'a>(
    archive: &'archive mut ZipArchive<Cursor<&'a [u8]>>,
    index: usize,
    name: &str,
) -> Result<ZipFile<'archive, Cursor<&'a [u8]>>, ReadError> {
    archive.by_index(index).map_err(|error| zip_error(name, &error))
}

/// A conversation of a file in the archive, called after the file where it has no id of its own.
pub(super) fn within(name: &str, number: Option<usize>, mut reading: Reading) -> Reading {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let id = || number.map_or_else(|| stem.to_owned(), |number| format!("{stem}:{number}"));
    reading.id.get_or_insert_with(id);
    // A sample that is tried again has the id of the first time.
    if let (Some(id), Some(epoch)) = (&mut reading.id, epoch(stem)) {
        *id = later_try(id, epoch);
    }
    reading.at = super::assemble::place(name, &reading.at);
    reading
}

fn damaged(name: &str, error: &io::Error) -> ReadError {
    ReadError::new(name, format!("the zip archive is damaged: {error}"), "download or pack it again")
}

fn size(bytes: u64) -> String {
    match bytes {
        _ if bytes >= 1 << 30 => format!("{} GiB", bytes >> 30),
        _ if bytes >= 1 << 20 => format!("{} MiB", bytes >> 20),
        _ => format!("{bytes} bytes"),
    }
}

fn choose(archive: &ZipArchive<Cursor<&[u8]>>) -> Result<Chosen, ReadError> {
    let mut names = Vec::new();
    for index in 0..archive.len() {
        if let Some(Ok(name)) = archive.name_for_index(index) {
            names.push((index, name.into_owned()));
        }
    }
    // macOS packs a shadow of every file beside it.
    names.retain(|(_, name)| !name.ends_with('/') && !name.contains("__MACOSX/") && !file_name(name).starts_with('.'));
    names.sort_by(|one, other| one.1.cmp(&other.1));
    let matching = |test: fn(&str) -> bool| -> Vec<(usize, String)> {
        names.iter().filter(|(_, name)| test(&file_name(name).to_ascii_lowercase())).cloned().collect()
    };
    let whole = matching(|name| name == "conversations.json");
    let parts = if whole.is_empty() { matching(is_part) } else { whole };
    if !parts.is_empty() {
        // What else an export holds, such as settings and feedback, is no chat.
        return Ok(Chosen { files: parts, left_out: Vec::new(), is_export: true, is_log: false });
    }
    if names.iter().any(|(_, name)| name == "header.json" || name.starts_with("_journal/")) {
        let files: Vec<_> = names.iter().filter(|(_, name)| is_sample(name)).cloned().collect();
        if !files.is_empty() {
            return Ok(Chosen { files, left_out: Vec::new(), is_export: false, is_log: true });
        }
    }
    let (files, other): (Vec<_>, Vec<_>) = names.into_iter().partition(|(_, name)| may_be_chat(name));
    if files.is_empty() {
        return Err(no_chats(&other));
    }
    Ok(Chosen { files, left_out: other.into_iter().map(|(_, name)| name).collect(), is_export: false, is_log: false })
}

/// Whether a file may hold a chat, by the ending of its name; one without an ending may.
fn may_be_chat(path: &str) -> bool {
    const ENDINGS: [&str; 12] =
        ["json", "jsonl", "ndjson", "txt", "text", "log", "md", "markdown", "csv", "tsv", "parquet", "chat"];
    match file_name(path).rsplit_once('.') {
        Some((_, ending)) => ENDINGS.contains(&ending.to_ascii_lowercase().as_str()),
        None => true,
    }
}

/// A sample of Inspect's log: its id, which may hold anything, stands in its name.
fn is_sample(name: &str) -> bool {
    name.starts_with("samples/") && name.ends_with(".json")
}

/// Which time a sample was tried.
fn epoch(stem: &str) -> Option<u32> {
    let (_, number) = stem.strip_prefix("samples/")?.rsplit_once("_epoch_")?;
    number.parse().ok()
}

/// `conversations-000.json`: a large export in pieces.
fn is_part(name: &str) -> bool {
    let number = name.strip_prefix("conversations-").and_then(|rest| rest.strip_suffix(".json"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
}

pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn no_chats(all: &[(usize, String)]) -> ReadError {
    let list = all.iter().take(8).map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", ");
    let what = match all.is_empty() {
        false => format!("no file of the zip archive looks like a chat; it holds {list}"),
        true => "the zip archive is empty".to_owned(),
    };
    ReadError::new("", what, "unpack the archive and give the chat files themselves")
}

fn zip_error(name: &str, error: &ZipError) -> ReadError {
    match error {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) | ZipError::InvalidPassword => {
            ReadError::new(name, "the zip archive is encrypted", "unpack it with its password first")
        }
        ZipError::UnsupportedArchive(why) if why.contains("encrypted") => {
            ReadError::new(name, "the zip archive is encrypted", "unpack it with its password first")
        }
        ZipError::CompressionMethodNotSupported(_) | ZipError::UnsupportedArchive(_) => {
            ReadError::new(name, format!("this kind of zip archive cannot be read: {error}"), "unpack it first")
        }
        _ => ReadError::new(name, format!("the zip archive is damaged: {error}"), "download or pack it again"),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write;

    use zip::write::SimpleFileOptions;

    use super::*;

    /// An archive with these files.
    pub(in super::super) fn zipped(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn names(files: &[(&str, &[u8])]) -> Result<Vec<String>, ReadError> {
        Archive::open(&zipped(files), UNPACKED_LIMIT).map(|archive| archive.names())
    }

    #[test]
    fn the_conversations_are_found_at_any_depth_and_beside_other_files() {
        let files: [(&str, &[u8]); 4] = [
            ("export/user.json", b"{}"),
            ("export/deep/conversations.json", b"[]"),
            ("__MACOSX/export/deep/._conversations.json", b"x"),
            ("export/chat.html", b"x"),
        ];
        assert_eq!(names(&files).unwrap(), ["export/deep/conversations.json"]);
    }

    #[test]
    fn a_split_export_is_read_whole_and_other_archives_file_by_file() {
        let split: [(&str, &[u8]); 3] =
            [("conversations-001.json", b"[]"), ("conversations-000.json", b"[]"), ("user.json", b"{}")];
        assert_eq!(names(&split).unwrap(), ["conversations-000.json", "conversations-001.json"]);
        let several: [(&str, &[u8]); 5] =
            [("b.txt", b""), ("a.json", b"{}"), ("c/d.md", b""), ("photo.jpg", b""), (".DS_Store", b"")];
        let several = zipped(&several);
        let archive = Archive::open(&several, UNPACKED_LIMIT).unwrap();
        assert_eq!(archive.names(), ["a.json", "b.txt", "c/d.md"]);
        assert_eq!(archive.chosen.left_out, ["photo.jpg"]);
    }

    #[test]
    fn the_samples_of_a_log_of_inspect_are_read_whatever_packs_them() {
        let sample = |id: &str, epoch: u32, answer: &str| {
            format!(
                r#"{{"id":"{id}","epoch":{epoch},"scores":{{"s":{{"value":NaN}}}},"messages":[{{"role":"system","content":"Be kind."}},{{"role":"user","content":"hi"}},{{"role":"assistant","content":"{answer}"}}]}}"#
            )
        };
        let (first, second) = (sample("a/b c", 1, "hello"), sample("a/b c", 2, "good day"));
        let files = [
            ("header.json", "{}"),
            ("summaries.json", "[]"),
            ("_journal/start.json", "{}"),
            ("samples/a/b c_epoch_1.json", &first),
            ("samples/a/b c_epoch_2.json", &second),
            ("reductions.json", "[]"),
        ];
        for method in [zip::CompressionMethod::Zstd, zip::CompressionMethod::Deflated] {
            let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
            for (name, text) in files {
                writer.start_file(name, SimpleFileOptions::default().compression_method(method)).unwrap();
                writer.write_all(text.as_bytes()).unwrap();
            }
            let log = writer.finish().unwrap().into_inner();
            let document = super::super::read(&log, &super::super::ReadOptions::default()).unwrap();
            assert_eq!((document.notes, document.warnings), (vec!["a log of Inspect".to_owned()], Vec::new()));
            let chats: Vec<_> = document.readings.into_iter().map(Result::unwrap).collect();
            let ids: Vec<_> = chats.iter().map(|chat| chat.id.as_deref().unwrap()).collect();
            assert_eq!(ids, ["a/b c", "a/b c:epoch-2"]);
            assert_eq!((chats[1].turns[1].1.as_str(), chats[1].dropped["system message"]), ("good day", 1));
            let cut = super::super::read(&log[..log.len() - 40], &super::super::ReadOptions::default());
            assert!(cut.is_err());
        }
    }

    #[test]
    fn an_archive_without_chats_is_said_with_the_names() {
        let error = names(&[("letter.docx", b"x")]).unwrap_err();
        assert!(error.what.contains("letter.docx"), "{error}");
        assert!(names(&[]).unwrap_err().what.contains("empty"));
    }

    #[test]
    fn a_bomb_is_stopped_while_unpacking() {
        let bomb = zipped(&[("conversations.json", &[b' '; 100_000])]);
        assert!(bomb.len() < 2_000);
        let error = Archive::open(&bomb, 50_000).unwrap().unpack(0).unwrap_err();
        assert_eq!(
            (error.at.as_str(), error.what.as_str()),
            ("conversations.json", "unpacks to more than 50000 bytes")
        );
        assert_eq!(size(UNPACKED_LIMIT), "2 GiB");
    }

    #[test]
    fn damaged_and_encrypted_archives_are_told_apart() {
        let mut good = zipped(&[("conversations.json", b"[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]")]);
        let cut = Archive::open(&good[..good.len() / 2], UNPACKED_LIMIT).err().unwrap();
        assert!(cut.what.contains("damaged"), "{cut}");
        // The flag for encryption stands in both headers of the file.
        let central = memchr::memmem::find(&good, b"PK\x01\x02").unwrap();
        good[6] |= 1;
        good[central + 8] |= 1;
        let locked = Archive::open(&good, UNPACKED_LIMIT).unwrap().unpack(0).unwrap_err();
        assert!(locked.what.contains("encrypted"), "{locked}");
    }
}
