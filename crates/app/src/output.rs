//! Where results go: standard output, or a file that appears whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use tempfile::NamedTempFile;

/// A place to write to. A file takes its name only in [`Output::finish`]; without it, nothing is left behind.
pub(crate) enum Output {
    Standard(BufWriter<io::Stdout>),
    File { writer: BufWriter<NamedTempFile>, path: PathBuf, overwrite: bool },
}

impl Output {
    /// Standard output, or a file that may replace an older one.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self> {
        Self::with(path, true)
    }

    /// Standard output, or a file that must not exist yet.
    pub(crate) fn open_new(path: Option<&Path>) -> Result<Self> {
        if let Some(path) = path.filter(|path| path.exists()) {
            bail!("{}: the file exists\n  fix: choose another name, or delete it first", path.display());
        }
        Self::with(path, false)
    }

    fn with(path: Option<&Path>, overwrite: bool) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::Standard(BufWriter::with_capacity(1 << 16, io::stdout()))) };
        if path.is_dir() {
            bail!("{}: is a folder\n  fix: name a file in it", path.display());
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        // In the same folder, so that the rename cannot cross file systems.
        let file = NamedTempFile::with_prefix_in(".carelock-", folder)
            .with_context(|| format!("{}: cannot write there", path.display()))?;
        Ok(Self::File { writer: BufWriter::with_capacity(1 << 16, file), path: path.to_owned(), overwrite })
    }

    /// Makes what was written appear.
    pub(crate) fn finish(self) -> Result<()> {
        match self {
            Self::Standard(mut writer) => Ok(writer.flush()?),
            Self::File { writer, path, overwrite } => {
                let file = writer.into_inner().map_err(|error| error.into_error());
                let file = file.with_context(|| format!("{}: cannot be written", path.display()))?;
                file.as_file().sync_all().with_context(|| format!("{}: cannot be written", path.display()))?;
                let result = if overwrite { file.persist(&path) } else { file.persist_noclobber(&path) };
                result.map(drop).with_context(|| format!("{}: cannot be put in place", path.display()))
            }
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Standard(writer) => writer.write(bytes),
            Self::File { writer, .. } => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Standard(writer) => writer.flush(),
            Self::File { writer, .. } => writer.flush(),
        }
    }
}

/// Whether an error only says that nobody reads standard output any more (`carelock … | head`).
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let broken = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    };
    error.chain().any(broken)
}
