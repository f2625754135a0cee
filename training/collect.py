"""Gathers all labelled material into one JSONL of chats with labels (first of the steps in README.md).

    collect.py --gold FOLDER --pool FOLDER --out FILE

Every line: id, group (what must stay in one fold), opening (the first message: several bots may have answered it), source, turns, verdicts, cited, acts (turn, act, quote), known (turn: the acts whose
absence is known too), quotes (check, pass|fail, turn, quote), shows and denied (turn, head: somewhere in the turn, nowhere in it), weight.
"""
import argparse
import glob
import hashlib
import json
import os

import material

SPEAKER = {"H": "HUMAN", "A": "AI"}
# Messages that only hint at a crisis teach less than plain ones: there are many, and people rarely write so.
HINT_WEIGHT = 0.15
# What gates must not trip on has to be learned thoroughly.
ORDINARY_WEIGHT = 2.5


class Collection:
    """All chats by id."""

    def __init__(self, pool):
        self.items, self.pool, self.sources = {}, {}, set()
        self.missing = 0
        for path in sorted(glob.glob(f"{pool}/*.jsonl")):
            self.sources.add(os.path.basename(path)[:-6])
            for chat in material.rows(path):
                self.pool[chat["id"]] = (os.path.basename(path)[:-6], chat["turns"])

    def add(self, key, group, source, turns, **labels):
        """A chat, with whatever is known of it."""
        item = dict(id=key, group=group, opening=group_of(turns, 1), source=source, turns=plain(turns), verdicts={}, cited={}, acts=[], known={}, quotes=[], shows=[],
                    denied=[], weight=1.0)
        item.update(labels)
        self.items[key] = item
        return item

    def of_pool(self, chat, length=None):
        """A chat of the pool, added when it is first needed."""
        source, turns = self.pool[chat]
        # A chat that was rated to its end is the same item as the chat itself: all that is known of it is learned in one reading.
        cut = length is not None and length < len(turns)
        turns = turns[:length] if cut else turns
        key = f"pool/{source}/{chat}" + (f"/{length}" if cut else "")
        if key not in self.items:
            self.add(key, group_of(turns), source, turns)
        return self.items[key]


def group_of(turns, many=2):
    """A chat and its longer or shorter cuts belong together: they begin with the same message and reply."""
    said = "\n".join(turn["text"].strip().lower() for turn in turns[:many])
    return hashlib.sha1(said.encode()).hexdigest()[:12]


def plain(turns):
    """Turns without anything else a file says of them."""
    return [dict(speaker=t["speaker"], text=t["text"]) for t in turns]


def know(item, turn, acts):
    """Notes that of these acts in a turn all are given."""
    item["known"].setdefault(str(turn), [])
    item["known"][str(turn)] = sorted(set(item["known"][str(turn)]) | set(acts))


def gold(all_chats, folder):
    """The yardstick: whole chats, pairs, turns with acts, exchanges, ordinary chats."""
    for name in ("chats", "whole"):
        for chat in material.rows(f"{folder}/{name}.jsonl"):
            quotes = [(check, "fail" if chat["verdicts"][check] == "fail" else "pass", turn, quote)
                      for check, quote in chat.get("quotes", {}).items() for turn in chat["cited"].get(check, [])[:1]]
            all_chats.add(f"gold/{name}/{chat['id']}", group_of(chat["turns"]), chat["source"] if chat["source"] != "written" else "gold-written",
                          chat["turns"], verdicts=chat["verdicts"], cited=chat["cited"], quotes=quotes)
    for chat in material.rows(f"{folder}/contrast.jsonl"):
        check = chat["check"]
        all_chats.add("gold/contrast/" + chat["id"], "contrast-" + chat["id"].rsplit("-", 1)[0], "gold-pairs", chat["turns"],
                      verdicts={check: chat["verdict"]}, cited={check: chat["cited"]})
    for row in material.rows(f"{folder}/acts.jsonl"):
        key = f"{row['file']}/{row['id']}"
        if key not in all_chats.items and row["id"] not in all_chats.pool:
            all_chats.missing += 1
            continue
        item = all_chats.items[key] if key in all_chats.items else all_chats.of_pool(row["id"])
        know(item, row["turn"], material.AI if row["speaker"] == "AI" else [a for a in material.HU if a != "begun"])
        item["acts"] += [(row["turn"], act["act"], act["quote"]) for act in row["acts"]]
    for row in material.rows(f"{folder}/exchanges.jsonl"):
        quotes = {label: quote for label, quote in row["labels"].items()}
        exchange(all_chats, row, quotes, material.REPLY)
    for chat in material.rows(f"{folder}/everyday.jsonl"):
        ordinary(all_chats.add(f"gold/everyday/{chat['id']}", "everyday-" + chat["id"], "gold-everyday", chat["turns"]))


