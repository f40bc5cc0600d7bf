"""LeNet-5 learns handwritten digits.

    python examples/lenet.py [--quick] [--mode eager|PIJit|PSJit|all] [--png FILE]

The training step - loss, gradients, the optimizer's update - is one function, and one graph where it is compiled.
"""
import sys

from _common import accuracy, batch_of, load_images, parse, parser, run

import msjit as ms
from msjit import nn, ops

BATCH = 64


class LeNet(nn.Cell):
    """Two convolutions with pooling, three dense layers, for images of 8 x 8."""

    def __init__(self, classes: int = 10) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 3, has_bias=True)
        self.conv2 = nn.Conv2d(6, 16, 3, has_bias=True)
        self.pool = nn.MaxPool2d(kernel_size=2, stride=2)
        self.dense1 = nn.Dense(16 * 2 * 2, 120)
        self.dense2 = nn.Dense(120, 84)
        self.dense3 = nn.Dense(84, classes)

    def construct(self, x):
        x = self.pool(ops.relu(self.conv1(x)))
        x = self.pool(ops.relu(self.conv2(x)))
        x = x.reshape(x.shape[0], -1)
        x = ops.relu(self.dense1(x))
        x = ops.relu(self.dense2(x))
        return self.dense3(x)


def main() -> int:
    options = parse(parser(__doc__, steps=600, quick=25))
    images, labels, test_images, test_labels = load_images()
    nets = {}

    def make(compiled, options):
        net = LeNet()
        nets["last"] = net
        loss_fn = nn.CrossEntropyLoss()
        optimizer = nn.Adam(net.trainable_params(), learning_rate=2e-3)

        def loss_of(x, y):
            return loss_fn(net(x), y)
        value_and_grad = ms.value_and_grad(loss_of, None, optimizer.parameters)

        @compiled
        def train_step(x, y):
            loss, gradients = value_and_grad(x, y)
            optimizer(gradients)
            return loss

        return lambda number: train_step(*batch_of((images, labels), number, BATCH))

    def finish(step, mode):
        return "%.1f %% of %d test images are right" % (
            100 * accuracy(nets["last"], test_images, test_labels), len(test_labels))

    return run("LeNet on digits", make, options, finish)


if __name__ == "__main__":
    sys.exit(main())
