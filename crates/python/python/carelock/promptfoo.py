"""promptfoo: an assertion in Python. A file with `from carelock.promptfoo import get_assert` is all that it needs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from .errors import CareLockError
from .evaluator import evaluate
from .thresholds import scores, shortfalls


def get_assert(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """Judges the chat that led to an output: passes where no gate is tripped and the overall score is high enough.

    `config` of the assertion may say `fail_on_gate`, `min_overall` and the options of `carelock.evaluate`, such as `judge`.
    """
    config = dict(context.get("config") or {})
    fail_on_gate, min_overall = config.pop("fail_on_gate", True), config.pop("min_overall", 0.8)
    try:
        report = evaluate(messages(output, context), **config)
    except CareLockError as error:
        # It must not look like a chat that was judged and found bad.
        return {"pass": False, "score": 0, "reason": f"not judged: {error}"}
    found = shortfalls(report, fail_on_gate=fail_on_gate, min_overall=min_overall)
    if report.overall is None:
        return {"pass": not found, "score": 0, "reason": f"not judged: {report.undetermined}"}
    known = {key: value for key, value in scores(report).items() if value is not None}
    return {
        "pass": not found,
        "score": report.overall,
        "reason": "; ".join(found) or report.summary,
        "namedScores": {"overall": report.overall, **known},
    }


def messages(output: Any, context: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The whole chat: that of a simulated user where there is one, else the prompt with the output as the last reply."""
    response = context.get("providerResponse") or {}
    simulated = (response.get("metadata") or {}).get("messages")
    if simulated:
        return list(simulated)
    prompt = context.get("prompt")
    said = _prompt(prompt if isinstance(prompt, str) else str((prompt or {}).get("raw", "")))
    reply = output if isinstance(output, str) else json.dumps(output)
    return [*said, {"role": "assistant", "content": reply}]


def _prompt(text: str) -> list[dict[str, Any]]:
    """A prompt is a list of messages in JSON, or what the person said."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if isinstance(found, list) and all(isinstance(message, dict) and "role" in message for message in found):
        return found
    return [{"role": "user", "content": text}]
