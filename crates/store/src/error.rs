//! What can go wrong with a database of runs, in words that say where, what, and what to do.

use carelock_core::problem::Problem;

/// Why the database could not do what was asked. No variant carries a password or words of a chat.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no file.
    Missing {
        /// Where it was looked for.
        database: String,
    },
    /// The folder that should hold the file is not there.
    NoFolder {
        /// The file.
        database: String,
        /// The folder.
        folder: String,
    },
    /// The path cannot be handed to the database.
    BadPath {
        /// The path as far as it can be shown.
        database: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The file is something else.
    NotADatabase {
        /// The file.
        database: String,
    },
    /// A database of someone else.
    Foreign {
        /// The database.
        database: String,
    },
    /// A later version of Care-Lock has worked on it.
    Newer {
        /// The database.
        database: String,
        /// The schema it has.
        found: i64,
        /// The newest schema known here.
        known: i64,
    },
    /// The file's content is broken.
    Damaged {
        /// The database.
        database: String,
        /// What the database said.
        what: String,
    },
    /// No room is left.
    Full {
        /// The database.
        database: String,
    },
    /// It must not be written.
    ReadOnly {
        /// The database.
        database: String,
        /// What the system said.
        what: String,
    },
    /// Someone else is writing for too long.
    Locked {
        /// The database.
        database: String,
    },
    /// A file system that cannot hold a database several connections write to.
    NoJournal {
        /// The file.
        database: String,
    },
    /// A run of this name is already there.
    NameTaken {
        /// The database.
        database: String,
        /// The name.
        name: String,
    },
    /// A token of this name is already there.
    TokenTaken {
        /// The database.
        database: String,
        /// The name.
        name: String,
    },
    /// A rating was saved elsewhere since it was read.
    RatingStale {
        /// The database.
        database: String,
        /// The version it has by now.
        version: u64,
    },
    /// A rating that is done takes no changes.
    RatingDone {
        /// The database.
        database: String,
    },
    /// A rating of which nothing was saved yet cannot be done.
    RatingEmpty {
        /// The database.
        database: String,
    },
    /// There is no such rating, or no longer.
    NoSuchRating {
        /// The database.
        database: String,
    },
    /// There is no such run.
    NoSuchRun {
        /// The database.
        database: String,
        /// Its name in quotes, or its number.
        run: String,
    },
    /// The run takes no more chats.
    Sealed {
        /// The database.
        database: String,
        /// Its number.
        run: String,
    },
    /// Someone works on the run, so that what was read of it no longer holds.
    Busy {
        /// The database.
        database: String,
        /// Its number.
        run: String,
    },
    /// Two chats of one name in a run.
    ChatTwice {
        /// The database.
        database: String,
        /// The chat's id.
        name: String,
        /// Where the second one came from.
        origin: String,
    },
    /// What was worked on has been deleted meanwhile.
    Gone {
        /// The database.
        database: String,
    },
    /// A value no database can hold.
    TooLarge {
        /// The database.
        database: String,
        /// What is too large.
        what: &'static str,
    },
    /// The URL cannot be understood.
    BadUrl {
        /// What is wrong with it, without repeating it.
        why: &'static str,
    },
    /// Built without PostgreSQL.
    NoPostgres,
    /// The server does not answer.
    Unreachable {
        /// The server, without the password.
        database: String,
        /// What happened.
        what: String,
    },
    /// The server does not let us in.
    Refused {
        /// The server, without the password.
        database: String,
    },
    /// The server has no database of this name.
    NoSuchDatabase {
        /// The server, without the password.
        database: String,
    },
    /// Anything else the database said.
    Other {
        /// The database.
        database: String,
        /// What the database said.
        what: String,
    },
}

impl StoreError {
    /// Whether the connection to a server is lost, so that trying again later may help.
    #[must_use]
    pub fn is_connection_lost(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }

