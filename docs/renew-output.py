#!/usr/bin/env python3
"""Runs the commands whose output the pages show, and puts the output in its place again.

    docs/renew-output.py PROGRAM

A block to renew is a code block after a mark. It shows the whole output, or as much of it as the mark says:

    <!-- output of: carelock eval examples/missed-crisis.txt, up to the line with "earned" -->
"""
import pathlib
import re
import shlex
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parent.parent
MARK = re.compile(r"(<!-- output of: carelock (?P<command>.*?)(?:, up to the line with \"(?P<last>.*?)\")? -->\n```text\n).*?(\n```)", re.S)


def renewed(match):
    """The block with what the command prints now."""
    ran = subprocess.run([program, *shlex.split(match["command"])], cwd=root, capture_output=True, text=True, encoding="utf-8")
    if ran.returncode not in (0, 1, 3) or not ran.stdout:
        sys.exit(f"carelock {match['command']}: exit code {ran.returncode}\n{ran.stderr}")
    lines = ran.stdout.rstrip("\n").split("\n")
    end = next((place for place, line in enumerate(lines) if match["last"] and match["last"] in line), len(lines)) + 1
    rest = ["", f"… and {len(lines) - end} lines more"] if len(lines) > end else []
    return match[1] + "\n".join(lines[:end] + rest) + match.group(match.lastindex)


if len(sys.argv) != 2:
    sys.exit(__doc__)
program = str(pathlib.Path(sys.argv[1]).resolve())
for page in [root / "README.md", *sorted((root / "docs").rglob("*.md"))]:
    text = page.read_text(encoding="utf-8")
    new = MARK.sub(renewed, text)
    if new != text:
        page.write_text(new, encoding="utf-8")
        print(page.relative_to(root))
