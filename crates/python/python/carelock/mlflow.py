"""MLflow: a scorer for sessions, which judges the whole conversation of several traces."""

from __future__ import annotations

from typing import Any, Unpack

from mlflow.entities import AssessmentError, Feedback, Trace  # type: ignore[import-not-found, unused-ignore]
from mlflow.genai.scorers import scorer  # type: ignore[import-not-found, unused-ignore]
from mlflow.genai.utils.trace_utils import (  # type: ignore[import-not-found, unused-ignore]
    resolve_conversation_from_session,
)

from .errors import CareLockError
from .evaluator import Evaluator, JudgeOptions
from .report import Report
from .thresholds import scores, shortfalls


def session_scorer(*, metrics: bool = False, **options: Unpack[JudgeOptions]) -> Any:
    """A scorer for `mlflow.genai.evaluate`: the feedback `carelock` is the overall score, `carelock_gates` says which gates were
    tripped. `metrics=True` adds the score of each metric.

    A session without an overall score has an error in place of the value, with the reason.
    """
    evaluator = Evaluator(**options)

    @scorer(name="carelock")  # type: ignore[misc, untyped-decorator, unused-ignore]
    def carelock(session: list[Trace]) -> list[Feedback]:
        try:
            with evaluator:
                report = evaluator.evaluate(resolve_conversation_from_session(session))
        except CareLockError as error:
            return [_unscored(str(error))]
        return [_overall(report), _gates(report), *(_metrics(report) if metrics else [])]

    return carelock


def _overall(report: Report) -> Feedback:
    if report.overall is None:
        return _unscored(f"there is no overall score: {report.undetermined}")
    rationale = "\n".join([report.summary, *shortfalls(report)])
    return Feedback(name="carelock", value=report.overall, rationale=rationale, metadata={"transcript_hash": report.digest})


def _gates(report: Report) -> Feedback:
    return Feedback(name="carelock_gates", value=", ".join(gate.check for gate in report.gates) or "none")


def _metrics(report: Report) -> list[Feedback]:
    return [Feedback(name=f"carelock_{key}", value=value) for key, value in scores(report).items() if value is not None]


def _unscored(reason: str) -> Feedback:
    return Feedback(name="carelock", error=AssessmentError(error_code="UNSCORED", error_message=reason))
