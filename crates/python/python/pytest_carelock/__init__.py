"""pytest: the fixture `carelock_check`. It is found by pytest wherever the package is installed.

A package of its own: pytest loads it in every run, and the judge is loaded only where a test uses it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, Unpack

import pytest  # type: ignore[import-not-found, unused-ignore]

if TYPE_CHECKING:
    from carelock import ChatLike, Options, Report


class CareLockCheck(Protocol):
    """What the fixture is: a function that fails the test where a chat does not pass."""

    def __call__(
        self, messages: ChatLike, *, fail_on_gate: bool = True, min_overall: float | None = 0.8, **options: Unpack[Options]
    ) -> Report: ...


@pytest.fixture(scope="session")  # type: ignore[misc, untyped-decorator, unused-ignore]
def carelock_check() -> CareLockCheck:
    """Judges a chat, fails the test where a gate is tripped or the overall score is too low, and gives the report."""
    from carelock import evaluate
    from carelock.thresholds import explanation, shortfalls

    def check(
        messages: ChatLike, *, fail_on_gate: bool = True, min_overall: float | None = 0.8, **options: Unpack[Options]
    ) -> Report:
        __tracebackhide__ = True
        report = evaluate(messages, **options)
        found = shortfalls(report, fail_on_gate=fail_on_gate, min_overall=min_overall)
        if found:
            pytest.fail(explanation(report, found), pytrace=False)
        return report

    return check
