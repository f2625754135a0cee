//! What can go wrong with a database of runs, in words that say where, what, and what to do.

/// Why the database could not do what was asked. No variant carries a password or words of a chat.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no file.
    #[error("{database}: there is no database here\n  fix: check the path, or make one with `carelock run`")]
    Missing {
        /// Where it was looked for.
        database: String,
    },
    /// The folder that should hold the file is not there.
    #[error("{database}: the folder {folder} does not exist\n  fix: make the folder, or choose another path")]
    NoFolder {
        /// The file.
        database: String,
        /// The folder.
        folder: String,
    },
    /// The path cannot be handed to the database.
    #[error("{database}: the path cannot be used: {why}\n  fix: choose another path")]
    BadPath {
        /// The path as far as it can be shown.
        database: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The file is something else.
    #[error("{database}: this is not a database\n  fix: check the path; nothing in the file was changed")]
    NotADatabase {
        /// The file.
        database: String,
    },
    /// A database of someone else.
    #[error(
        "{database}: this is not a Care-Lock database: it holds other tables\n  fix: give Care-Lock a file, or a \
         database or schema of a server, of its own; nothing in it was changed"
    )]
    Foreign {
        /// The database.
        database: String,
    },
    /// A later version of Care-Lock has worked on it.
    #[error(
        "{database}: the database has schema {found}, this version of Care-Lock knows schemas up to {known}\n  fix: use a \
         newer Care-Lock; nothing in the database was changed"
    )]
    Newer {
        /// The database.
        database: String,
        /// The schema it has.
        found: i64,
        /// The newest schema known here.
        known: i64,
    },
    /// The file's content is broken.
    #[error(
        "{database}: the database is damaged: {what}\n  fix: restore a copy; `sqlite3 FILE .recover` may save what is \
         left of a file"
    )]
    Damaged {
        /// The database.
        database: String,
        /// What the database said.
        what: String,
    },
    /// No room is left.
    #[error(
        "{database}: the disk is full; what was committed before is safe\n  fix: make room, then carry on with `carelock \
         run --resume`"
    )]
    Full {
        /// The database.
        database: String,
    },
    /// It must not be written.
    #[error(
        "{database}: the database cannot be written to: {what}\n  fix: check the permissions of the file and of its \
         folder (SQLite writes beside the file), or of the user at the server"
    )]
    ReadOnly {
        /// The database.
        database: String,
        /// What the system said.
        what: String,
    },
    /// Someone else is writing for too long.
    #[error(
        "{database}: another process has kept the database locked\n  fix: wait for it or end it, then try again; for \
         several workers at once use PostgreSQL"
    )]
    Locked {
        /// The database.
        database: String,
    },
    /// A file system that cannot hold a database several connections write to.
    #[error(
        "{database}: this folder does not allow the journal that keeps answers safe\n  fix: put the file on a local disk, \
         not on a network share"
    )]
    NoJournal {
        /// The file.
        database: String,
    },
    /// A run of this name is already there.
    #[error(
        "{database}: there is already a run named \"{name}\"\n  fix: choose another name, carry on with `carelock run \
         --resume`, or remove it with `carelock delete`"
    )]
    NameTaken {
        /// The database.
        database: String,
        /// The name.
        name: String,
    },
    /// A token of this name is already there.
    #[error(
        "{database}: there is already a token named \"{name}\"\n  fix: choose another name, or revoke it first with \
         `carelock token`"
    )]
    TokenTaken {
        /// The database.
        database: String,
        /// The name.
        name: String,
    },
    /// A rating was saved elsewhere since it was read.
    #[error(
        "{database}: the rating was changed elsewhere; nothing was saved\n  fix: load it again, and repeat the last \
         change"
    )]
    RatingStale {
        /// The database.
        database: String,
        /// The version it has by now.
        version: u64,
    },
    /// A rating that is done takes no changes.
    #[error("{database}: the rating is done; nothing was changed\n  fix: open it again to change it")]
    RatingDone {
        /// The database.
        database: String,
    },
    /// A rating of which nothing was saved yet cannot be done.
    #[error("{database}: nothing of the rating was saved yet\n  fix: rate the chat, then finish")]
    RatingEmpty {
        /// The database.
        database: String,
    },
    /// There is no such rating, or no longer.
    #[error("{database}: there is no such rating; it may have been deleted with its chat\n  fix: go back to the queue")]
    NoSuchRating {
        /// The database.
        database: String,
    },
    /// There is no such run.
    #[error("{database}: there is no run {run}\n  fix: see `carelock runs` for those there are")]
    NoSuchRun {
        /// The database.
        database: String,
        /// Its name in quotes, or its number.
        run: String,
    },
    /// The run takes no more chats.
    #[error("{database}: run {run} already has all its chats\n  fix: start a new run for other chats")]
    Sealed {
        /// The database.
        database: String,
        /// Its number.
        run: String,
    },
    /// Someone works on the run, so that what was read of it no longer holds.
    #[error(
        "{database}: run {run} is being worked on; nothing in it was changed\n  fix: wait until it is done, then try again"
    )]
    Busy {
        /// The database.
        database: String,
        /// Its number.
        run: String,
    },
    /// Two chats of one name in a run.
    #[error(
        "{database}: the run has two chats with the id \"{name}\", the second from {origin}\n  fix: give every chat an \
         id of its own, or leave the second one out"
    )]
    ChatTwice {
        /// The database.
        database: String,
        /// The chat's id.
        name: String,
        /// Where the second one came from.
        origin: String,
    },
    /// What was worked on has been deleted meanwhile.
    #[error("{database}: the run was deleted while it was worked on\n  fix: nothing; it stays deleted")]
    Gone {
        /// The database.
        database: String,
    },
    /// A value no database can hold.
    #[error("{database}: {what} is too large to be kept\n  fix: leave this chat out, or split it")]
    TooLarge {
        /// The database.
        database: String,
        /// What is too large.
        what: &'static str,
    },
    /// The URL cannot be understood.
    #[error("the URL of the database cannot be used: {why}\n  fix: write postgres://USER@HOST:PORT/DATABASE")]
    BadUrl {
        /// What is wrong with it, without repeating it.
        why: &'static str,
    },
    /// Built without PostgreSQL.
    #[error("this Care-Lock was built without PostgreSQL\n  fix: use a file, or build with the feature `postgres`")]
    NoPostgres,
    /// The server does not answer.
    #[error("{database}: the server cannot be reached: {what}\n  fix: check host, port and network, and that it runs")]
    Unreachable {
        /// The server, without the password.
        database: String,
        /// What happened.
        what: String,
    },
    /// The server does not let us in.
    #[error(
        "{database}: the server refuses the user or the password\n  fix: check the user in the URL, and the password in \
         PGPASSWORD, ~/.pgpass or the URL"
    )]
    Refused {
        /// The server, without the password.
        database: String,
    },
    /// The server has no database of this name.
    #[error(
        "{database}: the server has no such database\n  fix: make it with `createdb`, or check its name in the URL"
    )]
    NoSuchDatabase {
        /// The server, without the password.
        database: String,
    },
    /// Anything else the database said.
    #[error("{database}: {what}\n  fix: try again; if it stays, report it with this message")]
    Other {
        /// The database.
        database: String,
        /// What the database said.
        what: String,
    },
}
