"""Branches and loops on the value of a tensor: If and While nodes against plain Python."""
import contextlib
import io
import itertools
import sys

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, _msjit, nn, ops

pytestmark = pytest.mark.skipif(not _msjit.has_jit, reason="no bytecode JIT on this interpreter")

OUT = (lambda v: Tensor(np.array(v, np.float32)))
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


LOOPS = [grows, counts, endless_with_break, breaks_and_continues, return_inside, two_conditions, loop_else, nested_loops,
         conditional_update, zero_turns, number_becomes_tensor, number_first, python_counter, python_bound, for_with_break, for_else,
         for_continue, loop_prints, loop_appends, swap_in_loop, fibonacci, newton, shape_changes, loop_in_arm,
         value_after_loop]
WHOLE_LOOPS = [grows, counts, endless_with_break, breaks_and_continues, return_inside, two_conditions, loop_else,
               nested_loops, conditional_update, zero_turns, number_first, for_with_break, for_else,
               for_continue, swap_in_loop, fibonacci, newton, loop_in_arm, value_after_loop]


def leaves(value):
    if isinstance(value, (list, tuple)):
        return [leaf for item in value for leaf in leaves(item)]
    if isinstance(value, dict):
        return [leaf for item in value.values() for leaf in leaves(item)]
    return [value]


def picture(value):
    return (str(value.dtype), value.shape, value.asnumpy().tobytes()) if isinstance(value, Tensor) else repr(value)


def outcome(fn, args):
    """Result, error, output, changed arguments, and which tensors of all these are the same objects."""
    out = io.StringIO()
    result, error = None, None
    with contextlib.redirect_stdout(out):
        try:
            result = fn(*args)
        except Exception as e:
            error = (type(e).__name__, str(e))
    objects = leaves(result) + leaves(list(args))
    tensors = [o for o in objects if isinstance(o, Tensor)]
    same = [[a is b for b in tensors] for a in tensors]
    return type(result).__name__, [picture(o) for o in objects], error, out.getvalue(), same


def vectors(fn):
    return VECTORS


@pytest.mark.parametrize("fn", BRANCHES + LOOPS, ids=lambda f: f.__name__)
def test_same_as_plain(fn):
    jitted = ms.jit(fn, mode="PIJit")
    for v in vectors(fn) * 2:
        assert outcome(jitted, [OUT(v)]) == outcome(fn, [OUT(v)])


@pytest.mark.parametrize("first", [[1.0, 1.0], [-1.0, -1.0]])
def test_list_argument_changed_in_an_arm(first):
    jitted = ms.jit(appends_to_argument, mode="PIJit")
    for v in [first, [-2.0, 1.0], [2.0, 1.0]]:
        assert outcome(jitted, [OUT(v), []]) == outcome(appends_to_argument, [OUT(v), []])


def explained(fn):
    return next(f for f in _msjit.explain_json() if f["name"] == fn.__name__ and f["file"] == __file__)


@pytest.mark.captures
@pytest.mark.parametrize("fn", WHOLE_BRANCHES + WHOLE_LOOPS, ids=lambda f: f.__name__)
def test_one_region(fn):
    ms.reset() if hasattr(ms, "reset") else None
    jitted = ms.jit(fn, mode="PIJit", fullgraph=True)
    for v in vectors(fn) * 2:
        jitted(OUT(v))
    record = explained(fn)
    assert len(record["regions"]) == 1 and not record["recompiles"], record


@pytest.mark.captures
@pytest.mark.parametrize("fn,why", [
    (differing_shapes, "float32[] in one arm, float32[2] in the other"),
    (tensor_or_none, "y is tensor in one arm, NoneType object in the other"),
    (prints, "call of builtin print"),
    (appends, "an arm changes a list"),
    (python_counter, "the loop changes n"),
    (loop_prints, "print"),
    (shape_changes, "y is float32[2] before the loop"),
])
def test_why_it_breaks(fn, why):
    jitted = ms.jit(fn, mode="PIJit")
    for v in vectors(fn):
        outcome(jitted, [OUT(v)])
    details = [b["detail"] for b in explained(fn)["breaks"] if b["reason"] == "tensor_branch"]
    assert any(why in d for d in details), details


GRADIENTS = [if_else, if_alone, early_returns, elif_chain, nested, and_or, ternary, temporaries, in_calls, closure_arm,
             grows, endless_with_break, return_inside, conditional_update, zero_turns, for_with_break, fibonacci, newton,
             loop_in_arm, nested_loops, breaks_and_continues, value_after_loop, many_slots, swaps]


@pytest.mark.parametrize("fn", GRADIENTS, ids=lambda f: f.__name__)
def test_gradients(fn):
    jitted = ms.jit(fn, mode="PIJit")

    def loss(f, x, w):
        return sum((t * t).sum() for t in leaves(f(x * w)) if isinstance(t, Tensor))

    for v in vectors(fn) * 2:
        w = OUT([0.9, 1.1])
        want = ms.value_and_grad(lambda x, w: loss(fn, x, w), (0, 1))(OUT(v), w)
        got = ms.value_and_grad(lambda x, w: loss(jitted, x, w), (0, 1))(OUT(v), w)
        for a, b in zip(leaves(got), leaves(want)):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("fn", [if_alone, nested, grows, newton, loop_in_arm], ids=lambda f: f.__name__)
