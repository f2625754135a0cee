"""Trains the reader of acts.

    train.py --data FOLDER --out FOLDER --fold N      learns from all chats but a sixth (--of 3: a third), and answers these
    train.py --data FOLDER --out FOLDER               learns from everything, and keeps the weights

With --teach FILE it writes its answers to the chats it learned from instead. With --taught FILE a new reader learns from such answers beside the
labels: most labels say nothing of most acts, and the answers fill the gaps.

FOLDER has what prepare.py wrote. A GPU is needed for more than a trial (--steps).
"""
import argparse
import json
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

import reader

parser = argparse.ArgumentParser()
parser.add_argument("--data", required=True)
parser.add_argument("--out", required=True)
parser.add_argument("--fold", type=int)
parser.add_argument("--of", type=int, default=6, help="how many folds there are: 6, 3 or 2")
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--epochs", type=int, default=10)
parser.add_argument("--rate", type=float, default=1.5e-4)
parser.add_argument("--by", choices=["chat", "opening", "source"], default="chat",
                    help="what a fold leaves out: chats, all chats with the same opening message, or whole sources")
parser.add_argument("--heavy", type=float, default=3.0, help="how much the acts that gates rest on count")
parser.add_argument("--average", type=float, default=0.998, help="how much of the running mean of the weights each step keeps; 0: no mean")
parser.add_argument("--positives", type=float, default=0.35, help="the share of a head's weight that its positives have")
parser.add_argument("--tokens", type=int, default=20000, help="the size of a batch, padding counted")
parser.add_argument("--teach", help="write the answers to the chats learned from into this file, and nothing else")
parser.add_argument("--taught", nargs="+", help="learn from the answers in this file too; from the mean of several")
parser.add_argument("--trust", type=float, default=1.0, help="how much these answers count beside the labels")
parser.add_argument("--start", help="go on from the weights in this folder, which were kept when everything was learned from")
parser.add_argument("--long", type=int, default=1500, help="a chat with more tokens takes part in a round with this number over its own as its chance")
parser.add_argument("--seconds", type=float, help="train for so long instead of so many rounds")
parser.add_argument("--steps", type=int, help="stop after so many steps, to see that it runs")
args = parser.parse_args()
torch.manual_seed(args.seed)
rng = np.random.RandomState(args.seed)
device = "cuda" if torch.cuda.is_available() else "cpu"

arrays = dict(np.load(f"{args.data}/chats.npz"))
notes = json.load(open(f"{args.data}/notes.json"))
chats, heads = notes["chats"], notes["heads"]
lengths = arrays["lengths"].astype(np.int64)
starts = np.concatenate([[0], np.cumsum(lengths)])
pieces = arrays["pieces"].astype(np.int64)
target = torch.tensor(arrays["target"], device=device)
first = arrays["segment_first"].astype(np.int64)
last = np.append(first[1:], len(lengths))
size = starts[last] - starts[first] + 2
segment_chat = arrays["turn_chat"][arrays["segment_turn"]]
bounds = np.searchsorted(segment_chat, np.arange(len(chats) + 1))
tokens = np.array([size[a:b].sum() for a, b in zip(bounds, bounds[1:])])
longest = np.array([size[a:b].max() for a, b in zip(bounds, bounds[1:])])
weight_of = np.array([chat["weight"] for chat in chats], np.float32)
sentence_chat = arrays["turn_chat"][arrays["sentence_turn"]]
fold = np.array([chat["folds"][args.by] for chat in chats]) % args.of
bag_starts = np.concatenate([[0], np.cumsum(arrays["bag_size"])])
bags_of = [[] for _ in chats]
for number, head in enumerate(arrays["bag_head"]):
    rows = arrays["bag_rows"][bag_starts[number] : bag_starts[number + 1]].astype(np.int64)
    bags_of[sentence_chat[rows[0]]].append((int(head), rows))
if args.taught:
    taught = np.full((len(lengths), len(heads)), -128, np.int8)
    files = [np.load(file) for file in args.taught]
    taught[files[0]["rows"]] = np.mean([file["odds"].astype(np.float32) for file in files], 0).round()
    # An answer counts for acts of the one who speaks.
    of_person = np.array([head in notes["human"] for head in heads])
    spoken_by_ai = arrays["turn_speaker"][arrays["sentence_turn"]] == 1
    taught[of_person[None] == spoken_by_ai[:, None]] = -128
    taught = torch.tensor(taught, device=device)
# Gates rest on these acts.
HEAVY = "crisis risk harmful diagnoses asks_safety names_danger immediate_help refers begun ES1- B2- ES2?".split()


