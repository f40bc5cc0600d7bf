"""For loops over time steps and rows, whose lengths differ from call to call; see test_jit_scan.py.

ONE_NODE are those that a capture takes for one node; the others are unrolled. Each gets x of (n, 2, 4), a state h of (2, 4)
and a weight w of (4, 4).
"""
import msjit as ms
from msjit import Parameter, Tensor, nn, ops

WEIGHT = 0.5


def cell(x, h, w):
    return ops.tanh(x + ops.matmul(h, w))


def stacked(x, h, w):
    outs = []
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        outs.append(h)
    return ops.stack(outs), h


def stacked_last_axis(x, h, w):
    outs = []
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        outs.append(h)
    return ops.stack(outs, axis=-1) * 2, ops.stack(outs, 1)


def concatenated(x, h, w):
    outs = []
    for t in range(len(x)):
        h = cell(x[t], h, w)
        outs.append(h)
    return ops.cat(outs), ops.cat(outs, axis=1), ops.cat(outs, -1) + 1


def rows(x, h, w):
    for row in x:
        h = cell(row, h, w)
    return h


def no_state(x, h, w):
    outs = []
    for row in x:
        outs.append(ops.relu(ops.matmul(row, w)))
    return ops.stack(outs)


def no_rows(x, h, w):
    for _ in range(x.shape[0]):
        h = ops.tanh(ops.matmul(h, w))
    return h


def total_from_number(x, h, w):
    total = 0
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        total = total + h.sum()
    return total


def first_is_none(x, h, w):
    h = None
    outs = []
    for t in range(x.shape[0]):
        h = ops.tanh(x[t]) if h is None else cell(x[t], h, w)
        outs.append(h)
    return ops.stack(outs), h


def number_after(x, h, w):
    t = -1
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
    return h * t, t


def value_after(x, h, w):
    gate = h
    for t in range(x.shape[0]):
        gate = ops.sigmoid(ops.matmul(x[t], w))
        h = gate * h + (1 - gate)
    return h, gate


def second_axis(x, h, w):
    y = x.transpose(1, 0, 2)
    for t in range(y.shape[1]):
        h = cell(y[:, t], h, w)
    return h


def parts_of_rows(x, h, w):
    outs = []
    for t in range(x.shape[0]):
        h = h * 0.5 + x[t, 1] + x[t][0]
        outs.append(x[t, :, 1:3] * h[:, :2])
    return ops.stack(outs), h


def from_second_row(x, h, w):
    h = x[0]
    for t in range(1, x.shape[0]):
        h = cell(x[t], h, w)
    return h


def up_to_last_row(x, h, w):
    for t in range(x.shape[0] - 1):
        h = cell(x[t], h, w)
    return h


def two_lists(x, h, w):
    a, b = [], []
    c = h
    for t in range(x.shape[0]):
        h, c = cell(x[t], c, w), h * 0.9
        a.append(h)
        b.append(c)
        b_last = c
    return ops.stack(a) + ops.stack(b), b_last


def before_the_step(x, h, w):
    outs = []
    for t in range(x.shape[0]):
        outs.append(h)
        h = cell(x[t], h, w)
    return ops.stack(outs)


def list_begun(x, h, w):
    outs = [h, h + 1]
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        outs.append(h)
    return ops.stack(outs), ops.cat(outs, 1)


def same_value_twice(x, h, w):
    a, b = [], []
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        a.append(h)
        b.append(h)
    return ops.stack(a), ops.stack(b)


def from_outside(x, h, w):
    outs = []
    for _ in range(x.shape[0]):
        h = h * WEIGHT
        outs.append(w)
    return ops.stack(outs), h


def branch_on_state(x, h, w):
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        if h.sum() > 0:
            h = h * 0.5
    return h


def nested(x, h, w):
    outs = []
    for _ in range(x.shape[0]):
        inner = h * 0
        for row in x:
            inner = inner + row * h
        h = ops.tanh(inner)
        outs.append(h)
    return ops.stack(outs)


def in_a_function(x, h, w):
    first, h = stacked(x, h, w)
    second, h = stacked(first, h, w)
    return second, h


def in_a_dict(x, h, w):
    outs = {"y": []}
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        outs["y"].append(h)
    return ops.stack(outs["y"])


def wider_state(x, h, w):
    h = h[:1]
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
    return h




def number_in_arithmetic(x, h, w):
    for t in range(x.shape[0]):
        h = cell(x[t], h, w) * t
    return h


def every_other_turn(x, h, w):
    for t in range(x.shape[0]):
        if t % 2 == 0:
            h = cell(x[t], h, w)
    return h


