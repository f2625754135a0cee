"""Counts which words follow which in the chats written for this project, so that the judge can tell sentences from words in no order.

    word_order.py --items WORK/items.jsonl --out crates/builtin/data

A line of word_order.txt has a word, or the ending of words that are less frequent, and one hexadecimal digit for every line of the file: how much more often
than by chance that line's word comes next, as a logarithm in quarters, 8 being chance.
"""
import argparse
import collections
import json
import re

import numpy as np

WRITTEN_HERE = ("pairs", "written", "talk", "exchanges", "sheet")
WORDS, ENDINGS = 300, ["ing", "ed", "ly", "er", "s", "n", "t", "y", ""]
PAUSE = re.compile(r"[^\w\s'’]|\n")
WORD = re.compile(r"[^\W\d_']+(?:'[^\W\d_']+)*")

parser = argparse.ArgumentParser()
parser.add_argument("--items", required=True)
parser.add_argument("--out", required=True)
args = parser.parse_args()

phrases = []
for line in open(args.items):
    item = json.loads(line)
    if item["source"] in WRITTEN_HERE:
        for turn in item["turns"]:
            text = turn["text"] if isinstance(turn, dict) else turn[1]
            phrases += [WORD.findall(phrase.lower().replace("’", "'")) for phrase in PAUSE.split(text)]
frequent = [word for word, _ in collections.Counter(word for phrase in phrases for word in phrase).most_common(WORDS)]
number = {word: place for place, word in enumerate(frequent)}


def kind(word):
    """The line of a word: its own, or that of its ending."""
    return number[word] if word in number else WORDS + next(i for i, ending in enumerate(ENDINGS) if word.endswith(ending))


pairs = np.zeros((WORDS + len(ENDINGS),) * 2)
for phrase in phrases:
    kinds = [kind(word) for word in phrase]
    for first, second in zip(kinds, kinds[1:]):
        pairs[first, second] += 1
by_chance = pairs.sum(1, keepdims=True) * pairs.sum(0, keepdims=True) / pairs.sum()
steps = np.clip(np.round(4 * np.log((pairs + 0.5) / (by_chance + 0.5))), -8, 7).astype(int) + 8
with open(f"{args.out}/word_order.txt", "w") as file:
    file.write("# Made by training/word_order.py, which says what the digits mean.\n")
    for name, row in zip(frequent + ["-" + ending for ending in ENDINGS], steps):
        file.write(name + " " + "".join(f"{step:x}" for step in row) + "\n")
