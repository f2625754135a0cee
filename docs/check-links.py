#!/usr/bin/env python3
"""Checks that every relative link in the Markdown files leads somewhere."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
files = [root / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
files += sorted((root / "docs").rglob("*.md")) + sorted((root / "examples").rglob("*.md"))
files += sorted((root / "crates").rglob("*.md")) + sorted((root / "training").rglob("*.md"))


def anchors(text):
    """The anchors GitHub makes of the headings of a page."""
    titles = re.findall(r"^#+ (.*)$", re.sub(r"```.*?```", "", text, flags=re.S), flags=re.M)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


broken = []
for file in files:
    text = file.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", text, flags=re.S)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (file.parent / path).resolve() if path else file
        if not target.exists():
            broken.append(f"{file.relative_to(root)}: {link}: no such file")
        elif anchor and target.suffix == ".md" and anchor not in anchors(target.read_text(encoding="utf-8")):
            broken.append(f"{file.relative_to(root)}: {link}: no such heading")
print("\n".join(broken) or f"{len(files)} pages, all links lead somewhere")
sys.exit(bool(broken))
