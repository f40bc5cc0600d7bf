"""Weights of a trained network in 8 bits: what it saves and what it costs.

    python examples/quantised.py [--quick]

Each row of a weight is stored as int8 with one float scale. There is no int8 product here: the weight is widened to float32 in the
call, so memory is saved, not time, and the table shows it. The losses are those of the quantised network on batches of test images.
"""
import sys
import time

import numpy as np
from _common import accuracy, batch_of, load_images, parse, parser, run

import msjit as ms
from msjit import Parameter, Tensor, nn, ops

BATCH = 32


class QuantisedDense(nn.Cell):
    """A dense layer with int8 weights and a scale for each output."""

    def __init__(self, dense: nn.Dense) -> None:
        super().__init__()
        weight = dense.weight.asnumpy()
        scale = np.maximum(np.abs(weight).max(1, keepdims=True), 1e-8) / 127
        self.weight = Parameter(Tensor(np.rint(weight / scale).astype(np.int8)), name="weight", requires_grad=False)
        self.scale = Parameter(Tensor(scale[:, 0]), name="scale", requires_grad=False)
        self.bias = Parameter(dense.bias.value(), name="bias", requires_grad=False)

    def construct(self, x):
        return ops.matmul(x, self.weight.astype(ms.float32).T) * self.scale + self.bias


def dense_network(width: int) -> nn.SequentialCell:
    """Three dense layers over the pixels."""
    return nn.SequentialCell(nn.Dense(64, width), nn.ReLU(), nn.Dense(width, width), nn.ReLU(), nn.Dense(width, 10))


def trained(images, labels, width, steps):
    """The network in float32, trained."""
    ms.set_seed(1)
    net = dense_network(width)
    loss_fn, optimizer = nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 2e-3)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), optimizer)
    for number in range(steps):
        step(*batch_of((images, labels), number, BATCH))
    return net


def size_of(net):
    """Bytes of the Parameters."""
    return sum(p.asnumpy().nbytes for p in net.get_parameters())


def main() -> int:
    options = parse(parser(__doc__, steps=200, quick=10))
    images, labels, test_images, test_labels = load_images()
    images, test_images = images.reshape(-1, 64), test_images.reshape(-1, 64)
    net = trained(images, labels, 64 if options.quick else 1024, 40 if options.quick else 300)
    small = nn.SequentialCell([QuantisedDense(c) if isinstance(c, nn.Dense) else c for c in net])
    small.set_train(False)
    state = {}

    def make(compiled, options):
        @compiled
        def logits_of(x):
            return small(x)

        @compiled
        def full_logits_of(x):
            return net(x)
        state["full"], state["quantised"] = full_logits_of, logits_of

        def step(number):
            x, y = batch_of((test_images, test_labels), number, BATCH)
            return ops.cross_entropy(logits_of(x), y)
        return step

    def finish(step, mode):
        x, times = Tensor(test_images[:BATCH]), []
        for name in ("full", "quantised"):
            runs = []
            for _ in range(10 if options.quick else 100):
                start = time.perf_counter()
                state[name](x).asnumpy()
                runs.append(1e3 * (time.perf_counter() - start))
            times.append(float(np.median(runs)))
        return "float32: %.1f %% right, %d KiB, %.3f ms a batch; int8: %.1f %%, %d KiB, %.3f ms" % (
            100 * accuracy(net, test_images, test_labels), size_of(net) // 1024, times[0],
            100 * accuracy(small, test_images, test_labels), size_of(small) // 1024, times[1])

    return run("int8 weights", make, options, finish)


if __name__ == "__main__":
    sys.exit(main())
