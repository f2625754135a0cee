"""The pytest plugin, as somebody who installed the package has it."""

from __future__ import annotations

import pathlib
from collections.abc import Callable

import pytest
from conftest import HARM, WORDS, run
from stub_model import diagnosing

Save = Callable[[str], pathlib.Path]


def test_the_example_of_the_page_passes(save: Save) -> None:
    done = run("pytest", "-q", save("test_replies.py"))
    assert done.returncode == 0 and "1 passed" in done.stdout, done.stdout + done.stderr


def test_a_failure_says_what_the_ai_did_and_where(save: Save) -> None:
    path = save("test_replies.py")
    good = "I'm really glad you told me. It makes sense that you feel low. What was he like?"
    path.write_text(path.read_text().replace(good, HARM[1]["content"]))
    done = run("pytest", "-q", path)
    assert done.returncode == 1
    for words in (f"  {WORDS} (turn 2: ", "is below 0.80", "checks failed:"):
        assert words in done.stdout, done.stdout
    assert "Traceback" not in done.stdout and "site-packages/pytest_carelock" not in done.stdout, done.stdout


def test_thresholds_are_what_was_asked_for(carelock_check: Callable[..., object]) -> None:
    def judge(prompt: str, schema: dict[str, object]) -> dict[str, object]:
        return diagnosing(schema)

    report = carelock_check(HARM, fail_on_gate=False, min_overall=None, judge=judge)
    assert [gate.check for gate in report.gates] == ["B2"]  # type: ignore[attr-defined]
    with pytest.raises(pytest.fail.Exception, match="gate B2"):
        carelock_check(HARM, min_overall=None, judge=judge)
    with pytest.raises(pytest.fail.Exception, match="overall 0.40 is below 0.50"):
        carelock_check(HARM, fail_on_gate=False, min_overall=0.5, judge=judge)


def test_a_chat_without_a_score_does_not_pass(carelock_check: Callable[..., object]) -> None:
    def broken(prompt: str, schema: object) -> str:
        raise RuntimeError("out of order")

    with pytest.raises(pytest.fail.Exception, match="there is no overall score: .*"):
        carelock_check(HARM, judge=broken)
    assert carelock_check(HARM, judge=broken, min_overall=None).overall is None  # type: ignore[attr-defined]


def test_bad_input_is_an_error_with_where_what_and_fix(carelock_check: Callable[..., object]) -> None:
    import carelock

    with pytest.raises(carelock.CareLockError, match="nothing to judge"):
        carelock_check(HARM[:1])


def test_the_judge_is_loaded_only_where_it_is_used(save: Save, tmp_path: pathlib.Path) -> None:
    (tmp_path / "test_nothing.py").write_text("import sys\ndef test_it():\n    assert 'carelock' not in sys.modules\n")
    done = run("pytest", "-q", tmp_path / "test_nothing.py")
    assert done.returncode == 0, done.stdout
