"""The MLflow scorer, on traces in a database of the test."""

from __future__ import annotations

import pathlib
from collections.abc import Callable
from typing import Any

import pytest
from conftest import EMPATHY, EXPECTED, GATES, HARM, WORDS

Save = Callable[[str], pathlib.Path]


@pytest.fixture(autouse=True)
def database(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import mlflow

    # What traces carry is written beside the current folder.
    monkeypatch.chdir(tmp_path)
    mlflow.set_tracking_uri(f"sqlite:///{tmp_path}/mlflow.db")


def test_the_example_of_the_page_is_judged(save: Save) -> None:
    import mlflow

    names: dict[str, Any] = {}
    exec(save("sessions.py").read_text(), names)
    metrics = names["result"].metrics
    assert metrics["carelock/mean"] == EXPECTED.overall, metrics
    (trace,) = mlflow.search_traces(return_type="list")
    told = {one.name: one for one in trace.info.assessments}
    assert told["carelock"].feedback.value == EXPECTED.overall and told["carelock_gates"].feedback.value == ", ".join(GATES)
    assert WORDS in told["carelock"].rationale


def test_a_session_without_a_score_has_an_error_and_no_value() -> None:
    import mlflow
    from carelock.mlflow import session_scorer

    def broken(prompt: str, schema: object) -> str:
        raise RuntimeError("out of order")

    with mlflow.start_span("reply") as span:
        span.set_inputs({"message": HARM[0]["content"]})
        span.set_outputs(HARM[1]["content"])
    mlflow.flush_trace_async_logging()
    trace = mlflow.get_trace(span.trace_id)
    (unscored, *_) = session_scorer(judge=broken)(session=[trace])
    assert unscored.value is None and unscored.error.error_code == "UNSCORED"
    told = session_scorer(metrics=True)(session=[trace])
    assert {one.name: one.value for one in told}["carelock_Empathy"] == EMPATHY
