"""Averages the out-of-fold answers of several classifiers, as the judge averages theirs.

    average.py --models FOLDER [FOLDER ...] --out FOLDER
"""
import argparse
import os

import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("--models", nargs="+", required=True, help="folders that train.py wrote from the same --data")
parser.add_argument("--out", required=True)
args = parser.parse_args()

rows = np.load(f"{args.models[0]}/oof-rows.npy")
for folder in args.models[1:]:
    assert np.array_equal(rows, np.load(f"{folder}/oof-rows.npy")), f"{folder} answered other sentences"
mean = np.mean([np.load(f"{folder}/oof.npy").astype(float) for folder in args.models], axis=0)
os.makedirs(args.out, exist_ok=True)
np.save(f"{args.out}/oof.npy", np.round(mean).astype(np.int8))
np.save(f"{args.out}/oof-rows.npy", rows)
print(len(rows), "sentences")
