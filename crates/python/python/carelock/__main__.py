"""`python -m carelock` is the `carelock` command."""

from __future__ import annotations

import sys

from . import _native


def main() -> int:
    """Runs the command with the arguments of this process; the exit code."""
    return _native.main(["carelock", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
