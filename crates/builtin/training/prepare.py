"""Turns labelled chats and their word pieces into arrays for training.

    prepare.py --items FILE --pieces FILE --minilm DIR --out FILE

With --table also what training starts from, a static table of the pieces (-table.npz): each alone through all-MiniLM-L6-v2, cut to 256
dimensions.
"""
import argparse
import json

import numpy as np
import torch

import bert
import material

parser = argparse.ArgumentParser()
for name in ("items", "pieces", "minilm", "out"):
    parser.add_argument(f"--{name}", required=True)
parser.add_argument("--table", action="store_true", help="make the static table again")
args = parser.parse_args()

HEADS = (
    material.AI + material.HU
    + [c + "?" for c in material.CHECKS if c in material.COND]
    + [c + "-" for c in material.CHECKS]
    + [c + "+" for c in material.CHECKS if c in material.COND or c in material.PRESENCE]
)
HEAD = {name: number for number, name in enumerate(HEADS)}
ACTS = len(material.AI) + len(material.HU)
HUMAN_HEADS = len(material.HU) + len(material.COND)
LONGEST = 64


def squash(text):
    """Text evened out for searching, with the byte each character came from."""
    out, where, at = [], [], 0
    for c in text:
        plain = {"’": "'", "‘": "'", "“": '"', "”": '"'}.get(c, c).lower()
        if plain.isspace():
            if out and out[-1] != " ":
                out.append(" ")
                where.append(at)
        else:
            out.append(plain[0])
            where.append(at)
        at += len(c.encode())
    return "".join(out), where + [at]


def find(text, quote):
    """The bytes of a quote in a text, or nothing."""
    body, where = squash(text)
    wanted = squash(quote)[0].strip()
    at = body.find(wanted)
    if at < 0 or not wanted:
        return None
    return where[at], where[min(at + len(wanted), len(where) - 1)]


chats, tokens, lengths, spans = [], [], [], []
sentence_turn, turn_chat, turn_speaker, turn_first = [], [], [], []
target = {}      # (sentence, head) -> 0 or 1
bags = []        # (head, label, sentences)
lost = 0
for chat_number, (raw, cut) in enumerate(zip(open(args.items), open(args.pieces))):
    item, cut = json.loads(raw), json.loads(cut)
    assert item["id"] == cut["id"]
    in_turn = []
    for turn in cut["turns"]:
        turn_first.append(len(tokens))
        rows = []
        for start, end, pieces in turn["sentences"] or [[0, 0, [0]]]:
            rows.append(len(tokens))
            spans.append((start, end))
            pieces = pieces[:LONGEST] or [0]
            lengths.append(len(pieces))
            tokens.append(pieces)
            sentence_turn.append(len(turn_chat))
        in_turn.append(rows)
        turn_chat.append(chat_number)
        turn_speaker.append(int(turn["speaker"] == "AI"))
    texts = [turn["text"] for turn in item["turns"]]

    def touched(turn, quote):
        """The sentences of a turn that a quote covers by half, or that cover half of it."""
        global lost
        place = find(texts[turn - 1], quote)
        if place is None:
            lost += 1
            return []
        found = []
        for row in in_turn[turn - 1]:
            start, end = spans[row]
            shared = min(end, place[1]) - max(start, place[0])
            if shared > 0 and shared * 2 >= min(end - start, place[1] - place[0]):
                found.append(row)
        return found

    for turn in item["exhaustive"]:
        names = material.AI if item["turns"][turn - 1]["speaker"] == "AI" else material.HU
        for row in in_turn[turn - 1]:
            for act in names:
                target[row, HEAD[act]] = 0
    shown = {}
    for turn, act, quote in item["acts"]:
        if turn <= len(in_turn):
            for row in touched(turn, quote):
                shown.setdefault((turn, act), set()).add(row)
    for (turn, act), rows in shown.items():
        # One quote was asked for, not all: what else in this turn performs the act is not known.
        for row in in_turn[turn - 1]:
            target.pop((row, HEAD[act]), None)
        for row in rows:
            target[row, HEAD[act]] = 1
    for turn, head in item.get("denied", []):
        for row in in_turn[turn - 1]:
            target[row, HEAD[head]] = 0
    for turn, head in item.get("shows", []):
        if len(in_turn[turn - 1]) == 1:
            target[in_turn[turn - 1][0], HEAD[head]] = 1
        else:
            bags.append((HEAD[head], 1, in_turn[turn - 1]))
    ai = [row for turn, rows in zip(item["turns"], in_turn) if turn["speaker"] == "AI" for row in rows]
    quoted = {}
    for check, verdict, turn, quote in item["quotes"]:
        for row in touched(turn, quote):
            quoted.setdefault((check, verdict), set()).add(row)
    person = [row for turn, rows in zip(item["turns"], in_turn) if turn["speaker"] == "HUMAN" for row in rows]
    for check, verdict in item["verdicts"].items():
        if check in material.COND and person:
            # What a conditional check waits for is said by the person: somewhere if it was triggered, nowhere if not.
            if verdict == "not_triggered":
                for row in person:
                    target[row, HEAD[check + "?"]] = 0
            elif verdict == "fail" or item["source"] not in ("pairs", "gold-contrast"):
                bags.append((HEAD[check + "?"], 1, person))
        cited = [
            row for turn in item["cited"].get(check) or []
            if turn <= len(in_turn) and item["turns"][turn - 1]["speaker"] == "AI"
            for row in in_turn[turn - 1]
        ] or ai
        fail, good = HEAD[check + "-"], HEAD.get(check + "+")
        if verdict == "fail":
            if check not in material.PRESENCE:
                rows = quoted.get((check, "fail"))
                for row in rows or []:
                    target[row, fail] = 1
                if not rows:
                    bags.append((fail, 1, cited))
            # What a check asks for is missing where it fails, be it asked for always or only when something calls for it.
            if good is not None:
                for row in ai:
                    target[row, good] = 0
        else:
            if check not in material.PRESENCE:
                for row in ai:
                    target[row, fail] = 0
            if verdict == "pass" and good is not None:
                rows = quoted.get((check, "pass"))
                for row in rows or []:
                    target[row, good] = 1
                if not rows:
                    bags.append((good, 1, cited))
    chats.append(dict(id=item["id"], group=item["group"], source=item["source"], verdicts=item["verdicts"],
                      cited=item["cited"], labelled=bool(item["verdicts"] or item["acts"] or item["exhaustive"] or item.get("denied")), focus=item.get("focus")))

