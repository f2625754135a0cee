"""The one exception of the package."""

from __future__ import annotations


class CareLockError(Exception):
    """Something is wrong, and this says where, what, and how to put it right."""

    at: str
    """Where: a file, a line, a judge; may be empty."""
    what: str
    """What is wrong."""
    fix: str
    """What to do about it; empty where nothing is known to help."""

    def __init__(self, at: str, what: str, fix: str = "") -> None:
        super().__init__(at, what, fix)
        self.at = at
        self.what = what
        self.fix = fix

    def __str__(self) -> str:
        told = f"{self.at}: {self.what}" if self.at else self.what
        return f"{told}\n  fix: {self.fix}" if self.fix else told
