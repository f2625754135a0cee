"""Writes a trained reader as the one file that the judge reads: reader.bin.

    export.py --model FOLDER --notes notes.json --out crates/builtin/data

FOLDER has what train.py kept: words.npz and layers.npz. The file, everything little-endian:

    "careread"
    u32 × 9       rows of words (marks included), width, attention heads, layers, inner width, places, hidden width, heads, bytes of names
    names         a line for every head: "human NAME" or "ai NAME", whose turns it is about
    words         i8 rows × width, then f32 × rows: what a unit of each row means
    places, speakers (person, AI), norm weight, norm bias: f32
    every layer   query, key, value, out: a product; norm1 weight, bias; up, down: a product; norm2 weight, bias; look (heads × 3): f32
    hidden, heads weights (outputs × inputs), then bias: f32

A product is i8 outputs × inputs within ±63, f32 × outputs of what a unit means, f32 × outputs of bias.
"""
import argparse
import json
import os
import struct

import numpy as np

import material

ATTENTION, TOP = 12, 63


def floats(value, *shape):
    """Numbers as they are, once their shape is what the judge expects."""
    value = np.asarray(value)
    assert value.size == np.prod(shape), (value.shape, shape)
    assert np.isfinite(value).all()
    return value.astype("<f4").tobytes()


def product(layers, name, outputs, inputs):
    """Whole weights, what a unit of every row means, and the bias."""
    weight = layers[f"{name}.weight"]
    assert weight.dtype == np.int8 and weight.shape == (outputs, inputs), (name, weight.dtype, weight.shape)
    assert np.abs(weight.astype(np.int16)).max() <= TOP, name
    return weight.tobytes() + floats(layers[f"{name}.weight.step"], outputs) + floats(layers[f"{name}.bias"], outputs)


def norm(layers, name, width):
    """What a normalised row is multiplied with, and what is added."""
    return floats(layers[f"{name}.weight"], width) + floats(layers[f"{name}.bias"], width)


def export(words, layers, heads, human):
    """The bytes of the file."""
    rows, width = words["words"].shape
    inner = len(layers["layers.0.up.weight"])
    depth = len({name.split(".")[1] for name in layers if name.startswith("layers.")})
    places, hidden = len(layers["places.weight"]), len(layers["hidden.weight"])
    names = "".join(f"{'human' if head in human else 'ai'} {material.plain_name(head)}\n" for head in heads).encode()
    parts = [b"careread", struct.pack("<9I", rows, width, ATTENTION, depth, inner, places, hidden, len(heads), len(names)), names]
    assert words["words"].dtype == np.int8
    parts += [words["words"].tobytes(), floats(words["scale"], rows), floats(layers["places.weight"], places, width)]
    parts += [floats(layers["speakers.weight"], 2, width), norm(layers, "norm", width)]
    for number in range(depth):
        of = f"layers.{number}."
        parts += [product(layers, of + name, width, width) for name in ("query", "key", "value", "out")]
        parts += [norm(layers, of + "norm1", width), product(layers, of + "up", inner, width), product(layers, of + "down", width, inner)]
        parts += [norm(layers, of + "norm2", width), floats(layers[of + "look"], ATTENTION, 3)]
    parts += [floats(layers["hidden.weight"], hidden, 3 * width), floats(layers["hidden.bias"], hidden)]
    parts += [floats(layers["heads.weight"], len(heads), hidden), floats(layers["heads.bias"], len(heads))]
    return b"".join(parts)


def main():
    parser = argparse.ArgumentParser()
    for name in ("model", "notes", "out"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    words, layers = (dict(np.load(os.path.join(args.model, f"{name}.npz"))) for name in ("words", "layers"))
    with open(args.notes, encoding="utf-8") as file:
        notes = json.load(file)
    data = export(words, layers, notes["heads"], set(notes["human"]))
    with open(os.path.join(args.out, "reader.bin"), "wb") as file:
        file.write(data)
    print(f"reader.bin: {len(data):,} bytes, {len(words['words']):,} words, {len(notes['heads'])} heads")


if __name__ == "__main__":
    main()
