"""Loops of a known number of turns over numbers beside the counter: schedules in lists, tuples and NumPy arrays. In `ONE_NODE` the loop becomes one
node; in `UNROLLED` results alone are compared."""
import math

import numpy as np

import msjit as ms
from msjit import Tensor, ops

T = 150
BETAS = [1e-4 + 1e-4 * i for i in range(T)]
ALPHAS = tuple(1 - b for b in BETAS)
COUNTS = [i % 7 for i in range(T)]
STEPS = np.linspace(0.0001, 0.02, T)
BARS = np.cumprod(1 - STEPS)
SINGLE = STEPS.astype(np.float32)
ORDER = np.random.RandomState(0).permutation(T)


def step(h, w):
    """Enough operators that a loop of T turns is not unrolled."""
    for k in range(3):
        h = ops.tanh(ops.matmul(h, w) * 0.5 + h) * 0.9 + k * 0.01
    return h


def zipped_with_range(x, h, w):
    for t, b in zip(range(T), BETAS):
        h = step(h, w) * (1 - b) + b / (t + 1) * x
    return h, t, b


def items(x, h, w):
    for b in BETAS:
        h = step(h, w) / (1 + b) - math.sqrt(b) * x
    return h, b


def numbered_items(x, h, w):
    for i, b in enumerate(BETAS, 3):
        h = step(h, w) + x * (b / i) * BETAS[i - 3]
    return h, i


def pairs(x, h, w):
    for a, b in zip(ALPHAS, BETAS):
        h = step(h, w) * (a ** 0.5) + x * b / a
    return h


def neighbours(x, h, w):
    for now, after in zip(BETAS[:-1], BETAS[1:]):
        h = step(h, w) + x * (after - now) / now
    return h


def items_backwards(x, h, w):
    for b, a in zip(reversed(BETAS), ALPHAS[::-1]):
        h = step(h, w) * a + x * b
    for b in reversed(BETAS):
        h = step(h, w) + x * b
    return h


def turns_backwards(x, h, w):
    for t in reversed(range(T)):
        h = step(h, w) * ALPHAS[t] + x / (1 + t)
    for t in range(T - 1, -1, -1):
        h = step(h, w) + x * BETAS[t] * (1 / ALPHAS[t - T])
    return h


def powers(x, h, w):
    for t in range(T):
        h = step(h, w) * 0.9 ** t + x * (t ** 2 * 0.0001) + x * math.exp(-t * 0.1) - (t / T) ** 1.5
    return h


def conditions(x, h, w):
    for t, c in enumerate(COUNTS):
        h = step(h, w)
        if t % 50 == 0:
            h = h * 0.5
        if c > 3 and t > 0:
            h = h + x * (0.1 if BETAS[t] < 0.01 else 0.2)
        if t < 1000:
            h = h * 0.99
        if not c:
            h = h + 0.01
    return h


def places(x, h, w):
    for t, c in enumerate(COUNTS):
        h = step(h, w) + x[c % 2] * 0.1 + x[t % 2, c % 4]
    return h


def as_tensors(x, h, w):
    for b in BETAS:
        h = step(h, w) + Tensor(b, ms.float32) * x + ops.maximum(x, b) * min(b, 0.01) + max(0.001, b) * int(b * 1000)
    return h


def array_items(x, h, w):
    for t in range(T):
        h = step(h, w) * float(1 - STEPS[t]) + x * (STEPS[t] / (1 - BARS[t])) + STEPS[t] * x
    return h


def array_functions(x, h, w):
    for t in range(T):
        h = step(h, w) * np.sqrt(BARS[t]) + np.sqrt(1 - BARS[t]) * x / math.sqrt(1 - STEPS[t]) + x * np.maximum(STEPS[t], 0.01) + x * abs(STEPS[t])
    return h


def over_arrays(x, h, w):
    for s in STEPS:
        h = step(h, w) + x * s
    for t, (s, b) in enumerate(zip(STEPS, BARS)):
        h = step(h, w) + x * (s / b) * t
    return h, s


