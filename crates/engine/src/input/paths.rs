//! From what the user typed to a list of files.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use carelock_core::problem::Problem;

/// One input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Input {
    Standard,
    /// A file the user named.
    File(PathBuf),
    /// A file found in a folder.
    Found(PathBuf),
    /// What came with a request, and the name it was given.
    Given {
        name: String,
        bytes: std::sync::Arc<[u8]>,
    },
}

/// What a chat from standard input goes by where the data carries no id.
pub const NO_NAME: &str = "stdin";

impl Input {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Standard => "standard input".to_owned(),
            Self::File(path) | Self::Found(path) => path.display().to_string(),
            Self::Given { name, .. } => name.clone(),
        }
    }

    /// The file; none for standard input.
    pub(super) fn path(&self) -> Option<&Path> {
        match self {
            Self::Standard => None,
            Self::File(path) | Self::Found(path) => Some(path),
            Self::Given { .. } => None,
        }
    }

    /// The name chats of this input go by: the file's name without its ending.
    pub(super) fn stem(&self) -> String {
        match self {
            Self::Standard => NO_NAME.to_owned(),
            Self::File(path) | Self::Found(path) => {
                path.file_stem().map_or_else(|| self.name(), |stem| stem.to_string_lossy().into_owned())
            }
            Self::Given { name, .. } => {
                let stem = Path::new(name).file_stem();
                stem.map_or_else(|| self.name(), |stem| stem.to_string_lossy().into_owned())
            }
        }
    }

    /// Whether it was found, not named, and lies in this folder.
    pub(super) fn is_found_in(&self, folder: &Path) -> bool {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        matches!(self, Self::Found(path) if real(path).starts_with(real(folder)))
    }

    /// Whether it is this very file, under whatever name.
    pub(super) fn is(&self, file: &Path) -> bool {
        matches!(self, Self::File(path) | Self::Found(path) if is_same_file(path, file))
    }

    pub(super) fn open(&self) -> Result<Box<dyn Read + Send>> {
        match self {
            Self::Standard => Ok(Box::new(io::stdin())),
            Self::File(path) | Self::Found(path) => {
                Ok(Box::new(File::open(path).with_context(|| format!("{}: cannot be opened", path.display()))?))
            }
            Self::Given { bytes, .. } => Ok(Box::new(io::Cursor::new(std::sync::Arc::clone(bytes)))),
        }
    }
}

/// Expands folders and patterns; files of one folder or pattern come in the order of their names.
pub(super) fn expand(typed: &[String]) -> Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for word in typed {
        if word == "-" {
            if inputs.contains(&Input::Standard) {
                bail!(Problem::new("standard input (-) is named twice").advice("name it once"));
            }
            inputs.push(Input::Standard);
            continue;
        }
        let path = Path::new(word);
        if path.is_dir() {
            let found = in_folder(path)?;
            if found.is_empty() {
                bail!(
                    Problem::new(format!("{word}: the folder holds no file"))
                        .advice("name the files, or another folder")
                );
            }
            inputs.extend(found.into_iter().map(Input::Found));
        } else if path.exists() {
            inputs.push(Input::File(path.to_owned()));
        } else if word.contains(['*', '?', '[']) {
            inputs.extend(matching(word)?.into_iter().map(Input::File));
        } else {
            bail!(
                Problem::new(format!("{word}: no such file or folder"))
                    .advice("check the path; use - for standard input")
            );
        }
    }
    Ok(inputs)
}

fn in_folder(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let visible =
        |entry: &walkdir::DirEntry| entry.depth() == 0 || !entry.file_name().to_string_lossy().starts_with('.');
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().filter_entry(visible) {
        let entry = entry.with_context(|| format!("{}: cannot be listed", folder.display()))?;
        if entry.file_type().is_file() {
            files.push(entry.into_path());
        }
    }
    Ok(files)
}

fn matching(pattern: &str) -> Result<Vec<PathBuf>> {
    let paths = glob::glob(pattern).map_err(|error| {
        let what = error.msg;
        anyhow!(
            Problem::new(format!("{pattern}: no such file, and not a pattern either: {what}"))
                .advice("check the path or the pattern")
        )
    })?;
    let files: Vec<PathBuf> = paths.filter_map(Result::ok).filter(|path| path.is_file()).collect();
    if files.is_empty() {
        bail!(
            Problem::new(format!("{pattern}: no file matches"))
                .advice("check the pattern; quote it if the shell should not expand it")
        );
    }
    Ok(files)
}

/// Whether two paths lead to one file.
pub fn is_same_file(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other && one.is_file())
}

/// What a file is called in messages.
pub fn text_name(path: &str) -> &str {
    if path == "-" { "standard input" } else { path }
}

/// Reads a small text file the user named: a rubric, weights, verdicts.
pub fn read_text(path: &str) -> Result<String> {
    let mut bytes = Vec::new();
    if path == "-" {
        io::stdin().read_to_end(&mut bytes).context("standard input cannot be read")?;
    } else {
        if !Path::new(path).exists() {
            bail!(Problem::new(format!("{path}: no such file")).advice("check the path; use - for standard input"));
        }
        let mut file = File::open(path).with_context(|| format!("{path}: cannot be opened"))?;
        file.read_to_end(&mut bytes).with_context(|| format!("{path}: cannot be read"))?;
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let path = text_name(path);
        anyhow!(Problem::new(format!("{path}: not UTF-8 text (byte {at})")).advice("save the file in UTF-8"))
    })
}
