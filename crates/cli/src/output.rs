//! Where results go: standard output, or a file that appears whole or not at all.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow, bail};
use carelock_core::problem::Problem;
use carelock_engine::destination::Destination;
use tempfile::NamedTempFile;

use crate::interrupt;

/// A place to write to. A file takes its name only in [`Output::finish`]; without it, nothing is left behind.
pub(crate) enum Output {
    Standard(BufWriter<io::Stdout>),
    /// A pipe or a device, which a rename would replace instead of feeding it.
    Device(BufWriter<File>),
    File {
        writer: BufWriter<NamedTempFile>,
        path: PathBuf,
        overwrite: bool,
    },
}

impl Output {
    /// Standard output, which is also called `-`, or a file that may replace an older one.
    pub(crate) fn open(path: Option<&Path>) -> Result<Self> {
        Self::with(path, true)
    }

    /// Standard output, or a file that must not exist yet.
    pub(crate) fn open_new(path: Option<&Path>) -> Result<Self> {
        if let Some(path) = named(path).filter(|path| path.exists()) {
            bail!(
                Problem::new(format!("{}: the file exists", path.display()))
                    .advice("choose another name, or delete it first")
            );
        }
        Self::with(path, false)
    }

    fn with(path: Option<&Path>, overwrite: bool) -> Result<Self> {
        let Some(path) = named(path) else {
            return Ok(Self::Standard(BufWriter::with_capacity(1 << 16, io::stdout())));
        };
        let shown = path.display();
        if path.is_dir() {
            bail!(Problem::new(format!("{shown}: is a folder")).advice("name a file in it"));
        }
        if path.exists() && !path.is_file() {
            let device = OpenOptions::new().write(true).open(path);
            let device = device.with_context(|| format!("{shown}: cannot be written to"))?;
            return Ok(Self::Device(BufWriter::with_capacity(1 << 16, device)));
        }
        let (file, path) = beside(path)?;
        interrupt::begin(file.path());
        Ok(Self::File { writer: BufWriter::with_capacity(1 << 16, file), path, overwrite })
    }

    /// An error where a file cannot be written here; nothing is left behind.
    pub(crate) fn check(path: &Path) -> Result<()> {
        match path.exists() && !path.is_file() && !path.is_dir() {
            // Whoever reads a pipe would take this for its end.
            true => Ok(()),
            false if path.is_dir() => {
                bail!(Problem::new(format!("{}: is a folder", path.display())).advice("name a file in it"))
            }
            false => beside(path).map(drop),
        }
    }

    /// Makes what was written appear.
    pub(crate) fn finish(self) -> Result<()> {
        match self {
            Self::Standard(mut writer) => Ok(writer.flush()?),
            Self::Device(mut writer) => Ok(writer.flush()?),
            Self::File { writer, path, overwrite } => {
                let file = writer.into_inner().map_err(io::IntoInnerError::into_error);
                let file = file.with_context(|| format!("{}: cannot be written", path.display()))?;
                file.as_file().sync_all().with_context(|| format!("{}: cannot be written", path.display()))?;
                let result = if overwrite { file.persist(&path) } else { file.persist_noclobber(&path) };
                interrupt::end();
                result.map(drop).with_context(|| format!("{}: cannot be put in place", path.display()))
            }
        }
    }
}

impl Destination for Output {
    fn finish(self: Box<Self>) -> Result<()> {
        Output::finish(*self)
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Standard(writer) => writer.write(bytes),
            Self::Device(writer) => writer.write(bytes),
            Self::File { writer, .. } => writer.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Standard(writer) => writer.flush(),
            Self::Device(writer) => writer.flush(),
            Self::File { writer, .. } => writer.flush(),
        }
    }
}

/// The file, where it is one: `-` is standard output.
pub(crate) fn named(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| *path != Path::new("-"))
}

/// A file beside the one that is to be written, which takes its name later.
fn beside(path: &Path) -> Result<(NamedTempFile, PathBuf)> {
    let shown = path.display();
    // Through a link to the file it names: the rename would otherwise replace the link.
    let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        bail!(
            Problem::new(format!("{shown}: there is no folder {}", folder.display()))
                .advice("make it first, or name another")
        );
    }
    let file = unnamed_in(folder).map_err(|error| {
        let error = plain(&error);
        anyhow!(
            Problem::new(format!("{shown}: cannot be written: {error}"))
                .advice("name a file in a folder you may write to")
        )
    })?;
    Ok((file, path))
}

/// A file that is to be renamed later, in the same folder, so that the rename cannot cross file systems.
fn unnamed_in(folder: &Path) -> io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".carelock-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // Like any file the user makes: what the umask allows, instead of the owner alone.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// What the system says, without the name of a file the user never heard of.
fn plain(error: &io::Error) -> String {
    let cause = error.get_ref().and_then(std::error::Error::source).map(ToString::to_string);
    cause.unwrap_or_else(|| io::Error::from(error.kind()).to_string())
}

/// Whether an error only says that nobody reads standard output any more (`carelock … | head`).
pub(crate) fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(is_broken)
}

/// Whether an error, or one that it holds without naming it as its source, is that of a broken pipe.
fn is_broken(error: &(dyn std::error::Error + 'static)) -> bool {
    if let Some(error) = error.downcast_ref::<io::Error>() {
        let inner = error.get_ref().is_some_and(|inner| is_broken(inner));
        return inner || error.kind() == io::ErrorKind::BrokenPipe;
    }
    if let Some(error) = error.downcast_ref::<serde_json::Error>() {
        return error.io_error_kind() == Some(io::ErrorKind::BrokenPipe);
    }
    if let Some(error) = error.downcast_ref::<csv::Error>()
        && let csv::ErrorKind::Io(error) = error.kind()
    {
        return error.kind() == io::ErrorKind::BrokenPipe;
    }
    #[cfg(feature = "parquet")]
    if let Some(parquet::errors::ParquetError::External(error)) = error.downcast_ref() {
        return is_broken(error.as_ref());
    }
    false
}
