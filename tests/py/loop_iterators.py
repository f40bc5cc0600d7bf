"""Loops over several iterators at once, in other orders, and over lists that loops have filled; see loop_programs.py."""
from loop_programs import cell
from msjit import ops


def backwards_by_step(x, h, w):
    outs = []
    for t in range(x.shape[0] - 1, -1, -1):
        h = cell(x[t], h, w)
        outs.append(h)
    return ops.stack(outs), h


def backwards_to_second(x, h, w):
    t = None
    for t in range(len(x) - 1, 0, -1):
        h = cell(x[t] - x[t - 1], h, w)
    return h, t


def reversed_from_one(x, h, w):
    t = 7
    for t in reversed(range(1, x.shape[0])):
        h = cell(x[t], h, w)
    return h, t


def reversed_tensor(x, h, w):
    for row in reversed(x):
        h = cell(row, h, w)
    return h


def numbered_rows(x, h, w):
    y, t = x * 2, -1
    for t, row in enumerate(x):
        h = cell(row, h, w) + y[t]
    return h, t


def numbered_from_one(x, h, w):
    y, t = x * 2, None
    for t, row in enumerate(x[:-1], 1):
        h = cell(row, h, w) + y[t]
    return h, t


def numbered_by_keyword(x, h, w):
    for t, row in enumerate(x[1:], start=1):
        h = cell(row, h, w) + x[t - 1]
    return h


def three_at_once(x, h, w):
    outs = []
    for a, b, t in zip(x, x * 2, range(x.shape[0])):
        h = cell(a, h, w) + b * x[t]
        outs.append(h)
    return ops.stack(outs)


def of_other_lengths(x, h, w):
    for a, b in zip(x, x[1:]):
        h = cell(a, h, w) + b
    return h


def pairs_numbered(x, h, w):
    pair, t = None, None
    for t, (a, b) in enumerate(zip(x, reversed(x))):
        h = cell(a, h, w) + b * x[t]
    return h, t


def from_both_ends(x, h, w):
    n = x.shape[0]
    for t, back in zip(range(n), reversed(range(n))):
        h = cell(x[t], h, w) + x[back] * x[n - 1 - t] - x[-1 - t] + x[-t - 1]
    return h


def both_directions(x, h, w):
    forward, backward, g = [], [], h
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        forward.append(h)
    for t in range(x.shape[0] - 1, -1, -1):
        g = cell(x[t], g, w)
        backward.append(g)
    return ops.cat([ops.stack(forward), ops.stack(backward)], -1), h, g


def pairs_whole(x, h, w):
    for pair in zip(x, x * 3):
        h = cell(pair[0], h, w) + pair[1]
    return h


def by_twos(x, h, w):
    for t in range(0, x.shape[0], 2):
        h = cell(x[t], h, w)
    return h


def by_threes_backwards(x, h, w):
    t = 0
    for t in range(x.shape[0] - 1, -1, -3):
        h = cell(x[t], h, w)
    return h, t


