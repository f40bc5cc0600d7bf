"""An LSTM learns the characters of CPython's help texts, carrying its state from chunk to chunk.

    python examples/lstm_language_model.py [--quick]

Truncated back-propagation through time: the state of a chunk starts the next one, without its gradient. The state is a tuple of
tensors that goes into the compiled step and comes out of it.
"""
import sys

import numpy as np
from _common import load_text, parse, parser, run

import msjit as ms
from msjit import Tensor, nn, ops


class LanguageModel(nn.Cell):
    """Ids [batch, length] and a state to logits [batch, length, vocabulary] and the next state."""

    def __init__(self, vocabulary: int, width: int, layers: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.lstm = nn.LSTM(width, width, num_layers=layers, batch_first=True)
        self.head = nn.Dense(width, vocabulary)

    def construct(self, ids, state):
        outputs, state = self.lstm(self.embed(ids), state)
        return self.head(outputs), state


def main() -> int:
    options = parse(parser(__doc__, steps=300, quick=12))
    text = load_text()[:20000 if options.quick else 300000]
    letters = sorted(set(text))
    width, layers, batch, length = (32, 1, 4, 16) if options.quick else (128, 2, 16, 48)
    ids = np.array([letters.index(letter) for letter in text], np.int32)
    rows = ids[:len(ids) // batch * batch].reshape(batch, -1)  # each row is read from its begin to its end
    chunks = (rows.shape[1] - 1) // length
    nets = {}

    def make(compiled, options):
        net = nets["last"] = LanguageModel(len(letters), width, layers)
        optimizer = nn.Adam(net.trainable_params(), learning_rate=2e-3)

        def loss_of(x, y, state):
            logits, state = net(x, state)
            loss = ops.cross_entropy(logits.reshape(-1, len(letters)), y.reshape(-1))
            return loss, (ops.stop_gradient(state[0]), ops.stop_gradient(state[1]))
        value_and_grad = ms.value_and_grad(loss_of, None, optimizer.parameters, has_aux=True)

        @compiled
        def train_step(x, y, state):
            (loss, state), gradients = value_and_grad(x, y, state)
            optimizer(ops.clip_by_global_norm(gradients, 1.0))
            return loss, state

        zeros = ops.zeros((layers, batch, width), ms.float32)
        kept = {"state": (zeros, zeros)}

        def step(number):
            at = number % chunks * length
            if at == 0:
                kept["state"] = (zeros, zeros)
            x, y = Tensor(rows[:, at:at + length]), Tensor(rows[:, at + 1:at + length + 1])
            loss, kept["state"] = train_step(x, y, kept["state"])
            return loss
        return step

    def finish(step, mode):
        net, rng, written = nets["last"], np.random.RandomState(0), "The "
        state = (ops.zeros((layers, 1, width), ms.float32),) * 2
        for letter in written[:-1]:
            _, state = net(Tensor([[letters.index(letter)]], ms.int32), state)
        for _ in range(10 if options.quick else 150):
            logits, state = net(Tensor([[letters.index(written[-1])]], ms.int32), state)
            weights = np.exp(logits.asnumpy()[0, 0].astype(np.float64) / 0.7)
            written += letters[rng.choice(len(letters), p=weights / weights.sum())]
        return "it writes %r" % written

    return run("LSTM on CPython's help", make, options, finish)


if __name__ == "__main__":
    sys.exit(main())
