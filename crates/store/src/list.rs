//! Lists of results: filtered, sorted, and read page by page.

use std::fmt::Write as _;

use sqlx::any::AnyRow;
use sqlx::{AssertSqlSafe, Row as _};

use crate::classify::Failure;
use crate::result::place_number;
use crate::sql::{Values, small};
use crate::{ChatKey, METRICS, RunKey, Scores, Store, StoreError};

/// Which results of a run a list has, and in what order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The run.
    pub run: RunKey,
    /// The results of the judge at this place; `None` for those of the chats as a whole.
    pub place: Option<u32>,
    /// Only those with a gate tripped, or only those without.
    pub gated: Option<bool>,
    /// Only those this check tripped a gate in.
    pub gate: Option<String>,
    /// Only those with checks that have no verdict, or only those without.
    pub unscored: Option<bool>,
    /// Only those with an overall score below this, in hundredths; undetermined ones are not below anything.
    pub below: Option<u8>,
    /// Only this tier.
    pub tier: Option<String>,
    /// Only this group.
    pub group: Option<String>,
    /// Only this judge.
    pub judge: Option<String>,
    /// Only chats with these words in their id or origin, whatever the case of ASCII letters.
    pub text: Option<String>,
    /// The order.
    pub sort: Sort,
    /// The other way round.
    pub descending: bool,
    /// Only what comes behind this place in the list.
    pub after: Option<Cursor>,
}

/// What a list is sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// The order of the chats in the run.
    #[default]
    Position,
    /// The overall score, undetermined ones lowest, then the order of the chats.
    Overall,
}

/// A place in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    overall: i64,
    position: i64,
}

/// Some results of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// The results.
    pub results: Vec<ListedResult>,
    /// Where the next page begins; `None` where this was the last.
    pub next: Option<Cursor>,
}

/// One result of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedResult {
    /// The chat.
    pub chat: ChatKey,
    /// The chat's id.
    pub name: String,
    /// The chat's digest.
    pub digest: String,
    /// Where the chat came from.
    pub origin: String,
    /// Its place in the run, counted from 0.
    pub position: u64,
    /// Its group.
    pub group: Option<String>,
    /// The judge or the panel.
    pub judge: String,
    /// The numbers.
    pub scores: Scores,
}

const COLUMNS: &str = "SELECT results.chat, chats.name, chats.digest, chats.origin, results.position, \
    results.group_name, results.judge, results.overall, results.gates, results.tier, results.unscored, \
    results.outcomes, metric_1, metric_2, metric_3, metric_4, metric_5, metric_6, metric_7, metric_8, metric_9, \
    metric_10 FROM results JOIN chats ON chats.id = results.chat";

impl Filter {
    /// All results of a run's chats, in the order of the chats.
    pub fn of(run: RunKey) -> Self {
        Self {
            run,
            place: None,
            gated: None,
            gate: None,
            unscored: None,
            below: None,
            tier: None,
            group: None,
            judge: None,
            text: None,
            sort: Sort::default(),
            descending: false,
            after: None,
        }
    }

    fn conditions(&self) -> (String, Values) {
        let mut sql = " WHERE results.run = $1 AND results.place = $2".to_owned();
        let mut values = Values::default();
        values.integer(self.run.0).integer(place_number(self.place));
        if let Some(gated) = self.gated {
            sql.push_str(if gated { " AND results.gated = 1" } else { " AND results.gated = 0" });
        }
        if let Some(unscored) = self.unscored {
            sql.push_str(if unscored { " AND results.unscored > 0" } else { " AND results.unscored = 0" });
        }
        if let Some(below) = self.below {
            values.integer(i64::from(below));
            // Writing to a string cannot fail, here and below.
            let _ = write!(sql, " AND results.overall < ${}", values.len());
        }
        let equal = [("tier", &self.tier), ("group_name", &self.group), ("judge", &self.judge)];
        for (column, wanted) in equal.into_iter().filter_map(|(column, wanted)| Some((column, wanted.as_ref()?))) {
            values.text(wanted.as_str());
            let _ = write!(sql, " AND results.{column} = ${}", values.len());
        }
        if let Some(gate) = &self.gate {
            values.text(format!("%,{},%", literal(gate)).as_str());
            let _ = write!(sql, r" AND ',' || results.gates || ',' LIKE ${} ESCAPE '\'", values.len());
        }
        if let Some(text) = &self.text {
            values.text(format!("%{}%", literal(&text.to_ascii_lowercase())).as_str());
            let number = values.len();
            let _ = write!(
                sql,
                r" AND (LOWER(chats.name) LIKE ${number} ESCAPE '\' OR LOWER(chats.origin) LIKE ${number} ESCAPE '\')"
            );
        }
        (sql, values)
    }

