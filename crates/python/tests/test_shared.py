"""Workers that know nothing of each other: their parts of the limits, and the folder of answers that they share."""

from __future__ import annotations

import pathlib

import carelock
import pytest
from stub_model import Model, by_rote


def chats(count: int) -> list[str]:
    """Chats that differ."""
    return [f"Human: I feel low, this is night {number}.\nAI: What happened?" for number in range(count)]


def test_answers_of_one_worker_are_known_to_all_at_once(model: Model, tmp_path: pathlib.Path) -> None:
    first = carelock.Evaluator(judge=model.name, answers=tmp_path / "answers", second_look=False)
    second = carelock.Evaluator(judge=model.name, answers=tmp_path / "answers", second_look=False)
    report = first.evaluate(chats(1)[0])
    assert len(model.requests) == 1
    # The first one has not finished: it may as well have been killed.
    assert second.evaluate(chats(1)[0]).metrics == report.metrics and len(model.requests) == 1


def test_answers_of_a_function_are_kept_where_a_folder_is_named(tmp_path: pathlib.Path) -> None:
    asked: list[object] = []

    def mine(prompt: carelock.Prompt, schema: dict[str, object]) -> dict[str, object]:
        asked.append(prompt)
        return by_rote(schema)

    for _ in range(2):
        carelock.evaluate(chats(1)[0], judge=mine, answers=tmp_path / "answers", second_look=False)
    assert len(asked) == 1


def test_a_worker_takes_its_part_of_the_cap_and_counts_what_was_paid(model: Model, tmp_path: pathlib.Path) -> None:
    model.usage = {"prompt_tokens": 40_000, "completion_tokens": 0}
    options: carelock.JudgeOptions = {
        "judge": model.name,
        "price": "1000,1000",
        "second_look": False,
        "answers": tmp_path / "answers",
        "max_cost": 200,
    }

    def capped(workers: int) -> list[bool]:
        with carelock.Evaluator(**options, workers=workers) as judge:
            return [judge.evaluate(chat).overall is None for chat in chats(4)]

    # A chat costs 40 dollars, and a call is estimated at up to 30 beforehand.
    half = capped(2)
    asked = len(model.requests)
    assert half[0] is False and half[-1] is True and 0 < asked < 4
    assert capped(2) == half and len(model.requests) == asked, "a second try has no second budget"
    assert capped(1).count(True) < half.count(True) and len(model.requests) > asked


def test_a_pace_that_cannot_be_shared_is_an_error(tmp_path: pathlib.Path) -> None:
    settings = tmp_path / "settings.toml"
    settings.write_text(
        '[[provider]]\nname = "slow"\nwire = "openai-chat"\nbase_url = "http://127.0.0.1:1/v1"\nkey = "none"\nrequests_per_minute = 3\n'
    )
    carelock.Evaluator(judge="slow:model", config=settings, workers=3)
    with pytest.raises(carelock.CareLockError, match="3 requests a minute cannot be shared by 4 workers") as error:
        carelock.Evaluator(judge="slow:model", config=settings, workers=4)
    assert error.value.fix == "use at most 3 workers"


def test_senseless_workers_and_folders_are_errors(tmp_path: pathlib.Path) -> None:
    with pytest.raises(carelock.CareLockError, match="0 workers"):
        carelock.Evaluator(judge="builtin", workers=0)
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(carelock.CareLockError, match="answers cannot be kept there") as error:
        carelock.Evaluator(judge="http://127.0.0.1:1/v1#model", answers=file / "answers")
    assert "every worker" in error.value.fix
