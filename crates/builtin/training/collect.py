"""Gathers all labelled material into one JSONL of chats with labels, and unlabelled chats beside it (first of the steps in README.md).

    collect.py --gold DIR --pool DIR --data DIR --out FILE

Every line: id, group (what must stay in one fold), source, turns, verdicts, cited, acts (turn, act, quote), exhaustive (turns whose
acts are all given), quotes (check, pass|fail, turn, quote), shows and denied (turn, head: somewhere in the turn, nowhere in it), risk (turn: crisis !, risk ~, neither -).
"""
import argparse
import glob
import hashlib
import json
import os

import material

parser = argparse.ArgumentParser()
for name in ("gold", "pool", "data", "out"):
    parser.add_argument(f"--{name}", required=True)
args = parser.parse_args()

SPEAKER = {"H": "HUMAN", "A": "AI"}
items = {}


def group_of(turns):
    """The same opening message answered by several bots belongs together."""
    return hashlib.sha1(turns[0]["text"].strip().lower().encode()).hexdigest()[:12]


def add(key, group, source, turns, **labels):
    """A chat, with whatever is known of it."""
    item = dict(id=key, group=group, source=source, turns=turns, verdicts={}, cited={}, acts=[], exhaustive=[], quotes=[])
    item.update(labels)
    items[key] = item
    return item


def plain(turns):
    """Turns without anything else a file says of them."""
    return [dict(speaker=t["speaker"], text=t["text"]) for t in turns]


for line in open(f"{args.gold}/chats.jsonl"):
    chat = json.loads(line)
    add("gold/chats/" + chat["id"], group_of(chat["turns"]), "gold-" + chat["source"], plain(chat["turns"]),
        verdicts=chat["verdicts"], cited=chat["cited"])
for line in open(f"{args.gold}/contrast.jsonl"):
    chat = json.loads(line)
    group = "contrast-" + chat["id"].rsplit("-", 1)[0]
    add("gold/contrast/" + chat["id"], group, "gold-contrast", plain(chat["turns"]),
        verdicts={chat["check"]: chat["verdict"]}, cited={chat["check"]: chat["cited"]})

unlabelled = {}
for path in sorted(glob.glob(f"{args.pool}/*.jsonl")):
    for line in open(path):
        chat = json.loads(line)
        unlabelled["pool/" + os.path.basename(path)[:-6] + "/" + chat["id"]] = chat
known = {item["turns"][1]["text"][:80] for item in items.values() if len(item["turns"]) > 1}


def pool_item(key):
    """A chat of the pool, added when it is first needed."""
    if key not in items:
        chat = unlabelled[key]
        add(key, group_of(chat["turns"]), "pool-" + key.split("/")[1], plain(chat["turns"]))
    return items[key]


for line in open(f"{args.gold}/acts.jsonl"):
    row = json.loads(line)
    key = f"{row['file']}/{row['id']}"
    item = items[key] if key in items else pool_item(key)
    item["exhaustive"].append(row["turn"])
    item["acts"] += [(row["turn"], act["act"], act["quote"]) for act in row["acts"]]

errors = []
pool_turns = {chat["id"]: chat["turns"] for chat in unlabelled.values()}
by_short_id = {chat["id"]: key for key, chat in unlabelled.items()}
for path in sorted(glob.glob(f"{args.data}/*/*.*")):
    name = os.path.basename(path)
    kind = name.rsplit(".", 1)[1]
    if kind not in ("pairs", "sheet", "chats", "labels"):
        continue
    for number, row in enumerate(material.parse(path, errors, pool_turns)):
        key = f"{name}/{number}"
        if kind == "sheet":
            other = "HUMAN" if row["speaker"] == "A" else "AI"
            turns = [dict(speaker=other, text=row["ctx"])] if row["ctx"] else []
            turns.append(dict(speaker=SPEAKER[row["speaker"]], text=row["text"]))
            acts = row["acts"] + ([row["act"]] if row["pos"] else [])
            add(key, key, "sheet", turns, acts=[(len(turns), act, row["text"]) for act in acts], exhaustive=[len(turns)], focus=row["act"])
        elif kind == "pairs":
            for side, verdict in (("+", "pass"), ("-", "fail")):
                turns = [dict(speaker=SPEAKER[s], text=t) for s, t in row["turns" + side]]
                quotes = [(row["id"], verdict, turn, quote) for turn, quote in row[verdict]]
                cited = sorted({turn for turn, _ in row[verdict]})
                add(f"{key}/{verdict}", key, "pairs", turns, verdicts={row["id"]: verdict}, cited={row["id"]: cited}, quotes=quotes)
        else:
            verdicts = {check: "pass" for check in material.CHECKS}
            verdicts.update({check: "fail" for check in row["fails"] or {}})
            verdicts.update({check: "not_triggered" for check in row["nt"] or []})
            cited = {check: turns for check, turns in (row["fails"] or {}).items() if turns}
            if kind == "chats":
                turns = [dict(speaker=SPEAKER[s], text=t) for s, t in row["turns"]]
                add(key, key, "written", turns, verdicts=verdicts, cited=cited, acts=row["acts"], exhaustive=list(range(1, len(turns) + 1)))
            elif row["id"] in by_short_id:
                item = pool_item(by_short_id[row["id"]])
                item["verdicts"], item["cited"] = verdicts, cited
                item["acts"] += row["acts"]
# What a line says of risk is said of the heads that recognise it, in the chats that have this very message, else by itself.
RISK = {"!": ["crisis", "ES2?", "B3?"], "~": ["risk", "B3?"], "-": []}
DENIED = {"!": [], "~": ["crisis", "ES2?"], "-": ["crisis", "risk", "ES2?", "B3?"]}
said = {}
for item in items.values():
    for place, turn in enumerate(item["turns"], 1):
        if turn["speaker"] == "HUMAN" and not item["source"].startswith("gold"):
            said.setdefault(turn["text"], []).append((item, place))
for path in sorted(glob.glob(f"{args.data}/*/*.risk")):
    for number, line in enumerate(open(path)):
        if line[:2] not in ("! ", "~ ", "- "):
            continue
        before, _, text = line[2:].rstrip("\n").rpartition("||")
        text = text.strip().replace("\\n", "\n")
        places = said.get(text, [])
        if not places:
            turns = [dict(speaker="AI", text=before.strip())] if before.strip() else []
            turns.append(dict(speaker="HUMAN", text=text))
            key = f"{os.path.basename(path)}/{number}"
            places = [(add(key, key, "risk", turns), len(turns))]
        for item, place in places:
            if place not in item["exhaustive"]:
                item.setdefault("shows", []).extend((place, head) for head in RISK[line[0]])
                item.setdefault("denied", []).extend((place, head) for head in DENIED[line[0]])
                item.setdefault("risk", {})[str(place)] = line[0]
for key, chat in unlabelled.items():
    if key not in items and len(chat["turns"]) > 1 and chat["turns"][1]["text"][:80] not in known:
        pool_item(key)

with open(args.out, "w") as out:
    for item in items.values():
        out.write(json.dumps(item) + "\n")
print(len(items), "chats;", len(errors), "errors")
print("\n".join(errors[:20]))
