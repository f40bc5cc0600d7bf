"""Parts of Python that programs with tensors use in passing: indices held in variables, imports inside functions, globals,
values of tensors."""
import sys
import types

import numpy as np
import pytest

import msjit as ms
from jit_programs import Programs, assert_same, breaks_of, x22
from msjit import Tensor, _msjit, ops

pytestmark = pytest.mark.jit

programs = Programs()


def x345():
    return Tensor(np.arange(60, dtype=np.float32).reshape(3, 4, 5))


@programs.add(x345, lambda: slice(1, 3), lambda: (slice(None, None, 2), 1), lambda: [2, 0], lambda: None)
def indices_in_variables(x, s, t, many, none):
    return x[s] + 1, x[t] * 2, x[none, ..., s], x[many], x[:, many, 0]


@programs.add(x345, lambda: Tensor(np.array([2, 0, -1])), lambda: Tensor(np.array(1)))
def index_tensors(x, rows, one):
    return x[rows], x[rows, rows], x[one], x[:, one], x[..., rows], x[rows, :, rows], x[one, rows] + x[0, rows]


@programs.add(x345, whole=False)
def index_tensor_out_of_range(x):
    return x[Tensor([7])]


@programs.add(x345, whole=False)
def mask(x):
    y = x * 2
    return y[y > 30] + 1


@programs.add(x22)
def imports(x):
    import math
    import os.path
    import xml.dom as dom
    from collections import OrderedDict
    from math import pi, sqrt
    return x * math.pi * sqrt(2) + pi, os.path.sep, dom.__name__ == "xml.dom", OrderedDict is dict


@programs.add(x22, whole=False)
def missing_import(x):
    try:
        import no_such_module
    except ImportError:
        return x * 2
    return no_such_module


counter = 0
last = None


@programs.add(x22, lambda: set_counter(5))
def global_store(x, _):
    global counter, last
    counter += 1
    last = x * counter
    counter += 1
    return last + counter, read_counter()


def set_counter(value):
    global counter
    counter = value


def read_counter():
    return counter


@programs.add(x22, whole=False)
def values_of_tensors(x):
    y = x * 2
    losses = []
    losses.append(float(y.sum()))
    losses.append((y * y).sum().item())
    b = bool(y.sum() > 100)
    n = not y.sum()
    return y + 1, losses, b, n, y.asnumpy().max() > 0, (y + 1).tolist()


@programs.add(x22, lambda: [1, 2.5])
def made_tensors(x, values):
    t = Tensor(values)
    return (x + Tensor(0.5), t, Tensor([[1, 2], [3, 4]], ms.float32) * x, Tensor(3, dtype=ms.int64), Tensor((True, False)),
            ms.Tensor([values[0]] * 2).reshape(2, 1), Tensor(2) + x)


@programs.add(x22)
def items_of_own_tensors(x):
    mask = ops.zeros((3, 4), ms.float32)
    for i in range(3):
        mask[i, :i + 1] = 1.0
    mask[-1] = Tensor([5, 6, 7, 8])
    mask[:, 3] = x[0, 0]
    mask[1:, None, 0] = x[:, 1:]
    y = x * 2
    z = y
    y[0] = x[1] + 1
    y[...] = y * y
    y[1, ::-1] = 3
    return mask, y, z is y, x


@programs.add(x22, whole=False)
def items_of_other_tensors(x):
    y = x * 2
    view = y[0]
    y[0] = 7.0
    same = x.reshape((2, 2))
    same[1] = 9.0
    wrong = ops.ones((2, 2))
    try:
        wrong[5] = 1.0
    except IndexError as e:
        return x, y, view, same, str(e)


@programs.add(x22, whole=False)
def items_behind_a_branch(x):
    y = x * 2
    if x.sum() > -100:
        y[0] = 1.0
    z = ops.ones((2, 2))
    for _ in range(2):
        if z.sum() < 100:
            z = z + 1
    z[0] = 3.0
    return y, z


test_same, test_one_region = programs.tests()


def test_import_is_guarded():
    module = types.ModuleType("msjit_test_imported")
    module.scale = 2.0
    sys.modules[module.__name__] = module

    @ms.jit(mode="PIJit")
    def f(x):
        import msjit_test_imported
        from msjit_test_imported import scale
        return x * msjit_test_imported.scale * scale

    try:
        x = Tensor([1.0])
        assert [f(x).tolist() for _ in range(3)] == [[4.0]] * 3
        module.scale = 3.0
        assert f(x).tolist() == [9.0]
        other = sys.modules[module.__name__] = types.ModuleType(module.__name__)
        other.scale = 5.0
        assert f(x).tolist() == [25.0]
        del other.scale
        with pytest.raises(ImportError):
            f(x)
        del sys.modules[module.__name__]
        with pytest.raises(ImportError):
            f(x)
    finally:
        sys.modules.pop(module.__name__, None)


def test_import_function_is_guarded():
    import builtins

    @ms.jit(mode="PIJit")
    def f(x):
        import math
        return x * math.pi

    f(Tensor([1.0]))
    seen, plain = [], builtins.__import__

    def watched(name, *rest):
        seen.append(name)
        return plain(name, *rest)

    builtins.__import__ = watched
    try:
        f(Tensor([1.0]))
    finally:
        builtins.__import__ = plain
    assert seen == ["math"]


def test_global_seen_through_its_module():
    def f(x):
        global counter
        counter = 3
        return x * sys.modules[__name__].counter

    set_counter(0)
    assert_same(f, x22)


def test_value_breaks_once():
    if _msjit.config()["break_every"]:
        pytest.skip("forced breaks split every region")

    def f(x):
        y = x * 2
        seen.append(y.tolist())
        return ops.tanh(y) + 1

    seen = []
    _msjit.reset()
    jitted = ms.jit(f, mode="PIJit")
    for _ in range(3):
        jitted(x22())
    assert [b["reason"] for b in breaks_of(f)] == ["tensor_value"]


def test_long_loop_is_no_slower_in_pieces():
    """What is left of a loop that is too long for one region, with little in its body, is the interpreter's."""
    def f(x, n):
        for _ in range(n):
            x = x * 0.5 + 1.0
        return x

    x = x22()
    jitted = ms.jit(f, mode="PIJit")
    expected = f(x, 2500).tolist()
    for _ in range(2):
        assert jitted(x, 2500).tolist() == expected
    if not _msjit.config()["break_every"]:
        count = {b["reason"]: b["count"] for b in breaks_of(f)}
        assert count.get("loop_iterator", 0) < 1000
