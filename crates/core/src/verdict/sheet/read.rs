//! Reading a filled-in sheet, with errors that name the line and the column.

use csv::StringRecord;
use indexmap::IndexMap;

use super::row;
use crate::problem::Problem;
use crate::rubric::Rubric;
use crate::verdict::{Answer, Basis, Confidence, Highlight, JudgeInfo, Pass, RawMoment, Submission, TranscriptRef};

/// Reads a sheet; one submission a chat where the table has a column `id` or `chat`, else a single one.
pub fn read_sheet(rubric: &Rubric, text: &str) -> Result<Vec<Submission>, Problem> {
    // The reader of tables counts a line with two signs at its end twice where it begins.
    let text = &text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let mut reader = csv::ReaderBuilder::new().delimiter(delimiter(text)).flexible(true).from_reader(text.as_bytes());
    let headers = reader.headers().map_err(|error| broken(&error))?.clone();
    let columns = Columns::find(&headers)?;
    let mut chats: IndexMap<String, Chat> = IndexMap::new();
    for record in reader.records() {
        let record = record.map_err(|error| broken(&error))?;
        let line = record.position().map_or(0, csv::Position::line);
        if record.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        let row = Row { record: &record, columns: &columns, line };
        let chat = row.cell(columns.chat).to_owned();
        chats.entry(chat).or_default().take(rubric, &row)?;
    }
    chats.into_iter().map(|(id, chat)| chat.finish(&id)).collect()
}

/// Spreadsheets write commas, semicolons or tabs, depending on where they were bought.
fn delimiter(text: &str) -> u8 {
    let header = text.lines().next().unwrap_or_default();
    let count = |wanted: u8| header.bytes().filter(|&byte| byte == wanted).count();
    [b',', b';', b'\t'].into_iter().rev().max_by_key(|&wanted| count(wanted)).unwrap_or(b',')
}

fn broken(error: &csv::Error) -> Problem {
    let at = format!("line {}", error.position().map_or(1, csv::Position::line));
    let fix = "save the sheet as CSV in UTF-8, with text that contains the separator in double quotes";
    Problem::located(at, error.to_string(), fix)
}

fn cell_error(line: u64, column: &str, what: impl Into<String>, fix: &str) -> Problem {
    Problem::located(format!("line {line}, column {column}"), what, fix)
}

struct Columns {
    chat: Option<usize>,
    check: usize,
    verdict: usize,
    basis: Option<usize>,
    turns: Option<usize>,
    quote: Option<usize>,
    why: Option<usize>,
    unscored: Option<usize>,
    confidence: Option<usize>,
}

impl Columns {
    fn find(headers: &StringRecord) -> Result<Self, Problem> {
        let find = |names: &[&str]| {
            headers.iter().position(|header| names.iter().any(|name| header.trim().eq_ignore_ascii_case(name)))
        };
        let need = |names: &[&str]| {
            find(names).ok_or_else(|| {
                let what = format!("there is no column {:?} among {:?}", names[0], headers.iter().collect::<Vec<_>>());
                Problem::located("line 1", what, "keep the header line that `carelock sheet` writes")
            })
        };
        Ok(Self {
            chat: find(&["id", "chat"]),
            check: need(&["check"])?,
            verdict: need(&["verdict", "pass"])?,
            basis: find(&["basis"]),
            turns: find(&["turns", "turn"]),
            quote: find(&["quote"]),
            why: find(&["why"]),
            unscored: find(&["unscored"]),
            confidence: find(&["confidence"]),
        })
    }
}

struct Row<'a> {
    record: &'a StringRecord,
    columns: &'a Columns,
    line: u64,
}

impl Row<'_> {
    fn cell(&self, column: Option<usize>) -> &str {
        column.and_then(|column| self.record.get(column)).unwrap_or_default().trim()
    }

    fn text(&self, column: Option<usize>) -> Option<String> {
        Some(self.cell(column)).filter(|cell| !cell.is_empty()).map(str::to_owned)
    }

    fn error(&self, column: &str, what: String, fix: &str) -> Problem {
        cell_error(self.line, column, what, fix)
    }

    fn basis(&self) -> Result<Option<Basis>, Problem> {
        match self.cell(self.columns.basis) {
            "" => Ok(None),
            "observed" => Ok(Some(Basis::Observed)),
            "absent" => Ok(Some(Basis::Absent)),
            "not_triggered" => Ok(Some(Basis::NotTriggered)),
            other => {
                let what = format!("{other:?} is not a basis");
                Err(self.error("basis", what, "write observed, absent or not_triggered, or leave it empty"))
            }
        }
    }

    fn confidence(&self) -> Result<Option<Confidence>, Problem> {
        match self.cell(self.columns.confidence) {
            "" => Ok(None),
            word => Confidence::from_word(word).map(Some).ok_or_else(|| {
                let what = format!("{word:?} is not a confidence");
                self.error("confidence", what, "write high, medium or low, or leave it empty")
            }),
        }
    }

    fn turns(&self) -> Result<Vec<u32>, Problem> {
        let words = self.cell(self.columns.turns).split([' ', ',', ';', '/']).filter(|word| !word.is_empty());
        words
            .map(|word| {
                word.parse().ok().filter(|&turn| turn > 0).ok_or_else(|| {
                    let what = format!("{word:?} is not a turn number");
                    self.error("turns", what, "write the numbers of `carelock turns`, such as 2 or 2 4")
                })
            })
            .collect()
    }
}