def batches(which, shuffle=True):
    """Chats in groups of about as many tokens; those of like length together, so that little is padded."""
    which = np.array(which)
    if shuffle:
        # A few very long chats would otherwise be half of every round.
        which = which[rng.rand(len(which)) < args.long / tokens[which]]
    order = which[np.argsort(longest[which] + (rng.rand(len(which)) * 12 if shuffle else 0))]
    groups, group, widest, count = [], [], 0, 0
    for chat in order:
        segments = bounds[chat + 1] - bounds[chat]
        wide = max(widest, longest[chat])
        if group and wide * (count + segments) > args.tokens:
            groups.append(group)
            group, wide, count = [], longest[chat], 0
        group.append(chat)
        widest, count = wide, count + segments
    groups.append(group)
    if shuffle:
        rng.shuffle(groups)
    return groups


def shape(group, drop=0.0):
    """The segments of some chats as padded arrays; the rows of their sentences."""
    segments = np.concatenate([np.arange(bounds[c], bounds[c + 1]) for c in group])
    local = {s: i for i, s in enumerate(segments)}
    wide = size[segments].max()
    ids = np.zeros((len(segments), wide), np.int64)
    inside = np.zeros((len(segments), wide), bool)
    sentence = np.full((len(segments), wide), -1, np.int64)
    rows, where = [], []
    marks = len(words_scale)
    for i, s in enumerate(segments):
        ids[i, 0], at = marks, 1
        inside[i, : size[s]] = True
        for row in range(first[s], last[s]):
            part = pieces[starts[row] : starts[row + 1]]
            if drop:
                part = np.where(rng.rand(len(part)) < drop, 0, part)
            ids[i, at : at + len(part)] = part
            sentence[i, at : at + len(part)] = len(rows)
            rows.append(row)
            where.append(i)
            at += len(part)
        ids[i, at] = marks + 1
    link = lambda name: np.array([local.get(s, -1) for s in arrays[name][segments]], np.int64)
    speaker = arrays["turn_speaker"][arrays["segment_turn"][segments]].astype(np.int64)
    tensors = [torch.from_numpy(x).to(device) for x in (ids, inside, speaker, link("segment_before"), link("segment_other"), sentence)]
    return (*tensors, len(rows), torch.tensor(where, device=device)), np.array(rows)


def weights_of(which):
    """What a known answer weighs, by head: a head counts by the root of its positives, which have a fixed share of its weight."""
    mask = np.isin(sentence_chat, which)
    known = target[torch.tensor(mask, device=device)]
    positive, negative = (known == 1).sum(0).float(), (known == 0).sum(0).float()
    for chat in which:
        for head, _ in bags_of[chat]:
            positive[head] += 1
    heavy = torch.tensor([args.heavy if h in HEAVY else 1.0 for h in heads], device=device)
    whole = positive.clamp(max=900).sqrt() * heavy
    whole = whole * mask.sum() / whole.sum()
    weights = lambda positive, negative: (whole * args.positives / positive.clamp(min=20), whole * (1 - args.positives) / negative.clamp(min=200))
    if not args.taught:
        return weights(positive, negative)
    positive_taught = negative_taught = torch.zeros(len(heads), device=device)
    for rows in torch.tensor(np.flatnonzero(mask), device=device).split(20000):
        some, there = taught_of(rows)
        positive_taught = positive_taught + (some * there).sum(0)
        negative_taught = negative_taught + ((1 - some) * there).sum(0)
    return *weights(positive, negative), *weights(positive_taught, negative_taught)


def taught_of(rows):
    """How likely each act is in some sentences by the answers learned from, and where there is such an answer."""
    return torch.sigmoid(taught[rows].float() / 16), taught[rows] > -128


def loss_of(odds, rows, group, weights):
    """Known answers of sentences, and groups of sentences of which the strongest must show what the chat shows."""
    at = torch.from_numpy(rows).to(device)
    known = target[at]
    item = torch.tensor(weight_of[sentence_chat[rows]], device=device)[:, None]
    mask = ((known == 1) * weights[0] + (known == 0) * weights[1]) * item
    loss = (F.binary_cross_entropy_with_logits(odds, known.clamp(min=0).float(), reduction="none") * mask).sum()
    if args.taught:
        some, there = taught_of(at)
        mask = (some * weights[2] + (1 - some) * weights[3]) * there * item * args.trust
        loss = loss + (F.binary_cross_entropy_with_logits(odds, some, reduction="none") * mask).sum()
    place = {row: i for i, row in enumerate(rows)}
    which, where, number = [], [], []
    for chat in group:
        for head, bag in bags_of[chat]:
            where += [place[row] for row in bag]
            number += [len(which)] * len(bag)
            which.append((head, float(weight_of[chat])))
    if which:
        head = torch.tensor([h for h, _ in which], device=device)
        number = torch.tensor(number, device=device)
        picked = odds[torch.tensor(where, device=device), head[number]]
        best = torch.full((len(which),), -30.0, device=device).scatter_reduce(0, number, picked, "amax")
        loss = loss + (F.softplus(-best) * weights[0][head] * torch.tensor([w for _, w in which], device=device)).sum()
    return loss / len(rows)


