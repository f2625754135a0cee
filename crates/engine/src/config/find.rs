//! Where settings are looked for, and where answers may be kept.

use std::path::{Path, PathBuf};

use anyhow::Result;

use super::file::{ConfigFile, Origin};

/// The name of the file, wherever it lies.
const NAME: &str = "carelock.toml";

/// The places that the environment and the current folder lead to.
pub(super) struct Places {
    /// The user's own file, whether it exists or not.
    pub(super) user_file: Option<PathBuf>,
    /// The folder for what can be made again.
    pub(super) cache_dir: Option<PathBuf>,
    /// The nearest file in the current folder or above it.
    project_file: Option<PathBuf>,
}

impl Places {
    pub(super) fn new(lookup: &dyn Fn(&str) -> Option<String>, folder: &Path) -> Self {
        let home = ["HOME", "USERPROFILE"].iter().find_map(|name| lookup(name)).map(PathBuf::from);
        // The standard for these variables has relative paths ignored.
        let stated = |name: &str| lookup(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let place = |variable: &str, usual: &str| {
            let base = stated(variable).or_else(|| home.as_ref().map(|home| home.join(usual)));
            base.map(|base| base.join("carelock"))
        };
        Self {
            user_file: place("XDG_CONFIG_HOME", ".config").map(|folder| folder.join(NAME)),
            cache_dir: place("XDG_CACHE_HOME", ".cache"),
            project_file: nearest(folder, home.as_deref()),
        }
    }

    /// The files there are, the farther first, so that the nearer is laid over it.
    pub(super) fn files(&self) -> Result<Vec<ConfigFile>> {
        let mut files = Vec::new();
        if let Some(path) = self.user_file.as_deref().filter(|path| path.is_file()) {
            files.push(ConfigFile::read(path, Origin::User)?);
        }
        if let Some(path) = self.project_file.as_deref().filter(|path| Some(*path) != self.user_file.as_deref()) {
            files.push(ConfigFile::read(path, Origin::Project)?);
        }
        Ok(files)
    }
}

/// The nearest file from a folder upwards. The search ends at the root of a repository and below the home folder, so
/// that a file which someone left in a shared folder above is never taken.
fn nearest(folder: &Path, home: Option<&Path>) -> Option<PathBuf> {
    let here = folder.join(NAME);
    if here.is_file() {
        return Some(here);
    }
    let root = folder.ancestors().find(|above| above.join(".git").exists())?;
    if home.is_some_and(|home| home.starts_with(root) && home != root) {
        return None;
    }
    let inside = folder.ancestors().skip(1).take_while(|above| above.starts_with(root));
    inside.map(|above| above.join(NAME)).find(|path| path.is_file())
}