    /// The error as front ends show it.
    #[must_use]
    pub fn problem(&self) -> Problem {
        match self {
            Self::Missing { database } => Problem::new(format!("{database}: there is no database here")).advice("check the path, or make one with `carelock run`"),
            Self::NoFolder { database, folder } => Problem::new(format!("{database}: the folder {folder} does not exist")).advice("make the folder, or choose another path"),
            Self::BadPath { database, why } => Problem::new(format!("{database}: the path cannot be used: {why}")).advice("choose another path"),
            Self::NotADatabase { database } => Problem::new(format!("{database}: this is not a database")).advice("check the path; nothing in the file was changed"),
            Self::Foreign { database } => Problem::new(format!("{database}: this is not a Care-Lock database: it holds other tables")).advice("give Care-Lock a file, or a database or schema of a server, of its own; nothing in it was changed"),
            Self::Newer { database, found, known } => Problem::new(format!("{database}: the database has schema {found}, this version of Care-Lock knows schemas up to {known}")).advice("use a newer Care-Lock; nothing in the database was changed"),
            Self::Damaged { database, what } => Problem::new(format!("{database}: the database is damaged: {what}")).advice("restore a copy; `sqlite3 FILE .recover` may save what is left of a file"),
            Self::Full { database } => Problem::new(format!("{database}: the disk is full; what was committed before is safe")).advice("make room, then carry on with `carelock run --resume`"),
            Self::ReadOnly { database, what } => Problem::new(format!("{database}: the database cannot be written to: {what}")).advice("check the permissions of the file and of its folder (SQLite writes beside the file), or of the user at the server"),
            Self::Locked { database } => Problem::new(format!("{database}: another process has kept the database locked")).advice("wait for it or end it, then try again; for several workers at once use PostgreSQL"),
            Self::NoJournal { database } => Problem::new(format!("{database}: this folder does not allow the journal that keeps answers safe")).advice("put the file on a local disk, not on a network share"),
            Self::NameTaken { database, name } => Problem::new(format!("{database}: there is already a run named \"{name}\"")).advice("choose another name, carry on with `carelock run --resume`, or remove it with `carelock delete`"),
            Self::TokenTaken { database, name } => Problem::new(format!("{database}: there is already a token named \"{name}\"")).advice("choose another name, or revoke it first with `carelock token`"),
            Self::RatingStale { database, .. } => Problem::new(format!("{database}: the rating was changed elsewhere; nothing was saved")).advice("load it again, and repeat the last change"),
            Self::RatingDone { database } => Problem::new(format!("{database}: the rating is done; nothing was changed")).advice("open it again to change it"),
            Self::RatingEmpty { database } => Problem::new(format!("{database}: nothing of the rating was saved yet")).advice("rate the chat, then finish"),
            Self::NoSuchRating { database } => Problem::new(format!("{database}: there is no such rating; it may have been deleted with its chat")).advice("go back to the queue"),
            Self::NoSuchRun { database, run } => Problem::new(format!("{database}: there is no run {run}")).advice("see `carelock runs` for those there are"),
            Self::Sealed { database, run } => Problem::new(format!("{database}: run {run} already has all its chats")).advice("start a new run for other chats"),
            Self::Busy { database, run } => Problem::new(format!("{database}: run {run} is being worked on; nothing in it was changed")).advice("wait until it is done, then try again"),
            Self::ChatTwice { database, name, origin } => Problem::new(format!("{database}: the run has two chats with the id \"{name}\", the second from {origin}")).advice("give every chat an id of its own, or leave the second one out"),
            Self::Gone { database } => Problem::new(format!("{database}: the run was deleted while it was worked on")).advice("nothing; it stays deleted"),
            Self::TooLarge { database, what } => Problem::new(format!("{database}: {what} is too large to be kept")).advice("leave this chat out, or split it"),
            Self::BadUrl { why } => Problem::new(format!("the URL of the database cannot be used: {why}")).advice("write postgres://USER@HOST:PORT/DATABASE"),
            Self::NoPostgres => Problem::new("this Care-Lock was built without PostgreSQL").advice("use a file, or build with the feature `postgres`"),
            Self::Unreachable { database, what } => Problem::new(format!("{database}: the server cannot be reached: {what}")).advice("check host, port and network, and that it runs"),
            Self::Refused { database } => Problem::new(format!("{database}: the server refuses the user or the password")).advice("check the user in the URL, and the password in PGPASSWORD, ~/.pgpass or the URL"),
            Self::NoSuchDatabase { database } => Problem::new(format!("{database}: the server has no such database")).advice("make it with `createdb`, or check its name in the URL"),
            Self::Other { database, what } => Problem::new(format!("{database}: {what}")).advice("try again; if it stays, report it with this message"),
        }
    }
}

carelock_core::shown_as_problem!(StoreError);
