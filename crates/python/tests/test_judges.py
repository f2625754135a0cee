"""Judges: models, functions, panels, sheets, locks; what they cost and what becomes of their failures."""

from __future__ import annotations

import asyncio
import json
import logging
import pathlib
from typing import Any

import carelock
import polars as pl
import pytest
from conftest import EXAMPLES, HARM, KIND, Model, by_rote, command


def rote(prompt: carelock.Prompt, schema: dict[str, Any]) -> dict[str, Any]:
    return by_rote(schema)


def test_a_function_gets_prompt_and_schema_and_judges() -> None:
    seen: list[tuple[carelock.Prompt, dict[str, Any]]] = []

    def mine(prompt: carelock.Prompt, schema: dict[str, Any]) -> str:
        seen.append((prompt, schema))
        return json.dumps(by_rote(schema))

    report = carelock.evaluate(HARM, judge=mine, second_look=False)
    assert report.judge == "function:mine" and report.overall is not None
    prompt, schema = seen[0]
    assert [message["role"] for message in prompt.messages] == ["system", "user"]
    assert HARM[1]["content"] in prompt and prompt.messages[1]["content"] in prompt
    assert len(schema["properties"]["verdicts"]["properties"]) == 50


def test_functions_may_be_async_lambdas_and_objects() -> None:
    async def later(prompt: carelock.Prompt, schema: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(0)
        return by_rote(schema)

    class Mine:
        def __call__(self, prompt: carelock.Prompt, schema: dict[str, Any]) -> dict[str, Any]:
            return by_rote(schema)

    judges = [later, lambda prompt, schema: by_rote(schema), Mine()]
    names = [carelock.evaluate(KIND, judge=judge).judge for judge in judges]  # type: ignore[arg-type]
    assert names == ["function:later", "function:lambda", "function:Mine"]


def test_a_function_that_fails_is_never_a_verdict(caplog: pytest.LogCaptureFixture) -> None:
    def broken(prompt: carelock.Prompt, schema: dict[str, Any]) -> str:
        raise RuntimeError("no luck")

    with caplog.at_level(logging.WARNING, "carelock"):
        report = carelock.evaluate(KIND, judge=broken)
    assert report.overall is None and report.undetermined and len(report.unscored) == 50
    assert "RuntimeError: no luck" in str(report.unscored[0].unscored)
    assert "no verdicts of judge function:broken" in caplog.text
    row = carelock.evaluate_table(pl.DataFrame({"messages": [KIND]}), judge=broken).to_pyarrow().to_pylist()[0]
    assert row["overall"] is None and row["error"] is None and "no luck" in row["checks"][0]["unscored"]


def test_a_model_is_asked_over_http_and_a_panel_has_both(model: Model) -> None:
    report = carelock.evaluate(KIND, judge=["builtin", model.name], cache=False)
    assert len(model.requests) >= 1 and report.to_dict()["panel"]["reports"][1]["judge"]["name"] == model.name
    alone = carelock.evaluate(KIND, judge="builtin")
    assert report.to_dict()["panel"]["reports"][0]["metrics"] == alone.to_dict()["metrics"]


def test_the_lock_answers_the_second_time_and_the_command_reads_it(model: Model, tmp_path: pathlib.Path) -> None:
    lock, chat = tmp_path / "carelock.lock", EXAMPLES / "ordinary.txt"
    first = carelock.evaluate(chat, judge=model.name, lock=lock, cache=False)
    asked = len(model.requests)
    again = carelock.evaluate(chat, judge=model.name, lock=lock, locked=True)
    assert len(model.requests) == asked and again.overall == first.overall
    written = command("eval", chat, "--judge", model.name, "--lock", lock, "--locked", "--format", "json").stdout
    assert again.to_json() == written
    with pytest.raises(carelock.CareLockError, match="lock") as missing:
        carelock.evaluate(HARM, judge=model.name, lock=lock, locked=True)
    assert missing.value.fix


def test_a_stream_writes_the_lock_at_its_end(model: Model, tmp_path: pathlib.Path) -> None:
    lock, frame = tmp_path / "carelock.lock", pl.DataFrame({"messages": [KIND, HARM]})
    results = pl.DataFrame(carelock.evaluate_stream(frame, judge=model.name, lock=lock, cache=False))
    asked = len(model.requests)
    again = carelock.evaluate_table(frame, judge=model.name, lock=lock, locked=True).to_polars()
    assert len(model.requests) == asked and results["overall"].to_list() == again["overall"].to_list()


def test_many_chats_are_asked_about_at_the_same_time_and_each_once(model: Model) -> None:
    chats = [{"id": str(n), "messages": [*KIND, {"role": "user", "content": str(n)}]} for n in range(12)]
    with carelock.Evaluator(judge=model.name, concurrency=4, cache=False, second_look=False) as judge:
        reports = list(judge.evaluate_many(chats))
    assert [report.id for report in reports] == [chat["id"] for chat in chats]
    assert len(model.requests) == len(chats)


def test_nothing_is_sent_that_could_cost_more_than_the_cap(model: Model) -> None:
    report = carelock.evaluate(KIND, judge=model.name, price="1000000,1000000", max_cost=0.01, cache=False)
    assert model.requests == [] and report.overall is None and "cost" in str(report.unscored[0].unscored)


def test_what_is_private_is_replaced_before_it_is_sent(model: Model) -> None:
    chat = [("user", "I am Maria Keller, call me on +49 170 1234567."), ("assistant", "What happened?")]
    report = carelock.evaluate(chat, judge=model.name, redact=True, cache=False)
    sent = json.dumps(model.requests)
    assert "1234567" not in sent and "1234567" in report.turns[0].text


def test_a_persons_sheet_judges_as_in_the_command() -> None:
    chat, sheet = EXAMPLES / "diagnosis.txt", EXAMPLES / "sheets" / "diagnosis.csv"
    written = command("eval", chat, "--verdicts", sheet, "--format", "json").stdout
    assert carelock.evaluate(chat, verdicts=sheet).to_json() == written
    panel = carelock.evaluate(chat, verdicts=[sheet], judge="builtin", gate_policy="majority", tie="fails")
    assert len(panel.to_dict()["panel"]["reports"]) == 2


def test_a_key_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    key = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyz"
    monkeypatch.setenv("OPENAI_API_KEY", key)
    judge = carelock.Evaluator(judge="openai:gpt-4.1-mini")
    assert key not in repr(judge) and repr(judge) == "<Evaluator openai:gpt-4.1-mini>"
    assert key not in str(vars(judge))
    with pytest.raises(carelock.CareLockError) as named:
        carelock.Evaluator(judge=f"openai:{key}")
    assert key not in str(named.value) and key not in repr(named.value)


def test_a_judge_that_cannot_be_is_an_error_with_its_remedy() -> None:
    with pytest.raises(carelock.CareLockError) as missing:
        carelock.evaluate(KIND, judge="openai:gpt-4.1-mini")
    assert "OPENAI_API_KEY" in missing.value.fix
    for judge in ("gpt", "nobody:x", "http://"):
        with pytest.raises(carelock.CareLockError):
            carelock.evaluate(KIND, judge=judge)
    with pytest.raises(carelock.CareLockError, match="there is no"):
        carelock.evaluate(KIND, tie="coin")  # type: ignore[arg-type]