def single_precision(x, h, w):
    for t in range(T):
        h = step(h, w) + x * SINGLE[t] * (1 - SINGLE[t]) + x * SINGLE[t].item()
    return h


def made_arrays(x, h, w):
    steps = np.linspace(0.1, 0.2, T)
    for t in range(T):
        h = step(h, w) + x * steps[t] + x * steps[T - 1 - t] ** 2
    return h


def in_an_order(x, h, w):
    for t in ORDER:
        h = step(h, w) + x * BETAS[t] / (1 + t)
    return h


def beside_half(x, h, w):
    double = x.astype(ms.float64)
    for t in range(T):
        h = step(h, w) + (double * STEPS[t]).astype(ms.float32) + (STEPS[t] + double * BETAS[t]).astype(ms.float32)
    return h


def decayed(x, h, w):
    rate, total, seen = 0.1, 0.5, 3
    for t in range(T):
        h = step(h, w) * (1 - rate) + x * (total * seen) * 0.0001
        rate *= 0.99
        total, seen = total * 0.5 + t / T, seen + 2 * t - (t % 3)
    return h, rate, total, seen


def previous_number(x, h, w):
    before = 1.0
    for b in BETAS:
        h = step(h, w) + x * (b - before)
        before = b
    return h, before


def exchanged(x, h, w):
    low, high = 0.25, 0.75
    for _ in range(T):
        h = step(h, w) * low + x
        low, high = high, low
    return h, low, high


def from_tensors(x, h, w):
    total, best = 0.0, 9.0
    for b in BETAS:
        h = step(h, w) + x * b
        total += float(h.mean())
        best = min(best, float(h.max()))
    return h * total + best


def rates_in_arms(x, h, w):
    rate = 0.5
    for t in range(T):
        h = step(h, w) * rate + x * 0.1
        if h.sum() > 0.507:
            rate = rate * 0.99
        elif t > 20:
            rate = min(rate + 0.001, 0.9)
    return h * rate


def numbers_of_turns_in_arms(x, h, w):
    rate, rest, t = 0.5, 0.25, 0
    while t < T:
        b = BETAS[t]
        if h.sum() > 0.507:
            rate, b = rate * 0.99, b * 0.5
        h = step(h, w) * rate + x * b + rest
        rest *= 0.97
        t += 1
    return h * rate


def whole_then_real(x, h, w):
    total = 0
    for b in BETAS:
        h = step(h, w) + x * total
        total += b
    return h, total


def while_below(x, h, w):
    i, rate = 0, 0.5
    while i < T:
        h = step(h, w) * (1 - BETAS[i]) + x * rate + i * 0.001
        rate *= 0.99
        i += 1
    return h, i, rate


def while_above(x, h, w):
    t = T - 1
    while t >= 0:
        h = step(h, w) + x * STEPS[t] * np.sqrt(BARS[t])
        t -= 1
    n = 0
    while n != len(BETAS):
        h = step(h, w) + x * BETAS[n]
        n = n + 1
    return h, t, n