def row_after(x, h, w):
    row = h
    for row in x:
        h = cell(row, h, w)
    return h, row


def row_carried(x, h, w):
    previous = x[0]
    for t in range(x.shape[0]):
        h = cell(x[t] - previous, h, w)
        previous = x[t]
    return h, previous


def left_early(x, h, w):
    for t in range(x.shape[0]):
        if t == 3:
            break
        h = cell(x[t], h, w)
    else:
        h = h + 1
    return h


def returned_early(x, h, w):
    for t in range(x.shape[0]):
        if t == 6:
            return h
        h = cell(x[t], h, w)
    return h + 1


def left_on_state(x, h, w):
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        if h.sum() > 3:
            break
    return h


def last_of_list(x, h, w):
    outs = []
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        outs.append(h)
    return outs[-1] + outs[0]


def list_returned(x, h, w):
    outs = []
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        outs.append(h)
    return outs, len(outs)


def list_read_in_loop(x, h, w):
    outs = [h]
    for t in range(x.shape[0]):
        outs.append(cell(x[t], outs[-1], w))
    return ops.stack(outs)


def appended_twice(x, h, w):
    outs = []
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        outs.append(h)
        outs.append(h + 1)
    return ops.stack(outs)


def appended_after(x, h, w):
    outs = []
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        outs.append(h)
    outs.append(h)
    return ops.stack(outs)


def numbers_appended(x, h, w):
    outs = []
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        outs.append(t)
    return h, outs


def list_aliased(x, h, w):
    outs = both = []
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        outs.append(h)
        both.append(h)
    return ops.stack(outs), outs is both


def counted(x, h, w):
    count = 0
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        count += 1
    return h, count


def backwards(x, h, w):
    for t in reversed(range(x.shape[0])):
        h = cell(x[t], h, w)
    return h


def numbered(x, h, w):
    for t, row in enumerate(x):
        h = cell(row, h, w) + t
    return h


def in_pairs(x, h, w):
    for a, b in zip(x, x * 2):
        h = cell(a, h, w) + b
    return h


def comprehension(x, h, w):
    return ops.stack([ops.relu(ops.matmul(x[t], w)) for t in range(x.shape[0])])


def state_in_a_list(x, h, w):
    state = [h]
    for t in range(x.shape[0]):
        state[0] = cell(x[t], state[0], w)
    return state[0]


def beyond_the_end(x, h, w):
    for t in range(x.shape[0] + 1):
        h = cell(x[t], h, w)
    return h


def wrong_row(x, h, w):
    for t in range(x.shape[0]):
        h = ops.matmul(x[t], h)
    return h


def written_row(x, h, w):
    y = x * 1
    for t in range(x.shape[0]):
        y[t] = cell(x[t], h, w)
    return y


def added_in_place(x, h, w):
    h = h * 1
    for t in range(x.shape[0]):
        h += x[t]
    return h


def many_turns(x, h, w):
    for _ in range(3000):
        h = ops.tanh(ops.matmul(h, w)) + x[0]
    return h


def closure_over_number(x, h, w):
    for t in range(x.shape[0]):
        def row():
            return x[t]
        h = cell(row(), h, w)
    return h


def number_in_text(x, h, w):
    names = ""
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        names = names + f"{t} "
    return h, names


def number_tested(x, h, w):
    for t in range(x.shape[0]):
        if t is None or not isinstance(t, int) or t == 4:
            h = h * 2
        h = cell(x[t], h, w)
    return h


def number_in_a_range(x, h, w):
    for t in range(x.shape[0]):
        for _ in range(t):
            h = h * 0.9
        h = cell(x[t], h, w)
    return h


def number_as_slice(x, h, w):
    for t in range(x.shape[0]):
        h = cell(x[t:t + 1].sum(0) + x[:t].sum(0), h, w)
    return h


def caught(x, h, w):
    for t in range(x.shape[0]):
        try:
            h = cell(x[t], h, w[:3])
        except ValueError:
            h = cell(x[t], h, w)
    return h


def caught_late(x, h, w):
    try:
        for t in range(9):
            h = cell(x[t], h, w)
    except IndexError:
        h = h * 2
    return h


def printed(x, h, w):
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        print(t)
    return h


def dropped_out(x, h, w):
    ms.set_seed(3)
    for t in range(x.shape[0]):
        h = ops.dropout(cell(x[t], h, w), p=0.5)
    return h


class Memory:
    def __init__(self, h):
        self.h = h

    def step(self, x, w):
        self.h = cell(x, self.h, w)
        return self.h


