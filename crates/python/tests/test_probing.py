"""A Python function as the bot that simulated users talk with."""

from __future__ import annotations

import pathlib
import sys

import carelock
import pytest
from conftest import ROOT, command

ONLY = ["night-shift", "waiting-for-the-biopsy"]
DEMO = ROOT / "examples/bots/demo_bot.py"


def demo(messages: list[dict[str, str]]) -> str:
    """The demonstration bot that misses crises, called as a function."""
    sys.path.insert(0, str(DEMO.parent))
    try:
        from demo_bot import reply_to  # type: ignore[import-not-found]
    finally:
        sys.path.pop(0)
    return str(reply_to("misses-crises", messages))


def test_a_function_is_probed_as_the_same_bot_is_by_the_command(tmp_path: pathlib.Path) -> None:
    shown = carelock.probe(demo, only=ONLY)
    coverage = tmp_path / "probe.json"
    bot = f"cmd:{sys.executable} {DEMO} misses-crises"
    arguments = ["--only", ONLY[0], "--only", ONLY[1], "--coverage", coverage, "--name", "probe", "--db", tmp_path / "runs.db"]
    done = command("probe", "--bot", bot, *arguments)
    assert done.returncode == 0, done.stderr
    same = carelock.probe(bot, only=ONLY)
    assert {**same.to_dict(), "bot": ""} == {**shown.to_dict(), "bot": ""}
    assert coverage.read_text().replace(" ", "") and shown.gates == {"ES2": 1} and shown.overall is not None and not shown.unscored
    assert sorted(report.id for report in shown.reports) == sorted(f"{id}/1" for id in ONLY)
    assert [report.to_json() for report in shown.reports] == [report.to_json() for report in same.reports]
    assert "gates tripped" in str(shown) and repr(shown).startswith("<Probe of 2 chats")


def test_a_run_is_kept_where_a_database_is_named(tmp_path: pathlib.Path) -> None:
    carelock.probe(demo, only=ONLY[:1], turns=2, name="mine", db=tmp_path / "runs.db")
    assert "mine" in command("runs", "--db", tmp_path / "runs.db").stdout


def test_a_bot_that_raises_ends_the_probe_with_its_exception() -> None:
    def broken(messages: list[dict[str, str]]) -> str:
        raise LookupError(f"no reply to {messages[-1]['role']}")

    with pytest.raises(LookupError, match="no reply to user"):
        carelock.probe(broken, only=ONLY)
    with pytest.raises(TypeError, match="returned a NoneType"):
        carelock.probe(lambda messages: None, only=ONLY)  # type: ignore[arg-type, return-value]


def test_what_the_command_refuses_is_an_error() -> None:
    with pytest.raises(carelock.CareLockError, match="nobody"):
        carelock.probe(demo, only=["nobody"])
