"""A variational autoencoder learns to draw digits.

    python examples/vae.py [--quick]

The noise of the reparametrisation is drawn inside the compiled step. ms.set_seed makes it the same in each way to run.
"""
import sys

import numpy as np
from _common import batch_of, load_images, parse, parser, picture, run

import msjit as ms
from msjit import Tensor, nn, ops

BATCH, PIXELS = 64, 64


class VAE(nn.Cell):
    """Images [batch, 64] to logits of their pixels, mean and log variance of the code."""

    def __init__(self, width: int, code: int) -> None:
        super().__init__()
        self.code = code
        self.encoder = nn.SequentialCell(nn.Dense(PIXELS, width), nn.ReLU(), nn.Dense(width, 2 * code))
        self.decoder = nn.SequentialCell(nn.Dense(code, width), nn.ReLU(), nn.Dense(width, PIXELS))

    def construct(self, x):
        mean, log_variance = ops.split(self.encoder(x), self.code, 1)
        code = mean + ops.exp(0.5 * log_variance) * ops.randn_like(mean)
        return self.decoder(code), mean, log_variance


def main() -> int:
    options = parse(parser(__doc__, steps=1500, quick=25))
    images = load_images()[0].reshape(-1, PIXELS)
    nets = {}

    def make(compiled, options):
        net = nets["last"] = VAE(64 if options.quick else 256, 8)
        optimizer = nn.Adam(net.trainable_params(), learning_rate=1e-3)

        def loss_of(x):
            logits, mean, log_variance = net(x)
            pixels = ops.binary_cross_entropy_with_logits(
                logits, x, ops.ones_like(x), ops.ones_like(x), reduction="sum") / x.shape[0]
            divergence = 0.5 * (mean ** 2 + ops.exp(log_variance) - log_variance - 1).sum() / x.shape[0]
            return pixels + divergence
        value_and_grad = ms.value_and_grad(loss_of, None, optimizer.parameters)

        @compiled
        def train_step(x):
            loss, gradients = value_and_grad(x)
            optimizer(gradients)
            return loss

        return lambda number: train_step(*batch_of((images,), number, BATCH))

    def finish(step, mode):
        net = nets["last"]
        codes = Tensor(np.random.RandomState(3).standard_normal((4, net.code)).astype(np.float32))
        drawn = ops.sigmoid(net.decoder(codes)).asnumpy().reshape(4, 8, 8)
        return "it draws\n" + picture(np.concatenate(list(drawn), 1))

    return run("VAE on digits", make, options, finish)


if __name__ == "__main__":
    sys.exit(main())
