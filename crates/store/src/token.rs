//! Tokens of the web app: who may do what. Only their hashes are kept.

use std::fmt;
use std::str::FromStr;

use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::classify::Failure;
use crate::sql::{count_on, storable};
use crate::{Store, StoreError};

/// What a token allows; each role allows what those before it do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// To read runs and reports.
    Read,
    /// To rate chats, without reading runs or reports.
    Rate,
    /// To put chats to judges as well.
    Judge,
    /// Everything.
    Admin,
}

impl Role {
    /// All roles, the one that allows least first.
    pub const ALL: [Self; 4] = [Self::Read, Self::Rate, Self::Judge, Self::Admin];

    fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Rate => "rate",
            Self::Judge => "judge",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

/// A word that names no role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no role \"{0}\"\n  fix: use read, rate, judge or admin")]
pub struct UnknownRole(String);

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(word: &str) -> Result<Self, UnknownRole> {
        Self::ALL.into_iter().find(|role| role.word() == word).ok_or_else(|| UnknownRole(word.to_owned()))
    }
}

/// A token that is about to be kept.
#[derive(Clone, PartialEq, Eq)]
pub struct NewToken {
    /// Its name, which no other token has.
    pub name: String,
    /// What it allows.
    pub role: Role,
    /// The hash of the token itself, in the caller's way of hashing.
    pub hash: String,
    /// When it was made, in milliseconds since 1970.
    pub created: i64,
}

/// Without the hash, so that none can end up in a log.
impl fmt::Debug for NewToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = formatter.debug_struct("NewToken");
        shown.field("name", &self.name).field("role", &self.role).field("created", &self.created);
        shown.finish_non_exhaustive()
    }
}

/// A token as the database knows it, without its hash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// Its name.
    pub name: String,
    /// What it allows.
    pub role: Role,
    /// When it was made, in milliseconds since 1970.
    pub created: i64,
}

impl Token {
    fn read(row: &AnyRow) -> Result<Self, Failure> {
        let role: String = row.try_get(1)?;
        let role = role.parse().map_err(|_| Failure::Damaged(format!("a token has the role {role:?}")))?;
        Ok(Self { name: row.try_get(0)?, role, created: row.try_get(2)? })
    }
}

impl Store {
    /// Keeps a token; its name must be new.
    pub async fn add_token(&self, token: &NewToken) -> Result<(), StoreError> {
        self.told(self.insert_token(token).await)
    }

    async fn insert_token(&self, token: &NewToken) -> Result<(), Failure> {
        let mut transaction = self.begin().await?;
        let key = count_on(&mut transaction, "token", 1).await?;
        let sql = "INSERT INTO tokens (id, name, role, hash, created) VALUES ($1, $2, $3, $4, $5) \
                   ON CONFLICT (name) DO NOTHING";
        let query = sqlx::query(sql).bind(key).bind(storable(&token.name)).bind(token.role.word());
        let query = query.bind(storable(&token.hash)).bind(token.created);
        if query.execute(&mut *transaction).await?.rows_affected() == 0 {
            return Err(StoreError::TokenTaken { database: self.label().to_owned(), name: token.name.clone() }.into());
        }
        Ok(transaction.commit().await?)
    }

    /// All tokens, the oldest first.
    pub async fn tokens(&self) -> Result<Vec<Token>, StoreError> {
        let sql = "SELECT name, role, created FROM tokens ORDER BY id";
        let read = async { sqlx::query(sql).fetch_all(&self.reader).await?.iter().map(Token::read).collect() };
        self.told(read.await)
    }

    /// Whether there is any token.
    pub async fn has_tokens(&self) -> Result<bool, StoreError> {
        let found = sqlx::query("SELECT id FROM tokens LIMIT 1").fetch_optional(&self.reader).await;
        Ok(self.told(found.map_err(Failure::from))?.is_some())
    }

    /// The token with this hash, if it is one that holds.
    pub async fn token_with_hash(&self, hash: &str) -> Result<Option<Token>, StoreError> {
        let query = sqlx::query("SELECT name, role, created FROM tokens WHERE hash = $1").bind(storable(hash));
        let read = async { query.fetch_optional(&self.reader).await?.as_ref().map(Token::read).transpose() };
        self.told(read.await)
    }

    /// Removes a token; false where there is none of this name. From then on it is unknown to all processes.
    pub async fn revoke_token(&self, name: &str) -> Result<bool, StoreError> {
        let query = sqlx::query("DELETE FROM tokens WHERE name = $1").bind(storable(name));
        Ok(self.told(query.execute(&self.writer).await.map_err(Failure::from))?.rows_affected() > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_read_as_they_are_written_and_each_allows_more_than_the_one_before() {
        for role in Role::ALL {
            assert_eq!(role.to_string().parse(), Ok(role));
        }
        assert!(Role::ALL.is_sorted() && Role::Admin > Role::Read);
        let error = "root".parse::<Role>().unwrap_err();
        assert!(error.to_string().contains("\"root\"") && error.to_string().contains("fix:"), "{error}");
    }

    #[test]
    fn a_hash_is_never_shown() {
        let token = NewToken { name: "n".to_owned(), role: Role::Read, hash: "abc123".to_owned(), created: 1 };
        assert!(!format!("{token:?}").contains("abc123"));
    }
}
