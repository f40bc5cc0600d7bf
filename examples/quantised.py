"""A trained network in 8 and 4 bits: what it saves and what it costs.

    python examples/quantised.py [--quick]

int8: weights and activations are integers, scaled by what a few batches showed. w8, w4: the weights alone, widened as they are read. A
large batch is fastest with int8; a single row is bound by reading the weights, so that w8 and w4 are faster than float32 as well. The losses
are those of the int8 network on batches of test images.
"""
import copy
import sys
import time

import numpy as np
from _common import accuracy, batch_of, load_images, parse, parser, run

import msjit as ms
from msjit import Tensor, nn, ops, quantization

BATCH = 32


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
    """KiB of the Parameters."""
    return sum(p.asnumpy().nbytes for p in net.get_parameters()) // 1024


def median_ms(function, x, runs):
    """Of calls that wait for the result."""
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        function(x).asnumpy()
        times.append(1e3 * (time.perf_counter() - start))
    return float(np.median(times))


def on_batches(net):
    """A function for compilers, of its own so that it meets one size alone."""
    def logits_of_batch(x):
        return net(x)
    return logits_of_batch


def on_rows(net):
    """The same for single rows."""
    def logits_of_row(x):
        return net(x)
    return logits_of_row


def quantised(net, images):
    """{name: network}: as it is, and in fewer bits."""
    nets = {"float32": net, "int8": copy.deepcopy(net), "w8": copy.deepcopy(net), "w4": copy.deepcopy(net)}
    report = quantization.quantize_int8(nets["int8"], [Tensor(images[i:i + BATCH]) for i in range(0, 8 * BATCH, BATCH)])
    quantization.quantize_weights(nets["w8"])
    quantization.quantize_weights(nets["w4"], bits=4, group_size=64)
    print(report)
    return nets


def main() -> int:
    options = parse(parser(__doc__, steps=200, quick=10))
    images, labels, test_images, test_labels = load_images()
    images, test_images = images.reshape(-1, 64), test_images.reshape(-1, 64)
    net = trained(images, labels, 64 if options.quick else 1024, 40 if options.quick else 300)
    nets = quantised(net, images)
    state = {}

    def make(compiled, options):
        for name, some in nets.items():
            state[name], state[name, "row"] = compiled(on_batches(some)), compiled(on_rows(some))

        def step(number):
            x, y = batch_of((test_images, test_labels), number, BATCH)
            return ops.cross_entropy(state["int8"](x), y)
        return step

    def finish(step, mode):
        runs, parts = 10 if options.quick else 100, []
        for name, some in nets.items():
            times = (median_ms(state[name], Tensor(test_images[:BATCH]), runs), median_ms(state[name, "row"], Tensor(test_images[:1]), runs))
            parts.append("%s: %.1f %% right, %d KiB, %.3f ms a batch, %.3f ms a row"
                         % ((name, 100 * accuracy(some, test_images, test_labels), size_of(some)) + times))
        return "\n    ".join([""] + parts)

    return run("int8", make, options, finish)


if __name__ == "__main__":
    sys.exit(main())