def even_rows(x, h, w):
    for t in range(x.shape[0] // 2):
        h = cell(x[2 * t], h, w) - x[t * 2 + 1]
    return h


def neighbours(x, h, w):
    for t in range(1, x.shape[0] - 1):
        h = cell(x[t - 1] - 2 * x[t] + x[1 + t], h, w)
    return h


def rows_of_a_list(x, h, w):
    outs, g = [], h
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        outs.append(h)
    for out in outs:
        g = cell(out, g, w)
    return h, g


def list_backwards(x, h, w):
    outs, more, g = [], [], h
    for row in x:
        h = cell(row, h, w)
        outs.append(h)
    for _, (out, row) in enumerate(zip(reversed(outs), reversed(x))):
        g = cell(out, g, w) + row
        more.append(g)
    return ops.stack(outs), ops.stack(more), g


def in_a_zip_of_functions(x, h, w):
    for a, t in zip(ops.relu(x), range(len(x))):
        h = cell(a, h, w) + x[t]
    return h


def many_rows(x, h, w):
    rows = ops.tile(x[:1], (1500, 1, 1))
    for t, (row, other) in enumerate(zip(rows, reversed(rows))):
        h = ops.tanh(ops.matmul(h, w)) + row * other + rows[t]
    return h


def many_turns_backwards(x, h, w):
    for _ in range(2999, -1, -1):
        h = ops.tanh(ops.matmul(h, w)) + x[0]
    return h


def list_turned_round(x, h, w):
    outs, more = [], []
    for t in reversed(range(x.shape[0])):
        h = cell(x[t], h, w)
        outs.append(h)
        more.append(h * 2)
    outs.reverse()
    return ops.stack(outs), ops.stack(more[::-1], 1), ops.stack(more), h


def list_turned_round_twice(x, h, w):
    outs, g = [], h
    for row in reversed(x):
        h = cell(row, h, w)
        outs.append(h)
    for t, out in enumerate(outs[::-1]):
        g = cell(out, g, w) - x[t]
    outs.reverse()
    for out in reversed(outs):
        g = cell(out, g, w)
    return ops.cat(outs), g


def list_turned_round_in_a_branch(x, h, w):
    outs = []
    for row in x:
        h = cell(row, h, w)
        outs.append(h)
    if h.sum() > 0:
        outs.reverse()
    return ops.stack(outs)


def list_part(x, h, w):
    outs = []
    for row in x:
        h = cell(row, h, w)
        outs.append(h)
    return ops.stack(outs[::-2]), ops.stack(outs[1:]) if len(outs) > 1 else None


def begun_list_turned_round(x, h, w):
    outs = [h]
    for row in x:
        h = cell(row, h, w)
        outs.append(h)
    outs.reverse()
    return ops.stack(outs), outs[::-1][0]


def list_zipped_with_rows(x, h, w):
    for a, scale in zip(x, [1, 2, 3]):
        h = cell(a, h, w) * scale
    return h


def zip_kept(x, h, w):
    pairs = zip(x, x * 2)
    for a, b in pairs:
        h = cell(a, h, w) + b
        break
    for a, b in pairs:
        h = h - a * b
    return h, list(pairs)


def enumerate_kept(x, h, w):
    rows = enumerate(x)
    for t, row in rows:
        h = cell(row, h, w)
        if t == 3:
            break
    return h, [t for t, _ in rows]


def reversed_twice(x, h, w):
    for t in reversed(reversed(range(x.shape[0]))):
        h = cell(x[t], h, w)
    return h


def reversed_pairs(x, h, w):
    for a, b in reversed(zip(x, x)):
        h = cell(a, h, w) + b
    return h


def range_in_a_list(x, h, w):
    for t in list(range(x.shape[0] - 1, -1, -1)):
        h = cell(x[t], h, w)
    return h, [t for t in reversed(range(x.shape[0]))]


def before_the_first(x, h, w):
    for t in range(x.shape[0]):
        h = cell(x[t - 1], h, w)
    return h


def left_early_in_pairs(x, h, w):
    for t, (a, b) in enumerate(zip(x, reversed(x))):
        h = cell(a, h, w) + b
        if t == 5:
            break
    return h, t if x.shape[0] else None


def printed_pairs(x, h, w):
    for t, row in enumerate(reversed(x)):
        h = cell(row, h, w)
        print(t)
    return h


def list_grown_while_read(x, h, w):
    outs = []
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        outs.append(h)
    for out in outs:
        h = h + out
        if len(outs) < 12:
            outs.append(h)
    return h, len(outs)


def items_of_a_list_kept(x, h, w):
    outs, last = [], None
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        outs.append(h)
    for last in reversed(outs):
        h = h + last
    return h, last


ONE_NODE = [backwards_by_step, backwards_to_second, reversed_from_one, reversed_tensor, numbered_rows,
            numbered_from_one, numbered_by_keyword, three_at_once, of_other_lengths, pairs_numbered, from_both_ends,
            both_directions, pairs_whole, by_twos, by_threes_backwards, even_rows, neighbours, rows_of_a_list,
            list_backwards, in_a_zip_of_functions, many_rows, many_turns_backwards, list_turned_round,
            list_turned_round_twice]

UNROLLED = [list_zipped_with_rows, zip_kept, enumerate_kept, reversed_twice, reversed_pairs, range_in_a_list,
            before_the_first, left_early_in_pairs, printed_pairs, list_grown_while_read, items_of_a_list_kept,
            list_turned_round_in_a_branch, list_part, begun_list_turned_round]
