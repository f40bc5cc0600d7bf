"""Loops whose turns hand on more than tensors in locals: tuples, lists and dicts of them, items and attributes, counters. In `ONE_NODE` the
loop becomes one node; in `UNROLLED` results alone are compared."""
import collections

from msjit import Tensor, nn, ops

Pair = collections.namedtuple("Pair", "h c")


class Box:
    pass


class Slots:
    __slots__ = ("h",)


class Default:
    h = None  # until an instance has its own


class Watched:
    def __init__(self):
        object.__setattr__(self, "log", [])

    def __setattr__(self, name, value):
        self.log.append(name)
        object.__setattr__(self, name, value)


class Renamed:
    @property
    def h(self):
        return self._h * 2

    @h.setter
    def h(self, value):
        self._h = value * 0.5


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.state = Tensor([[0.0, 1, 2, 3], [1, 1, 1, 1]])

    def construct(self, x):
        for row in x:
            self.state = ops.tanh(self.state * 0.5 + row)
        return self.state


def cell(x, state):
    h, c = state
    c = ops.sigmoid(x) * c + h * 0.5
    return ops.tanh(c + x), c


def tuple_of_states(x, h, w):
    state = (h, h + 1)
    for row in x:
        state = cell(row, state)
    return state


def outputs_and_states(x, h, w):
    state, out = (h, h * 2), []
    for t in range(len(x)):
        state = cell(x[t], state)
        out.append(state[0])
    return ops.stack(out) if out else h, state


def named_tuple(x, h, w):
    state = Pair(h, h + 1)
    for row in x:
        a, b = state
        state = Pair(ops.tanh(a + row), b * 0.5 + a)
    return state, type(state).__name__


def nested_tuples(x, h, w):
    state = ((h, h + 1), (h * 2, (h, 3)))
    for row in x:
        (a, b), (c, (d, n)) = state
        state = ((a + row, b * 0.5), (c + d, (ops.tanh(d), n)))
    return state


def list_of_layers(x, h, w):
    states, out = [h, h + 1, h + 2], []
    for row in x:
        for i in range(3):
            states[i] = ops.tanh(states[i] * 0.5 + row)
            row = states[i]
        out.append(row)
    return ops.stack(out) if out else h, states


def list_of_pairs(x, h, w):
    states = [(h, h * 2) for _ in range(2)]
    for row in x:
        for i in range(2):
            states[i] = cell(row, states[i])
            row = states[i][0]
    return states


def list_made_anew(x, h, w):
    states = [h, h + 1]
    for row in x:
        new = []
        for state in states:
            row = ops.tanh(state + row)
            new.append(row)
        states = new
    return states


def list_kept_by_another_name(x, h, w):
    states = keep = [h, h + 1]
    for row in x:
        states[0] = states[0] * 0.5 + row
    return keep, keep is states


def old_list_stays(x, h, w):
    first = states = [h, h + 1]
    for row in x:
        states = [states[1] + row, states[0] * 0.5]
    return first, states


def dict_of_states(x, h, w):
    state = {"h": h, "c": h + 1}
    for row in x:
        state["h"] = ops.tanh(state["h"] + row)
        state["c"] = state["c"] * 0.5 + state["h"]
    return state


def dict_made_anew(x, h, w):
    state = {"h": h, 3: h + 1}
    for row in x:
        state = {"h": ops.tanh(state["h"] + row), 3: state[3] * 0.5}
    return state


def dict_in_a_list(x, h, w):
    states = [{"h": h}, {"h": h + 1}]
    for row in x:
        states[1]["h"] = states[0]["h"] + states[1]["h"] * 0.5
        states[0]["h"] = ops.tanh(row)
    return states


def attribute(x, h, w):
    box = Box()
    box.h = h
    for row in x:
        box.h = ops.tanh(box.h + row)
    return box.h


def attribute_of_attribute(x, h, w):
    box = Box()
    box.inner = Box()
    box.inner.h, box.n = h, 3
    for row in x:
        box.inner.h = box.inner.h * 0.5 + row * box.n
    return box.inner.h, box.n


def attribute_in_a_list(x, h, w):
    boxes = [Box(), Box()]
    for box in boxes:
        box.h = h
    for row in x:
        for box in boxes:
            box.h = box.h * 0.5 + row
            row = box.h
    return [box.h for box in boxes]


def attribute_set_in_the_loop(x, h, w):
    box = Box()
    for row in x:
        box.h = h + row
        h = box.h * 0.5
    return h, getattr(box, "h", None)


