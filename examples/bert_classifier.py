"""A BERT-style encoder tells which help topic of CPython a passage comes from.

    python examples/bert_classifier.py [--quick]

Passages have different lengths and are padded; a mask keeps the padding out of the attention and out of the mean.
"""
import re
import sys
from collections import Counter

import numpy as np
from _common import parse, parser, run

import msjit as ms
from msjit import Parameter, Tensor, nn, ops
from msjit.common.initializer import Normal, initializer

LENGTH, BATCH = 32, 16


class Layer(nn.Cell):
    """One encoder layer; `mask` [batch, 1, 1, length] is 0 at words and very low at padding."""

    def __init__(self, width: int, heads: int, drop: float) -> None:
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.output = [nn.Dense(width, width) for _ in range(4)]
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.up, self.down = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)
        self.drop = nn.Dropout(p=drop)

    def split(self, x):
        return x.reshape(x.shape[0], x.shape[1], self.heads, -1).transpose(0, 2, 1, 3)

    def construct(self, x, mask):
        query, key, value = self.split(self.query(x)), self.split(self.key(x)), self.split(self.value(x))
        scores = ops.matmul(query, key.transpose(0, 1, 3, 2)) / query.shape[-1] ** 0.5 + mask
        mixed = ops.matmul(ops.softmax(scores, -1), value).transpose(0, 2, 1, 3).reshape(x.shape)
        x = self.norm1(x + self.drop(self.output(mixed)))
        return self.norm2(x + self.drop(self.down(ops.gelu(self.up(x)))))


class Bert(nn.Cell):
    """Word ids [batch, length], 0 being padding, to logits [batch, classes]."""

    def __init__(self, vocabulary: int, classes: int, width: int, heads: int, layers: int) -> None:
        super().__init__()
        self.words = nn.Embedding(vocabulary, width, embedding_table=Normal(0.02), padding_idx=0)
        self.places = Parameter(initializer(Normal(0.02), (LENGTH, width), ms.float32), name="places")
        self.norm = nn.LayerNorm((width,))
        self.layers = nn.CellList([Layer(width, heads, 0.1) for _ in range(layers)])
        self.pool, self.head = nn.Dense(width, width), nn.Dense(width, classes)

    def construct(self, ids):
        present = (ids != 0).astype(ms.float32)
        mask = ((present - 1) * 1e9).reshape(ids.shape[0], 1, 1, ids.shape[1])
        x = self.norm(self.words(ids) + self.places)
        for layer in self.layers:
            x = layer(x, mask)
        mean = (x * present.expand_dims(-1)).sum(1) / present.sum(1, keepdims=True)
        return self.head(ops.tanh(self.pool(mean)))


def load_passages(classes, words):
    """(ids [N, LENGTH], topic [N], size of the vocabulary): passages of the longest topics, `words` most frequent words."""
    from pydoc_data.topics import topics
    names = sorted(topics, key=lambda name: (-len(topics[name]), name))
    chosen, texts = [], []
    for name in names:  # some topics are parts of others
        found = re.findall(r"[a-z]+", topics[name].lower())
        if all(abs(len(found) - len(other)) > 50 and topics[name][200:400] not in topics[kept]
               for kept, other in zip(chosen, texts)):
            chosen.append(name)
            texts.append(found)
        if len(chosen) == classes:
            break
    counts = Counter(word for text in texts for word in text)
    index = {word: 1 + rank for rank, word in enumerate(sorted(counts, key=lambda w: (-counts[w], w))[:words])}
    rng, ids, labels = np.random.RandomState(0), [], []
    for label, text in enumerate(texts):
        at = 0
        while at + LENGTH < len(text):
            length = rng.randint(LENGTH // 2, LENGTH + 1)
            row = [index.get(word, len(index) + 1) for word in text[at:at + length]]
            ids.append(row + [0] * (LENGTH - length))
            labels.append(label)
            at += length
    order = rng.permutation(len(labels))
    return np.array(ids, np.int32)[order], np.array(labels, np.int32)[order], len(index) + 2


def main() -> int:
    options = parse(parser(__doc__, steps=600, quick=24))
    classes, width, heads, layers = (4, 32, 2, 2) if options.quick else (8, 128, 4, 2)
    ids, labels, vocabulary = load_passages(classes, 500 if options.quick else 2000)
    cut = len(labels) * 4 // 5
    nets = {}

    def batch_of(number):
        chosen = np.random.RandomState(number).permutation(cut)[:BATCH]
        return Tensor(ids[chosen]), Tensor(labels[chosen])

    def make(compiled, options):
        net = nets["last"] = Bert(vocabulary, classes, width, heads, layers)
        net.set_train()
        optimizer = nn.AdamWeightDecay(net.trainable_params(), learning_rate=1e-3, weight_decay=0.01)

        def loss_of(x, y):
            return ops.cross_entropy(net(x), y)
        value_and_grad = ms.value_and_grad(loss_of, None, optimizer.parameters)

        @compiled
        def train_step(x, y):
            loss, gradients = value_and_grad(x, y)
            gradients = ops.clip_by_global_norm(gradients, 1.0)
            optimizer(gradients)
            return loss

        return lambda number: train_step(*batch_of(number))

    def finish(step, mode):
        net = nets["last"].set_train(False)
        right = (net(Tensor(ids[cut:])).asnumpy().argmax(1) == labels[cut:]).mean()
        return "%.1f %% of %d unseen passages are right, a guess would be %.1f %%" % (
            100 * right, len(labels) - cut, 100 * np.bincount(labels).max() / float(len(labels)))

    return run("BERT-style classifier of passages", make, options, finish)


if __name__ == "__main__":
    sys.exit(main())