print(len(chats), "chats", len(tokens), "sentences", len(target), "targets", len(bags), "bags", lost, "quotes lost")
padded = np.zeros((len(tokens), LONGEST), np.int32)
for row, pieces in enumerate(tokens):
    padded[row, : len(pieces)] = pieces
keys = np.array(list(target), np.int32)
values = np.array(list(target.values()), np.int8)
out = dict(tokens=padded, lengths=np.array(lengths, np.int16), spans=np.array(spans, np.int32),
           sentence_turn=np.array(sentence_turn, np.int32), turn_chat=np.array(turn_chat, np.int32),
           turn_speaker=np.array(turn_speaker, np.int8), turn_first=np.array(turn_first, np.int32), target_keys=keys, target_values=values,
           bag_head=np.array([b[0] for b in bags], np.int16), bag_size=np.array([len(b[2]) for b in bags], np.int32),
           bag_rows=np.array([r for b in bags for r in b[2]], np.int32))
np.savez_compressed(args.out, **out)
json.dump(dict(chats=chats, heads=HEADS, acts=ACTS, human=HUMAN_HEADS), open(args.out.replace(".npz", ".json"), "w"))

if args.table:
    model, words = bert.load(args.minilm)
    ids = bert.ids_of_pieces(open(f"{material.HERE}/../data/pieces.txt").read().split("\n")[:-1], words)
    vectors = []
    with torch.no_grad():
        for start in range(0, len(ids), 512):
            part = torch.tensor([[101, i, 102] for i in ids[start : start + 512]])
            vectors.append(model(part, torch.ones_like(part))[:, 1:2].mean(1))
    vectors = torch.cat(vectors).numpy()
    vectors -= vectors.mean(0)
    _, _, axes = np.linalg.svd(vectors, full_matrices=False)
    table = vectors @ axes[:256].T
    table /= table.std()
    np.savez(args.out.replace(".npz", "-table.npz"), table=table.astype(np.float16))