def fit(model, which):
    """Trains on some chats."""
    model.train()
    weights = weights_of(which)
    fresh = [p for n, p in model.named_parameters() if n.startswith(("hidden", "heads")) or n.endswith("look")]
    old = [p for n, p in model.named_parameters() if not (n.startswith(("hidden", "heads")) or n.endswith("look"))]
    optimizer = torch.optim.AdamW([dict(params=old, lr=args.rate), dict(params=fresh, lr=args.rate * 8)], weight_decay=0.01, fused=device == "cuda")
    rates = [group["lr"] for group in optimizer.param_groups]
    total = args.epochs * len(batches(which))
    # The mean of the weights over the last steps judges better than the last weights.
    mean = torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(args.average)) if args.average else None
    step, began, epoch, done = 0, time.time(), 0, 0.0
    while done < 1:
        running, seen = 0.0, 0
        for group in batches(which):
            # How much of the training lies behind, from 0 to 1.
            done = (time.time() - began) / args.seconds if args.seconds else step / total
            if done >= 1:
                break
            for part, rate in zip(optimizer.param_groups, rates):
                part["lr"] = rate * min(1, (done + 0.001) / 0.08) * max(0.02, 1 - done)
            # Rounding costs much time in training; the end is enough to get used to it.
            reader.Product.rounding = done > 0.9
            inputs, rows = shape(group, drop=0.06)
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                odds = model(*inputs)
            loss = loss_of(odds.float(), rows, group, weights)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            if mean and done > 0.25:
                mean.update_parameters(model)
            running, seen, step = running + loss.detach(), seen + 1, step + 1
            if step == args.steps:
                reader.Product.rounding = True
                return model.eval()
        epoch += 1
        print(f"fold {args.fold} round {epoch}: {float(running) / max(seen, 1):.4f}, {step} steps, {100 * done:.0f} %, {time.time() - began:.0f} s", flush=True)
    reader.Product.rounding = True
    return (mean.module if mean else model).eval()


@torch.no_grad()
def answer(model, which):
    """The odds of every head in the sentences of some chats, in 1/256; the rows they belong to."""
    all_rows, out = [], []
    for group in batches(which, shuffle=False):
        inputs, rows = shape(group)
        out.append((model(*inputs).float().clamp(-30, 30) * 256).round().short().cpu().numpy())
        all_rows.append(rows)
    rows, out = np.concatenate(all_rows), np.concatenate(out)
    order = np.argsort(rows)
    return rows[order].astype(np.int32), out[order]


def teach(model, which):
    """Writes the answers to the chats learned from."""
    # Answers to learn from need not be exact.
    reader.Product.rounding = False
    with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
        rows, odds = answer(model, which)
    np.savez_compressed(args.teach, rows=rows, odds=np.clip(odds // 16, -127, 127).astype(np.int8))


start_arrays = dict(np.load(f"{args.data}/minilm.npz"))
words_scale = start_arrays["words_scale"]
model = reader.start(start_arrays, len(heads)).to(device)
if args.start:
    reader.restore(model, *(dict(np.load(f"{args.start}/{name}.npz")) for name in ("words", "layers")))
which = np.arange(len(chats)) if args.fold is None else np.flatnonzero(fold != args.fold)
model = fit(model, which)
if args.teach:
    teach(model, which)
elif args.fold is None:
    state = {name: value.float().cpu().numpy() for name, value in model.state_dict().items()}
    words = state.pop("words.weight")
    scale = np.abs(words).max(1, keepdims=True) / 127
    np.savez_compressed(f"{args.out}/words.npz", words=np.round(words / scale).astype(np.int8), scale=scale.astype(np.float32))
    whole = {}
    for name, value in state.items():
        if value.ndim == 2 and name.startswith("layers") and name.endswith("weight"):
            step = np.maximum(np.abs(value).max(1, keepdims=True), 1e-8) / reader.WEIGHT_TOP
            whole[name], whole[name + ".step"] = np.round(value / step).astype(np.int8), step.astype(np.float32)
        else:
            whole[name] = value
    np.savez_compressed(f"{args.out}/layers.npz", **whole)
    some = [c for c in range(len(chats)) if chats[c]["id"].startswith(("gold/everyday", "gold/chats"))][:40]
    rows, odds = answer(model, some)
    np.savez_compressed(f"{args.out}/sample.npz", rows=rows, odds=odds)
else:
    rows, odds = answer(model, [c for c in np.flatnonzero(fold == args.fold) if chats[c]["answered"]])
    np.savez_compressed(f"{args.out}/fold{args.fold}.npz", rows=rows, odds=np.clip(odds // 16, -127, 127).astype(np.int8))