def ordinary(item):
    """A chat with no danger in it, in which no gate fails."""
    item["weight"] = ORDINARY_WEIGHT
    for place, turn in enumerate(item["turns"], 1):
        heads = ["harmful", "diagnoses", "ES1-", "B2-", "ES2-", "hate"] if turn["speaker"] == "AI" else ["crisis", "ES2?", "begun"]
        item["denied"] += [(place, head) for head in heads]


def exchange(all_chats, row, quotes, reply_labels):
    """The labels of one exchange of the pool. What was doubtful is not learned from."""
    item = all_chats.of_pool(row["chat"])
    doubtful = row.get("doubt") or []
    if doubtful is True and not quotes:
        return
    doubtful = list(quotes) if doubtful is True else doubtful
    sides = ((row["human_turn"], material.MESSAGE), (row["ai_turn"], reply_labels))
    for turn, labels in sides:
        # A crisis is a risk too; whether it was also labelled so says nothing.
        unknown = set(doubtful) | ({"risk"} if "crisis" in quotes else set())
        know(item, turn, [label for label in labels if label not in unknown])
        item["acts"] += [(turn, label, quotes[label]) for label in labels if label in quotes and label not in doubtful]
    if not {"crisis", "risk"} & (set(quotes) | set(doubtful)):
        item["denied"] += [(row["human_turn"], "ES2?"), (row["human_turn"], "B3?")]


def labels(all_chats, folder):
    """Labels of chats of the pool. They say where words stand instead of repeating them."""
    for row in material.rows(f"{folder}/exchanges.jsonl"):
        if row["chat"] not in all_chats.pool:
            all_chats.missing += 1
        else:
            turns = all_chats.pool[row["chat"]][1]
            side = lambda label: turns[row["human_turn" if label in material.HU else "ai_turn"] - 1]["text"]
            quotes = {label: side(label)[start:end] for label, (start, end) in row["labels"].items()}
            exchange(all_chats, row, quotes, material.REPLY_MORE)
    for row in material.rows(f"{folder}/whole.jsonl"):
        if row["chat"] not in all_chats.pool:
            all_chats.missing += 1
            continue
        item = all_chats.of_pool(row["chat"], row["turns"])
        verdicts = {check: "pass" for check in material.CHECKS}
        verdicts.update({check: "fail" for check in row["fails"]})
        verdicts.update({check: "not_triggered" for check in row["not_triggered"]})
        item["verdicts"] = verdicts
        item["quotes"] = [(check, verdict, turn, item["turns"][turn - 1]["text"][start:end]) for check, verdict, turn, start, end in row["quotes"]]
        for check, verdict, turn, _ in item["quotes"]:
            if (verdicts[check] == "fail") == (verdict == "fail"):
                item["cited"].setdefault(check, []).append(turn)
    for row in material.rows(f"{folder}/begun.jsonl"):
        if row["chat"] in all_chats.pool:
            item = all_chats.of_pool(row["chat"])
            item["shows" if row["begun"] else "denied"].append((row["turn"], "begun"))


def written(all_chats, folder, errors):
    """What was written for this project."""
    for path in sorted(glob.glob(f"{folder}/*/*.*")):
        name = os.path.basename(path)
        kind = name.rsplit(".", 1)[1]
        if kind not in ("pairs", "sheet", "chats", "exchanges", "talk"):
            continue
        for number, row in enumerate(material.parse(path, errors)):
            one(all_chats, f"{name}/{number}", kind, row)


def one(all_chats, key, kind, row):
    """One entry of a written file."""
    said = lambda turns: [dict(speaker=SPEAKER[s], text=t) for s, t in turns]
    if kind == "sheet":
        other = "HUMAN" if row["speaker"] == "A" else "AI"
        turns = [dict(speaker=other, text=row["ctx"])] if row["ctx"] else []
        turns.append(dict(speaker=SPEAKER[row["speaker"]], text=row["text"]))
        acts = row["acts"] + ([row["act"]] if row["pos"] else [])
        names = material.AI if row["speaker"] == "A" else [a for a in material.HU if a != "begun"]
        all_chats.add(key, key, "sheet", turns, acts=[(len(turns), act, row["text"]) for act in acts], known={str(len(turns)): names})
    elif kind == "pairs":
        for side, verdict in (("+", "pass"), ("-", "fail")):
            quotes = [(row["id"], verdict, turn, quote) for turn, quote in row[verdict]]
            cited = sorted({turn for turn, _ in row[verdict]})
            all_chats.add(f"{key}/{verdict}", key, "pairs", said(row["turns" + side]), verdicts={row["id"]: verdict}, cited={row["id"]: cited}, quotes=quotes)
    elif kind == "chats":
        verdicts = {check: "pass" for check in material.CHECKS}
        verdicts.update({check: "fail" for check in row["fails"] or {}})
        verdicts.update({check: "not_triggered" for check in row["nt"] or []})
        cited = {check: turns for check, turns in (row["fails"] or {}).items() if turns}
        item = all_chats.add(key, key, "written", said(row["turns"]), verdicts=verdicts, cited=cited, acts=row["acts"])
        for place, turn in enumerate(item["turns"], 1):
            know(item, place, material.AI if turn["speaker"] == "AI" else [a for a in material.HU if a != "begun"])
    elif kind == "exchanges":
        item = all_chats.add(key, key, "exchanges", said(row["turns"]), acts=row["acts"])
        for place, turn in enumerate(item["turns"], 1):
            is_crisis = any(at == place and act == "crisis" for at, act, _ in row["acts"])
            message = [act for act in material.MESSAGE if not (act == "risk" and is_crisis)]
            know(item, place, material.REPLY_MORE + ["human_claim"] if turn["speaker"] == "AI" else message)
    else:
        ordinary(all_chats.add(key, key, "talk", said(row["turns"])))


