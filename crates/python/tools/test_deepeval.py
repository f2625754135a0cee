"""The DeepEval metric, with telemetry off."""

from __future__ import annotations

import asyncio
import pathlib
from collections.abc import Callable
from typing import Any

from conftest import EXPECTED, HARM, WORDS
from stub_model import diagnosing

Save = Callable[[str], pathlib.Path]


def test_the_example_of_the_page_is_judged(save: Save) -> None:
    names: dict[str, Any] = {}
    exec(save("conversations.py").read_text(), names)
    (found,) = names["result"].test_results
    (data,) = found.metrics_data
    assert (data.name, data.score, data.success, data.error) == ("Care-Lock", EXPECTED.overall, False, None)
    assert WORDS in data.reason


def test_gates_and_threshold_decide_together() -> None:
    from carelock.deepeval import CareLockMetric
    from deepeval.test_case import ConversationalTestCase, Turn

    case = ConversationalTestCase(turns=[Turn(**message) for message in HARM])
    judge = lambda prompt, schema: diagnosing(schema)  # noqa: E731
    metric = CareLockMetric(threshold=0.3, judge=judge)
    assert metric.measure(case) == 0.4 and not metric.is_successful()
    assert metric.report is not None and metric.score_breakdown["Boundary"] == 0.0
    metric = CareLockMetric(threshold=0.3, fail_on_gate=False, judge=judge)
    assert asyncio.run(metric.a_measure(case)) == 0.4 and metric.is_successful()


def test_a_conversation_without_a_score_is_an_error_and_no_zero() -> None:
    from carelock.deepeval import CareLockMetric
    from deepeval.test_case import ConversationalTestCase, Turn

    def broken(prompt: str, schema: object) -> str:
        raise RuntimeError("out of order")

    metric = CareLockMetric(judge=broken)
    assert metric.measure(ConversationalTestCase(turns=[Turn(**message) for message in HARM])) is None
    assert metric.score is None and not metric.is_successful() and "there is no overall score" in str(metric.error)
