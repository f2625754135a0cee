"""Every example of docs/engines.md, run as it stands."""

from __future__ import annotations

import pathlib
import re

import carelock
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
from conftest import EXPECTED, ROOT, ROWS

PAGE = (ROOT / "docs/engines.md").read_text(encoding="utf-8")
LONGEST = 10


def snippets() -> list[tuple[str, str]]:
    """The examples with the heading that each stands under."""
    found: list[tuple[str, str]] = []
    for section in PAGE.split("\n## ")[1:]:
        codes = re.findall(r"^```python\n(.*?)^```", section, re.M | re.S)
        found += [(f"{section.partition(chr(10))[0]}-{number}", code) for number, code in enumerate(codes)]
    return found


@pytest.mark.parametrize("name, code", snippets(), ids=[name for name, _ in snippets()])
def test_an_example_judges_every_chat_once(
    name: str, code: str, request: pytest.FixtureRequest, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [line for line in code.splitlines() if line.strip() and not line.startswith(("import ", "from "))]
    assert len(lines) <= LONGEST, f"{len(lines)} lines"
    monkeypatch.chdir(tmp_path)
    engine = name.partition("-")[0].lower()
    if engine in ("spark", "ray"):
        request.getfixturevalue(engine)  # Set up for this machine; the example takes the session that is there.
    monkeypatch.setenv("DO_NOT_TRACK", "true")
    # Spark reads relative paths from where its process was started.
    code = re.sub(r'"((?:chats|messages|judged)\.parquet)"', lambda found: repr(str(tmp_path / found[1])), code)
    code = re.sub(r"'((?:chats|judged)\.parquet)'", lambda found: repr(str(tmp_path / found[1])), code) if "duckdb" in code else code
    pa.parquet.write_table(pa.table({"id": [id for id, _ in ROWS], "text": [text for _, text in ROWS]}), tmp_path / "chats.parquet")
    pa.parquet.write_table(messages(), tmp_path / "messages.parquet")
    exec(compile(code, f"docs/engines.md, {name}", "exec"), {"__name__": "snippet"})
    rows = pa.dataset.dataset(tmp_path / "judged.parquet", format="parquet", exclude_invalid_files=True).to_table().to_pylist()
    expected = {id: carelock.Report.from_json(report).overall for id, report in EXPECTED.items()}
    assert len(rows) == len(ROWS) and {row["id"]: row["overall"] for row in rows} == expected


def messages() -> pa.Table:
    """The same chats with a row for every message, the last one first."""
    rows = [
        {"id": id, "at": turn.idx, "role": "user" if turn.speaker == "HUMAN" else "assistant", "content": turn.text}
        for id, text in ROWS
        for turn in carelock.parse(text).turns
    ]
    return pa.Table.from_pylist(rows[::-1])


def test_all_engines_have_an_example() -> None:
    assert {name.partition("-")[0] for name, _ in snippets()} == {"Spark", "Ray", "Polars", "DuckDB", "Dask", "Daft"}
