"""Fits two linear models that say of a person's whole turn whether it is a crisis, and whether it is a risk.

    fit_turns.py --items FILE --table FILE --pieces PROGRAM --work FOLDER --out FILE

Features: which word pieces, pairs, triples and pairs with a gap occur, and the mean and maximum of a static table of the pieces. Writes the
out-of-fold answers for `fit_checks.py` (turns.json in --work) and the final models as whole numbers (--out, data/turns.bin).
"""
import argparse
import hashlib
import json
import struct
import subprocess
from collections import Counter

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

parser = argparse.ArgumentParser()
for name in ("items", "table", "pieces", "work", "out"):
    parser.add_argument(f"--{name}", required=True)
parser.add_argument("--folds", type=int, default=5)
args = parser.parse_args()
DENSE, SHARPEN = 0.08, 1.5

items = [json.loads(line) for line in open(args.items)]
rows = []  # group, source, chat, turn, text, crisis, risk
for number, item in enumerate(items):
    acts, verdicts = {}, item["verdicts"]
    for turn, act, _ in item["acts"]:
        acts.setdefault(turn, set()).add(act)
    human = [k for k, turn in enumerate(item["turns"], 1) if turn["speaker"] == "HUMAN"]
    whole = len(verdicts) == 50
    for turn in human:
        shown = acts.get(turn, set())
        crisis = risk = None
        if turn in item["exhaustive"]:
            crisis, risk = "crisis" in shown, bool(shown & {"crisis", "risk"})
        if "crisis" in shown:
            crisis = risk = True
        elif "risk" in shown:
            risk, crisis = True, False if crisis is None else crisis
        # A whole chat whose only message of the person did or did not trigger the checks says the same of that message.
        if verdicts.get("ES2") == "not_triggered":
            crisis = False
        elif whole and len(human) == 1:
            crisis = True
        if verdicts.get("B3") == "not_triggered":
            risk = False
        elif whole and len(human) == 1:
            risk = True
        if str(turn) in item.get("risk", {}):
            sign = item["risk"][str(turn)]
            crisis, risk = sign == "!", sign != "-"
        # The third-party sets answer a few dozen messages over and over, so a judge knows most of them: there, a fold is a chat.
        recurs = "therapists" in item["source"] or "invisiblebench" in item["source"]
        # Turns without a label teach nothing, but what the models say of them is needed to fit the checks.
        rows.append((item["id"] if recurs else item["group"], item["source"], number, turn, item["turns"][turn - 1]["text"], crisis, risk))
chats = "".join(json.dumps(dict(id=str(i), turns=[dict(speaker="HUMAN", text=row[4])])) + "\n" for i, row in enumerate(rows))
cut = subprocess.run([args.pieces], input=chats.encode(), stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
pieces = [[sentence[2] for sentence in json.loads(line)["turns"][0]["sentences"]] for line in cut]


def keys_of(sentences):
    """Single pieces, neighbours, three in a row, and two with one between, each as one number."""
    keys = set()
    for s in sentences:
        keys.update(a for a in s)
        keys.update(1 << 60 | a << 40 | b << 20 for a, b in zip(s, s[1:]))
        keys.update(2 << 60 | a << 40 | b << 20 | c for a, b, c in zip(s, s[1:], s[2:]))
        keys.update(3 << 60 | a << 40 | b << 20 for a, b in zip(s, s[2:]))
    return keys


table = np.load(args.table).astype(np.float32)
step = float(np.abs(table).max() / 127)
table = np.clip(np.round(table / step), -127, 127).astype(np.int8)
keys = [keys_of(s) for s in pieces]
flat = [np.array([p for s in ss for p in s] or [0]) for ss in pieces]
dense = np.array([np.concatenate([table[f].astype(np.float32).mean(0), table[f].max(0)]) for f in flat])
centre, spread = dense.mean(0), dense.std(0) + 1e-3 / step
fold = np.array([int(hashlib.md5(row[0].encode()).hexdigest(), 16) % args.folds for row in rows])
# The same message in many chats counts once.
copies = Counter(row[4] for row in rows if row[5] is not None or row[6] is not None)
weight = np.array([(0.5 if row[1].startswith("pool") else 1.0) / max(1, copies[row[4]]) for row in rows])


def matrix(which, columns):
    place = [(k, columns[key]) for k, i in enumerate(which) for key in keys[i] if key in columns]
    r, c = zip(*place)
    words = csr_matrix((np.ones(len(r)), (r, c)), shape=(len(which), len(columns)))
    return hstack([words, csr_matrix((dense[which] - centre) / spread * DENSE)]).tocsr()


def fit(label, which):
    which = [i for i in which if rows[i][label] is not None]
    counts = Counter(key for i in which for key in keys[i])
    columns = {key: n for n, key in enumerate(sorted(key for key, count in counts.items() if count >= 3))}
    truth = [int(rows[i][label]) for i in which]
    model = LogisticRegression(C=0.5, max_iter=300, class_weight="balanced")
    return model.fit(matrix(which, columns), truth, sample_weight=weight[which]), columns


answers = np.zeros((len(rows), 2))
for side, label in enumerate((5, 6)):
    for f in range(args.folds):
        model, columns = fit(label, np.where(fold != f)[0])
        held = np.where(fold == f)[0]
        answers[held, side] = model.decision_function(matrix(held, columns)) * SHARPEN
known = {f"{row[2]},{row[3]}": [float(v) for v in answer] for row, answer in zip(rows, answers)}
json.dump(known, open(f"{args.work}/turns.json", "w"))

blob = struct.pack("<8sII", b"care-trn", *table.shape) + table.tobytes()
for label in (5, 6):
    model, columns = fit(label, range(len(rows)))
    whole = np.round(model.coef_[0][: len(columns)] * SHARPEN * 1000)
    kept = [(key, int(w)) for key, w in zip(columns, whole) if abs(w) >= 10]
    slope = model.coef_[0][len(columns) :] * DENSE / spread * SHARPEN
    bias = float(model.intercept_[0]) * SHARPEN - float((slope * centre).sum())
    blob += struct.pack("<If", len(kept), bias) + np.array([k for k, _ in kept], "<u8").tobytes() + np.array([w for _, w in kept], "<i2").tobytes() + slope.astype("<f4").tobytes()
    print(len(kept), "word features")
open(args.out, "wb").write(blob)
print(len(rows), "turns,", len(blob), "bytes")
