"""More programs of test_jit_user_programs.py: loops over loaders, schedules, counters."""
import numpy as np

from jit_user_programs import T, program
from msjit import ops


class Loader:
    """A data loader whose iterator (a map object) captures cannot look into."""

    def __init__(self, count, seed):
        self.rows = [(T(4, 3, seed=seed + i), T(4, 1, seed=seed + i + 50)) for i in range(count)]

    def __iter__(self):
        return map(tuple, self.rows)


class Cosine:
    def __init__(self, base, warmup):
        self.base, self.warmup, self.calls = base, warmup, 0

    def rate(self, step):
        self.calls += 1
        return self.base * (step + 1) / self.warmup if step < self.warmup else self.base * 0.9 ** (step - self.warmup)


@program(lambda v: (T(3, 1, seed=v), Loader(12, v), Cosine(0.1, 4)), breaks=8)
def epochs(w, loader, schedule):
    history, step = [], 0
    for epoch in range(2):
        total = w.sum() * 0
        for inputs, labels in loader:
            rate = schedule.rate(step)
            error = ops.matmul(inputs, w) - labels
            w = w - rate * ops.matmul(inputs.T, error) / inputs.shape[0]
            total = total + (error * error).mean()
            step += 1
        history.append((epoch, total / step))
    return w, history, schedule.calls


@program(lambda v: (T(2, 3, seed=v), np.float32(0.5 + v), 0.1 * (v + 1)))
def scaled_by_numbers(x, scale, momentum):
    velocity = x * 0
    for _ in range(3):
        velocity = velocity * momentum + x * (1 - momentum) / scale
    return velocity, momentum * 2 - 1


@program(lambda v: (T(3, seed=v), 700), breaks=4)
def simulation(x, steps):
    """A loop that is too long to unroll. Each turn uses the result of the turn before."""
    time, dt = 0.0, 1 / 64
    for i in range(steps * 12):
        x = x + dt * (ops.sin(x) - 0.1 * x) / (i + 1)
        time += dt
    return x, time, i