def counted(x, h, w):
    i = 0
    for row in x:
        h = h * 0.5 + row * i + x[i]
        i += 1
    return h, i


def counted_down(x, h, w):
    i, j = len(x) - 1, 1
    for _ in x:
        h = h * 0.5 + x[i] * j
        i, j = i - 1, j + 3
    return h, i, j


def named_later(x, h, w):
    for t in range(len(x)):
        h = h * 0.5 + x[t]
        best = h if t == 0 else ops.maximum(best, h)  # noqa: F821
    return (h, best) if len(x) else h


def not_longer_than(x, h, w):
    lengths = Tensor([3, 7])
    for t in range(len(x)):
        keep = (t < lengths).astype(h.dtype).expand_dims(1)
        h = keep * ops.tanh(h + x[t]) + (1 - keep) * h
        h = ops.where((lengths - 1 == t).expand_dims(1), h * 2, h)
    return h


def state_in_an_arm(x, h, w):
    state = (h, h + 1)
    for t in range(len(x)):
        if t % 2 == 0:
            state = cell(x[t], state)
    return state


def infinite_derivatives(x, h, w):
    """In the other turns the square roots would have one, and their gradients would be NaN."""
    state, rest = (h, h * 0), h * h
    for t in range(len(x)):
        row = x[t] * 0 if t % 3 else x[t] * x[t] + 1
        if t % 3 == 0:
            state = (state[0] + ops.sqrt(row), state[1] + row)
        if t > 2:
            state = (state[0], state[1] + rest)
        else:
            rest = ops.sqrt(rest + 1)
    return state


def nested_loops(x, h, w):
    states = [h, h + 1]
    for _ in range(len(x)):
        for s in range(len(x)):
            states[0] = states[0] * 0.5 + x[s]
        states[1] = states[1] * 0.5 + states[0]
    return states


def rates(x, h, w):
    rate, total, seen = 0.5, 0.25, 0
    for t in range(len(x)):
        h = h * rate + x[t] * total
        rate *= 0.9
        total = total * 0.5 + float(h.mean())
        seen += t
    return h * rate, seen


def while_rows(x, h, w):
    i, outs = 0, []
    while i < x.shape[0]:
        h = ops.tanh(h + x[i]) * 0.9
        outs.append(h)
        i += 1
    n = len(x)
    while n > 0:
        n -= 1
        h = h * 0.5 + x[n] * n
    return h, i, n, ops.stack(outs) if outs else 0


ONE_NODE = [while_rows, rates, tuple_of_states, outputs_and_states, named_tuple, nested_tuples, list_of_layers, list_of_pairs, list_made_anew, list_kept_by_another_name,
            old_list_stays, dict_of_states, dict_made_anew, dict_in_a_list, attribute, attribute_of_attribute, attribute_in_a_list,
            attribute_set_in_the_loop, counted, counted_down, named_later, not_longer_than, state_in_an_arm, infinite_derivatives, nested_loops]


def one_list_twice(x, h, w):
    a = b = [h]
    for row in x:
        b = [b[0] + row]
        if a is b:
            h = h + 1
    return a, b, h


def changed_and_replaced(x, h, w):
    first = states = [h, h + 1]
    for row in x:
        states[0] = states[0] * 0.5 + row
        states = states + []
    return first, states


def growing_list(x, h, w):
    states = []
    for row in x:
        states = states + [row * 2]
    return states


def from_none(x, h, w):
    state = None
    for row in x:
        state = (row, row * 2) if state is None else cell(row, state)
    return state


def longer_tuples(x, h, w):
    state = ()
    for row in x:
        state = (row,) + state[:2]
    return state


def number_in_a_tuple(x, h, w):
    state = (h, 0)
    for row in x:
        state = (state[0] * 0.5 + row, state[1] + 1)
    return state


def keys_change(x, h, w):
    state = {"a": h, "b": h + 1}
    for row in x:
        state["b"] = state.pop("a") + row
        state["a"] = state["b"] * 0.5
    return state, list(state)


def named_in_the_last_turn(x, h, w):
    pair = None
    for row in x:
        pair = Pair(row, h)
    return pair, type(pair).__name__


