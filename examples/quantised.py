"""Trained networks in 8 and 4 bits: what it saves and what it costs.

    python examples/quantised.py [--quick]

int8: weights and activations are integers, scaled by what a few batches showed. w8, w4: the weights of dense layers alone, widened as they are
read. A large batch is fastest with int8; a single row is bound by reading the weights, so that w8 and w4 are faster than float32 as well. A
network of convolutions is quantised to int8 beside the dense one; its normalisations become part of the convolutions. The losses are those of
the int8 dense network on batches of test images.
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


def convolutional_network(width: int) -> nn.SequentialCell:
    """Three convolutions with normalisations over the images."""
    return nn.SequentialCell(
        nn.Conv2d(1, width, 3), nn.BatchNorm2d(width), nn.ReLU(),
        nn.Conv2d(width, 2 * width, 3, stride=2), nn.BatchNorm2d(2 * width), nn.ReLU(),
        nn.Conv2d(2 * width, 2 * width, 3), nn.BatchNorm2d(2 * width), nn.ReLU(), nn.MaxPool2d(2, 2),
        nn.Flatten(), nn.Dense(8 * width, 10))


def trained(make, images, labels, width, steps):
    """A network in float32, trained."""
    ms.set_seed(1)
    net = make(width).set_train()
    loss_fn, optimizer = nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 2e-3)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, loss_fn), optimizer)
    for number in range(steps):
        step(*batch_of((images, labels), number, BATCH))
    return net.set_train(False)


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


def on_integers(net, images):
    """A copy of a network on integers."""
    net = copy.deepcopy(net)
    print(quantization.quantize_int8(net, [Tensor(images[i:i + BATCH]) for i in range(0, 8 * BATCH, BATCH)]))
    return net


def quantised(net, images):
    """{name: network}: as it is, and in fewer bits."""
    nets = {"float32": net, "int8": on_integers(net, images), "w8": copy.deepcopy(net), "w4": copy.deepcopy(net)}
    quantization.quantize_weights(nets["w8"])
    quantization.quantize_weights(nets["w4"], bits=4, group_size=64)
    return nets


def main() -> int:
    options = parse(parser(__doc__, steps=200, quick=10))
    images, labels, test_images, test_labels = load_images()
    rows, test_rows = images.reshape(-1, 64), test_images.reshape(-1, 64)
    steps = 40 if options.quick else 300
    nets = quantised(trained(dense_network, rows, labels, 64 if options.quick else 1024, steps), rows)
    convolutions = trained(convolutional_network, images, labels, 8 if options.quick else 32, steps)
    tests = {name: (net, test_rows) for name, net in nets.items()}
    tests["convolutions, float32"] = convolutions, test_images
    tests["convolutions, int8"] = on_integers(convolutions, images), test_images
    state = {}

    def make(compiled, options):
        for name, (some, _) in tests.items():
            state[name], state[name, "row"] = compiled(on_batches(some)), compiled(on_rows(some))

        def step(number):
            x, y = batch_of((test_rows, test_labels), number, BATCH)
            return ops.cross_entropy(state["int8"](x), y)
        return step

    def finish(step, mode):
        runs, parts = 10 if options.quick else 100, []
        for name, (some, given) in tests.items():
            some.set_train(False)  # as accuracy() does not leave it
            times = (median_ms(state[name], Tensor(given[:BATCH]), runs), median_ms(state[name, "row"], Tensor(given[:1]), runs))
            parts.append("%s: %.1f %% right, %d KiB, %.3f ms a batch, %.3f ms a row"
                         % ((name, 100 * accuracy(some, given, test_labels), size_of(some)) + times))
        return "\n    ".join([""] + parts)

    return run("int8", make, options, finish)


if __name__ == "__main__":
    sys.exit(main())
