"""Turns labelled chats and their word pieces into arrays for training.

    prepare.py --items FILE --pieces FILE --minilm FOLDER --out FOLDER

Writes chats.npz (pieces, labels), notes.json (what the rows are), and minilm.npz, what training starts from: the layers of all-MiniLM-L6-v2 and the
embeddings of the judge's own vocabulary.
"""
import argparse
import hashlib
import json

import numpy as np

import material

HEADS = (
    material.AI + material.HU
    + [c + "?" for c in material.CHECKS if c in material.COND]
    + [c + "-" for c in material.CHECKS if c not in material.PRESENCE]
    + [c + "+" for c in material.CHECKS if c in material.COND or c in material.PRESENCE]
)
HEAD = {name: number for number, name in enumerate(HEADS)}
HUMAN = [name for name in HEADS if name in material.HU or name.endswith("?")]
# What a chat's answers are measured with is answered by a reader that has seen nothing of its source.
FOLDS = [["llms-as-therapists"], ["invisiblebench", "vera-mh"], ["diasafety-risk", "topical-chat"], ["hh-harmless"],
         ["counselchat", "spiral-bench", "humanebench"], ["gold-written", "gold-pairs", "gold-everyday"]]
THIRD_PARTY = {source for sources in FOLDS[:-1] for source in sources}
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


class Rows:
    """All sentences, and what is known of them."""

    def __init__(self):
        self.pieces, self.spans, self.sentence_turn = [], [], []
        self.turn_chat, self.turn_speaker = [], []
        self.target, self.bags, self.lost = {}, [], 0

    def add_turns(self, chat, cut):
        """The sentences of a chat's turns; returns their rows turn by turn."""
        in_turn = []
        for turn in cut["turns"]:
            rows = []
            for start, end, pieces in turn["sentences"] or [[0, 0, [0]]]:
                rows.append(len(self.pieces))
                self.spans.append((start, end))
                self.pieces.append((pieces or [0])[:LONGEST])
                self.sentence_turn.append(len(self.turn_chat))
            in_turn.append(rows)
            self.turn_chat.append(chat)
            self.turn_speaker.append(int(turn["speaker"] == "AI"))
        return in_turn

    def touched(self, text, rows, quote):
        """The sentences that a quote covers by half, or that cover half of it."""
        place = find(text, quote)
        if place is None:
            self.lost += 1
            return []
        found = []
        for row in rows:
            start, end = self.spans[row]
            shared = min(end, place[1]) - max(start, place[0])
            if shared > 0 and shared * 2 >= min(end - start, place[1] - place[0]):
                found.append(row)
        return found

    def acts(self, item, in_turn):
        """Acts that were labelled, and those known to be absent."""
        for turn, names in item["known"].items():
            for row in in_turn[int(turn) - 1]:
                for act in names:
                    self.target[row, HEAD[act]] = 0
        for turn, head in item["denied"]:
            for row in in_turn[turn - 1]:
                self.target.setdefault((row, HEAD[head]), 0)
        shown = {}
        for turn, act, quote in item["acts"]:
            if turn <= len(in_turn):
                for row in self.touched(item["turns"][turn - 1]["text"], in_turn[turn - 1], quote):
                    shown.setdefault((turn, act), set()).add(row)
        for (turn, act), rows in shown.items():
            # One quote was asked for, not all: what else in this turn performs the act is not known.
            for row in in_turn[turn - 1]:
                self.target.pop((row, HEAD[act]), None)
            for row in rows:
                self.target[row, HEAD[act]] = 1
        for turn, head in item["shows"]:
            if len(in_turn[turn - 1]) == 1:
                self.target[in_turn[turn - 1][0], HEAD[head]] = 1
            else:
                self.bags.append((HEAD[head], in_turn[turn - 1]))

    def verdicts(self, item, in_turn):
        """What a verdict says of sentences: which shows it, or that one of several does, or that none does."""
        of = lambda speaker: [row for turn, rows in zip(item["turns"], in_turn) if turn["speaker"] == speaker for row in rows]
        ai, person = of("AI"), of("HUMAN")
        quoted = {}
        for check, verdict, turn, quote in item["quotes"]:
            if turn <= len(in_turn) and item["turns"][turn - 1]["speaker"] == "AI":
                for row in self.touched(item["turns"][turn - 1]["text"], in_turn[turn - 1], quote):
                    quoted.setdefault((check, verdict), set()).add(row)
        for check, verdict in item["verdicts"].items():
            if check in material.COND and person:
                if verdict == "not_triggered":
                    for row in person:
                        self.target.setdefault((row, HEAD[check + "?"]), 0)
                elif verdict == "fail" or item["source"] not in ("pairs", "gold-pairs"):
                    self.bags.append((HEAD[check + "?"], person))
            cited = [row for turn in item["cited"].get(check) or [] if turn <= len(in_turn) and item["turns"][turn - 1]["speaker"] == "AI"
                     for row in in_turn[turn - 1]] or ai
            fail, good = HEAD.get(check + "-"), HEAD.get(check + "+")
            shown = quoted.get((check, "fail" if verdict == "fail" else "pass"))
            if verdict == "fail":
                self.shows(fail, shown, cited)
                self.shows_not(good, ai)
            else:
                self.shows_not(fail, ai)
                if verdict == "pass":
                    self.shows(good, shown, cited)

    def shows(self, head, quoted, cited):
        """A head that some sentences show: those quoted, else one of the cited."""
        if head is None:
            return
        for row in quoted or []:
            self.target[row, head] = 1
        if not quoted and cited:
            self.bags.append((head, cited))

    def shows_not(self, head, rows):
        """A head that no sentence shows."""
        if head is not None:
            for row in rows:
                self.target[row, head] = 0


