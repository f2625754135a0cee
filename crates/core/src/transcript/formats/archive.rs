//! Data exports inside a zip archive.

use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use super::ReadError;

/// The most a file may unpack to. A real export of years of chats stays far below; a zip bomb does not.
pub(super) const UNPACKED_LIMIT: u64 = 2 << 30;

/// One chat file found in an archive.
pub(super) struct Unpacked {
    /// Its path inside the archive.
    pub(super) name: String,
    /// Its content.
    pub(super) bytes: Vec<u8>,
}

/// Unpacks the chat files of an archive: `conversations.json` wherever it lies, all parts of one that was split
/// (`conversations-000.json`, …), or else the only JSON file there is.
pub(super) fn unpack(bytes: &[u8], limit: u64) -> Result<Vec<Unpacked>, ReadError> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| zip_error("", &error))?;
    let chosen = choose(&mut archive)?;
    let mut left = limit;
    let mut files = Vec::with_capacity(chosen.len());
    for (index, name) in chosen {
        let bytes = unpack_one(&mut archive, index, &name, left, limit)?;
        left -= bytes.len() as u64;
        files.push(Unpacked { name, bytes });
    }
    Ok(files)
}

/// Reads one file, counting what comes out rather than believing the size the archive states.
fn unpack_one(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    index: usize,
    name: &str,
    left: u64,
    limit: u64,
) -> Result<Vec<u8>, ReadError> {
    let file = archive.by_index(index).map_err(|error| zip_error(name, &error))?;
    let mut bytes = Vec::new();
    file.take(left.saturating_add(1)).read_to_end(&mut bytes).map_err(|error| {
        ReadError::new(name, format!("the zip archive is damaged: {error}"), "download or pack it again")
    })?;
    if bytes.len() as u64 > left {
        let what = format!("unpacks to more than {}", size(limit));
        return Err(ReadError::new(name, what, "unpack the archive yourself and give the files in it"));
    }
    Ok(bytes)
}

fn size(bytes: u64) -> String {
    match bytes {
        _ if bytes >= 1 << 30 => format!("{} GiB", bytes >> 30),
        _ if bytes >= 1 << 20 => format!("{} MiB", bytes >> 20),
        _ => format!("{bytes} bytes"),
    }
}

/// Which entries to read, by their place in the archive, in the order of their names.
fn choose(archive: &mut ZipArchive<Cursor<&[u8]>>) -> Result<Vec<(usize, String)>, ReadError> {
    let mut names = Vec::new();
    for index in 0..archive.len() {
        if let Some(Ok(name)) = archive.name_for_index(index) {
            names.push((index, name.into_owned()));
        }
    }
    // macOS packs a shadow of every file beside it.
    names.retain(|(_, name)| !name.ends_with('/') && !name.contains("__MACOSX/") && !file_name(name).starts_with("._"));
    let matching = |test: fn(&str) -> bool| -> Vec<(usize, String)> {
        names.iter().filter(|(_, name)| test(&file_name(name).to_ascii_lowercase())).cloned().collect()
    };
    let whole = matching(|name| name == "conversations.json");
    let mut parts = matching(is_part);
    let any = matching(|name| name.ends_with(".json") || name.ends_with(".jsonl") || name.ends_with(".ndjson"));
    if whole.len() == 1 {
        return Ok(whole);
    }
    if whole.is_empty() && !parts.is_empty() {
        parts.sort_by(|one, other| one.1.cmp(&other.1));
        return Ok(parts);
    }
    if whole.is_empty() && any.len() == 1 {
        return Ok(any);
    }
    let found = if whole.len() > 1 { whole } else { any };
    Err(undecided(&found, &names))
}

/// `conversations-000.json`: a large export in pieces.
fn is_part(name: &str) -> bool {
    let number = name.strip_prefix("conversations-").and_then(|rest| rest.strip_suffix(".json"));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit()))
}

fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

fn undecided(candidates: &[(usize, String)], all: &[(usize, String)]) -> ReadError {
    let list =
        |names: &[(usize, String)]| names.iter().take(8).map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(", ");
    let what = match (candidates.is_empty(), all.is_empty()) {
        (false, _) => format!("cannot tell which file of the zip archive is the chat: {}", list(candidates)),
        (true, false) => {
            format!("no conversations.json and no other JSON file in the zip archive; it holds {}", list(all))
        }
        (true, true) => "the zip archive is empty".to_owned(),
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
        unpack(&zipped(files), UNPACKED_LIMIT).map(|files| files.into_iter().map(|file| file.name).collect())
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
    fn a_split_export_and_a_single_other_file_are_read() {
        let split: [(&str, &[u8]); 3] =
            [("conversations-001.json", b"[]"), ("conversations-000.json", b"[]"), ("user.json", b"{}")];
        assert_eq!(names(&split).unwrap(), ["conversations-000.json", "conversations-001.json"]);
        assert_eq!(names(&[("chats.jsonl", b"{}"), ("readme.txt", b"")]).unwrap(), ["chats.jsonl"]);
    }

    #[test]
    fn what_cannot_be_decided_is_said_with_the_names() {
        let error = names(&[("a.json", b"{}"), ("b.json", b"{}")]).unwrap_err();
        assert!(error.what.contains("a.json, b.json"), "{error}");
        let error = names(&[("letter.docx", b"x")]).unwrap_err();
        assert!(error.what.contains("letter.docx"), "{error}");
        assert!(names(&[]).unwrap_err().what.contains("empty"));
    }

    #[test]
    fn a_bomb_is_stopped_while_unpacking() {
        let bomb = zipped(&[("conversations.json", &[b' '; 100_000])]);
        assert!(bomb.len() < 2_000);
        let error = unpack(&bomb, 50_000).err().unwrap();
        assert_eq!(
            (error.at.as_str(), error.what.as_str()),
            ("conversations.json", "unpacks to more than 50000 bytes")
        );
        assert_eq!(size(UNPACKED_LIMIT), "2 GiB");
    }

    #[test]
    fn damaged_and_encrypted_archives_are_told_apart() {
        let mut good = zipped(&[("conversations.json", b"[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]")]);
        let cut = unpack(&good[..good.len() / 2], UNPACKED_LIMIT).err().unwrap();
        assert!(cut.what.contains("damaged"), "{cut}");
        // The flag for encryption stands in both headers of the file.
        let central = memchr::memmem::find(&good, b"PK\x01\x02").unwrap();
        good[6] |= 1;
        good[central + 8] |= 1;
        let locked = unpack(&good, UNPACKED_LIMIT).err().unwrap();
        assert!(locked.what.contains("encrypted"), "{locked}");
    }
}
