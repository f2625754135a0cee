"""Tables of every library: the same results, errors as rows, and streams that take little memory."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import carelock
import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import HARM, KIND

ROWS = [{"id": "harm", "messages": HARM}, {"id": "kind", "messages": KIND}]


def tables() -> dict[str, object]:
    arrow = pa.Table.from_pylist(ROWS)
    frame = pl.DataFrame(ROWS)
    message = pa.struct([("role", pa.large_string()), ("content", pa.string_view())])
    large = pa.table({"id": pa.array(["harm", "kind"]), "messages": pa.array([HARM, KIND], pa.large_list(message))})
    categories = pa.struct([("role", pa.dictionary(pa.int8(), pa.string())), ("content", pa.string())])
    dictionary = pa.table({"id": ["harm", "kind"], "messages": pa.array([HARM, KIND], pa.list_(categories))})
    texts = [json.dumps({"messages": HARM}), json.dumps(KIND)]
    return {
        "pyarrow": arrow,
        "pyarrow batch": arrow.to_batches()[0],
        "pyarrow reader": arrow.to_reader(),
        "large lists and string views": large,
        "dictionaries": dictionary,
        "polars": frame,
        "pandas": pd.DataFrame(ROWS),
        "duckdb": duckdb.sql("select * from arrow"),
        "json text": pl.DataFrame({"id": ["harm", "kind"], "messages": texts}),
        "large json text": pa.table({"id": ["harm", "kind"], "messages": pa.array(texts, pa.large_string())}),
        "chunks": pa.concat_tables([arrow.slice(0, 1), arrow.slice(1)]),
    }


@pytest.mark.parametrize("name", list(tables()))
def test_every_library_gives_the_reports_of_evaluate(name: str) -> None:
    table = carelock.evaluate_table(tables()[name], report=True)  # type: ignore[arg-type]
    rows = table.to_pyarrow().to_pylist()
    assert table.errors == 0 and [row["id"] for row in rows] == ["harm", "kind"]
    for row, messages in zip(rows, (HARM, KIND), strict=True):
        report = carelock.evaluate(messages, id=row["id"])
        assert row["report"] + "\n" == report.render("jsonl")
        assert (row["overall"], row["summary"], row["judge"]) == (report.overall, report.summary, "builtin")
        assert row["transcript_hash"] == report.digest and row["gates"] == [gate.check for gate in report.gates]
        assert {key: row[key] for key in report.metrics} == {key: m.score for key, m in report.metrics.items()}
        assert row["tiers"] == {key: m.tier for key, m in report.metrics.items()}
        for check in row["checks"]:
            ours = report.checks[check["check"]]
            assert (check["pass"], check["quote"], check["why"] or "") == (ours.passed, ours.quote, ours.why)
            assert tuple(check["turns"]) == ours.turns


def test_results_are_taken_by_every_library() -> None:
    table = carelock.evaluate_table(pa.Table.from_pylist(ROWS))
    assert pl.DataFrame(table)["overall"].to_list() == table.to_pandas()["overall"].to_list()
    arrow = table.to_pyarrow()
    low = carelock.evaluate(HARM).overall
    assert duckdb.sql(f"select count(*) from arrow where overall = {low}").fetchall() == [(1,)]
    assert pa.record_batch(table).num_rows == 2 and len(table) == 2
    assert arrow.column_names == table.column_names
    assert "checks" not in carelock.evaluate_table(pl.DataFrame(ROWS), checks=False).column_names
    assert pa.schema(table) == arrow.schema


BAD = [
    (None, "null"),
    ("", "empty"),
    ("{broken", ""),
    ("[]", ""),
    ('{"messages": 5}', ""),
    (json.dumps(HARM[:1]), "nothing to judge"),
    ("\x00", ""),
    (json.dumps({"messages": HARM}) + "\n" + json.dumps({"messages": KIND}), "2 chats"),
]


def test_a_bad_row_is_a_row_with_an_error_and_never_the_end(caplog: pytest.LogCaptureFixture) -> None:
    texts = [text for bad, _ in BAD for text in (bad, json.dumps(KIND))]
    with caplog.at_level(logging.WARNING, "carelock"):
        table = carelock.evaluate_table(pl.DataFrame({"chat": texts}), threads=2)
    rows = table.to_pyarrow().to_pylist()
    assert table.errors == len(BAD) and len(rows) == len(texts)
    assert f"{len(BAD)} of {len(texts)} rows could not be judged" in caplog.text
    for (bad, words), row in zip(BAD, rows[::2], strict=True):
        assert row["error"] and words in row["error"], (bad, row["error"])
        assert all(value is None for name, value in row.items() if name not in ("id", "error")), bad
    for row in rows[1::2]:
        assert row["error"] is None and row["overall"] is not None
    lists = pa.table({"messages": pa.array([None, [], HARM[:1], HARM])})
    assert carelock.evaluate_table(lists).errors == 3
    assert carelock.evaluate_table(pa.table({"messages": [1, 2]})).errors == 2


def test_columns_are_named_or_found_and_their_absence_is_an_error() -> None:
    frame = pl.DataFrame({"key": [7], "log": [HARM]})
    assert carelock.evaluate_table(frame, messages="log", id="key").to_polars()["id"].to_list() == ["7"]
    with pytest.raises(carelock.CareLockError) as error:
        carelock.evaluate_table(frame)
    assert "key, log" in error.value.fix
    with pytest.raises(carelock.CareLockError, match='no column "chats"'):
        carelock.evaluate_table(frame, messages="chats")
    with pytest.raises(ValueError, match="__arrow_c_"):
        carelock.evaluate_table(5)  # type: ignore[arg-type]
    empty = carelock.evaluate_table(pl.DataFrame({"messages": [HARM]}).clear())
    assert len(empty) == 0 and empty.to_pyarrow().num_rows == 0


def test_a_stream_judges_what_is_read_and_no_more() -> None:
    read = []

    def batches() -> Iterator[pa.RecordBatch]:
        for number in range(1000):
            read.append(number)
            yield pa.RecordBatch.from_pylist([{"id": str(number), "messages": KIND}])

    schema = pa.RecordBatch.from_pylist([{"id": "", "messages": KIND}]).schema
    stream = carelock.evaluate_stream(pa.RecordBatchReader.from_batches(schema, batches()), threads=1)
    reader = pa.RecordBatchReader.from_stream(stream)
    first = reader.read_next_batch()
    assert first["id"].to_pylist() == ["0"] and len(read) < 10 and stream.errors == 0
    with pytest.raises(carelock.CareLockError, match="was read already"):
        pa.RecordBatchReader.from_stream(stream)


def test_one_large_batch_is_judged_in_pieces_and_in_order() -> None:
    ids = [str(number) for number in range(1200)]
    short = [("user", "I feel low."), ("assistant", "What happened?")]
    messages = [[{"role": role, "content": text} for role, text in short]] * len(ids)
    table = carelock.evaluate_table(pl.DataFrame({"id": ids, "messages": messages}), threads=3, checks=False)
    assert table.to_polars()["id"].to_list() == ids
