"""For loops whose turns write to tensors, whose lengths differ from call to call; see loop_programs.py."""
from msjit import Tensor, ops


def running_states(x, h, w):
    out = ops.zeros((len(x), 2, 4))
    for t in range(len(x)):
        h = ops.tanh(x[t] + h)
        out[t] = h
    return out, h


def recurrence_over_rows(x, h, w):
    out = ops.zeros((len(x) + 1, 2, 4))
    out[0] = h
    for t in range(len(x)):
        out[t + 1] = out[t] * 0.5 + x[t]
    return out


def backwards_in_place(x, h, w):
    out = x * 1
    for t in range(len(x) - 2, -1, -1):
        out[t] = out[t + 1] * 0.5 + out[t]
    return out


def best_of_table(x, h, w):
    dp = ops.zeros((len(x) + 1, 4))
    for i in range(1, len(x)):
        best = dp[i - 1]
        for k in range(2):
            best = ops.maximum(best, dp[i - 1] + x[i, k])
        dp[i] = best
    return dp


def beside_ints(x, h, w):
    out = ops.zeros((len(x), 2, 4))
    for t in range(len(x)):
        out[t, 0] = x[t, 1]
        out[t, 1, 1] = x[t].sum()
        out[t, :, 2] = x[t, 0, 0]
    return out


def columns(x, h, w):
    out = ops.zeros((4, len(x)))
    for t in range(len(x)):
        out[:, t] = x[t].sum(0)
    return out


def twice_a_turn(x, h, w):
    out = ops.zeros((len(x) + 1, 2, 4))
    for t in range(len(x)):
        out[t] = x[t]
        out[t] = out[t] * 0.5 + 1
        out[0, 0] += 1
    return out


def under_a_test(x, h, w):
    out = ops.zeros((len(x), 2, 4))
    for t in range(len(x)):
        if x[t].sum() > 0:
            out[t] = x[t]
        else:
            out[t] = x[t] * 2
    return out


def all_of_a_state(x, h, w):
    state = h * 1
    for row in x:
        state.mul_(0.5)
        state[...] = state + row
    return state


def two_tensors(x, h, w):
    a, b = ops.zeros((len(x) + 1, 2, 4)), ops.ones((len(x) + 1, 2, 4))
    for t in range(len(x)):
        a[t + 1] = b[t] + x[t]
        b[t + 1] = a[t] * 0.5
    return a, b


def read_behind(x, h, w):
    out = ops.zeros((len(x) + 1, 2, 4))
    for t in range(len(x)):
        out[t + 1] = out[t] + x[t]
    out[0] = out[1] + 1
    return out * 2, out[len(x)]


def a_loop_in_a_loop(x, h, w):
    out = ops.zeros((len(x), 2, 4))
    total = h.sum()
    for t in range(len(x)):
        k = Tensor(0)
        while k < 2:
            out[t, k] = x[t, k] * total
            k = k + 1
        total = ops.tanh(total * 0.5 + out[t].sum())
    return out, total


def rows_kept_as_views(x, h, w):
    out, kept = ops.zeros((len(x) + 1, 2, 4)), []
    for t in range(len(x)):
        out[t] = x[t]
        kept.append(out[t])
        out[0] = out[0] + 1
    return out, [k * 1 for k in kept]


def last_row_is_a_view(x, h, w):
    out, last = ops.zeros((len(x) + 1, 2, 4)), h
    for t in range(len(x)):
        out[t] = x[t]
        last = out[t]
    out[len(x) - 1] = 7
    return out, last


def row_read_after_the_write(x, h, w):
    out = ops.zeros((len(x) + 1, 2, 4))
    for t in range(len(x)):
        row = out[t]
        out[t] = x[t]
        h = row * 0.5
    return out, h


def another_name(x, h, w):
    out = ops.zeros((len(x) + 1, 2, 4))
    same, first = out, out[0]
    for t in range(len(x)):
        out[t] = x[t]
        h = same[t] + first
    return out, same, first, h


def bound_anew(x, h, w):
    out = ops.zeros((len(x) + 1, 2, 4))
    first = out
    for t in range(len(x)):
        out[t] = x[t]
        out = out * 0.5
    return out, first


def in_a_container(x, h, w):
    state = {"out": ops.zeros((len(x) + 1, 2, 4))}
    for t in range(len(x)):
        state["out"][t] = x[t] * 2
    return state["out"]


def slices_up_to_the_turn(x, h, w):
    out = ops.zeros((len(x) + 1, 2, 4))
    for t in range(len(x)):
        out[:t] = out[:t] + 1
        out[t] = x[t]
    return out


def beyond_the_end(x, h, w):
    out = ops.zeros((16, 2, 4))
    for t in range(len(x)):
        out[t] = x[t]
    return out


ONE_NODE = [running_states, recurrence_over_rows, backwards_in_place, best_of_table, beside_ints, columns, twice_a_turn, under_a_test, two_tensors,
            read_behind, all_of_a_state, a_loop_in_a_loop]
UNROLLED = [rows_kept_as_views, last_row_is_a_view, row_read_after_the_write, another_name, bound_anew, in_a_container, slices_up_to_the_turn,
            beyond_the_end]