def test_gradients_of_inputs_handed_on(fn):
    """The function is differentiated itself: a branch may give its very argument."""
    jitted = ms.jit(fn, mode="PIJit")
    for v in vectors(fn) * 2:
        want = ms.grad(lambda x: (fn(x) * x).sum())(OUT(v))
        got = ms.grad(lambda x: (jitted(x) * x).sum())(OUT(v))
        np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("fn", [if_else, nested, grows, fibonacci], ids=lambda f: f.__name__)
def test_second_gradients(fn):
    jitted = ms.jit(fn, mode="PIJit")

    def second(f, x):
        first = ms.grad(lambda v: sum((t * t * t).sum() for t in leaves(f(v)) if isinstance(t, Tensor)))
        return ms.grad(lambda v: first(v).sum())(x)

    for v in [[1.0, 2.0], [-0.2, -0.1], [3.0, 0.5]]:
        np.testing.assert_allclose(second(jitted, OUT(v)).asnumpy(), second(fn, OUT(v)).asnumpy(), rtol=1e-4, atol=1e-5)


def test_requires_grad_and_backward():
    jitted = ms.jit(many_slots, mode="PIJit")
    for v in VECTORS[:2] * 2:
        grads = []
        for f in (many_slots, jitted):
            x = OUT(v)
            x.requires_grad = True
            a, b = f(x)
            (a * b).sum().backward()
            grads.append(x.grad.asnumpy())
        np.testing.assert_allclose(grads[0], grads[1], rtol=1e-6)


class Gated(nn.Cell):
    def __init__(self):
        super().__init__()
        self.a = nn.Dense(4, 4)
        self.b = nn.Dense(4, 4)

    def construct(self, x):
        h = ops.tanh(self.a(x))
        if h.sum() > 0:
            h = self.b(h)
        while ops.abs(h).sum() > 4:
            h = h * 0.5
        return h


def test_network():
    net = Gated()
    jitted = ms.jit(net.construct, mode="PIJit")
    rng = np.random.default_rng(0)
    for _ in range(6):
        x = Tensor(rng.normal(size=(3, 4)).astype(np.float32))
        np.testing.assert_allclose(jitted(x).asnumpy(), net.construct(x).asnumpy(), rtol=1e-5, atol=1e-6)


def test_random_draws_stay_in_order():
    def draws(x):
        if x.sum() > 0:
            x = x + ops.random_normal((2,)) if hasattr(ops, "random_normal") else x
        return x + (ops.random_normal((2,)) if hasattr(ops, "random_normal") else 0)

    jitted = ms.jit(draws, mode="PIJit")
    for v in VECTORS:
        results = []
        for f in (draws, jitted):
            ms.set_seed(3)
            results.append(f(OUT(v)).asnumpy())
        np.testing.assert_array_equal(*results)


def test_shared_storage_behind_a_branch():
    """What is written to a result afterwards shows where it would have shown without the branch captured."""
    jitted = ms.jit(if_alone, mode="PIJit")
    for v in VECTORS:
        seen = []
        for f in (if_alone, jitted):
            x = OUT(v)
            y = f(x)
            y += 1
            seen.append((x.asnumpy().tobytes(), y.asnumpy().tobytes()))
        assert seen[0] == seen[1]


def test_subclass_of_tensor_keeps_its_type():
    p = ms.Parameter(OUT([1.0, 2.0]), name="p")

    def pick(x):
        y = p if x.sum() > 0 else x
        return y, type(y).__name__

    jitted = ms.jit(pick, mode="PIJit")
    for v in VECTORS[:2] * 2:
        assert jitted(OUT(v))[1] == pick(OUT(v))[1]
        assert (jitted(OUT(v))[0] is p) == (pick(OUT(v))[0] is p)


def test_dtypes_of_predicates():
    def f(p, x):
        if p:
            return x + 1
        return x - 1

    jitted = ms.jit(f, mode="PIJit")
    for dtype, value in itertools.product([np.bool_, np.int8, np.int64, np.float16, np.float32, np.float64], [0, 1]):
        for shape in [(), (1,), (1, 1)]:
            p = Tensor(np.full(shape, value, dtype))
            assert picture(jitted(p, OUT([1, 2]))) == picture(f(p, OUT([1, 2])))
    nan = Tensor(np.array(np.nan, np.float32))
    assert picture(jitted(nan, OUT([1, 2]))) == picture(f(nan, OUT([1, 2])))


@pytest.mark.skipif(not hasattr(__import__("signal"), "setitimer"), reason="needs setitimer")
def test_endless_loop_can_be_interrupted():
    import signal

    def endless(x):
        while x.sum() < 1e9:
            x = x * 1.0
        return x

    class Stop(Exception):
        pass

    def stop(*_):
        raise Stop

    jitted = ms.jit(endless, mode="PIJit")
    jitted(OUT([1e9, 1e9]))
    before = signal.signal(signal.SIGALRM, stop)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(Stop):
            jitted(OUT([1.0, 1.0]))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert jitted(OUT([1e9, 1e9])).shape == (2,)


def test_long_loop():
    def count(x, n):
        i = n * 0
        while i < n:
            x = x + 0.5
            i = i + 1
        return x

    n = Tensor(np.array(3000, np.int64))
    jitted = ms.jit(count, mode="PIJit")
    for _ in range(2):
        np.testing.assert_array_equal(jitted(OUT([0.0, 1.0]), n).asnumpy(), [1500.0, 1501.0])
    assert sys.getrefcount(n) < 10