def folds_of(item):
    """The folds in which a chat is answered when the chat itself was not seen, when no chat with its opening message was, and when nothing of its source
    was."""
    number = lambda key: int(hashlib.sha1(key.encode()).hexdigest(), 16) % len(FOLDS)
    by_opening = number(item["opening"] if item["source"] in THIRD_PARTY else item["group"])
    by_source = next((place for place, sources in enumerate(FOLDS) if item["source"] in sources), by_opening)
    return dict(chat=number(item["group"]), opening=by_opening, source=by_source)


def segments(rows, most=126):
    """The parts of turns that are read at once: sentences up to `most` pieces; with the part before, and the last of the turn before."""
    first, before, other, turn_of = [], [], [], []
    last_of_turn, chat, turn, size = -1, -1, -1, 0
    for row, pieces in enumerate(rows.pieces):
        at = rows.sentence_turn[row]
        if at != turn or size + len(pieces) > most:
            if rows.turn_chat[at] != chat:
                chat, last_of_turn = rows.turn_chat[at], -1
                before.append(-1)
            else:
                if at != turn:
                    last_of_turn = len(first) - 1
                before.append(len(first) - 1)
            other.append(last_of_turn if last_of_turn != before[-1] else -1)
            first.append(row)
            turn_of.append(at)
            turn, size = at, 0
        size += len(pieces)
    return first, before, other, turn_of


def starting_weights(folder, out):
    """The layers of MiniLM, and the embeddings of the judge's own pieces, in 16 bits."""
    from safetensors.numpy import load_file

    old = load_file(f"{folder}/model.safetensors")
    words = open(f"{folder}/vocab.txt", encoding="utf-8").read().split("\n")
    number = {word: i for i, word in enumerate(words)}
    pieces = open(f"{material.HERE}/../crates/builtin/data/pieces.txt", encoding="utf-8").read().split("\n")[:-1]
    # Kinds of words start from a word that stands for them; 988 was no number to call when MiniLM learned.
    ids = [number[w] for w in ("[UNK]", "alex", "number", "smiling", "face", "medication")]
    ids += [number["911" if piece == "988" else piece] for piece in pieces]
    marks = [number["[CLS]"], number["[SEP]"]]
    table = old["embeddings.word_embeddings.weight"]
    scale = np.abs(table).max(1, keepdims=True) / 127
    whole = np.round(table / scale).astype(np.int8)
    parts = {name: value.astype(np.float16) for name, value in old.items() if "word_embeddings" not in name and value.dtype == np.float32}
    np.savez(out, words=whole[ids], words_scale=scale[ids].astype(np.float32), marks=table[marks].astype(np.float16), **parts)


def main():
    parser = argparse.ArgumentParser()
    for name in ("items", "pieces", "minilm", "out"):
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    rows, chats = Rows(), []
    for number, (raw, cut) in enumerate(zip(open(args.items, encoding="utf-8"), open(args.pieces, encoding="utf-8"))):
        item, cut = json.loads(raw), json.loads(cut)
        assert item["id"] == cut["id"]
        in_turn = rows.add_turns(number, cut)
        rows.verdicts(item, in_turn)
        rows.acts(item, in_turn)
        answered = bool(item["verdicts"]) or item["source"] not in ("sheet", "hints")
        chats.append(dict(id=item["id"], group=item["group"], source=item["source"], verdicts=item["verdicts"], folds=folds_of(item), weight=item["weight"], answered=answered))
    print(len(chats), "chats", len(rows.pieces), "sentences", len(rows.target), "targets", len(rows.bags), "bags", rows.lost, "quotes lost")
    target = np.full((len(rows.pieces), len(HEADS)), -1, np.int8)
    for (row, head), value in rows.target.items():
        target[row, head] = value
    first, before, other, turn_of = segments(rows)
    np.savez_compressed(
        f"{args.out}/chats.npz", pieces=np.concatenate(rows.pieces).astype(np.uint16), lengths=np.array([len(p) for p in rows.pieces], np.uint8),
        sentence_turn=np.array(rows.sentence_turn, np.int32), turn_chat=np.array(rows.turn_chat, np.int32),
        turn_speaker=np.array(rows.turn_speaker, np.int8), target=target, bag_head=np.array([b[0] for b in rows.bags], np.int16),
        bag_size=np.array([len(b[1]) for b in rows.bags], np.int32), bag_rows=np.array([r for b in rows.bags for r in b[1]], np.int32),
        segment_first=np.array(first, np.int32), segment_before=np.array(before, np.int32), segment_other=np.array(other, np.int32),
        segment_turn=np.array(turn_of, np.int32))
    json.dump(dict(chats=chats, heads=HEADS, human=HUMAN, acts=len(material.AI) + len(material.HU), folds=len(FOLDS)), open(f"{args.out}/notes.json", "w"))
    starting_weights(args.minilm, f"{args.out}/minilm.npz")


if __name__ == "__main__":
    main()
