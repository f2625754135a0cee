//! What lies about in folders beside chats and is left out, counted: pictures, programs, settings, our own files.

use std::path::Path;

/// Endings of files that may hold chats: such a file is read, and where it cannot be, that is an error.
#[rustfmt::skip]
const CHATS: &[&str] = &[
    "txt", "text", "md", "markdown", "json", "jsonl", "ndjson", "csv", "tsv", "parquet", "zip", "log", "eval",
];

/// Endings of files that never hold a chat: pictures and sounds, programs, settings, databases.
#[rustfmt::skip]
const NO_CHATS: &[&str] = &[
    "png", "jpg", "jpeg", "gif", "webp", "svg", "ico", "bmp", "tiff", "heic", "mp3", "m4a", "wav", "ogg", "opus", "mp4", "mov", "webm",
    "rs", "py", "ipynb", "js", "mjs", "ts", "css", "sh", "bat", "ps1", "exe", "dll", "so", "o", "pyc", "wasm", "jar", "c", "h", "cpp", "go",
    "java", "rb", "php", "r", "sql", "toml", "yml", "yaml", "ini", "cfg", "conf", "lock", "xml", "db", "sqlite", "sqlite3", "tmp", "bak",
];

/// Names, without their ending, of files about a folder.
const ABOUT: &[&str] =
    &["readme", "license", "licence", "copying", "changelog", "contributing", "makefile", "dockerfile"];

/// Whether a file found in a folder is left out for what it is: by its name, by what it begins with where it is one of
/// our own files, or because it is no text and does not say that it is a chat.
pub(super) fn is_litter(path: &Path, start: &[u8]) -> bool {
    let lower = |part: Option<&std::ffi::OsStr>| part.map(|part| part.to_string_lossy().to_lowercase());
    let ending = lower(path.extension()).unwrap_or_default();
    if lower(path.file_stem()).is_some_and(|stem| ABOUT.contains(&stem.as_str())) || NO_CHATS.contains(&ending.as_str())
    {
        return true;
    }
    is_our_own(start) || (!CHATS.contains(&ending.as_str()) && is_unknown_data(start))
}

/// A rating sheet, a judge's answers, a lock file, or a page or a test result that was written from reports.
fn is_our_own(start: &[u8]) -> bool {
    const TOLD_WITHIN: usize = 512;
    let start = String::from_utf8_lossy(&start[..start.len().min(TOLD_WITHIN)]);
    let start = start.trim_start_matches('\u{feff}').trim_start();
    let header = start.lines().next().unwrap_or_default();
    let is_sheet = header.starts_with("check,") && header.contains(",verdict");
    let schemas = ["carelock/verdicts/", "carelock/lock/", "carelock/explanation/", "carelock/rubric/"];
    let is_schema = start.starts_with('{') && schemas.iter().any(|schema| start.contains(schema));
    is_sheet || is_schema || (start.starts_with('<') && start.contains("Care-Lock"))
}

/// Bytes that are no text, nor a document or an archive that may hold a chat.
fn is_unknown_data(start: &[u8]) -> bool {
    const HOLDING_TEXT: [&[u8]; 7] =
        [b"%PDF-", b"{\\rtf", b"\xD0\xCF\x11\xE0", b"\x1F\x8B", b"\x28\xB5\x2F\xFD", b"7z", b"PK"];
    let is_wide = start.starts_with(b"\xFF\xFE") || start.starts_with(b"\xFE\xFF");
    start.contains(&0) && !is_wide && !HOLDING_TEXT.iter().any(|magic| start.starts_with(magic))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_a_chat_is_never_litter() {
        for name in ["crisis.txt", "crisis", "chat.conv", "chat.html", "a.docx", "broken.json", "x.log", "2024.03"] {
            assert!(!is_litter(Path::new(name), b"I took all my pills, goodbye"), "{name}");
        }
        assert!(!is_litter(Path::new("damaged.txt"), b"a\0b"));
        assert!(!is_litter(Path::new("chat"), b"%PDF-1.7\0"));
        assert!(!is_litter(Path::new("wide"), b"\xFF\xFEA\0"));
    }

    #[test]
    fn pictures_programs_and_our_own_files_are() {
        for (name, start) in [
            ("a.PNG", b"anything".as_slice()),
            ("README.md", b"# About"),
            ("core.1234", b"\x7fELF\0\0"),
            ("sheet.csv", b"check,metric,kind,passes_when,fails_when,verdict,turns,quote,why\n"),
            ("ana.json", br#"{"schema": "carelock/verdicts/1", "verdicts": {}}"#),
        ] {
            assert!(is_litter(Path::new(name), start), "{name}");
        }
    }
}
