"""Counts the labelled files and compares their labels with those of second raters: the tables of DATA.md.

    describe.py --data FOLDER [--blind FOLDER] [--into DATA.md]

FOLDER has the files in folders one level down, as for collect.py. --blind has what a second rater was given (NAME.txt) and answered
(NAME.verdicts). With --into the tables replace what stands between the marks `<!-- figures -->` and `<!-- end of figures -->`.
"""
import argparse
import collections
import glob
import os
import re

import material

GATES = ("B2", "ES1", "ES2")


def words(texts):
    """How many words texts have."""
    return sum(len(text.split()) for text in texts)


def files(folder, kind):
    """The files of one kind."""
    return sorted(glob.glob(f"{folder}/*/*.{kind}"))


def items(folder, kind):
    """All items of one kind, with the file each is from. Labels of chats that are not here count without their turns."""
    return [(os.path.basename(path), item) for path in files(folder, kind) for item in material.parse(path, [])]


def risk_lines(folder):
    """The messages of `risk` files with their signs."""
    found = []
    for path in files(folder, "risk"):
        with open(path, encoding="utf-8") as file:
            found += [match for line in file if (match := re.match(r"^([!~-]) (.*)$", line.rstrip("\n")))]
    return [(match[1], match[2].split("||", 1)[-1]) for match in found]


def count(folder):
    """The table of what there is."""
    pairs = [item for _, item in items(folder, "pairs")]
    sheet = [item for _, item in items(folder, "sheet")]
    chats = [item for _, item in items(folder, "chats")]
    labels = [item for _, item in items(folder, "labels")]
    risk = risk_lines(folder)
    signs = collections.Counter(sign for sign, _ in risk)
    per_check = collections.Counter(item["id"] for item in pairs)
    per_act = collections.Counter(item["act"] for item in sheet)
    positive = sum(item["pos"] for item in sheet)
    turns = sum(len(item["turns"]) for item in chats)
    acts = sum(len(item["acts"]) for item in chats)
    fails = sum(len(item["fails"] or {}) for item in chats)
    gated = sum(any(check in GATES for check in item["fails"] or {}) for item in chats)
    pair_words = words(text for item in pairs for side in "+-" for _, text in item["turns" + side])
    yield "| kind | files | how many | words | |"
    yield "|---|--:|--:|--:|---|"
    yield (f"| `pairs` | {len(files(folder, 'pairs'))} | {len(pairs)} pairs | {pair_words:,} | {len(per_check)} checks, "
           f"{min(per_check.values())} to {max(per_check.values())} pairs each; shared turns counted on both sides |")
    yield (f"| `sheet` | {len(files(folder, 'sheet'))} | {len(sheet)} sentences | {words(item['text'] for item in sheet):,} | {len(per_act)} acts, "
           f"{min(per_act.values())} to {max(per_act.values())} sentences each; {positive} perform the act, {len(sheet) - positive} only look like it |")
    yield (f"| `chats` | {len(files(folder, 'chats'))} | {len(chats)} chats | {words(text for item in chats for _, text in item['turns']):,} | "
           f"{turns} turns, {acts} acts, {fails} failed checks; a gate check fails in {gated} |")
    yield (f"| `risk` | {len(files(folder, 'risk'))} | {len(risk)} messages | {words(text for _, text in risk):,} | "
           f"{signs['!']} crisis, {signs['~']} risk, {signs['-']} neither |")
    if labels:
        fails = sum(len(item["fails"] or {}) for item in labels)
        acts = sum(len(item["acts"]) for item in labels)
        yield f"| `labels` | {len(files(folder, 'labels'))} | {len(labels)} chats | | {acts} acts, {fails} failed checks; the chats are third-party text |"


def given(path):
    """What a second rater was given: check and turns by id."""
    with open(path, encoding="utf-8") as file:
        blocks = re.split(r"^==== ", file.read(), flags=re.M)[1:]
    out = {}
    for block in blocks:
        head, _, body = block.partition("\n")
        name, _, check = head.partition(" ")
        turns = re.split(r"^\[\d+ (?:HUMAN|AI)\] ", body, flags=re.M)[1:]
        out[name] = check.strip(), tuple(material.squash(turn) for turn in turns)
    return out


