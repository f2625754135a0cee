"""all-MiniLM-L6-v2 in plain PyTorch: six layers, 384 dimensions, 12 heads."""
import torch
import torch.nn.functional as F
from torch import nn


class Layer(nn.Module):
    """One layer: attention, then two dense steps."""

    def __init__(self, width=384, heads=12):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.out = (nn.Linear(width, width) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(width, eps=1e-12), nn.LayerNorm(width, eps=1e-12)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.drop = nn.Dropout(0.1)

    def forward(self, x, mask):
        b, n, w = x.shape
        split = lambda t: t.view(b, n, self.heads, w // self.heads).transpose(1, 2)
        mixed = F.scaled_dot_product_attention(split(self.query(x)), split(self.key(x)), split(self.value(x)), attn_mask=mask)
        x = self.norm1(x + self.drop(self.out(mixed.transpose(1, 2).reshape(b, n, w))))
        return self.norm2(x + self.drop(self.down(F.gelu(self.up(x)))))


class Bert(nn.Module):
    """The encoder without its pooling."""

    def __init__(self, words=30522, width=384, layers=6):
        super().__init__()
        self.words, self.places, self.kinds = nn.Embedding(words, width), nn.Embedding(512, width), nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))

    def forward(self, ids, mask, kinds=None):
        places = torch.arange(ids.shape[1], device=ids.device)
        kinds = torch.zeros_like(ids) if kinds is None else kinds
        x = self.norm(self.words(ids) + self.places(places) + self.kinds(kinds))
        wide = mask[:, None, None, :].bool()
        for layer in self.layers:
            x = layer(x, wide)
        return x


def load(folder):
    """The model and its vocabulary from a folder with model.safetensors and vocab.txt."""
    from safetensors.torch import load_file

    old = load_file(f"{folder}/model.safetensors")
    new = {"words.weight": old["embeddings.word_embeddings.weight"], "places.weight": old["embeddings.position_embeddings.weight"],
           "kinds.weight": old["embeddings.token_type_embeddings.weight"], "norm.weight": old["embeddings.LayerNorm.weight"],
           "norm.bias": old["embeddings.LayerNorm.bias"]}
    parts = {"query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value", "out": "attention.output.dense",
             "norm1": "attention.output.LayerNorm", "up": "intermediate.dense", "down": "output.dense", "norm2": "output.LayerNorm"}
    for layer in range(6):
        for mine, theirs in parts.items():
            for kind in ("weight", "bias"):
                new[f"layers.{layer}.{mine}.{kind}"] = old[f"encoder.layer.{layer}.{theirs}.{kind}"]
    model = Bert()
    model.load_state_dict(new)
    return model.eval(), open(f"{folder}/vocab.txt").read().split("\n")


def ids_of_pieces(pieces, words):
    """The model's own number of every piece; the kinds (unknown, name, number, smile, emoji, medicine) get a word that stands for them."""
    number = {word: i for i, word in enumerate(words)}
    return [number[w] for w in ("[UNK]", "alex", "number", "smiling", "face", "medication")] + [number.get(p, 100) for p in pieces]
