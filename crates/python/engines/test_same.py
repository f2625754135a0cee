"""The same reports through the command, HTTP, Rust, Python, Spark and Ray, byte by byte.

CARELOCK_CHATS names another file of chats, in JSON lines with an id each, of which only the turns are taken; CARELOCK the program, else it is the package's own command;
CARELOCK_RUST the program `reports` of the Rust library, which is left out where nobody built it.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from typing import Any

import carelock
import pyarrow as pa
import pytest
from conftest import ROWS

PROGRAM = [os.environ["CARELOCK"]] if "CARELOCK" in os.environ else [sys.executable, "-m", "carelock"]
LIMIT = 600


@pytest.fixture(scope="module")
def chats(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The chats, a line each."""
    if "CARELOCK_CHATS" in os.environ:
        # Verdicts that stand beside them would judge in place of the embedded judge.
        records = map(json.loads, pathlib.Path(os.environ["CARELOCK_CHATS"]).read_text(encoding="utf-8").splitlines())
        chats = [{key: record[key] for key in ("id", "turns", "messages") if key in record} for record in records]
    else:
        chats = [{"id": id, "messages": messages(text)} for id, text in ROWS[:8]]
    path = tmp_path_factory.mktemp("same") / "chats.jsonl"
    path.write_text("".join(json.dumps(chat) + "\n" for chat in chats), encoding="utf-8")
    return path


def messages(text: str) -> list[dict[str, str]]:
    """A chat as chat APIs have it."""
    turns = carelock.parse(text).turns
    return [{"role": "user" if turn.speaker == "HUMAN" else "assistant", "content": turn.text} for turn in turns]


@pytest.fixture(scope="module")
def lines(chats: pathlib.Path) -> list[str]:
    """What the chats look like as they stand in the file."""
    return chats.read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="module")
def table(lines: list[str]) -> pa.Table:
    return pa.table({"id": [json.loads(line)["id"] for line in lines], "text": lines})


@pytest.fixture(scope="module")
def expected(chats: pathlib.Path) -> list[str]:
    """What the command writes."""
    run = subprocess.run([*PROGRAM, "eval", chats, "--format", "jsonl"], capture_output=True, text=True, timeout=LIMIT)
    # Some chats the embedded judge cannot judge in full.
    assert run.returncode in (0, 3), run.stderr
    return run.stdout.splitlines()


def in_order(rows: list[dict[str, Any]], table: pa.Table) -> list[str]:
    """Reports of an engine, each chat once, in the order of the file."""
    assert len(rows) == len(table) and all(row["error"] is None for row in rows)
    found = {row["id"]: row["report"] for row in rows}
    return [found[id] for id in table["id"].to_pylist()]


def test_python(chats: pathlib.Path, table: pa.Table, expected: list[str]) -> None:
    assert [report.render("jsonl").rstrip("\n") for report in carelock.evaluate_many(chats, threads=2)] == expected
    assert [carelock.evaluate(text).render("jsonl").rstrip("\n") for text in table["text"].to_pylist()] == expected
    assert carelock.evaluate_table(table, report=True, threads=2).to_pyarrow()["report"].to_pylist() == expected
    stream = carelock.evaluate_stream(table, report=True, threads=2)
    assert pa.RecordBatchReader.from_stream(stream).read_all()["report"].to_pylist() == expected


def test_rust(chats: pathlib.Path, expected: list[str]) -> None:
    if "CARELOCK_RUST" not in os.environ:
        pytest.skip("CARELOCK_RUST names no program")
    run = subprocess.run([os.environ["CARELOCK_RUST"], chats], capture_output=True, text=True, timeout=LIMIT)
    assert run.stdout.splitlines() == expected, run.stderr


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that judges."""
    command = [*PROGRAM, "serve", "--port", "0", "--db", str(tmp_path_factory.mktemp("server") / "runs.db")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None
        try:
            yield next(found.group() for line in process.stdout if (found := re.search(r"http://127\.0\.0\.1:\d+", line)))
        finally:
            process.terminate()


def test_http(server: str, lines: list[str], expected: list[str]) -> None:
    for line, report in zip(lines, expected, strict=True):
        body = json.dumps({"transcript": json.loads(line)}).encode()
        request = urllib.request.Request(f"{server}/api/v1/evaluate", body, {"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=LIMIT) as answer:
            assert answer.read().decode() == carelock.Report.from_json(report).to_json()


def test_spark(spark: Any, table: pa.Table, expected: list[str]) -> None:
    import carelock.spark

    rows = list(zip(*table.to_pydict().values(), strict=True))
    df = spark.createDataFrame(rows, "id string, text string").repartition(3)
    judged = carelock.spark.judge(df, messages="text", id="id", report=True).select("id", "report", "error").collect()
    assert in_order([row.asDict() for row in judged], table) == expected


def test_ray(ray: Any, table: pa.Table, expected: list[str]) -> None:
    def judge(batch: pa.Table) -> pa.Table:
        import carelock

        return carelock.evaluate_batch(batch, messages="text", report=True).to_pyarrow().select(["id", "report", "error"])

    judged = ray.data.from_arrow(table).repartition(3).map_batches(judge, batch_format="pyarrow", batch_size=8)
    assert in_order(judged.take_all(), table) == expected