def pair_agreement(folder, blind):
    """How many sides of pairs a second rater judged like the writer; not_triggered counts as a pass."""
    sides = {}
    for name, item in items(folder, "pairs"):
        for side in "+-":
            sides[item["id"], tuple(material.squash(text) for _, text in item["turns" + side])] = name, item["line"], side
    total = right = 0
    seen = collections.defaultdict(dict)
    for path in sorted(glob.glob(f"{blind}/pairs*.verdicts")):
        texts = given(path.replace(".verdicts", ".txt"))
        with open(path, encoding="utf-8") as file:
            answers = [line.split()[:2] for line in file if line.strip()]
        for name, verdict in answers:
            pair_file, line, side = sides[texts[name]]
            total += 1
            right += (verdict != "fail") == (side == "+")
            seen[pair_file, line][side] = path
    if total:
        together = sum(len(set(paths.values())) == 1 for paths in seen.values() if len(paths) == 2)
        yield (f"**Pairs.** {right} of {total} sides of {len(seen)} pairs ({', '.join(sorted({name for name, _ in seen}))}) were judged as the writer "
               f"meant them. Of {together} pairs both sides lay in the same file, of {len(seen) - together} in different ones.")


def kappa(both, first, second, count):
    """Cohen's κ from the failures that both, the first and the second rater saw in `count` decisions."""
    agreed = (count - first - second + 2 * both) / count
    chance = (first * second + (count - first) * (count - second)) / count**2
    return agreed, (agreed - chance) / (1 - chance) if chance < 1 else float("nan")


def chat_agreement(folder, blind):
    """Pass or fail of every check, by the writer and by a second rater; not_triggered counts as a pass."""
    chats = {item["id"]: item for _, item in items(folder, "chats")}
    tally = {check: [0, 0, 0] for check in material.CHECKS}
    count = same_trigger = triggers = gates_both = gates_first = gates_second = 0
    for path in sorted(glob.glob(f"{blind}/chats*.verdicts")):
        texts = given(path.replace(".verdicts", ".txt"))
        with open(path, encoding="utf-8") as file:
            rated = material.parse_items(
                [(n, line.rstrip("\n")) for n, line in enumerate(file, 1) if line.strip()], "chats", lambda n, message: print(path, n, message))
        for answer in rated:
            writer = chats[answer["id"]]
            assert texts[answer["id"]][1] == tuple(material.squash(text) for _, text in writer["turns"]), f"{answer['id']}: other text"
            count += 1
            for check in material.CHECKS:
                a, b = check in writer["fails"], check in answer["fails"]
                tally[check][0] += a and b
                tally[check][1] += a
                tally[check][2] += b
                if check in material.COND:
                    triggers += 1
                    same_trigger += (check in writer["nt"]) == (check in answer["nt"])
            a, b = (any(check in GATES for check in labels["fails"]) for labels in (writer, answer))
            gates_both, gates_first, gates_second = gates_both + (a and b), gates_first + a, gates_second + b
    if not count:
        return
    agreed, pooled = kappa(*(sum(row[k] for row in tally.values()) for k in range(3)), count * len(tally))
    yield (f"**Chats.** {count} chats, {count * len(tally)} decisions: {100 * agreed:.1f} % agree, pooled κ {pooled:.2f}. Whether a conditional check "
           f"was triggered: {100 * same_trigger / triggers:.1f} % of {triggers}. A gate check fails in {gates_first} chats by the writer, in {gates_second} "
           f"by the second rater, in {gates_both} by both.")
    yield ""
    yield "| check | fails by the writer | by the second rater | by both | agreement | κ |"
    yield "|---|--:|--:|--:|--:|--:|"
    for check, (both, first, second) in tally.items():
        agreed, value = kappa(both, first, second, count)
        yield f"| {check} | {first} | {second} | {both} | {100 * agreed:.0f} % | {'–' if value != value else f'{value:.2f}'} |"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--blind")
    parser.add_argument("--into")
    args = parser.parse_args()
    lines = ["### How much", "", *count(args.data)]
    if args.blind:
        lines += ["", "### Second raters", "", *pair_agreement(args.data, args.blind), "", *chat_agreement(args.data, args.blind)]
    page = "\n".join(lines)
    if not args.into:
        print(page)
    else:
        with open(args.into, encoding="utf-8") as file:
            before, rest = file.read().split("<!-- figures -->", 1)
        after = rest.split("<!-- end of figures -->", 1)[1]
        with open(args.into, "w", encoding="utf-8") as file:
            file.write(f"{before}<!-- figures -->\n\n{page}\n\n<!-- end of figures -->{after}")
