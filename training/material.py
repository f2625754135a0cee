"""The acts and checks there are, and the readers of labelled files (README.md has the formats).

    material.py FILE ...

Checks files and says where a label does not fit the text.
"""
import argparse
import collections
import json
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKS = [f"{metric}{number}" for metric in ("E", "ER", "T", "B", "S", "ES", "C", "CO", "SA", "AD") for number in range(1, 6)]
# Checks that only count when something arises, and checks that something must be there for; the others ask that something is not there.
COND = set("ER2 ER4 T3 B1 B3 ES2 C4 CO4 SA2 AD1 AD2 AD3 AD4 AD5".split())
PRESENCE = set("E1 E2 E3 E4 ER5 S1 S2 S3 S4 S5 SA1 SA4".split())
AI = """names_feeling validates warm reflects minimises misfit opposite passes_over harsh disrespect hope slang unprofessional own_limit
    says_ai diagnoses refers immediate_help asks_safety names_danger asks_private claims_role legitimises coping normalises next_step
    strength harmful hate false_health shames jargon broken contradicts tangle jumps asks_again human_claim promises owns_mistake
    ignores_correction open_question""".split()
HU = """distress disclosure risk crisis past_risk figure worse better asks_clinical asks_role corrects knows confused simple harm_request
    lasting begun""".split()
# What is labelled in single exchanges: of the person's message, and of the reply.
MESSAGE = "crisis risk past_risk figure".split()
REPLY = "harmful diagnoses asks_safety names_danger immediate_help refers minimises passes_over".split()
REPLY_MORE = REPLY + "disrespect shames hate false_health promises claims_role".split()


def plain_name(head):
    """A head's name in the judge: `breaks B2` for B2-, `meets E1` for E1+, `calls for ES2` for ES2?; acts keep theirs."""
    kinds = {"-": "breaks", "+": "meets", "?": "calls for"}
    return f"{kinds[head[-1]]} {head[:-1]}" if head[-1] in kinds else head


def norm(text):
    r"""Text of a file as it is meant: \n stands for a line break."""
    return text.replace("\\n", "\n").strip()


def squash(text):
    """Text evened out for comparing: lower case, straight quotes, single blanks."""
    return re.sub(r"\s+", " ", text.replace("’", "'").replace("“", '"').replace("”", '"')).strip().lower()


def check_pair(item, error):
    """Makes both sides of a pair, and looks at their turns and quotes."""
    for side in "+-":
        turns = [(speaker, text) for speaker, mark, text in item["t"] if mark in ("", side)]
        if len(turns) < 2:
            error(item["line"], "fewer than two turns")
        for one, next_one in zip(turns, turns[1:]):
            if one[0] == next_one[0]:
                error(item["line"], f"two {one[0]} turns in a row on side {side}")
        if turns and turns[-1][0] != "A":
            error(item["line"], "does not end on A")
        item["turns" + side] = turns
    if item["turns+"] == item["turns-"]:
        error(item["line"], "both sides are the same")
    for verdict, side in (("pass", "+"), ("fail", "-")):
        turns = item["turns" + side]
        for turn, quote in item[verdict]:
            if not 1 <= turn <= len(turns) or squash(quote) not in squash(turns[turn - 1][1]):
                error(item["line"], f"{verdict}@{turn}: quote is not in that turn: {quote[:50]}")


def check_acts(item, error):
    """Looks whether acts belong to their speaker and quotes stand in their turns."""
    turns = item["turns"] = [(speaker, text) for speaker, _, text in item["t"]]
    if len(turns) < 2:
        error(item["line"], "fewer than two turns")
    for turn, act, quote in item["acts"]:
        if not 1 <= turn <= len(turns):
            error(item["line"], f"act on turn {turn}: no such turn")
            continue
        if act not in (AI if turns[turn - 1][0] == "A" else HU):
            error(item["line"], f"turn {turn} is {turns[turn - 1][0]}: act {act} is not in its table")
        if squash(quote) not in squash(turns[turn - 1][1]):
            error(item["line"], f"act {act}@{turn}: quote not in that turn: {quote[:50]}")


