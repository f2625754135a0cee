"""Every snippet of the documentation runs, and shows what it says it shows."""

from __future__ import annotations

import doctest
import os
import pathlib
import re
from typing import Any

import carelock
import pytest
from conftest import ROOT, Model, by_rote

PAGES = [ROOT / "docs/python.md", ROOT / "crates/python/README.md"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_snippets_of_a_page_run_one_after_the_other(
    page: pathlib.Path, model: Model, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-none")
    monkeypatch.setenv("OPENAI_BASE_URL", model.name.partition("#")[0])
    names: dict[str, Any] = {"carelock": carelock, "my_client": lambda messages, schema: by_rote(schema)}
    found = re.findall(r"^```(python|pycon)\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)
    assert found
    for kind, code in found:
        if kind == "python":
            exec(compile(code, str(page), "exec"), names)
            continue
        test = doctest.DocTestParser().get_doctest(code, names, page.name, str(page), 0)
        said: list[str] = []
        result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append, clear_globs=False)
        assert result.attempted and not result.failed, "".join(said)
        names.update(test.globs)
    if page.name == "python.md":
        assert len(model.requests) >= 1 and os.path.exists("carelock.lock")


def test_examples_in_docstrings_run() -> None:
    from carelock import chats, evaluator, report, session

    for module in (carelock, chats, evaluator, report, session):
        result = doctest.testmod(module)
        assert result.attempted and not result.failed, module


def test_every_column_is_documented() -> None:
    page = PAGES[0].read_text(encoding="utf-8")
    table = carelock.evaluate_table(_frame(), report=True)
    metrics = {metric["key"] for metric in carelock.rubric()["metric"]}
    for name in table.column_names:
        assert name in metrics or f"`{name}`" in page, name


def _frame() -> Any:
    import pyarrow

    return pyarrow.table({"text": ["Human: I feel low.\nAI: What happened?"]})