def while_inside(x, h, w):
    for k in range(2):
        i = k
        while i <= 2 * T - 3:
            h = step(h, w) * 0.5 + x * BETAS[i // 2] * (k + 1)
            i += 2
    else:
        h = h + i
    return h, i, k


def while_ends_early(x, h, w):
    i, n = 0, 2 * T
    while i < n:
        h = step(h, w) + x * BETAS[i]
        i += 1
        n += -1
    return h, i, n


def while_goes_on(x, h, w):
    i, n = 0, T
    while i < n:
        h = step(h, w) + x * BETAS[i // 3]
        i += 3
        n += 2
    return h, i, n


ONE_NODE = [while_below, while_above, while_inside, decayed, previous_number, exchanged, from_tensors, numbers_of_turns_in_arms, rates_in_arms, whole_then_real, zipped_with_range, items, numbered_items, pairs, neighbours, items_backwards, turns_backwards, powers, conditions, places, as_tensors, array_items, array_functions,
            over_arrays, single_precision, made_arrays, in_an_order, beside_half]


def raises_in_a_turn(x, h, w):
    for t, _ in enumerate(BETAS):
        try:
            h = step(h, w) + x * (1 / (t - 100))
        except ZeroDivisionError:
            h = h + 1
    return h


def raises_at_last(x, h, w):
    for t in range(T + 1):
        h = step(h, w) + x * BETAS[t]
    return h


def changed_list(x, h, w):
    betas = list(BETAS)
    for t, b in enumerate(betas):
        h = step(h, w) + x * b
        betas[(t + 1) % T] = 0.5
    return h


def growing_list(x, h, w):
    betas = list(BETAS)
    for b in betas:
        h = step(h, w) + x * b
        if len(betas) < T + 5:
            betas.append(0.25)
    return h, len(betas)


def numbers_kept(x, h, w):
    kept = []
    for b in BETAS:
        h = step(h, w) + x * b
        kept.append(b * 2)
    return h, kept


def mixed_items(x, h, w):
    for b in [1, 0.5] * (T // 2):
        h = step(h, w) + x * b
    return h


def same_object(x, h, w):
    for t, b in enumerate(BETAS):
        h = step(h, w) + (x if b is BETAS[t] else h) + (x if b in (BETAS[3], 0.5) else 0)
    return h


def shown(x, h, w):
    for t in range(T):
        h = step(h, w) + x * BETAS[t]
        if t % 50 == 0:
            print(t, BETAS[t], "%.3f" % STEPS[t])
    return h


def left_early(x, h, w):
    for t, b in enumerate(BETAS):
        h = step(h, w) + x * b
        if b > 0.01 and t > 10:
            break
    return h, t


def held_iterator(x, h, w):
    rest = iter(BETAS)
    for b in rest:
        h = step(h, w) + x * b
    turns = iter(range(T))
    for t in turns:
        h = step(h, w) + x * t
    return h, list(rest), next(turns, "end")


def grown_beyond_64_bits(x, h, w):
    n = 1
    for _ in range(T):
        h = step(h, w) + x * (n % 7)
        n *= 3
    return h, n


def carried_powers(x, h, w):
    rate, part = 0.9, 64
    for _ in range(T):
        h = step(h, w) * rate
        rate = rate ** 1.01
        part = part // 2 + 3
    return h, rate, part


def counted_in_arms(x, h, w):
    count = 0
    for _ in range(12):
        h = step(h, w) + x * count * 0.01
        if h.sum() > 0.507:
            count += 1
    return h, count


def other_classes(x, h, w):
    flag, rate, name = True, 0.5, "a"
    for t in range(T):
        h = step(h, w) * rate + (x if flag else h)
        flag = not flag
        rate = 1 if t == 100 else 0.5
        name = name + "b"
    return h, flag, rate, len(name)


def divided_by_a_total(x, h, w):
    total = 3.0
    for _ in range(T):
        h = step(h, w) + x / total
        total = total - 0.5 / total
    return h, total


def while_with_breaks(x, h, w):
    i = 0
    while i < T:
        h = step(h, w) + x * BETAS[i]
        if i == 140:
            break
        i += 1
    else:
        h = h + 1
    while True:
        i -= 1
        if i < 3:
            break
        h = step(h, w) * 0.5
    while i < T and h.shape[0] == 2:
        i += 1
        if i % 3 == 0:
            continue
        h = step(h, w)
    return h, i


def while_jumps(x, h, w):
    i = 0
    while i < T:
        h = step(h, w) + x * BETAS[i]
        i += 1
        if i == 100:
            i = 140
    return h, i


def while_said(x, h, w):
    def bound():
        print("asked")
        return T
    i = 0
    while i < bound() - 100:
        h = step(h, w) + x
        i += 1
    return h, i


UNROLLED = [while_ends_early, while_goes_on, while_with_breaks, while_jumps, while_said, grown_beyond_64_bits, carried_powers, counted_in_arms, other_classes, divided_by_a_total, raises_in_a_turn, raises_at_last, changed_list, growing_list, numbers_kept, mixed_items, same_object, shown, left_early, held_iterator]