/// One chat's rows, gathered.
#[derive(Default)]
struct Chat {
    submission: Submission,
    first_lines: IndexMap<String, u64>,
    highlights: Vec<(u64, bool, u32, Highlight)>,
    answered: usize,
    last_line: u64,
}

impl Chat {
    fn take(&mut self, rubric: &Rubric, row: &Row<'_>) -> Result<(), Problem> {
        self.last_line = row.line;
        let name = row.cell(Some(row.columns.check));
        match name.to_ascii_lowercase().as_str() {
            row::MOMENT => self.take_moment(row),
            row::POSITIVE => self.take_highlight(row, true),
            row::NEGATIVE => self.take_highlight(row, false),
            row::SUMMARY => {
                self.submission.summary = row.text(row.columns.why);
                Ok(())
            }
            row::JUDGE => {
                if let Some(name) = row.text(row.columns.why) {
                    self.submission.judge = JudgeInfo::named(name);
                }
                Ok(())
            }
            row::TRANSCRIPT => {
                let hash = row.text(row.columns.quote);
                self.submission.transcript = Some(TranscriptRef { id: row.text(row.columns.why), hash });
                Ok(())
            }
            _ => self.take_check(rubric, row, name),
        }
    }

    fn take_check(&mut self, rubric: &Rubric, row: &Row<'_>, id: &str) -> Result<(), Problem> {
        if rubric.position(id).is_none() {
            let fix = "use the ids of `carelock rubric`, or the rows moment, positive, negative, summary, judge";
            return Err(row.error("check", format!("there is no check {id:?}"), fix));
        }
        if let Some(first) = self.first_lines.insert(id.to_owned(), row.line) {
            let what = format!("{id} is answered twice, first on line {first}");
            return Err(row.error("check", what, "keep one row a check"));
        }
        let pass = Pass::from_word(row.cell(Some(row.columns.verdict)));
        if let Pass::OffMenu(word) = &pass {
            let what = format!("{word:?} is not a verdict");
            return Err(row.error("verdict", what, "write pass, fail or not_triggered, or leave it empty"));
        }
        let basis = row.basis()?;
        let pass = match (pass, row.text(row.columns.unscored)) {
            (Pass::Missing, Some(reason)) => Pass::Unscored(reason),
            (pass, _) => pass,
        };
        self.answered += usize::from(pass != Pass::Missing);
        let quote = row.text(row.columns.quote);
        let why = row.text(row.columns.why).unwrap_or_default();
        let answer = Answer { pass, basis, turns: row.turns()?, quote, why, confidence: row.confidence()? };
        self.submission.verdicts.push((id.to_owned(), answer));
        Ok(())
    }

    fn take_moment(&mut self, row: &Row<'_>) -> Result<(), Problem> {
        let turns = row.turns()?;
        let quote = row.text(row.columns.quote);
        if turns.is_empty() && quote.is_none() {
            return Ok(());
        }
        let (&[idx], Some(quote)) = (turns.as_slice(), quote) else {
            let what = "a moment has one turn and a quote from it".to_owned();
            return Err(row.error("turns", what, "fill in both, or leave the row empty"));
        };
        let id = u32::try_from(self.submission.moments.len() + 1).ok();
        let why = row.text(row.columns.why).unwrap_or_default();
        self.submission.moments.push(RawMoment { id, idx, speaker: None, quote, why });
        Ok(())
    }

    /// A highlight names its moment by the turn; in a negative one the quote column holds the better wording.
    fn take_highlight(&mut self, row: &Row<'_>, good: bool) -> Result<(), Problem> {
        let Some(&turn) = row.turns()?.first() else { return Ok(()) };
        let why = row.text(row.columns.why).unwrap_or_default();
        let better = row.text(row.columns.quote).filter(|_| !good);
        self.highlights.push((row.line, good, turn, Highlight { id: 0, why, better }));
        Ok(())
    }

    fn finish(mut self, id: &str) -> Result<Submission, Problem> {
        if self.answered == 0 {
            let fix = "write pass, fail or not_triggered into the column verdict";
            return Err(cell_error(self.last_line, "verdict", "not a single verdict is filled in", fix));
        }
        for (line, good, turn, highlight) in std::mem::take(&mut self.highlights) {
            let moment = self.submission.moments.iter().find(|moment| moment.idx == turn);
            let Some(id) = moment.and_then(|moment| moment.id) else {
                let fix = "a positive or negative row names the turn of one of the moment rows";
                return Err(cell_error(line, "turns", format!("no moment row names turn {turn}"), fix));
            };
            let list = if good { &mut self.submission.positive } else { &mut self.submission.negative };
            list.push(Highlight { id, ..highlight });
        }
        if !id.is_empty() {
            self.submission.transcript.get_or_insert_default().id = Some(id.to_owned());
        }
        Ok(self.submission)
    }
}
