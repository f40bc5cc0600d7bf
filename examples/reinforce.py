"""REINFORCE learns to balance a pole on a cart.

    python examples/reinforce.py [--quick]

The environment is plain Python and random: it runs between two calls of the compiled policy, inside the compiled function `episode`.
Episodes have different lengths; the update is compiled once for all of them.
"""
import math
import random
import sys

import numpy as np
from _common import parse, parser, run

import msjit as ms
from msjit import Tensor, nn, ops


class CartPole:
    """A pole on a cart that is pushed to the left or to the right, 50 times a second; it ends when the pole falls."""

    GRAVITY, CART, POLE, HALF, FORCE, TIME = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02

    def __init__(self, seed: int, limit: int) -> None:
        self.random, self.limit = random.Random(seed), limit
        self.state = [self.random.uniform(-0.05, 0.05) for _ in range(4)]
        self.steps = 0

    def step(self, action: int) -> bool:
        """Pushes; whether the episode goes on."""
        x, speed, angle, turning = self.state
        force = self.FORCE if action else -self.FORCE
        mass = self.CART + self.POLE
        sin, cos = math.sin(angle), math.cos(angle)
        pull = (force + self.POLE * self.HALF * turning ** 2 * sin) / mass
        bend = (self.GRAVITY * sin - cos * pull) / (self.HALF * (4.0 / 3.0 - self.POLE * cos ** 2 / mass))
        push = pull - self.POLE * self.HALF * bend * cos / mass
        self.state = [x + self.TIME * speed, speed + self.TIME * push, angle + self.TIME * turning,
                      turning + self.TIME * bend]
        self.steps += 1
        return abs(self.state[0]) < 2.4 and abs(self.state[2]) < 0.21 and self.steps < self.limit


class Policy(nn.Cell):
    """States [batch, 4] to logits of the two actions."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.hidden, self.output = nn.Dense(4, width), nn.Dense(width, 2)

    def construct(self, states):
        return self.output(ops.tanh(self.hidden(states)))


def returns_of(count, discount=0.99):
    """What is still to come at each step of an episode of `count` steps, normalised."""
    found = np.empty(count, np.float32)
    total = 0.0
    for at in range(count - 1, -1, -1):
        total = found[at] = 1.0 + discount * total
    return (found - found.mean()) / (found.std() + 1e-6)


def main() -> int:
    options = parse(parser(__doc__, steps=300, quick=12))
    limit = 40 if options.quick else 300
    lengths = {}

    def make(compiled, options):
        policy = Policy(32)
        optimizer = nn.Adam(policy.trainable_params(), learning_rate=1e-2)

        def episode(number):
            """Plays: the states met and the actions taken."""
            world, going, states, actions = CartPole(number, limit), True, [], []
            while going:
                states.append(world.state)
                logits = policy(Tensor([world.state], ms.float32))
                left = float(ops.softmax(logits, -1)[0, 0])
                actions.append(int(world.random.random() > left))
                going = world.step(actions[-1])
            return states, actions

        def loss_of(states, actions, returns):
            chosen = ops.cross_entropy(policy(states), actions, reduction="none")  # -log of the probability
            return (chosen * returns).mean()
        value_and_grad = ms.value_and_grad(loss_of, None, optimizer.parameters)

        @compiled
        def update(states, actions, returns):
            loss, gradients = value_and_grad(states, actions, returns)
            optimizer(gradients)
            return loss

        play, played = compiled(episode), []
        lengths["last"] = played

        def step(number):
            states, actions = play(number)
            played.append(len(actions))
            return update(Tensor(np.array(states, np.float32)), Tensor(np.array(actions, np.int32)),
                          Tensor(returns_of(len(actions))))
        return step

    def finish(step, mode):
        played = lengths["last"]
        part = max(1, len(played) // 5)
        return "the pole stands for %.0f steps in the first %d episodes, for %.0f in the last" % (
            np.mean(played[:part]), part, np.mean(played[-part:]))

    return run("REINFORCE on a cart with a pole", make, options, finish)


if __name__ == "__main__":
    sys.exit(main())
