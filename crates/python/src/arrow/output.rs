//! Results as columns: scores, tiers, gates, every check with its reason and quote, or why there is none.

use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, Float64Builder, Int64Builder, ListBuilder, StringBuilder, StructBuilder,
};
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, Fields, Schema, SchemaRef};
use carelock::report::{CheckReport, MetricReport};
use carelock::{Error, Report, ReportFormat, Rubric, Score};

use crate::error::line;

/// Texts of a check, in the order of their columns.
const CHECK_TEXTS: [&str; 8] = ["metric", "check", "basis", "quote", "why", "unscored", "entailed_by", "confidence"];

/// The columns of results.
pub(super) struct Layout {
    rubric: Arc<Rubric>,
    schema: SchemaRef,
    checks: bool,
    report: bool,
}

/// What came of one row.
pub(super) struct Row {
    id: Option<String>,
    report: Result<Box<Report>, String>,
    json: Option<String>,
}

impl Row {
    pub(super) fn new(id: Option<&str>, report: Result<Report, Error>, layout: &Layout) -> Self {
        let report = report.map(Box::new);
        let drawn = report.as_ref().ok().filter(|_| layout.report);
        let json = drawn.and_then(|report| carelock::render(report, &layout.rubric, ReportFormat::Jsonl).ok());
        Self { id: id.map(str::to_owned), report: report.map_err(|error| line(&error)), json }
    }

    pub(super) fn is_error(&self) -> bool {
        self.report.is_err()
    }

    fn report(&self) -> Option<&Report> {
        self.report.as_deref().ok()
    }
}

impl Layout {
    pub(super) fn new(rubric: Arc<Rubric>, checks: bool, report: bool) -> Self {
        let field = |name: &str, kind: DataType| Field::new(name, kind, true);
        let text = |name: &str| field(name, DataType::Utf8);
        let number = |name: &str| field(name, DataType::Float64);
        let whole = |name: &str| field(name, DataType::Int64);
        let metrics = || rubric.metrics().iter().map(|metric| metric.key.as_str());
        let mut fields = vec![text("id"), text("error"), number("overall"), text("undetermined")];
        fields.extend(["overall_partial", "overall_ungated", "coverage"].map(number));
        fields.extend([text("tier"), field("gates", DataType::new_list(DataType::Utf8, true))]);
        fields.extend(metrics().map(number));
        fields.push(field("tiers", DataType::Struct(metrics().map(text).collect())));
        fields.extend(["earned", "not_triggered", "failed", "unscored"].map(whole));
        let last = ["summary", "judge", "model", "rubric_version", "rubric_hash", "transcript_hash"];
        fields.extend(last.map(text));
        if checks {
            fields.push(field("checks", DataType::new_list(DataType::Struct(check_fields()), true)));
        }
        if report {
            fields.push(text("report"));
        }
        Self { schema: Arc::new(Schema::new(fields)), rubric, checks, report }
    }

    pub(super) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// Rows as a batch.
    pub(super) fn batch(&self, rows: &[Row]) -> Result<RecordBatch, ArrowError> {
        let reports = || rows.iter().map(Row::report);
        let number = |get: &dyn Fn(&Report) -> Option<Score>| numbers(reports().map(|report| report.and_then(get)));
        let whole =
            |get: fn(&MetricReport) -> usize| wholes(reports().map(|report| report.map(|report| sum(report, get))));
        let text = |get: &dyn Fn(&Report) -> Option<String>| texts(reports().map(|report| report.and_then(get)));
        let mut columns = vec![
            texts(rows.iter().map(|row| row.id.as_deref())),
            texts(rows.iter().map(|row| row.report.as_ref().err())),
            number(&|report| report.overall),
            text(&|report| report.undetermined.clone()),
            number(&|report| report.overall_partial),
            number(&|report| report.overall_ungated),
            number(&|report| Some(report.coverage)),
            text(&|report| self.rubric.tier_reached(report.overall?).map(|tier| tier.label.clone())),
            gates(reports()),
        ];
        for metric in self.rubric.metrics() {
            columns.push(number(&|report| report.metrics.get(metric.key.as_str())?.score));
        }
        columns.extend([
            self.tiers(reports()),
            whole(|metric| metric.earned),
            whole(|metric| metric.not_triggered),
            whole(|metric| metric.failed),
            whole(|metric| metric.unscored),
            text(&|report| Some(report.summary.clone())),
            text(&|report| Some(report.judge.name.clone())),
            text(&|report| report.judge.model.clone()),
            text(&|report| Some(report.rubric.version.clone())),
            text(&|report| Some(report.rubric.hash.clone())),
            text(&|report| Some(report.transcript.hash.clone())),
        ]);
        if self.checks {
            columns.push(checks(reports()));
        }
        if self.report {
            columns.push(texts(rows.iter().map(|row| row.json.as_deref().map(str::trim_end))));
        }
        RecordBatch::try_new(self.schema(), columns)
    }

