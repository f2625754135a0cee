//! What a pipeline says about itself in the environment.

use std::path::{Path, PathBuf};

/// The pipeline this process runs in, if any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pipeline {
    /// Whether it is GitHub Actions.
    pub(crate) is_github: bool,
    /// The file whose Markdown GitHub shows on the page of the job.
    pub(crate) page: Option<PathBuf>,
    /// The folder GitHub takes paths from.
    root: Option<PathBuf>,
    /// The current folder.
    folder: PathBuf,
}

impl Pipeline {
    /// Reads the environment and the current folder of this process.
    pub(crate) fn of_process() -> Self {
        let folder = std::env::current_dir().unwrap_or_default();
        Self::new(&|name| std::env::var(name).ok(), folder)
    }

    fn new(environment: &dyn Fn(&str) -> Option<String>, folder: PathBuf) -> Self {
        let lookup = |name: &str| environment(name).filter(|value| !value.trim().is_empty());
        let is_github = lookup("GITHUB_ACTIONS").is_some_and(|value| value.eq_ignore_ascii_case("true"));
        let page = lookup("GITHUB_STEP_SUMMARY").filter(|_| is_github).map(PathBuf::from);
        let root = lookup("GITHUB_WORKSPACE").filter(|_| is_github).map(PathBuf::from);
        Self { is_github, page, root, folder }
    }

    /// A file's path as the pipeline knows it: from the root of the repository where the file lies in it.
    pub(crate) fn path_of(&self, file: &str) -> String {
        let whole = self.folder.join(file);
        let inside = self.root.as_deref().and_then(|root| whole.strip_prefix(root).ok());
        inside.unwrap_or(Path::new(file)).to_string_lossy().replace('\\', "/")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(pairs: &[(&str, &str)]) -> Pipeline {
        let found = |name: &str| pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
        Pipeline::new(&found, PathBuf::from("/repository/tests"))
    }

    #[test]
    fn paths_are_told_from_the_root_of_the_repository() {
        let github = with(&[("GITHUB_ACTIONS", "true"), ("GITHUB_WORKSPACE", "/repository")]);
        assert_eq!(github.path_of("chats/a.txt"), "tests/chats/a.txt");
        assert_eq!(github.path_of("/elsewhere/a.txt"), "/elsewhere/a.txt");
        assert_eq!(with(&[]).path_of("chats/a.txt"), "chats/a.txt");
    }

    #[test]
    fn the_page_of_a_job_belongs_to_github_alone() {
        assert_eq!(with(&[("GITHUB_STEP_SUMMARY", "/page")]).page, None);
        let github = with(&[("GITHUB_ACTIONS", "true"), ("GITHUB_STEP_SUMMARY", "/page")]);
        assert_eq!(github.page, Some(PathBuf::from("/page")));
        assert_eq!(with(&[("GITHUB_ACTIONS", "true"), ("GITHUB_STEP_SUMMARY", " ")]).page, None);
    }
}
