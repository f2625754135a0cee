"""Trains the sentence classifier: windows of word pieces, the strongest of them, with the turn and the turns before.

    train.py --data FOLDER --out FOLDER [--window 5 --channels 160 --hidden 256] [--folds 4] [--seed 1] [--quick]

The pieces start from what each means alone in all-MiniLM-L6-v2. For every fold a classifier learns from the labels outside it and answers
the fold; last, one learns from everything. Writes the out-of-fold answers and the final weights.
"""
import argparse
import json
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--data", required=True)
parser.add_argument("--out", required=True)
parser.add_argument("--folds", type=int, default=4)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--epochs", type=int, default=30)
parser.add_argument("--negatives", type=float, default=0.5, help="the share of a head's weight that its negatives have")
parser.add_argument("--hidden", type=int, default=256)
parser.add_argument("--window", type=int, default=5)
parser.add_argument("--channels", type=int, default=160)
parser.add_argument("--no-final", action="store_true")
parser.add_argument("--only-final", action="store_true")
parser.add_argument("--quick", action="store_true", help="a few chats and steps, to see that it runs")
args = parser.parse_args()
torch.manual_seed(args.seed)
np.random.seed(args.seed)
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.set_float32_matmul_precision("high")

arrays = np.load(f"{args.data}/train.npz")
notes = json.load(open(f"{args.data}/train.json"))
chats, heads, acts = notes["chats"], notes["heads"], notes["acts"]
tokens = torch.tensor(arrays["tokens"].astype(np.int64), device=device)
lengths = torch.tensor(arrays["lengths"].astype(np.int64), device=device)
sentence_turn = torch.tensor(arrays["sentence_turn"].astype(np.int64), device=device)
turn_speaker = torch.tensor(arrays["turn_speaker"].astype(np.int64), device=device)
turn_chat = arrays["turn_chat"]
sentence_chat = turn_chat[arrays["sentence_turn"]]
count = len(tokens)
chat_rows = [(int(a), int(b)) for a, b in zip(np.searchsorted(sentence_chat, range(len(chats))), np.searchsorted(sentence_chat, range(len(chats)), "right"))]
chat_turns = [(int(a), int(b)) for a, b in zip(np.searchsorted(turn_chat, range(len(chats))), np.searchsorted(turn_chat, range(len(chats)), "right"))]
target = torch.full((count, len(heads)), -1, dtype=torch.int8, device=device)
target[torch.tensor(arrays["target_keys"][:, 0].astype(np.int64)), torch.tensor(arrays["target_keys"][:, 1].astype(np.int64))] = torch.tensor(
    arrays["target_values"], device=device)
bag_starts = np.concatenate([[0], np.cumsum(arrays["bag_size"])])
bags_of = [[] for _ in chats]
for number, head in enumerate(arrays["bag_head"]):
    rows = arrays["bag_rows"][bag_starts[number] : bag_starts[number + 1]]
    if len(rows):
        bags_of[sentence_chat[rows[0]]].append((int(head), rows.astype(np.int64)))
for c, bags in enumerate(bags_of):
    bags_of[c] = (np.concatenate([np.full(len(rows), head) for head, rows in bags]), np.concatenate([rows for _, rows in bags]),
                  np.concatenate([np.full(len(rows), i) for i, (_, rows) in enumerate(bags)]), len(bags)) if bags else None
labelled = [i for i, c in enumerate(chats) if c["labelled"]]
groups = sorted({c["group"] for c in chats})
rng = np.random.RandomState(args.seed)
fold_of_group = {g: int(f) for g, f in zip(groups, rng.randint(0, args.folds, len(groups)))}
fold_of = np.array([fold_of_group[c["group"]] for c in chats])


def batches(which, budget, shuffle=True):
    """Chats in groups of about `budget` sentences."""
    which = list(which)
    if shuffle:
        np.random.shuffle(which)
    batch, size = [], 0
    for chat in which:
        rows = chat_rows[chat][1] - chat_rows[chat][0]
        if batch and size + rows > budget:
            yield batch
            batch, size = [], 0
        batch.append(chat)
        size += rows
    if batch:
        yield batch


def ranges(pairs):
    """All numbers of several ranges."""
    return np.concatenate([np.arange(a, b) for a, b in pairs])


sentence_turn_array = arrays["sentence_turn"].astype(np.int64)
row_bounds, turn_bounds = np.array(chat_rows), np.array(chat_turns)


