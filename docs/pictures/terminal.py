#!/usr/bin/env python3
"""Draws coloured terminal output as an SVG picture.

    carelock eval … --color always | docs/pictures/terminal.py [LINES] > docs/pictures/NAME.svg
"""
import html
import re
import sys

COLOURS = {"31": "#e5484d", "32": "#46a758", "33": "#d9a514"}
WIDTH, LINE, SIZE, MARGIN, COLUMNS = 8.4, 19, 14, 18, 82


def spans(line):
    """The runs of a line with their style: colour, bold, dim."""
    colour, bold, dim, column = None, False, False, 0
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        code = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if code is None:
            if part:
                yield column, part, colour, bold, dim
                column += len(part)
            continue
        for word in code.group(1).split(";"):
            if word in ("0", ""):
                colour, bold, dim = None, False, False
            elif word == "1":
                bold = True
            elif word == "2":
                dim = True
            else:
                colour = COLOURS.get(word, colour)


def main():
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    lines = sys.stdin.read().rstrip("\n").split("\n")[:most]
    width, height = COLUMNS * WIDTH + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" role="img">')
    print("<title>A Care-Lock report in a terminal</title>")
    print(f'<rect width="100%" height="100%" rx="10" fill="#16181d"/>')
    print(f'<g font-family="ui-monospace, DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="{SIZE}" fill="#e6e6e6">')
    for number, line in enumerate(lines):
        y = MARGIN + (number + 1) * LINE - 5
        for column, text, colour, bold, dim in spans(line):
            if not text.strip():
                continue
            x = MARGIN + column * WIDTH
            style = f' fill="{colour}"' if colour else ""
            style += ' font-weight="bold"' if bold else ""
            style += ' fill-opacity="0.6"' if dim else ""
            length = f' textLength="{len(text) * WIDTH:.1f}" lengthAdjust="spacingAndGlyphs"'
            print(f'<text x="{x:.1f}" y="{y}" xml:space="preserve"{length}{style}>{html.escape(text)}</text>')
    print("</g></svg>")


main()
