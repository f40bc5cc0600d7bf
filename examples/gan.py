"""Two networks against each other: one draws digits, the other tells them from real ones.

    python examples/gan.py [--quick]

One compiled step trains both, each with an optimizer of its own; the gradient of each loss is taken for one network's Parameters.
"""
import sys

import numpy as np
from _common import batch_of, load_images, parse, parser, picture, run

import msjit as ms
from msjit import Tensor, nn, ops

BATCH, PIXELS, NOISE = 64, 64, 16


def generator(width: int) -> nn.Cell:
    """Noise to the logits of pixels."""
    return nn.SequentialCell(nn.Dense(NOISE, width), nn.LeakyReLU(), nn.Dense(width, width), nn.LeakyReLU(),
                             nn.Dense(width, PIXELS), nn.Sigmoid())


def discriminator(width: int) -> nn.Cell:
    """Pixels to one logit: how real they look."""
    return nn.SequentialCell(nn.Dense(PIXELS, width), nn.LeakyReLU(), nn.Dense(width, width), nn.LeakyReLU(),
                             nn.Dense(width, 1))


def cross_entropy(logits, real):
    """Binary cross entropy of logits that should all be real, or all not."""
    return ops.softplus(-logits if real else logits).mean()


def main() -> int:
    options = parse(parser(__doc__, steps=3000, quick=25))
    images = load_images()[0].reshape(-1, PIXELS)
    nets = {}

    def make(compiled, options):
        width = 64 if options.quick else 256
        draw, judge = generator(width), discriminator(width)
        nets["draw"] = draw
        draw_optimizer = nn.Adam(draw.trainable_params(), learning_rate=5e-4, beta1=0.5)
        judge_optimizer = nn.Adam(judge.trainable_params(), learning_rate=2e-4, beta1=0.5)

        def judge_loss(real, noise):
            drawn = ops.stop_gradient(draw(noise))
            return cross_entropy(judge(real), True) + cross_entropy(judge(drawn), False)

        def draw_loss(noise):
            return cross_entropy(judge(draw(noise)), True)
        judge_gradients = ms.value_and_grad(judge_loss, None, judge_optimizer.parameters)
        draw_gradients = ms.value_and_grad(draw_loss, None, draw_optimizer.parameters)

        @compiled
        def train_step(real, noise):
            loss_judge, gradients = judge_gradients(real, noise)
            judge_optimizer(gradients)
            loss_draw, gradients = draw_gradients(noise)
            draw_optimizer(gradients)
            return loss_judge + loss_draw

        def step(number):
            noise = np.random.RandomState(number).standard_normal((BATCH, NOISE)).astype(np.float32)
            real, = batch_of((images,), number, BATCH)
            return train_step(real, Tensor(noise))
        return step

    def finish(step, mode):
        noise = Tensor(np.random.RandomState(0).standard_normal((4, NOISE)).astype(np.float32))
        drawn = nets["draw"](noise).asnumpy().reshape(4, 8, 8)
        return "it draws\n" + picture(np.concatenate(list(drawn), 1))

    return run("GAN on digits", make, options, finish)


if __name__ == "__main__":
    sys.exit(main())
