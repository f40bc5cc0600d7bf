"""The bytecode JIT against plain Python: results, exceptions, output and changed arguments."""
import contextlib
import io
import sys
import time
import traceback

import numpy as np
import pytest

import msjit as ms
from jit_corpus import CASES, Box, x22
from msjit import Tensor, _msjit, ops

pytestmark = pytest.mark.jit


def frozen(value, depth=0):
    """A comparable picture of a value."""
    if isinstance(value, Tensor):
        return ("tensor", str(value.dtype), value.shape, value.asnumpy().tobytes())
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, [frozen(v, depth) for v in value])
    if isinstance(value, dict):
        return ("dict", [(k, frozen(v, depth)) for k, v in value.items()])
    if isinstance(value, Box):
        return ("box", frozen(sorted(vars(value).items()), depth))
    if callable(value):
        return ("callable", getattr(value, "__name__", None))
    return (type(value).__name__, repr(value))


def outcome(fn, args):
    out = io.StringIO()
    result = error = None
    with contextlib.redirect_stdout(out):
        try:
            result = frozen(fn(*args))
        except Exception as e:
            frames = [(f.name, f.lineno) for f in traceback.extract_tb(e.__traceback__) if "jit_corpus" in f.filename]
            error = (type(e).__name__, str(e), frames)
    return result, error, out.getvalue(), [frozen(a) for a in args]


@pytest.mark.parametrize("fn,makers", CASES, ids=[c[0].__name__ for c in CASES])
def test_same_as_plain(fn, makers):
    jitted = ms.jit(fn, mode="PIJit")
    for _ in range(4):  # capture, cached runs
        expected = outcome(fn, [make() for make in makers])
        assert outcome(jitted, [make() for make in makers]) == expected


def regions(fn):
    return [r for f in _msjit.explain_json() if f["name"] == fn.__name__ for r in f["regions"]]


def breaks(fn):
    return [b for f in _msjit.explain_json() if f["name"] == fn.__name__ for b in f["breaks"]]


ONE_REGION = ["arithmetic", "many_locals", "python_branch", "range_loop", "list_loop", "while_loop", "break_continue",
              "dict_items", "mutates_list", "calls", "star_calls", "closures", "nonlocal_store", "comprehension",
              "lambdas", "returns_function", "indexing", "shapes", "reductions", "strings", "identities", "unpacking",
              "math_functions", "objects", "inheritance", "cell", "int_argument", "optional",
              "try_without_exception"]


@pytest.mark.parametrize("name", ONE_REGION)
def test_one_region(name):
    if _msjit.config()["break_every"]:
        pytest.skip("forced breaks split every region")
    fn, makers = next(c for c in CASES if c[0].__name__ == name)
    _msjit.reset()
    jitted = ms.jit(fn, mode="PIJit")
    jitted(*[make() for make in makers])
    jitted(*[make() for make in makers])
    assert breaks(fn) == []
    assert len(regions(fn)) == 1


def test_guards_see_changes():
    class Holder:
        scale = 2.0

    holder = Holder()
    table = {"k": 1.0}
    items = [1.0, 2.0]

    def f(x):
        return x * holder.scale + table["k"] + items[-1] * len(items)

    jitted = ms.jit(f, mode="PIJit")
    x = x22()

    def same():
        for _ in range(2):
            np.testing.assert_array_equal(jitted(x).asnumpy(), f(x).asnumpy())

    same()
    holder.scale = 3.0
    same()
    Holder.scale = 7.0
    del holder.scale
    same()
    table["k"] = 5.0
    same()
    items.append(4.0)
    same()
    items[-1] = 9.0
    same()


def test_guards_see_code_and_defaults():
    def inner(x, k=1.0):
        return x + k

    def f(x):
        return inner(x) * 2

    jitted = ms.jit(f, mode="PIJit")
    x = x22()
    jitted(x)
    inner.__defaults__ = (5.0,)
    np.testing.assert_array_equal(jitted(x).asnumpy(), f(x).asnumpy())
    inner.__code__ = (lambda x, k: x - k).__code__
    np.testing.assert_array_equal(jitted(x).asnumpy(), f(x).asnumpy())


def test_returned_tensors_do_not_alias():
    @ms.jit(mode="PIJit")
    def f(x):
        a = x + 1
        b = x + 1
        return a, b, x

    x = x22()
    for _ in range(2):
        a, b, same = f(x)
        assert same is x
        a[0] = 100.0
        assert b.asnumpy().max() < 100


def test_recompiles_stop():
    @ms.jit(mode="PIJit")
    def f(x, n):
        return x * n

    x = x22()
    for n in range(40):
        np.testing.assert_array_equal(f(x, n).asnumpy(), x.asnumpy() * np.float32(n))


def test_fullgraph_refuses_breaks():
    @ms.jit(mode="PIJit", fullgraph=True)
    def f(x):
        y = x + 1
        time.time()
        return y

    with pytest.raises(ms.CompileError, match=r"\[jit\] cannot capture the whole of f"):
        f(x22())


def test_jit_function_attributes():
    def f(x, k=2):
        """doc"""
        return x * k

    g = ms.jit(f, mode="PIJit")
    assert g.__wrapped__ is f and g.__name__ == "f" and g.__doc__ == "doc" and g.__defaults__ == (2,)
    assert g.__qualname__ == f.__qualname__ and g.__module__ == f.__module__

    class C:
        m = g

    x = x22()
    with pytest.raises(Exception):
        C().m(x, 1, 2, 3)
    np.testing.assert_array_equal(g(x=x, k=3).asnumpy(), (x * 3).asnumpy())


@pytest.mark.captures
def test_a_function_first_called_without_tensors_is_captured_later():
    @ms.jit(mode="PIJit")
    def mix(a, b):
        return a * b + a

    def late(a):
        total = 0
        for _ in range(3):
            total = total + a
        return total

    jitted = ms.jit(late, mode="PIJit")
    ms.reset()
    for _ in range(5):
        assert mix(2, 3) == 8 and jitted(2) == 6
    x = ms.Tensor([1.0, 2.0])
    for _ in range(10):
        assert mix(x, x).asnumpy().tolist() == [2.0, 6.0]
        assert jitted(x).asnumpy().tolist() == [3.0, 6.0]
    assert ms.stats()["captured_calls"] >= 6


def test_every_output_of_a_view_keeps_its_memory():
    """The later parts of a split outlive the first one."""
    def fn(x):
        a, b, c = ops.split(ops.matmul(x, x), 2, axis=-1)
        y = ops.softmax(ops.matmul(a, b.swapaxes(0, 1)) * 0.5, axis=-1)
        return ops.matmul(ops.softmax(y * 3.0, axis=0), c)
    x = Tensor(np.random.RandomState(0).randn(6, 6).astype(np.float32))
    jitted = ms.jit(fn, mode="PIJit")
    for _ in range(2):
        np.testing.assert_array_equal(jitted(x).asnumpy(), fn(x).asnumpy())
