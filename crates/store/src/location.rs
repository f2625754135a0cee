//! Where a database of runs lies: a file, or a server by URL.

use std::fmt;
use std::path::PathBuf;

use crate::StoreError;

/// A file of SQLite or a PostgreSQL server. Printing it never shows a password.
#[derive(Clone, PartialEq, Eq)]
pub struct Location(pub(crate) Kind);

#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    File(PathBuf),
    #[cfg(feature = "postgres")]
    Server {
        url: String,
        label: String,
    },
}

impl Location {
    /// A file, whatever its name looks like.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self(Kind::File(path.into()))
    }

    /// `postgres://…` or `postgresql://…` is a server, `sqlite:PATH` and everything else a file.
    pub fn parse(text: &str) -> Result<Self, StoreError> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return server(text);
        }
        let path = text.strip_prefix("sqlite:").map_or(text, |rest| rest.strip_prefix("//").unwrap_or(rest));
        if path.is_empty() {
            return Err(StoreError::BadPath { database: text.to_owned(), why: "it is empty" });
        }
        Ok(Self::file(path))
    }

    /// Whether this is a server, which workers on several machines can share.
    pub fn is_server(&self) -> bool {
        !matches!(self.0, Kind::File(_))
    }
}

#[cfg(feature = "postgres")]
fn server(url: &str) -> Result<Location, StoreError> {
    use sqlx::postgres::PgConnectOptions;
    // The parser's own words may repeat the URL, and with it the password.
    let options: PgConnectOptions =
        url.parse().map_err(|_| StoreError::BadUrl { why: "it is not a PostgreSQL URL, or has an unknown setting" })?;
    let host = match options.get_socket() {
        Some(folder) => folder.display().to_string(),
        None => options.get_host().to_owned(),
    };
    let database = options.get_database().unwrap_or(options.get_username());
    let label = format!("postgres://{}@{host}:{}/{database}", options.get_username(), options.get_port());
    Ok(Location(Kind::Server { url: url.to_owned(), label }))
}

#[cfg(not(feature = "postgres"))]
fn server(_: &str) -> Result<Location, StoreError> {
    Err(StoreError::NoPostgres)
}

impl fmt::Display for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Kind::File(path) => write!(formatter, "{}", path.display()),
            #[cfg(feature = "postgres")]
            Kind::Server { label, .. } => formatter.write_str(label),
        }
    }
}

impl fmt::Debug for Location {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Location({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_a_file_with_or_without_a_scheme() {
        for text in ["runs.db", "sqlite:runs.db", "sqlite://runs.db"] {
            let location = Location::parse(text).unwrap();
            assert_eq!(location, Location::file("runs.db"), "{text}");
            assert!(!location.is_server());
        }
        assert!(matches!(Location::parse("sqlite:"), Err(StoreError::BadPath { .. })));
    }

    #[cfg(feature = "postgres")]
    #[test]
    fn the_password_of_a_url_is_never_printed() {
        let url = "postgres://ana:planted%2Fsecret@db.example:5433/runs?sslmode=require";
        let location = Location::parse(url).unwrap();
        assert!(location.is_server());
        assert_eq!(location.to_string(), "postgres://ana@db.example:5433/runs");
        assert!(!format!("{location:?} {location:#?}").contains("planted"));
        let error = Location::parse("postgres://ana:planted@db.example:notaport/runs").unwrap_err();
        assert!(!format!("{error} {error:?}").contains("planted"), "{error:?}");
    }
}