def rows_of(batch):
    """The sentences and turns of some chats, and for every turn the two before it, as places in this batch."""
    rows, turns = ranges(row_bounds[batch]), ranges(turn_bounds[batch])
    sizes = turn_bounds[batch, 1] - turn_bounds[batch, 0]
    starts = np.cumsum(sizes) - sizes
    number = np.arange(len(turns)) - np.repeat(starts, sizes)
    local = sentence_turn_array[rows] - np.repeat(turn_bounds[batch, 0] - starts, row_bounds[batch, 1] - row_bounds[batch, 0])
    before = np.where(number >= 1, np.arange(len(turns)) - 1, -1)
    before2 = np.where(number >= 2, np.arange(len(turns)) - 2, -1)
    return [torch.from_numpy(x).to(device, non_blocking=True) for x in (rows, turns, local, before, before2)]


class Student(nn.Module):
    """Word pieces → a window of them per channel → the strongest and the mean → with the turn and the turns before → heads."""

    def __init__(self, table, window, channels, hidden=256):
        super().__init__()
        self.table = nn.Embedding.from_pretrained(table.clone(), freeze=False)
        self.conv = nn.Conv1d(table.shape[1], channels, window, padding=window // 2)
        self.before, self.own, self.before2 = nn.Linear(channels, 64), nn.Linear(channels, 64), nn.Linear(channels, 32)
        self.hidden = nn.Linear(2 * channels + 64 + 64 + 32 + 3, hidden)
        self.heads = nn.Linear(hidden, len(heads))
        self.drop = nn.Dropout(0.3)

    def forward(self, rows, turns, local, before, before2):
        size = int(lengths[rows].max())
        ids, long = tokens[rows, :size], lengths[rows]
        inside = torch.arange(size, device=device)[None] < long[:, None]
        x = self.table(ids)
        if self.training:
            x = x * (torch.rand(ids.shape, device=device) > 0.08)[..., None]
        x = x * inside[..., None]
        x = F.relu(self.conv(x.transpose(1, 2))) * inside[:, None]
        strongest, mean = x.amax(2), x.sum(2) / long[:, None]
        whole = torch.zeros(len(turns), strongest.shape[1], device=device, dtype=strongest.dtype).scatter_reduce(
            0, local[:, None].expand_as(strongest), strongest, "amax", include_self=True)
        at = lambda index: whole[index.clamp(min=0)] * (index >= 0)[:, None]
        speaker = turn_speaker[turns][local].float()
        first = torch.ones_like(speaker)
        first[1:] = (local[1:] != local[:-1]).float()
        last = torch.ones_like(speaker)
        last[:-1] = first[1:]
        extra = torch.stack([speaker, first, last], 1)
        parts = [strongest, mean, F.relu(self.before(at(before)))[local], F.relu(self.own(whole))[local], F.relu(self.before2(at(before2)))[local]]
        hidden = F.relu(self.hidden(torch.cat([self.drop(torch.cat(parts, 1)), extra], 1)))
        return self.heads(self.drop(hidden))


def weights_of(which):
    """What a known answer weighs: every head counts by its positives, half of it for the positives, half for the negatives."""
    known = torch.cat([target[slice(*chat_rows[c])] for c in which])
    positive, negative = (known == 1).sum(0).float(), (known == 0).sum(0).float()
    for c in which:
        if bags_of[c] is not None:
            bag_heads = np.unique(np.stack([bags_of[c][0], bags_of[c][2]]), axis=1)[0].astype(np.int64)
            positive += torch.bincount(torch.tensor(bag_heads, device=device), minlength=len(heads)).float()
    whole = positive.clamp(max=600).sqrt() * head_weight
    share = len(known) / whole.sum()
    return share * whole * (1 - args.negatives) / positive.clamp(min=20), share * whole * args.negatives / negative.clamp(min=200)


def loss_of(logits, rows, batch, weights):
    """Known answers of sentences, and bags of sentences of which the strongest must show what the chat shows."""
    known = target[rows]
    mask = (known == 1) * weights[0] + (known == 0) * weights[1]
    loss = (F.binary_cross_entropy_with_logits(logits, known.clamp(min=0).float(), reduction="none") * mask).sum()
    heads_in, rows_in, ids_in, n, offset = [], [], [], 0, 0
    for c in batch:
        start, end = chat_rows[c]
        if bags_of[c] is not None:
            bag_heads, bag_rows, bag_ids, bags = bags_of[c]
            rows_in.append(bag_rows + (offset - start))
            heads_in.append(bag_heads)
            ids_in.append(bag_ids + n)
            n += bags
        offset += end - start
    if n:
        which = torch.tensor(np.concatenate(heads_in).astype(np.int64), device=device)
        number = torch.tensor(np.concatenate(ids_in), device=device)
        picked = logits[torch.tensor(np.concatenate(rows_in), device=device), which]
        best = torch.full((n,), -30.0, device=device, dtype=logits.dtype).scatter_reduce(0, number, picked, "amax")
        head = torch.zeros(n, dtype=torch.int64, device=device).scatter_(0, number, which)
        loss = loss + (F.softplus(-best) * weights[0][head]).sum()
    return loss / len(rows)


def fit(model, which, epochs, budget, rate, decay=0.01):
    """Trains a classifier on some chats."""
    model.to(device).train()
    weights = weights_of(which)
    slow = [p for n, p in model.named_parameters() if n.startswith("table")]
    fast = [p for n, p in model.named_parameters() if not n.startswith("table")]
    optimizer = torch.optim.AdamW([dict(params=slow, lr=rate * 0.5, weight_decay=0.0), dict(params=fast, lr=rate)], weight_decay=decay)
    total = epochs * sum(1 for _ in batches(which, budget))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1, (s + 1) / (0.06 * total + 1)) * max(0.02, 1 - s / (total + 1)))
    for epoch in range(epochs):
        seen, running = 0, 0.0
        for batch in batches(which, budget):
            shape = rows_of(batch)
            with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
                logits = model(*shape)
            loss = loss_of(logits.float(), shape[0], batch, weights)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            running += loss.detach()
            seen += 1
        if epoch in (0, epochs // 2, epochs - 1):
            print(f"   epoch {epoch}: {running / max(seen, 1):.4f}", flush=True)
    return model.eval()


@torch.no_grad()
def answer(model, which, budget):
    """The log-odds of every head in the sentences of some chats."""
    out = torch.zeros(count, len(heads), dtype=torch.float16)
    for batch in batches(which, budget, shuffle=False):
        shape = rows_of(batch)
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            out[shape[0].cpu()] = model(*shape).float().clamp(-30, 30).half().cpu()
    return out


head_weight = torch.tensor([1.0 if i < acts else 0.7 for i in range(len(heads))], device=device)
# Every piece alone through MiniLM, cut to 256 dimensions: what a word means without its context.
table = torch.tensor(np.load(f"{args.data}/train-table.npz")["table"].astype(np.float32)) * 0.5
print(f"{count} sentences, {len(labelled)} labelled chats", flush=True)
if args.quick:
    labelled = [c for c in labelled if chats[c]["source"] in ("sheet", "pairs")][-60:]
    args.epochs = 2


def student_of(which, name):
    """A classifier trained on some chats, always from the same seed."""
    begun = time.time()
    torch.manual_seed(args.seed)
    model = fit(Student(table, args.window, args.channels, args.hidden), which, args.epochs, 2400, 3e-3)
    print(f"{name}: {time.time() - begun:.0f} s", flush=True)
    return model


def auc(scores, truth):
    """How often a positive scores above a negative."""
    order = np.argsort(scores, kind="stable")
    ranks = np.empty(len(scores))
    ranks[order] = np.arange(1, len(scores) + 1)
    p = truth.sum()
    n = len(truth) - p
    return (ranks[truth == 1].sum() - p * (p + 1) / 2) / (p * n) if p and n else float("nan")


if not args.only_final:
    answers = torch.zeros(count, len(heads), dtype=torch.float16)
    for fold in range(args.folds):
        held = [c for c in labelled if fold_of[c] == fold]
        student = student_of([c for c in labelled if fold_of[c] != fold], f"fold {fold}")
        rows = torch.cat([torch.arange(*chat_rows[c]) for c in held])
        answers[rows] = answer(student, held, 2000)[rows]
    rows = torch.cat([torch.arange(*chat_rows[c]) for c in labelled])
    truth = target.cpu().numpy()[rows]
    # Twelfths of log-odds: fine enough for what follows, and small.
    np.save(f"{args.out}/oof.npy", (answers[rows].float() * 12).round().clamp(-127, 127).to(torch.int8).numpy())
    np.save(f"{args.out}/oof-rows.npy", rows.numpy().astype(np.int32))
    values = answers[rows].numpy().astype(float)
    line = []
    for head, label in enumerate(heads):
        know = truth[:, head] >= 0
        if (truth[know, head] == 1).sum() >= 4 and (truth[know, head] == 0).any():
            line.append((label, int(truth[know, head].sum()), auc(values[know, head], truth[know, head])))
            print(f"{label:20} {line[-1][1]:5} AUC {line[-1][2]:.3f}")
    print("mean", np.nanmean([x[2] for x in line]))
if not args.no_final:
    student = student_of(labelled, "all")
    state = {k: v.detach().half().cpu() for k, v in student.state_dict().items()}
    torch.save({k: v for k, v in state.items() if not k.startswith("table")}, f"{args.out}/student.pt")
    torch.save(state["table.weight"], f"{args.out}/table.pt")
