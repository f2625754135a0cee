"""Writes the final classifiers as the one file of whole numbers that the judge reads: data/weights.bin.

    export.py --data FOLDER --models FOLDER [FOLDER ...] --pieces FILE --out FOLDER

The first layer sees single pieces, so it becomes tables: a window's value is a sum of rows. Tables have 8 bits, the other weights 12,
so that every sum fits 32 bits and every machine computes the same. Pieces that are rare and never seen in training are left out.
"""
import argparse
import json
import struct

import numpy as np
import torch

import material

parser = argparse.ArgumentParser()
parser.add_argument("--data", required=True)
parser.add_argument("--models", nargs="+", required=True)
parser.add_argument("--pieces", required=True, help="what the program `pieces` wrote")
parser.add_argument("--out", required=True)
args = parser.parse_args()
KINDS, COMMON, STEP, TOP = 6, 11000, 64, 2047

vocabulary = open(f"{args.out}/pieces.txt").read().split("\n")[:-1]
tables = [torch.load(f"{folder}/table.pt", map_location="cpu").float().numpy() for folder in args.models]
if len(vocabulary) + KINDS == len(tables[0]):
    seen = set()
    for line in open(args.pieces):
        for turn in json.loads(line)["turns"]:
            for sentence in turn["sentences"]:
                seen.update(sentence[2])
    rows = list(range(KINDS)) + [
        n for n in range(KINDS, len(tables[0])) if n in seen or n < COMMON or len(vocabulary[n - KINDS].lstrip("#")) == 1
    ]
    json.dump(rows, open(f"{args.data}/kept-pieces.json", "w"))
    open(f"{args.out}/pieces.txt", "w").write("".join(vocabulary[n - KINDS] + "\n" for n in rows[KINDS:]))
else:
    rows = json.load(open(f"{args.data}/kept-pieces.json"))
np.save(f"{args.data}/static.npy", np.load(f"{args.data}/train-table.npz")["table"][rows])
print(len(rows), "pieces")
notes = json.load(open(f"{args.data}/train.json"))
blob = bytearray()


def put(array, kind):
    """Appends numbers, little-endian."""
    blob.extend(np.ascontiguousarray(array, kind).tobytes())


def dense(weight, bias, scale_in, top_in):
    """Rows of 12-bit weights, the scale that turns a row's sum back, and the bias. `scale_in` is what one unit of each input means."""
    real = weight * scale_in[None]
    step = np.abs(real).max(1) / TOP
    step[step == 0] = 1
    whole = np.round(real / step[:, None])
    worst = (np.abs(whole) * top_in[None]).sum(1).max()
    assert worst < 2**31, f"a sum of {worst:.0f} would not fit"
    put(whole, "<i2")
    put(step, "<f4")
    put(bias, "<f4")


shapes = []
for table, folder in zip(tables, args.models):
    state = {k: v.float().numpy() for k, v in torch.load(f"{folder}/student.pt", map_location="cpu").items()}
    conv, bias = state["conv.weight"], state["conv.bias"]
    channels, _, window = conv.shape
    products = np.stack([table[rows] @ conv[:, :, k].T for k in range(window)])
    unit = np.abs(products).max((0, 1)) / 127
    # A few very large values would cost the others their precision.
    unit = np.minimum(unit, np.quantile(np.abs(products), 0.9998, axis=(0, 1)) / 100)
    put(np.clip(np.round(products / unit), -127, 127), "i1")
    put(np.round(bias / unit), "<i2")
    top = np.full(channels, window * 127 + np.abs(np.round(bias / unit)).max())
    for name in ("before", "own", "before2"):
        dense(state[f"{name}.weight"], state[f"{name}.bias"], unit, top)
    context = 64 + 64 + 32
    scale = np.concatenate([unit, unit, np.full(context, 1 / STEP), np.ones(3)])
    dense(state["hidden.weight"], state["hidden.bias"], scale, np.concatenate([top, top, np.full(context, TOP), np.ones(3)]))
    hidden = state["hidden.weight"].shape[0]
    dense(state["heads.weight"], state["heads.bias"], np.full(hidden, 1 / STEP), np.full(hidden, TOP))
    shapes.append((window, channels, hidden))
ai, human = len(material.AI), notes["human"]
heads = "\n".join(notes["heads"]).encode()
header = struct.pack("<8sIIII", b"carelock", len(rows), len(shapes), ai, human) + struct.pack("<I", len(heads)) + heads
for shape in shapes:
    header += struct.pack("<III", *shape)
open(f"{args.out}/weights.bin", "wb").write(header + blob)
print(len(header) + len(blob), "bytes", shapes, len(notes["heads"]), "heads")
