"""A network learns the solution of a differential equation from the equation alone.

    python examples/physics_informed.py [--quick]

The heat equation u_t = 0.1 u_xx on 0 < x < 1 with u = 0 at both ends and u(x, 0) = sin(pi x). The loss needs first and second
derivatives of the network in its inputs, and training needs their gradients in its weights: three transforms, one graph.
"""
import math
import sys

import numpy as np
from _common import parse, parser, run

import msjit as ms
from msjit import Tensor, nn, ops

DIFFUSION = 0.1


class Solution(nn.Cell):
    """x and t, [points, 1] each, to u."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.first = nn.Dense(2, width)
        self.second = nn.Dense(width, width)
        self.last = nn.Dense(width, 1)

    def construct(self, x, t):
        y = ops.tanh(self.first(ops.cat((x, t), 1)))
        return self.last(ops.tanh(self.second(y)))


def points_of(number, count):
    """Inner points (x, t), and x at the begin, t at the ends."""
    rng = np.random.RandomState(number)
    return [Tensor(rng.rand(size, 1).astype(np.float32)) for size in (count, count, count // 4, count // 4)]


def main() -> int:
    options = parse(parser(__doc__, steps=2000, quick=20))
    nets = {}

    def make(compiled, options):
        net = nets["last"] = Solution(16 if options.quick else 32)
        optimizer = nn.Adam(net.trainable_params(), learning_rate=3e-3)

        def total(x, t):
            return net(x, t).sum()  # points do not mix, so the gradient of the sum has each point's derivative
        first = ms.grad(total, (0, 1))

        def slope(x, t):
            return first(x, t)[0].sum()
        curvature = ms.grad(slope, 0)

        def loss_of(x, t, start, edge):
            residual = first(x, t)[1] - DIFFUSION * curvature(x, t)
            begin = net(start, ops.zeros_like(start)) - ops.sin(math.pi * start)
            left, right = net(ops.zeros_like(edge), edge), net(ops.ones_like(edge), edge)
            return (residual ** 2).mean() + (begin ** 2).mean() + (left ** 2).mean() + (right ** 2).mean()
        value_and_grad = ms.value_and_grad(loss_of, None, optimizer.parameters)

        @compiled
        def train_step(x, t, start, edge):
            loss, gradients = value_and_grad(x, t, start, edge)
            optimizer(gradients)
            return loss

        return lambda number: train_step(*points_of(number, 64 if options.quick else 256))

    def finish(step, mode):
        x, t = [a.reshape(-1, 1).astype(np.float32) for a in np.meshgrid(np.linspace(0, 1, 21), np.linspace(0, 1, 21))]
        exact = np.exp(-DIFFUSION * math.pi ** 2 * t) * np.sin(math.pi * x)
        error = np.abs(nets["last"](Tensor(x), Tensor(t)).asnumpy() - exact).max()
        return "the largest error on a grid is %.4f, where u goes up to 1" % error

    return run("heat equation", make, options, finish)


if __name__ == "__main__":
    sys.exit(main())