    /// The order, and what comes behind the cursor in it.
    fn ordered(&self, sql: &mut String, values: &mut Values) {
        let (sign, direction) = if self.descending { ("<", "DESC") } else { (">", "ASC") };
        if let Some(cursor) = self.after {
            match self.sort {
                Sort::Position => {
                    values.integer(cursor.position);
                    let _ = write!(sql, " AND results.position {sign} ${}", values.len());
                }
                Sort::Overall => {
                    values.integer(cursor.overall).integer(cursor.position);
                    let (overall, position) = (values.len() - 1, values.len());
                    let key = "(COALESCE(results.overall, -1), results.position)";
                    let _ = write!(sql, " AND {key} {sign} (${overall}, ${position})");
                }
            }
        }
        let _ = match self.sort {
            Sort::Position => write!(sql, " ORDER BY results.position {direction}"),
            Sort::Overall => {
                write!(sql, " ORDER BY COALESCE(results.overall, -1) {direction}, results.position {direction}")
            }
        };
    }
}

/// A text for LIKE that stands for itself.
fn literal(text: &str) -> String {
    text.replace('\\', r"\\").replace('%', r"\%").replace('_', r"\_")
}

impl Store {
    /// The next results of a list, at most so many.
    pub async fn list(&self, filter: &Filter, most: u32) -> Result<Page, StoreError> {
        self.told(self.read_page(filter, most).await)
    }

    async fn read_page(&self, filter: &Filter, most: u32) -> Result<Page, Failure> {
        let (conditions, mut values) = filter.conditions();
        let mut sql = format!("{COLUMNS}{conditions}");
        filter.ordered(&mut sql, &mut values);
        // One more than asked for tells whether there is a next page.
        values.integer(i64::from(most) + 1);
        let _ = write!(sql, " LIMIT ${}", values.len());
        let rows = sqlx::query_with(AssertSqlSafe(sql), values.ready()?).fetch_all(&self.reader).await?;
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let results: Vec<ListedResult> = rows.iter().take(most).map(read).collect::<Result<_, _>>()?;
        let next = if rows.len() > most { results.last().map(cursor) } else { None };
        Ok(Page { results, next })
    }

    /// How many results a list has in all, whatever its cursor.
    pub async fn count(&self, filter: &Filter) -> Result<u64, StoreError> {
        let counting = async {
            let (conditions, values) = filter.conditions();
            let join = if filter.text.is_some() { " JOIN chats ON chats.id = results.chat" } else { "" };
            let sql = format!("SELECT COUNT(*) FROM results{join}{conditions}");
            let row = sqlx::query_with(AssertSqlSafe(sql), values.ready()?).fetch_one(&self.reader).await?;
            small(row.try_get(0)?)
        };
        self.told(counting.await)
    }
}

fn cursor(result: &ListedResult) -> Cursor {
    let position = i64::try_from(result.position).unwrap_or(i64::MAX);
    Cursor { overall: result.scores.overall.map_or(-1, i64::from), position }
}

fn read(row: &AnyRow) -> Result<ListedResult, Failure> {
    let score = |column: usize| row.try_get::<Option<i64>, _>(column)?.map(small).transpose();
    let mut metrics = [None; METRICS];
    for (at, metric) in metrics.iter_mut().enumerate() {
        *metric = score(12 + at)?;
    }
    let gates: String = row.try_get(8)?;
    let scores = Scores {
        overall: score(7)?,
        gates: gates.split(',').filter(|gate| !gate.is_empty()).map(str::to_owned).collect(),
        tier: row.try_get(9)?,
        unscored: small(row.try_get(10)?)?,
        metrics,
        outcomes: row.try_get(11)?,
    };
    Ok(ListedResult {
        chat: ChatKey(row.try_get(0)?),
        name: row.try_get(1)?,
        digest: row.try_get(2)?,
        origin: row.try_get(3)?,
        position: small(row.try_get(4)?)?,
        group: row.try_get(5)?,
        judge: row.try_get(6)?,
        scores,
    })
}
