//! Statements with many rows, and values as both databases take them.

use std::fmt::Write as _;

use sqlx::any::{AnyArguments, AnyRow};
use sqlx::{AnyConnection, Arguments as _, Row as _};

use crate::Store;
use crate::classify::Failure;

/// Rows in one statement. Few sizes keep the number of prepared statements small.
const SIZES: [usize; 4] = [64, 16, 4, 1];

/// Values on their way into a statement.
#[derive(Default)]
pub(crate) struct Values {
    arguments: AnyArguments,
    failed: Option<sqlx::Error>,
}

impl Values {
    pub(crate) fn integer(&mut self, value: impl Into<Option<i64>>) -> &mut Self {
        self.add(value.into())
    }

    /// PostgreSQL has no character 0 in a text; the sign for it takes its place, in both databases.
    pub(crate) fn text<'text>(&mut self, value: impl Into<Option<&'text str>>) -> &mut Self {
        self.add(value.into().map(storable))
    }

    pub(crate) fn bytes(&mut self, value: Vec<u8>) -> &mut Self {
        self.add(value)
    }

    /// How many values there are, which is the number of the next placeholder less one.
    pub(crate) fn len(&self) -> usize {
        self.arguments.len()
    }

    pub(crate) fn ready(self) -> Result<AnyArguments, sqlx::Error> {
        self.failed.map_or(Ok(self.arguments), Err)
    }

    fn add<'value, T>(&mut self, value: T) -> &mut Self
    where
        T: sqlx::Encode<'value, sqlx::Any> + sqlx::Type<sqlx::Any>,
    {
        if let Err(error) = self.arguments.add(value) {
            self.failed.get_or_insert(sqlx::Error::Encode(error));
        }
        self
    }
}

/// A text that both databases can hold.
pub(crate) fn storable(text: &str) -> String {
    text.replace('\0', "\u{2400}")
}

/// A statement around a list of rows: what stands before `VALUES`, how many values a row has, what stands after.
pub(crate) struct Shape {
    pub(crate) before: &'static str,
    pub(crate) width: usize,
    pub(crate) after: &'static str,
}

impl Shape {
    fn statement(&self, rows: usize) -> String {
        let mut sql = format!("{} VALUES ", self.before);
        for row in 0..rows {
            sql.push_str(if row == 0 { "(" } else { ", (" });
            for column in 0..self.width {
                let comma = if column == 0 { "" } else { ", " };
                // Writing to a string cannot fail.
                let _ = write!(sql, "{comma}${}", row * self.width + column + 1);
            }
            sql.push(')');
        }
        sql.push(' ');
        sql.push_str(self.after);
        sql
    }

    /// Runs the statement over all rows, many at a time; gives back the rows it returned.
    pub(crate) async fn run<R>(
        &self,
        store: &Store,
        connection: &mut AnyConnection,
        rows: &[R],
        values: impl Fn(&R, &mut Values),
    ) -> Result<Vec<AnyRow>, Failure> {
        let mut returned = Vec::new();
        let mut rest = rows;
        while let Some(&size) = SIZES.iter().find(|&&size| size <= rest.len()) {
            let (now, later) = rest.split_at(size);
            let mut list = Values::default();
            now.iter().for_each(|row| values(row, &mut list));
            let query = sqlx::query_with(store.locking(&self.statement(size)), list.ready()?);
            returned.extend(query.fetch_all(&mut *connection).await?);
            rest = later;
        }
        Ok(returned)
    }
}

/// Adds to a counter of the database and gives back its new value.
pub(crate) async fn count_on(
    connection: &mut AnyConnection,
    counter: &'static str,
    by: usize,
) -> Result<i64, sqlx::Error> {
    let sql = "UPDATE counters SET value = value + $1 WHERE name = $2 RETURNING value";
    let row = sqlx::query(sql).bind(whole(by)).bind(counter).fetch_one(connection).await?;
    row.try_get(0)
}

/// A number of things as the database counts them.
pub(crate) fn whole(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A number read from the database where only small ones make sense.
pub(crate) fn small<T: TryFrom<i64>>(number: i64) -> Result<T, Failure> {
    T::try_from(number).map_err(|_| Failure::Damaged(format!("the number {number} makes no sense where it stands")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_numbers_its_placeholders_row_by_row() {
        let shape = Shape { before: "INSERT INTO t (a, b)", width: 2, after: "RETURNING a" };
        assert_eq!(shape.statement(2), "INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4) RETURNING a");
    }

    #[test]
    fn a_number_that_makes_no_sense_is_never_taken_for_another() {
        assert!(matches!(small::<u8>(100), Ok(100)));
        for number in [-1, 256, i64::MAX] {
            assert!(matches!(small::<u8>(number), Err(Failure::Damaged(what)) if what.contains(&number.to_string())));
        }
    }

    #[test]
    fn the_character_zero_becomes_a_sign() {
        assert_eq!(storable("a\0b"), "a\u{2400}b");
    }
}
