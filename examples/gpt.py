"""A GPT learns the characters of CPython's help texts and writes some of its own.

    python examples/gpt.py [--quick] [--temperature 0.8]

Training compiles the whole step. Sampling calls the network with a prompt that grows by a character a call: one capture serves all
its lengths, as sizes that change become symbols.
"""
import sys

import numpy as np
from _common import load_text, parse, parser, run

import msjit as ms
from msjit import Parameter, Tensor, nn, ops
from msjit.common.initializer import Normal, initializer


class Attention(nn.Cell):
    """Causal self-attention with several heads."""

    def __init__(self, width: int, heads: int, context: int) -> None:
        super().__init__()
        self.heads = heads
        self.inputs = nn.Dense(width, 3 * width)
        self.output = nn.Dense(width, width)
        self.mask = Tensor(np.triu(np.full((context, context), -1e9, np.float32), 1))

    def construct(self, x):
        batch, length, width = x.shape
        query, key, value = [
            part.reshape(batch, length, self.heads, width // self.heads).transpose(0, 2, 1, 3)
            for part in ops.split(self.inputs(x), width, 2)]
        scores = ops.matmul(query, key.transpose(0, 1, 3, 2)) / (width // self.heads) ** 0.5
        weights = ops.softmax(scores + self.mask[:length, :length], -1)
        mixed = ops.matmul(weights, value).transpose(0, 2, 1, 3).reshape(batch, length, width)
        return self.output(mixed)


class Block(nn.Cell):
    """Attention and two dense layers, each behind a normalisation and beside a residual path."""

    def __init__(self, width: int, heads: int, context: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.attention = Attention(width, heads, context)
        self.up, self.down = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)

    def construct(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(ops.gelu(self.up(self.norm2(x))))


class GPT(nn.Cell):
    """Token ids [batch, length] to logits [batch, length, vocabulary]."""

    def __init__(self, vocabulary: int, width: int, heads: int, layers: int, context: int) -> None:
        super().__init__()
        self.context = context
        self.tokens = nn.Embedding(vocabulary, width, embedding_table=Normal(0.02))
        self.places = Parameter(initializer(Normal(0.02), (context, width), ms.float32), name="places")
        self.blocks = nn.CellList([Block(width, heads, context) for _ in range(layers)])
        self.norm = nn.LayerNorm((width,))
        self.head = nn.Dense(width, vocabulary, has_bias=False)

    def construct(self, ids):
        x = self.tokens(ids) + self.places[:ids.shape[1]]
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def sample(logits_of, prompt, count, context, temperature, seed=0):
    """`count` ids behind the prompt, drawn one by one."""
    rng, ids = np.random.RandomState(seed), list(prompt)
    for _ in range(count):
        logits = logits_of(Tensor(np.array([ids[-context:]], np.int32))).asnumpy().astype(np.float64)
        weights = np.exp((logits - logits.max()) / temperature)
        ids.append(int(rng.choice(len(weights), p=weights / weights.sum())))
    return ids


def main() -> int:
    made = parser(__doc__, steps=400, quick=12)
    made.add_argument("--temperature", type=float, default=0.8)
    options = parse(made)
    text = load_text()
    letters = sorted(set(text))
    ids = np.array([letters.index(letter) for letter in text[:20000 if options.quick else 400000]], np.int32)
    width, heads, layers, context, batch = (32, 2, 2, 24, 4) if options.quick else (128, 4, 4, 64, 16)
    state = {}

    def batch_of(number):
        starts = np.random.RandomState(number).randint(0, len(ids) - context - 1, batch)
        rows = np.stack([ids[start:start + context + 1] for start in starts])
        return Tensor(rows[:, :-1]), Tensor(rows[:, 1:])

    def make(compiled, options):
        net = GPT(len(letters), width, heads, layers, context)
        optimizer = nn.AdamWeightDecay(net.trainable_params(), learning_rate=1e-3, weight_decay=0.01)

        def loss_of(x, y):
            return ops.cross_entropy(net(x).reshape(-1, len(letters)), y.reshape(-1))
        value_and_grad = ms.value_and_grad(loss_of, None, optimizer.parameters)

        @compiled
        def train_step(x, y):
            loss, gradients = value_and_grad(x, y)
            optimizer(gradients)
            return loss

        @compiled
        def logits_of(x):
            return net(x)[0, -1]

        state["logits_of"] = logits_of
        return lambda number: train_step(*batch_of(number))

    def finish(step, mode):
        prompt = [letters.index(letter) for letter in "The "]
        drawn = sample(state["logits_of"], prompt, 20 if options.quick else 200, context, options.temperature)
        return "it writes %r" % "".join(letters[index] for index in drawn)

    return run("GPT on CPython's help", make, options, finish)


if __name__ == "__main__":
    sys.exit(main())
