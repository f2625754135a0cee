"""The reader: MiniLM over the sentences of a turn, with the part before it and the turn before, and a head for every act.

It computes as the judge will: weights in 7 bits, inputs of every product in 8 bits a token, so that training sees what rounding does.
"""
import torch
import torch.nn.functional as F
from torch import nn

WIDTH, ATTENTION, LAYERS, HIDDEN = 384, 12, 6, 320
WEIGHT_TOP, INPUT_TOP = 63, 127


def rounded(x, top):
    """Values of a row as multiples of its largest over `top`; gradients pass through."""
    real = x.detach().float()
    step = real.abs().amax(-1, keepdim=True).clamp(min=1e-8) / top
    return x + ((real / step).round() * step - real).to(x.dtype)


class Product(nn.Linear):
    """A dense layer, with weights and inputs rounded where `rounding` is on: at the end of training, and for answers."""

    rounding = True

    def forward(self, x):
        if not Product.rounding:
            return F.linear(x, self.weight, self.bias)
        return F.linear(rounded(x, INPUT_TOP), rounded(self.weight, WEIGHT_TOP), self.bias)


class Layer(nn.Module):
    """Attention to the own part, the part before and the turn before, then two dense steps."""

    def __init__(self):
        super().__init__()
        self.query, self.key, self.value, self.out = (Product(WIDTH, WIDTH) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH, eps=1e-12), nn.LayerNorm(WIDTH, eps=1e-12)
        self.up, self.down = Product(WIDTH, 4 * WIDTH), Product(4 * WIDTH, WIDTH)
        # How much each head looks at the own part, the part before, and the turn before.
        self.look = nn.Parameter(torch.zeros(ATTENTION, 3))
        self.drop = nn.Dropout(0.1)

    def forward(self, x, before, other, allowed):
        b, n, w = x.shape
        split = lambda t: t.view(b, n, ATTENTION, w // ATTENTION)
        query, key, value = split(self.query(x)), split(self.key(x)), split(self.value(x))
        three = lambda t: torch.cat([t, t.index_select(0, before), t.index_select(0, other)], 1).transpose(1, 2)
        bias = self.look.to(x.dtype).repeat_interleave(n, 1)[None, :, None, :]
        mask = torch.where(allowed[:, None, None, :], bias, torch.full_like(bias, -1e4))
        mixed = F.scaled_dot_product_attention(query.transpose(1, 2), three(key), three(value), attn_mask=mask.expand(b, ATTENTION, n, 3 * n))
        # Training on a GPU computes in 16 bits, which norms would otherwise undo.
        x = self.norm1(x + self.drop(self.out(mixed.transpose(1, 2).reshape(b, n, w)))).to(mixed.dtype)
        return self.norm2(x + self.drop(self.down(F.gelu(self.up(x), approximate="tanh")))).to(mixed.dtype)


class Reader(nn.Module):
    """Pieces of segments in, the odds of every head in every sentence out."""

    def __init__(self, pieces, heads):
        super().__init__()
        # The two rows behind the pieces open and close a segment.
        self.words, self.places, self.speakers = nn.Embedding(pieces + 2, WIDTH), nn.Embedding(128, WIDTH), nn.Embedding(2, WIDTH)
        self.norm = nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.hidden, self.heads = nn.Linear(3 * WIDTH, HIDDEN), nn.Linear(HIDDEN, heads)
        self.drop = nn.Dropout(0.1)

    def forward(self, ids, inside, speaker, before, other, sentence, count, segment):
        """`sentence` numbers the sentence of every token (-1: none), `segment` says where each sentence stands."""
        x = self.words(ids) + self.places.weight[: ids.shape[1]] + self.speakers(speaker)[:, None]
        x = self.drop(self.norm(x))
        allowed = torch.cat([inside, inside[before] & (before >= 0)[:, None], inside[other] & (other >= 0)[:, None]], 1)
        before, other = before.clamp(min=0), other.clamp(min=0)
        for layer in self.layers:
            x = layer(x, before, other, allowed)
        flat, of = x.reshape(-1, WIDTH), sentence.reshape(-1)
        at = of >= 0
        flat, of = flat[at].float(), of[at]
        wide = of[:, None].expand(-1, WIDTH)
        size = torch.bincount(of, minlength=count).clamp(min=1)[:, None]
        mean = torch.zeros(count, WIDTH, device=x.device).scatter_add(0, wide, flat) / size
        most = torch.full((count, WIDTH), -1e4, device=x.device).scatter_reduce(0, wide, flat, "amax")
        pooled = torch.cat([mean, most, x[segment, 0].float()], 1)
        return self.heads(self.drop(F.relu(self.hidden(self.drop(pooled)))))


def start(arrays, heads):
    """A reader with the layers of MiniLM and heads that know nothing."""
    tensor = lambda name: torch.tensor(arrays[name]).float()
    words = torch.tensor(arrays["words"]).float() * torch.tensor(arrays["words_scale"])
    reader = Reader(len(words), heads)
    parts = {"query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value", "out": "attention.output.dense",
             "norm1": "attention.output.LayerNorm", "up": "intermediate.dense", "down": "output.dense", "norm2": "output.LayerNorm"}
    with torch.no_grad():
        reader.words.weight.copy_(torch.cat([words, tensor("marks")]))
        reader.places.weight.copy_(tensor("embeddings.position_embeddings.weight")[:128])
        reader.speakers.weight.copy_(tensor("embeddings.token_type_embeddings.weight")[[0, 0]])
        reader.norm.weight.copy_(tensor("embeddings.LayerNorm.weight"))
        reader.norm.bias.copy_(tensor("embeddings.LayerNorm.bias"))
        for number, layer in enumerate(reader.layers):
            for mine, theirs in parts.items():
                for kind in ("weight", "bias"):
                    getattr(getattr(layer, mine), kind).copy_(tensor(f"encoder.layer.{number}.{theirs}.{kind}"))
    return reader


def restore(reader, words, layers):
    """Puts weights that train.py kept into a reader."""
    state = {name: torch.tensor(value * layers[name + ".step"] if name + ".step" in layers else value).float() for name, value in layers.items() if not name.endswith(".step")}
    state["words.weight"] = torch.tensor(words["words"] * words["scale"]).float()
    reader.load_state_dict(state)