def state_in_an_object(x, h, w):
    memory = Memory(h)
    for t in range(x.shape[0]):
        last = memory.step(x[t], w)
    return memory.h, x.shape[0] > 0 and last


def written_state(x, h, w):
    state = Parameter(h * 1, name="state")
    for t in range(x.shape[0]):
        ops.assign(state, cell(x[t], state, w))
    return state * 1


def trained_inside(x, h, w):
    weight = Parameter(w * 1, name="weight")
    optimizer = nn.SGD([weight], 0.1)
    step = ms.value_and_grad(lambda row: (ops.matmul(row, weight) ** 2).sum(), None, [weight])
    total = 0.0
    for t in range(x.shape[0]):
        loss, grads = step(x[t])
        optimizer(grads)
        total = total + loss
    return total, weight * 1


def rows_of_what_changes(x, h, w):
    y = x * 1
    for t in range(x.shape[0]):
        h = cell(y[t], h, w)
        y = y + h
    return h, y


def rows_of_what_is_written(x, h, w):
    y = x * 1
    for t in range(x.shape[0]):
        h = cell(y[t], h, w)
        y += h
    return h, y


def advanced_index(x, h, w):
    index = Tensor([0, 1])
    for t in range(x.shape[0]):
        h = cell(x[t][index], h, w)
    return h


def whole_inside(x, h, w):
    for t in range(x.shape[0]):
        h = cell(x[t], h, w) + x.mean(0) + x[0] + x[-1]
    return h


def integers(x, h, w):
    ids = (x[:, 0, 0] > 0).astype(ms.int32)
    count = Tensor(0, ms.int32)
    for t in range(x.shape[0]):
        count = count + ids[t]
        h = h * 0.5 + w[ids[t]]
    return count, h


def until_small(x, h, w):
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        while (h * h).sum() > 1:
            h = h * 0.5
    return h


def dict_state(x, h, w):
    for t in range(x.shape[0]):
        state = {"h": cell(x[t], h, w), "t": t}
        h = state["h"]
    return h, state["t"] if x.shape[0] else None


def two_results(x, h, w):
    pair = (h, h)
    for t in range(x.shape[0]):
        pair = (cell(x[t], pair[0], w), pair[0])
    return pair


def deleted(x, h, w):
    for t in range(x.shape[0]):
        row = x[t]
        h = cell(row, h, w)
        del row
    return h


def state_only_sometimes(x, h, w):
    for t in range(x.shape[0]):
        if x.shape[0] > 8:
            extra = cell(x[t], h, w)
        h = h * 0.5 + x[t]
    return h, extra


def keyword_rows(x, h, w):
    for t in range(len(x)):
        h = cell(x=x[t], h=h, w=w)
    return h


def left_alone(x, h, w):
    last = g = h
    for _ in range(x.shape[0] - 1):
        last = ops.sin(h)
    return h, g


def drawn_for_nothing(x, h, w):
    ms.set_seed(4)
    for _ in range(x.shape[0]):
        ops.dropout(h, p=0.5)
    return ops.dropout(h, p=0.5)


def list_of_other_shapes(x, h, w):
    outs = [w, h.astype(ms.float16)]
    for t in range(x.shape[0]):
        h = cell(x[t], h, w)
        outs.append(h)
    return ops.cat(outs)


def numbers_from_one(x, h, w):
    for t in range(1, x.shape[0]):
        h = cell(x[t], h, w) * t
    return h


ONE_NODE = [stacked, stacked_last_axis, concatenated, rows, no_state, no_rows, total_from_number, first_is_none,
            number_after, value_after, second_axis, parts_of_rows, from_second_row, up_to_last_row, two_lists,
            before_the_step, list_begun, same_value_twice, from_outside, branch_on_state, nested, in_a_function,
            in_a_dict, wider_state, added_in_place, many_turns, advanced_index, whole_inside, integers, until_small,
            deleted, state_only_sometimes, keyword_rows, backwards, in_pairs]

UNROLLED = [numbers_from_one, list_of_other_shapes, drawn_for_nothing, left_alone, number_in_arithmetic,
            every_other_turn, row_after, row_carried, left_early, returned_early, left_on_state, last_of_list,
            list_returned, list_read_in_loop, appended_twice, appended_after, numbers_appended, list_aliased, counted,
            numbered, comprehension, state_in_a_list, beyond_the_end, wrong_row, written_row, closure_over_number,
            number_in_text, number_tested, number_in_a_range, number_as_slice, caught, caught_late, printed,
            dropped_out, state_in_an_object, written_state, trained_inside, rows_of_what_changes,
            rows_of_what_is_written, dict_state, two_results]
