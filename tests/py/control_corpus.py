"""Functions with branches and loops on the value of a tensor. Each is called with a float32 vector of two elements. The list at the end of
each half of the file names those that are captured whole."""
from msjit import ops

VECTORS = [[1.0, 2.0], [-1.0, -2.0], [3.0, 0.5], [60.0, 60.0], [0.0, 0.0]]


def if_else(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x - 1
    return y + 1


def if_alone(x):
    if x.sum() > 0:
        x = x * 2
    return x


def if_alone_then_more(x):
    y = x
    if x.sum() > 0:
        y = x * 2
    return y, y + x


def early_returns(x):
    if x.sum() > 3:
        return x * 3
    if x.sum() > 0:
        return x
    return x - 1


def elif_chain(x):
    t = x.sum()
    if t > 100:
        y = x / 10
    elif t > 2:
        y = x + 10
    elif t > -1:
        y = x
    else:
        y = -x
    return y * y


def nested(x):
    t = x.sum()
    if t > 0:
        z = x + 1
        if t > 3:
            y = z * 2
        else:
            y = z
    else:
        if x[0] > x[1]:
            y = x * 4
        else:
            y = x
    return y


def and_or(x):
    if (x[0] > 0 and x[1] > 1) or x.sum() > 10:
        return x * 2
    return -x


def and_value(x):
    t = x.sum()
    return (t > 0) and t * 2 or t - 1


def not_tensor(x):
    if not x.sum() > 0:
        x = x - 5
    return x


def ternary(x):
    return (x if x.sum() > 0 else -x) + (x if x[0] > 1 else x * 2)


def chained_compare(x):
    if 0 < x.sum() < 5:
        return x + 1
    return x - 1


def number_predicate(x):
    if x.sum():
        return x + 1
    return x - 1


def many_slots(x):
    a = b = x
    if x.sum() > 0:
        a = x * 2
        b = a + 1
    else:
        b = x - 1
    return a, b


def same_object_twice(x):
    if x.sum() > 0:
        a = b = x + 1
    else:
        a, b = x, x * 2
    return a, b


def swaps(x):
    a, b = x + 1, x * 2
    if x.sum() > 0:
        a, b = b, a
    return a, b


def equal_but_apart(x):
    a = x + 1
    if x.sum() > 0:
        b = x + 1
    else:
        b = a
    return a, b


def builds_tuple(x):
    if x.sum() > 0:
        r = (x, x * 2, 1)
    else:
        r = (x + 1, x, 1)
    return r


def returns_pair(x):
    if x.sum() > 0:
        return x, "same"
    return x * 2, "same"


def temporaries(x):
    if x.sum() > 0:
        t = x * 2
        u = t + 1
        y = u * t
    else:
        y = x
    return y


def differing_numbers(x):
    n = 0
    if x.sum() > 0:
        n = 1
        y = x
    else:
        n = 2
        y = -x
    y = y + 1
    return y * n, n


def differing_shapes(x):
    if x.sum() > 0:
        y = x.sum()
    else:
        y = x
    return y * 2


def differing_dtypes(x):
    if x.sum() > 0:
        y = x > 0
    else:
        y = x
    return y


def tensor_or_none(x):
    y = None
    if x.sum() > 0:
        y = x * 2
    return x if y is None else y


def prints(x):
    y = x * 2
    if x.sum() > 0:
        print("positive")
        y = y + 1
    return y - 1


def appends(x):
    seen = []
    if x.sum() > 0:
        seen.append(1)
    seen.append(x * 2)
    return seen


def appends_to_argument(x, seen):
    if x.sum() > 0:
        seen.append(x)
    return x * 2


def changes_in_place(x):
    y = x + 0
    z = y
    if x.sum() > 0:
        y += 1
    return y, z


def changed_afterwards(x):
    y = x + 0
    z = y
    if x.sum() > 0:
        y = x * 2
    y += 1
    return y, z


def view_of_argument(x):
    y = x
    if x.sum() > 0:
        y = x.reshape((1, 2))[0]
    y = y * 1
    return y


def raises(x):
    if x.sum() > 0:
        return x.reshape((7,))
    return x


def too_many_elements(x):
    y = x * 2
    if y:
        return y
    return x


def identity_tests(x):
    y = x
    if x.sum() > 0:
        y = x * 2
    return (y is x), y


def unbound(x):
    if x.sum() > 0:
        y = x
    return y


def helper(x, limit):
    if x.sum() > limit:
        return x / 2
    return x


def in_calls(x):
    return helper(helper(x, 1), 2) + helper(x, 3)


def closure_arm(x):
    k = x * 3

    def inner(v):
        if v.sum() > 0:
            return v + k
        return v - k
    return inner(x)


def keyword_result(x):
    return {"a": x + 1 if x.sum() > 0 else x, "b": [x]}


BRANCHES = [if_else, if_alone, if_alone_then_more, early_returns, elif_chain, nested, and_or, and_value, not_tensor,
            ternary, chained_compare, number_predicate, many_slots, same_object_twice, swaps, equal_but_apart,
            builds_tuple, returns_pair, temporaries, differing_numbers, differing_shapes, differing_dtypes,
            tensor_or_none, prints, appends, changes_in_place, changed_afterwards, view_of_argument, raises,
            too_many_elements, identity_tests, unbound, in_calls, closure_arm, keyword_result]
WHOLE_BRANCHES = [if_else, if_alone, if_alone_then_more, early_returns, elif_chain, nested, and_or, and_value,
                  not_tensor, ternary, chained_compare, number_predicate, many_slots, same_object_twice, swaps,
                  equal_but_apart, builds_tuple, returns_pair, temporaries, in_calls, closure_arm, keyword_result]


def grows(x):
    while x.sum() < 100:
        x = x * 2 + 4
    return x


def counts(x):
    n = x.sum() * 0
    while x.sum() < 100:
        x = x + 7
        n = n + 1
    return x, n


def endless_with_break(x):
    while True:
        x = x + 3
        if x.sum() > 50:
            break
    return x


def breaks_and_continues(x):
    s = x * 0
    while s.sum() < 40:
        x = x + 1
        if x[0] > 3:
            s = s + 5
            continue
        if x.sum() > 90:
            break
        s = s + 2
    return s, x


def return_inside(x):
    while x.sum() < 100:
        x = x * 2 + 4
        if x[0] > 20:
            return x - 1
    return x


def two_conditions(x):
    y = x * 0
    while x.sum() < 100 and y.sum() < 20:
        x = x + 5
        y = y + 3
    return x, y


def loop_else(x):
    y = x
    while x.sum() < 100:
        x = x * 2 + 4
        if x[1] > 30:
            break
    else:
        y = x * 5
    return x, y


def nested_loops(x):
    n = x.sum() * 0
    while x.sum() < 100:
        y = x * 0
        while y.sum() < 6:
            y = y + 1
            n = n + 1
        x = x + y
    return x, n


def conditional_update(x):
    best = x
    i = x.sum() * 0
    while i < 6:
        y = x * i
        if y.sum() > best.sum():
            best = y
        i = i + 1
    return best, i


def zero_turns(x):
    while x.sum() > 1000:
        x = x / 2
    return x


def number_becomes_tensor(x):
    s = 0
    while x.sum() < 60:
        x = x + 4
        s = s + x
    return s, x


def number_first(x):
    s = 0
    while True:
        x = x + 4
        s = s + x
        if x.sum() > 60:
            return s


def python_counter(x):
    n = 0
    while x.sum() < 60:
        x = x + 4
        n += 1
    return x, n


def python_bound(x):
    n = 0
    while n < 4:
        x = x + 4
        n += 1
        if x.sum() > 14:
            break
    return x, n


def for_with_break(x):
    for i in range(4):
        if x.sum() > 14:
            break
        x = x + i
    return x


def for_else(x):
    for w in (1.0, 2.0, 3.0):
        x = x + w
        if x.sum() > 8:
            break
    else:
        x = x * 10
    return x


def for_continue(x):
    y = x
    for i in range(4):
        if x[0] > i:
            continue
        y = y + i
    return y


def loop_prints(x):
    while x.sum() < 30:
        x = x + 9
        print("turn")
    return x


def loop_appends(x):
    seen = []
    while x.sum() < 30:
        x = x + 9
        seen.append(x)
    return seen


def swap_in_loop(x):
    a, b = x, x + 1
    i = x.sum() * 0
    while i < 5:
        a, b = b, a
        i = i + 1
    return a, b


def fibonacci(x):
    a, b = x * 0, x * 0 + 1
    while b.sum() < 100:
        a, b = b, a + b
    return a, b


def newton(x):
    g = x * 0 + 1
    a = ops.abs(x) + 1
    while ops.abs(g * g - a).sum() > 1e-4:
        g = (g + a / g) * 0.5
    return g


def shape_changes(x):
    y = x
    n = x.sum() * 0
    while n < 3:
        y = ops.concat([y, x])
        n = n + 1
    return y


def loop_in_arm(x):
    if x.sum() > 0:
        while x.sum() < 50:
            x = x * 2
    else:
        while x.sum() < 0:
            x = x + 3
    return x


def value_after_loop(x):
    while True:
        y = x * 3
        x = x + 1
        if y.sum() > 20:
            break
    return x, y


def what_another_value_was(x):
    last, n = x, x.sum() * 0
    while n < 3:
        last, x = x, x + 2
        n = n + 1
    return last * x, n


def what_others_were_in_a_tuple(x):
    pair, a, n = None, x * 2, x.sum() * 0
    while True:
        pair = (x, a)
        x, a = a, a + x
        n = n + 1
        if n > 2:
            break
    return pair, x, a


LOOPS = [grows, counts, endless_with_break, breaks_and_continues, return_inside, two_conditions, loop_else,
         nested_loops, conditional_update, zero_turns, number_becomes_tensor, number_first, python_counter,
         python_bound, for_with_break, for_else,
         for_continue, loop_prints, loop_appends, swap_in_loop, fibonacci, newton, shape_changes, loop_in_arm,
         value_after_loop, what_another_value_was, what_others_were_in_a_tuple]
WHOLE_LOOPS = [grows, counts, endless_with_break, breaks_and_continues, return_inside, two_conditions, loop_else,
               nested_loops, conditional_update, zero_turns, number_first, for_with_break, for_else,
               for_continue, swap_in_loop, fibonacci, newton, loop_in_arm, value_after_loop, what_another_value_was,
               what_others_were_in_a_tuple]