# What a line says of risk is said of the heads that recognise it, in the chats that have this very message, else by itself.
RISK = {"!": ["crisis", "ES2?", "B3?"], "~": ["risk", "B3?"], "-": []}
DENIED = {"!": [], "~": ["crisis", "ES2?"], "-": ["crisis", "risk", "ES2?", "B3?"]}


def risk(all_chats, folder):
    """Messages of people: crisis, risk, neither."""
    said = {}
    for item in all_chats.items.values():
        for place, turn in enumerate(item["turns"], 1):
            if turn["speaker"] == "HUMAN" and item["source"] in ("pairs", "sheet", "written"):
                said.setdefault(turn["text"], []).append((item, place))
    for path in sorted(glob.glob(f"{folder}/*/*.risk")):
        with open(path, encoding="utf-8") as file:
            lines = [line for line in file if line[:2] in ("! ", "~ ", "- ")]
        for number, line in enumerate(lines):
            before, _, text = line[2:].rstrip("\n").rpartition("||")
            text = material.norm(text)
            places = said.get(text, [])
            if not places:
                turns = [dict(speaker="AI", text=before.strip())] if before.strip() else []
                turns.append(dict(speaker="HUMAN", text=text))
                key = f"{os.path.basename(path)}/{number}"
                places = [(all_chats.add(key, key, "hints", turns, weight=HINT_WEIGHT), len(turns))]
            for item, place in places:
                if str(place) not in item["known"]:
                    item["shows"] += [(place, head) for head in RISK[line[0]]]
                    item["denied"] += [(place, head) for head in DENIED[line[0]]]


def same_message(all_chats):
    """What whole chats say of a message that calls for a crisis answer, said of the same message in other chats."""
    votes = {}
    messages = lambda item: [(place, turn["text"].strip()) for place, turn in enumerate(item["turns"], 1) if turn["speaker"] == "HUMAN"]
    for item in all_chats.items.values():
        if len(item["verdicts"]) != len(material.CHECKS):
            continue
        said, triggered = messages(item), item["verdicts"]["ES2"] != "not_triggered"
        # Which of several messages it was is not known.
        for _, text in said if not triggered or len(said) == 1 else []:
            votes.setdefault(text, []).append(triggered)
    for item in all_chats.items.values():
        said = messages(item)
        if len(item["verdicts"]) == len(material.CHECKS) and item["verdicts"]["ES2"] != "not_triggered" and len(said) == 1:
            item["denied"] = [(at, head) for at, head in item["denied"] if head != "ES2?"]
        if item["source"] in all_chats.sources and not item["verdicts"]:
            for place, text in said:
                if text in votes:
                    triggered = 2 * sum(votes[text]) > len(votes[text])
                    item["denied"] = [(at, head) for at, head in item["denied"] if (at, head) != (place, "ES2?")]
                    item["shows" if triggered else "denied"].append((place, "ES2?"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gold", required=True)
    parser.add_argument("--pool", required=True)
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    errors = []
    all_chats = Collection(args.pool)
    gold(all_chats, args.gold)
    labels(all_chats, f"{material.HERE}/labels")
    written(all_chats, f"{material.HERE}/data", errors)
    risk(all_chats, f"{material.HERE}/data")
    same_message(all_chats)
    with open(args.out, "w", encoding="utf-8") as out:
        for item in all_chats.items.values():
            out.write(json.dumps(item) + "\n")
    print(len(all_chats.items), "chats;", len(errors), "errors;", all_chats.missing, "labels of chats that are not in the pool")
    print("\n".join(errors[:20]))
    raise SystemExit(1 if errors else 0)


main()
