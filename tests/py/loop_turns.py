"""Loops that compute with the number of the turn. In `ONE_NODE` the loop becomes one node; in `UNROLLED` results alone are compared."""
import msjit as ms
from msjit import Tensor, ops


def in_functions(x, h, w):
    for t in range(len(x)):
        h = h * 0.5 + x[t] * min(t, 3) + max(0, t - 4) * h.mean() + abs(t - 2) * h + h * (float(t) * 0.01) + int(t)
    return h


def as_tensors(x, h, w):
    for t in range(len(x)):
        h = h * 0.5 + Tensor(t, ms.float32) * x[t] + Tensor(t) + Tensor([t]).astype(ms.float32) * 0.5
    return h


def in_operators(x, h, w):
    lengths = Tensor([3, 6])
    for t in range(len(x)):
        h = ops.add(h * 0.5, t) + ops.less(t, lengths).astype(ms.float32).expand_dims(1) * x[t]
        h = h + ops.maximum(lengths, t).sum() + x[t].mul(t) - ops.minimum(t, h)
    return h


def as_indices(x, h, w):
    n = len(x)
    for t in range(n):
        h = h * 0.5 + x[t // 2] + x[t % 3 - 3 if n > 2 else 0] + x[max(t - 2, 0), 1] * x[min(t + 1, n - 1)]
    return h


def as_places(x, h, w):
    out = ops.zeros((len(x) + 1, 2, 4))
    for t in range(len(x)):
        out[t // 2] = out[t // 2] + x[t]
        out[min(t, 2), 1] = x[t][0]
    return out


def slices(x, h, w):
    z, out = x.transpose(1, 0, 2), []
    for t in range(len(x)):
        h = h * 0.5 + x[t:t + 1].sum(0) + z[:, t:t + 1].squeeze(1) + z[:, t:t + 1, :].mean()
        out.append(z[:, t:t + 1] * h.expand_dims(1))
    return h, ops.cat(out, 1) if out else h


def slices_from_the_end(x, h, w):
    n = len(x)
    for t in range(n - 1, -1, -1):
        h = ops.tanh(h + x[t:t + 1][0])
    return h


def stored_slices(x, h, w):
    out, rows = ops.zeros((2, len(x), 4)), ops.zeros((len(x), 2, 4))
    for t in range(len(x)):
        h = ops.tanh(h + x[t])
        out[:, t:t + 1] = h.expand_dims(1)
        rows[t:t + 1] = h[0]
        rows[t:t + 1] = rows[t:t + 1] * 2
    return out, rows


def in_products(x, h, w):
    n = len(x)
    for t in range(n):
        h = h * 0.5 + x[t] * (t * t) + (t + 1) ** 2 * h.mean() + x[t] * (1 / (t + 1)) + x[t] / (1 + t) + (2 * t + 1) * (t + 3) * 0.01
        h = h * (t / n) + x[t] * (1 - (t + 1) / n) + x[t] * (1 / (n - t))
    return h


def over_two_loops(x, h, w):
    for t in range(1, len(x) + 1):
        h = h * 0.5 + x[t - 1] * (1 / t)
        for s in range(len(x)):
            h = h + x[s] * (t * s) * 0.01 + (t - s) * 0.001
    return h


WEIGHTS = [0.5 + 0.01 * i for i in range(40)]
COUNTS = tuple(range(3, 43))


def in_tables(x, h, w):
    n = len(x)
    for t in range(n - 1, -1, -1):
        h = h * WEIGHTS[t] + x[t] * (1 - WEIGHTS[t]) / (1 + WEIGHTS[n - 1 - t]) + COUNTS[t] * 0.01 + x[t] * (COUNTS[t] + 2)
    return h


ONE_NODE = [in_products, in_tables, over_two_loops, in_functions, as_tensors, in_operators, as_indices, as_places, slices, slices_from_the_end, stored_slices]


def empty_slices(x, h, w):
    for t in range(len(x)):
        h = h + x[t - 1:t].sum() + x[t + 1:t + 2].sum() + x[-t - 1:-t].sum()
    return h


def longer_slices(x, h, w):
    for t in range(len(x)):
        h = h + x[t:t + 2].sum(0) + x[:t + 1].mean(0) + x[t:].sum(0) + x[t:t + 1:2][0]
    return h


def slices_of_lists(x, h, w):
    values = [h, h + 1, h + 2]
    for t in range(len(x)):
        h = h * 0.5 + sum(values[t:t + 1], x[t]) + (1, 2, 3)[min(t, 2)]
    return h


def written_slices(x, h, w):
    x = x * 1
    for t in range(len(x)):
        row = x[t:t + 1]
        row.mul_(0.5)
        h = h + row[0] + x[t]
    return h, x


def too_wide_for_the_slice(x, h, w):
    out = ops.zeros((len(x), 2, 4))
    for t in range(len(x)):
        out[t:t + 1] = x[:2] if len(x) > 8 else h
    return out


def index_beyond_the_end(x, h, w):
    for t in range(len(x)):
        h = h + x[t * 2 // 2 + (t > 5) * 100]
    return h


def divisions_by_zero(x, h, w):
    for t in range(len(x)):
        h = h + x[t] * (1 / (t - 3)) if t != 20 else h + 1 / (t - 20)
    return h


def beyond_the_table(x, h, w):
    for t in range(len(x)):
        h = h + x[t] * WEIGHTS[2 * t] + x[t] * WEIGHTS[t - 1] * [1.0, 2][t > 3]
    return h


def changed_table(x, h, w):
    table = list(WEIGHTS)
    for t in range(len(x)):
        h = h + x[t] * table[t]
        table[(t + 1) % 40] = 2.0
    return h


def other_numbers(x, h, w):
    for t in range(len(x)):
        h = h * 0.5 + x[t] * (t * t) + t ** 2 + 0.9 ** t * x[t] + x[t] / (1 + t) + (1 / (1 + t)) + (x[t] if t in (1, 3) else h)
    return h


def texts(x, h, w):
    names = []
    for t in range(len(x)):
        names.append("%d of %s" % (t, len(x)))
        h = h + x[t]
    return h, names


def numbers_kept(x, h, w):
    kept, total = [], 0
    for t in range(len(x)):
        kept.append(t)
        total += t
        h = h * 0.5 + x[t] * total
    return h, kept, total, type(total)


def counts_in_bytes(x, h, w):
    small = Tensor([1, 2], ms.int8)
    for t in range(len(x)):
        h = h + (small * t).sum() + (small > t).sum() + (small + t).astype(ms.float32).sum()
    return h


UNROLLED = [empty_slices, longer_slices, slices_of_lists, written_slices, too_wide_for_the_slice, index_beyond_the_end, divisions_by_zero, beyond_the_table, changed_table, other_numbers, texts, numbers_kept,
            counts_in_bytes]
