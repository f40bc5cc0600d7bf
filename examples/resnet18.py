"""ResNet-18 with batch normalisation learns handwritten digits.

    python examples/resnet18.py [--quick] [--width 64]

The running statistics of the normalisation are written inside the compiled training step. In evaluation the network uses them:
set_train(False) is seen by the compiled function as by any other.
"""
import sys

from _common import accuracy, batch_of, load_images, parse, parser, run

import msjit as ms
from msjit import nn, ops

BATCH = 32


class Block(nn.Cell):
    """Two convolutions and a shortcut."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride)
        self.norm1 = nn.BatchNorm2d(outputs)
        self.conv2 = nn.Conv2d(outputs, outputs, 3)
        self.norm2 = nn.BatchNorm2d(outputs)
        self.shortcut = nn.SequentialCell()
        if stride != 1 or inputs != outputs:
            self.shortcut = nn.SequentialCell(nn.Conv2d(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))

    def construct(self, x):
        y = ops.relu(self.norm1(self.conv1(x)))
        return ops.relu(self.norm2(self.conv2(y)) + self.shortcut(x))


class ResNet18(nn.Cell):
    """Four stages of two blocks; the first convolution suits small images."""

    def __init__(self, width: int = 64, classes: int = 10) -> None:
        super().__init__()
        self.stem = nn.SequentialCell(nn.Conv2d(1, width, 3), nn.BatchNorm2d(width), nn.ReLU())
        blocks, inputs = [], width
        for stage in range(4):
            for first in (True, False):
                outputs = width << stage
                blocks.append(Block(inputs, outputs, 2 if first and stage else 1))
                inputs = outputs
        self.blocks = nn.SequentialCell(blocks)
        self.head = nn.Dense(inputs, classes)

    def construct(self, x):
        return self.head(self.blocks(self.stem(x)).mean((2, 3)))


def main() -> int:
    made = parser(__doc__, steps=100, quick=4)
    made.add_argument("--width", type=int, help="channels of the first stage (default 32, with --quick 4)")
    options = parse(made)
    images, labels, test_images, test_labels = load_images()
    nets = {}

    def make(compiled, options):
        net = nets["last"] = ResNet18(options.width or (4 if options.quick else 32))
        net.set_train()
        loss_fn = nn.CrossEntropyLoss()
        optimizer = nn.Momentum(net.trainable_params(), learning_rate=0.02, momentum=0.9, weight_decay=1e-4)

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

    return run("ResNet-18 on digits", make, options, finish)


if __name__ == "__main__":
    sys.exit(main())
