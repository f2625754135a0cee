"""Many chats: lazily, in order, on threads, with progress and errors in their place."""

from __future__ import annotations

import itertools
import json
import pathlib
from collections.abc import Iterator

import carelock
import pytest
from conftest import EXAMPLES, HARM, KIND, command


def endless(taken: list[int]) -> Iterator[carelock.ChatLike]:
    for number in itertools.count():
        taken.append(number)
        yield {"id": f"chat-{number}", "messages": HARM if number % 2 else KIND}


@pytest.mark.parametrize("threads", [1, 3])
def test_an_endless_input_is_read_a_little_ahead_and_answered_in_order(threads: int) -> None:
    taken: list[int] = []
    reports = carelock.evaluate_many(endless(taken), threads=threads)
    assert taken == []
    ids = [report.id for report in itertools.islice(reports, 10)]
    assert ids == [f"chat-{number}" for number in range(10)]
    assert len(taken) <= 10 + 4 * threads
    reports.close()  # type: ignore[attr-defined]


def test_threads_change_no_byte() -> None:
    chats = [KIND, HARM] * 10
    one, three = ([r.to_json() for r in carelock.evaluate_many(chats, threads=t)] for t in (1, 3))
    assert one == three


def test_a_path_stands_for_all_its_chats_as_in_the_command() -> None:
    written = command("eval", EXAMPLES / "*.txt", "--format", "jsonl").stdout.splitlines()
    assert [json.loads(report.to_json()) for report in carelock.evaluate_many(EXAMPLES / "*.txt")] == list(map(json.loads, written))


@pytest.mark.parametrize("threads", [1, 2])
def test_a_bad_chat_is_an_error_in_its_place(threads: int, tmp_path: pathlib.Path) -> None:
    chats: list[carelock.ChatLike] = [KIND, [], HARM]
    outcomes = list(carelock.evaluate_many(chats, threads=threads, errors="return"))
    assert [type(outcome).__name__ for outcome in outcomes] == ["Report", "CareLockError", "Report"]
    with pytest.raises(carelock.CareLockError, match="nothing to judge"):
        list(carelock.evaluate_many(chats, threads=threads))
    lines = tmp_path / "chats.jsonl"
    lines.write_text("\n".join([json.dumps({"messages": KIND}), "{broken", json.dumps({"messages": HARM})]))
    outcomes = list(carelock.evaluate_many(lines, threads=threads, errors="return"))
    assert [type(outcome).__name__ for outcome in outcomes] == ["Report", "CareLockError", "Report"]
    assert "line 2" in str(outcomes[1])


def test_an_error_of_the_input_itself_is_raised() -> None:
    def broken() -> Iterator[carelock.ChatLike]:
        yield KIND
        raise KeyError("gone")

    with pytest.raises(KeyError, match="gone"):
        list(carelock.evaluate_many(broken(), threads=2))


def test_progress_is_said_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(list(carelock.evaluate_many([KIND] * 3, progress=True))) == 3
    assert "3 of 3 chats" in capsys.readouterr().err
    list(carelock.evaluate_many([KIND]))
    assert capsys.readouterr().err == ""


def test_settings_that_make_no_sense_are_errors() -> None:
    with pytest.raises(carelock.CareLockError, match="too few"):
        list(carelock.evaluate_many([KIND], threads=0))
    with pytest.raises(carelock.CareLockError, match='use "raise" or "return"'):
        list(carelock.evaluate_many([KIND], errors="ignore"))  # type: ignore[call-overload]


def test_figures_are_those_of_the_command(tmp_path: pathlib.Path) -> None:
    reports = list(carelock.evaluate_many(EXAMPLES / "*.txt"))
    file = tmp_path / "reports-2.jsonl"
    file.write_text("".join(report.render("jsonl") for report in reports))
    written = command("agree", EXAMPLES / "sheets", file, "--format", "json").stdout
    assert carelock.agreement(EXAMPLES / "sheets", reports).to_json() == written
    figures = carelock.agreement(EXAMPLES / "sheets", file, by="metric")
    assert len(figures.to_dict()["judges"][0]["slices"]) == 10
    assert figures._repr_markdown_().startswith("#") or "|" in figures._repr_markdown_()
    compared = carelock.compare(file, reports[:4], seed=3)
    assert compared.to_dict()["schema"] == "carelock/comparison/1" and "reports-2" in str(compared)
    with pytest.raises(carelock.CareLockError, match="nothing to compare"):
        carelock.compare(file)
    with pytest.raises(carelock.CareLockError, match="broken down by"):
        carelock.agreement(file, file, by="colour")  # type: ignore[arg-type]
    with pytest.raises(carelock.CareLockError, match="not between 0 and 1"):
        carelock.agreement(file, file, confidence=2)