def sometimes_counted(x, h, w):
    i = 0
    for t in range(len(x)):
        if t % 3 == 0:
            i += 1
        h = h * 0.5 + x[i // 2]
    return h, i


def counter_starts_again(x, h, w):
    i = 0
    for row in x:
        h = h * 0.5 + row * i
        i += 1
        if i == 4:
            i = 0
    return h, i


def doubling(x, h, w):
    i = 1
    for row in x:
        h = h * 0.5 + row * i
        i *= 2
    return h, i


def counter_beyond_the_end(x, h, w):
    i = 2
    for _ in x:
        h = h * 0.5 + x[i]
        i += 1
    return h


def one_tensor_in_two_places(x, h, w):
    states = [h, h]
    for row in x:
        states[0] = states[1]
        states[1] = row if states[0] is states[1] else row * 2
    return states, states[0] is states[1]


def written_item(x, h, w):
    states = [h * 1, h + 1]
    for row in x:
        states[0].mul_(0.5)
        states[1] = states[0] + row
    return states


def written_new_item(x, h, w):
    states = [h * 1, h + 1]
    for row in x:
        states[0] = states[0] * 0.5
        states[0].add_(row)
    return states


def seen_by_a_function(x, h, w):
    states = [h, h + 1]

    def total():
        return states[0] + states[1]
    for row in x:
        states[0] = states[0] * 0.5 + row
        states[1] = total() * 0.25
    return states, total()


def in_a_cell(x, h, w):
    state = h

    def step(row):
        nonlocal state
        state = ops.tanh(state + row)
    for row in x:
        step(row)
    return state


def in_comprehensions(x, h, w):
    states = [h, h + 1]
    for row in x:
        states = [ops.tanh(state + row) for state in states]
    return states


def slots(x, h, w):
    box = Slots()
    box.h = h
    for row in x:
        box.h = box.h * 0.5 + row
    return box.h


def class_default(x, h, w):
    box = Default()
    for row in x:
        box.h = row if box.h is None else box.h * 0.5 + row
    return box.h, Default.h


def watched(x, h, w):
    box = Watched()
    box.h = h
    for row in x[:6]:
        box.h = box.h * 0.5 + row
    return box.h, len(box.log)


def through_a_property(x, h, w):
    box = Renamed()
    box.h = h
    for row in x:
        box.h = box.h * 0.5 + row
    return box.h


def of_a_network(x, h, w):
    net = Net()
    return net(x), net.state


def swapped_boxes(x, h, w):
    a, b = Box(), Box()
    a.h, b.h = h, h + 1
    for row in x:
        a.h = b.h + row
        a, b = b, a
    return a.h, b.h


def deleted_and_set(x, h, w):
    box = Box()
    box.h = h
    for row in x:
        h = box.h * 0.5 + row
        del box.h
        box.h = h
    return box.h


def other_dtype_later(x, h, w):
    states = [h, h + 1]
    for row in x:
        states[0] = (states[0] + row).astype("float16") if len(states) > 1 else row
    return states


def changed_by_another_name(x, h, w):
    keep = states = [h]
    for row in x:
        keep[0] = row
        h = h * 0.5 + states[0]
        states = [h]
    return h, keep, states


def appended_by_another_name(x, h, w):
    keep = states = [h]
    for row in x:
        keep.append(row)
        h = h * 0.5 + len(states)
        states = [h]
    return h, len(keep), states


def written_and_handed_on(x, h, w):
    buf = h * 1
    other, states, pair, box = buf, [buf], (buf, h), Box()
    box.h = buf
    for row in x:
        buf.mul_(0.5)
        h = h * 0.5 + other + states[0] + pair[0] + box.h
        other, states, pair = other + row, [states[0] + row], (pair[0] + row, h)
        box.h = box.h + row
    return h, buf, other, states, pair, box.h


def written_and_in_an_item(x, h, w):
    buf = h * 1
    states = [buf]
    for row in x:
        buf.mul_(0.5)
        states[0] = states[0] + row
    return buf, states


def written_and_assigned(x, h, w):
    other = buf = h * 1
    for row in x:
        buf.mul_(0.5)
        h = h * 0.5 + other
        other = other + row
    return h, buf, other


def until_small(x, h, w):
    state, turns = (h, h + 8), [h]
    while (state[1] > 1).all():
        state = (state[0] + state[1], state[1] * 0.5)
        turns[0] = turns[0] + 1
    return state, turns


UNROLLED = [one_list_twice, changed_and_replaced, growing_list, from_none, longer_tuples, number_in_a_tuple, keys_change, named_in_the_last_turn,
            sometimes_counted, counter_starts_again, doubling, counter_beyond_the_end, one_tensor_in_two_places, written_item, written_new_item,
            seen_by_a_function, in_a_cell, in_comprehensions, slots, class_default, watched, through_a_property, of_a_network, swapped_boxes,
            deleted_and_set, other_dtype_later, changed_by_another_name, appended_by_another_name, written_and_handed_on, written_and_in_an_item,
            written_and_assigned, until_small]