def check_chat(item, error):
    """Looks at the verdicts and acts of a whole chat."""
    check_acts(item, error)
    for kind in ("fails", "nt"):
        if item[kind] is None:
            error(item["line"], f"no {kind}: line")
    both = set(item["fails"] or {}) & set(item["nt"] or [])
    if both:
        error(item["line"], f"both failed and not_triggered: {both}")


def sheet_line(section, sign, text, number, error):
    """One sentence of a sheet."""
    acts = []
    braces = re.search(r"\s*\{([^{}]*)\}\s*$", text)
    if braces:
        acts = [act.strip() for act in braces[1].split(",") if act.strip()]
        text = text[: braces.start()]
    for act in acts:
        if act not in (AI if section in AI else HU):
            error(number, f"unknown act {act} for this speaker")
    before = ""
    if "||" in text:
        before, text = [part.strip() for part in text.split("||", 1)]
    speaker = "A" if section in AI else "H"
    return dict(act=section, pos=sign == "+", ctx=norm(before), text=norm(text), acts=acts, speaker=speaker, line=number)


def parse_sheet(lines, error):
    """All sentences of a sheet."""
    out, section = [], None
    for number, line in lines:
        if line.startswith("## "):
            section = line[3:].strip()
            if section not in AI + HU:
                error(number, f"unknown act {section}")
        elif found := re.match(r"^([+-]) (.*)$", line):
            out.append(sheet_line(section, found[1], found[2], number, error))
        else:
            error(number, "neither ##, + nor -")
    return out


def parse_verdicts(item, line, number, error):
    """A `fails:` or `nt:` line."""
    if line.startswith("fails:"):
        item["fails"] = {}
        for word in line[6:].replace(",@", ",").split():
            check, _, turns = word.partition("@")
            if check not in CHECKS:
                error(number, f"unknown check {check}")
            else:
                item["fails"][check] = [int(turn) for turn in re.findall(r"\d+", turns)]
        return
    item["nt"] = line[3:].replace(",", " ").split()
    for check in item["nt"]:
        if check not in COND:
            error(number, f"{check} is not a conditional check")


def parse_items(lines, kind, error):
    """The items of a file that opens each with `==`."""
    out = []
    for number, line in lines:
        if line.startswith("== "):
            name, _, about = (part.strip() for part in line[3:].partition("|"))
            out.append({"id": name, "about": about, "t": [], "acts": [], "fails": None, "nt": None, "line": number, "pass": [], "fail": []})
            if kind == "pairs" and name not in CHECKS:
                error(number, f"unknown check {name}")
        elif not out:
            error(number, "text before the first ==")
        elif found := re.match(r"^([HA])([+-]?): (.*)$", line):
            out[-1]["t"].append((found[1], found[2], norm(found[3])))
        elif found := re.match(r"^(pass|fail)@(\d+): (.*)$", line):
            out[-1][found[1]].append((int(found[2]), norm(found[3])))
        elif line.startswith(("fails:", "nt:")):
            parse_verdicts(out[-1], line, number, error)
        elif found := re.match(r"^(\d+) (\w+): (.*)$", line):
            out[-1]["acts"].append((int(found[1]), found[2], norm(found[3])))
        elif line.strip() != "acts:":
            error(number, f"not understood: {line[:60]}")
    return out


def parse(path, errors):
    """Reads one file; what is wrong with it goes into `errors`."""
    kind = path.rsplit(".", 1)[1]

    def error(number, message):
        errors.append(f"{path}:{number}: {message}")

    with open(path, encoding="utf-8") as file:
        lines = [(number, line.rstrip("\n")) for number, line in enumerate(file, 1) if line.strip()]
    if kind == "sheet":
        return parse_sheet(lines, error)
    items = parse_items(lines, kind, error)
    looks = dict(pairs=check_pair, chats=check_chat, exchanges=check_acts, talk=check_acts)
    for item in items:
        looks[kind](item, error)
    return items


def rows(path):
    """The objects of a file with one JSON object a line; none if there is no such file."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    wrong = 0
    for path in args.files:
        errors = []
        items = parse(path, errors)
        wrong += len(errors)
        print("\n".join(errors[:60]))
        print(path, len(items), "items", len(errors), "errors")
        if path.endswith("pairs"):
            print(dict(collections.Counter(item["id"] for item in items)))
    raise SystemExit(1 if wrong else 0)