    /// The tier of every metric.
    fn tiers<'a>(&self, reports: impl Iterator<Item = Option<&'a Report>>) -> ArrayRef {
        let metrics = self.rubric.metrics();
        let fields: Fields = metrics.iter().map(|metric| Field::new(&metric.key, DataType::Utf8, true)).collect();
        let mut builder = StructBuilder::from_fields(fields, 0);
        for report in reports {
            for (place, metric) in metrics.iter().enumerate() {
                let tier = report.and_then(|report| report.metrics.get(metric.key.as_str())?.tier.as_deref());
                put_text(&mut builder, place, tier);
            }
            builder.append(report.is_some());
        }
        Arc::new(builder.finish())
    }
}

fn sum(report: &Report, count: fn(&MetricReport) -> usize) -> usize {
    report.metrics.values().map(count).sum()
}

fn texts<T: AsRef<str>>(values: impl Iterator<Item = Option<T>>) -> ArrayRef {
    let mut builder = StringBuilder::new();
    values.for_each(|value| builder.append_option(value));
    Arc::new(builder.finish())
}

fn numbers(values: impl Iterator<Item = Option<Score>>) -> ArrayRef {
    let mut builder = Float64Builder::new();
    values.for_each(|value| builder.append_option(value.map(|score| f64::from(score.hundredths()) / 100.0)));
    Arc::new(builder.finish())
}

fn wholes(values: impl Iterator<Item = Option<usize>>) -> ArrayRef {
    let mut builder = Int64Builder::new();
    values.for_each(|value| builder.append_option(value.and_then(|value| i64::try_from(value).ok())));
    Arc::new(builder.finish())
}

/// The checks that tripped a gate.
fn gates<'a>(reports: impl Iterator<Item = Option<&'a Report>>) -> ArrayRef {
    let mut builder = ListBuilder::new(StringBuilder::new());
    for report in reports {
        let gates = report.iter().flat_map(|report| &report.gates);
        gates.for_each(|gate| builder.values().append_value(&gate.check));
        builder.append(report.is_some());
    }
    Arc::new(builder.finish())
}

fn check_fields() -> Fields {
    let mut fields: Vec<Field> = CHECK_TEXTS.iter().map(|name| Field::new(*name, DataType::Utf8, true)).collect();
    fields.push(Field::new("pass", DataType::Boolean, true));
    fields.push(Field::new("turns", DataType::new_list(DataType::Int64, true), true));
    fields.into()
}

/// Every check of every report.
fn checks<'a>(reports: impl Iterator<Item = Option<&'a Report>>) -> ArrayRef {
    let mut members: Vec<Box<dyn ArrayBuilder>> = Vec::new();
    members.extend(CHECK_TEXTS.iter().map(|_| Box::new(StringBuilder::new()) as Box<dyn ArrayBuilder>));
    members.push(Box::new(BooleanBuilder::new()));
    members.push(Box::new(ListBuilder::new(Int64Builder::new())));
    let mut builder = ListBuilder::new(StructBuilder::new(check_fields(), members));
    for report in reports {
        for (metric, id, check) in report.iter().flat_map(|report| report.checks()) {
            put_check(builder.values(), metric, id, check);
        }
        builder.append(report.is_some());
    }
    Arc::new(builder.finish())
}

fn put_check(row: &mut StructBuilder, metric: &str, id: &str, check: &CheckReport) {
    let basis = check.basis.map(|basis| basis.to_string());
    let confidence = check.confidence.map(|confidence| confidence.to_string());
    let values = [
        Some(metric),
        Some(id),
        basis.as_deref(),
        check.quote.as_deref(),
        Some(check.why.as_str()).filter(|why| !why.is_empty()),
        check.unscored.as_deref(),
        check.entailed_by.as_deref(),
        confidence.as_deref(),
    ];
    for (place, value) in values.into_iter().enumerate() {
        put_text(row, place, value);
    }
    if let Some(pass) = row.field_builder::<BooleanBuilder>(CHECK_TEXTS.len()) {
        pass.append_option(check.pass);
    }
    if let Some(turns) = row.field_builder::<ListBuilder<Int64Builder>>(CHECK_TEXTS.len() + 1) {
        check.turns.iter().for_each(|turn| turns.values().append_value(i64::from(*turn)));
        turns.append(true);
    }
    row.append(true);
}

fn put_text(row: &mut StructBuilder, place: usize, text: Option<&str>) {
    if let Some(builder) = row.field_builder::<StringBuilder>(place) {
        builder.append_option(text);
    }
}
