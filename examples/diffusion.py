"""A diffusion model learns a spiral in the plane, then turns noise into points of it.

    python examples/diffusion.py [--quick]

The network predicts the noise that was mixed into a point. Sampling runs it backwards through all noise levels: a Python loop inside
one compiled function.
"""
import sys

import numpy as np
from _common import parse, parser, run

import msjit as ms
from msjit import Tensor, nn, ops

BATCH, LEVELS = 128, 40
BETAS = np.linspace(1e-3, 0.2, LEVELS).astype(np.float32)
KEPT = np.cumprod(1 - BETAS).astype(np.float32)  # share of the signal left at each level


class Denoiser(nn.Cell):
    """Points [batch, 2] and their noise levels [batch] to the noise in them."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.level = nn.Embedding(LEVELS, width)
        self.first = nn.Dense(2, width)
        self.hidden = nn.CellList([nn.Dense(width, width) for _ in range(3)])
        self.last = nn.Dense(width, 2)

    def construct(self, points, level):
        x = self.first(points) + self.level(level)
        for layer in self.hidden:
            x = x + ops.silu(layer(x))
        return self.last(x)


def spiral(rng, count):
    """Points on a spiral of two turns."""
    turn = np.sqrt(rng.rand(count)) * 4 * np.pi
    radius = turn / (4 * np.pi) * 2
    points = np.stack([radius * np.cos(turn), radius * np.sin(turn)], 1)
    return (points + 0.03 * rng.standard_normal((count, 2))).astype(np.float32)


def scatter(points, size=24):
    """Points between -2.4 and 2.4 as text."""
    grid = [[" "] * (2 * size) for _ in range(size)]
    for x, y in points:
        column, row = int((x + 2.4) / 4.8 * 2 * size), int((2.4 - y) / 4.8 * size)
        if 0 <= column < 2 * size and 0 <= row < size:
            grid[row][column] = "o"
    return "\n".join("".join(row).rstrip() for row in grid)


def main() -> int:
    options = parse(parser(__doc__, steps=3000, quick=25))
    state = {}

    def make(compiled, options):
        net = Denoiser(32 if options.quick else 128)
        optimizer = nn.Adam(net.trainable_params(), learning_rate=2e-3)
        kept = Tensor(KEPT)

        def loss_of(points, noise, level):
            share = kept[level].expand_dims(-1)
            mixed = ops.sqrt(share) * points + ops.sqrt(1 - share) * noise
            return ((net(mixed, level) - noise) ** 2).mean()
        value_and_grad = ms.value_and_grad(loss_of, None, optimizer.parameters)

        @compiled
        def train_step(points, noise, level):
            loss, gradients = value_and_grad(points, noise, level)
            optimizer(gradients)
            return loss

        @compiled
        def sample(x, noises):
            for level in range(LEVELS - 1, -1, -1):
                guess = net(x, ops.full((x.shape[0],), level, dtype=ms.int32))
                beta, share = float(BETAS[level]), float(KEPT[level])
                x = (x - beta / (1 - share) ** 0.5 * guess) / (1 - beta) ** 0.5
                if level > 0:
                    x = x + beta ** 0.5 * noises[level]
            return x

        def step(number):
            rng = np.random.RandomState(number)
            points, noise = spiral(rng, BATCH), rng.standard_normal((BATCH, 2)).astype(np.float32)
            return train_step(Tensor(points), Tensor(noise), Tensor(rng.randint(0, LEVELS, BATCH).astype(np.int32)))
        state["sample"] = sample
        return step

    def finish(step, mode):
        rng = np.random.RandomState(0)
        noises = rng.standard_normal((LEVELS + 1, 60 if options.quick else 400, 2)).astype(np.float32)
        points = state["sample"](Tensor(noises[-1]), Tensor(noises[:-1])).asnumpy()
        real = spiral(rng, 2000)
        gap = np.sqrt(((points[:, None] - real[None]) ** 2).sum(-1)).min(1)
        text = "drawn points lie %.3f from the spiral in the mean" % gap.mean()
        return text if options.quick else text + "\n" + scatter(points)

    return run("diffusion on a spiral", make, options, finish)


if __name__ == "__main__":
    sys.exit(main())
