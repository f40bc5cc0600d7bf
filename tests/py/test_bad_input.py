"""Mistakes give a Python exception in the house format, leak nothing and never crash."""
import gc
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

import msjit
from msjit import Tensor, _msjit

ops = _msjit.ops
X = Tensor(np.ones((2, 3), np.float32))
I = Tensor(np.ones((2, 3), np.int64))
HOUSE = r"^\[[\w.]+\] [^A-Z].*[^.]$"
HUGE = 2**60


class Evil:
    """Says it is an int and then is none."""

    def __index__(self):
        raise KeyError("evil")

    def __float__(self):
        raise KeyError("evil")


CASES = {
    "wrong shapes": (lambda: X + Tensor(np.ones((4, 5), np.float32)), ValueError),
    "wrong inner dimension": (lambda: X @ X, ValueError),
    "wrong dtype": (lambda: ops.matmul(I, X.astype(msjit.bool_)), TypeError),
    "missing argument": (lambda: ops.add(X), TypeError),
    "no argument": (lambda: ops.add(), TypeError),
    "too many arguments": (lambda: ops.add(X, X, X), TypeError),
    "unknown keyword": (lambda: ops.add(X, X, z=1), TypeError),
    "argument twice": (lambda: ops.add(X, X, x=X), TypeError),
    "number for a shape": (lambda: msjit.ops.layer_norm(X, 3), TypeError),
    "None for a tensor": (lambda: ops.add(X, None), TypeError),
    "str for a tensor": (lambda: ops.add(X, "a"), TypeError),
    "bytes for a tensor": (lambda: ops.add(X, b"abc"), TypeError),
    "dict for a tensor": (lambda: ops.exp({}), TypeError),
    "object for a tensor": (lambda: ops.exp(object()), TypeError),
    "type for a tensor": (lambda: ops.exp(Tensor), TypeError),
    "axis out of range": (lambda: ops.sum(X, axis=2), (ValueError, IndexError)),
    "axis far out of range": (lambda: ops.sum(X, axis=-(2**40)), (ValueError, IndexError)),
    "axis twice": (lambda: ops.sum(X, axis=(0, 0)), ValueError),
    "NaN axis": (lambda: ops.sum(X, axis=float("nan")), TypeError),
    "float axis": (lambda: ops.sum(X, axis=1.0), TypeError),
    "str axis": (lambda: ops.sum(X, axis="1"), TypeError),
    "axis of a dict": (lambda: ops.sum(X, axis={}), TypeError),
    "axis beyond int64": (lambda: ops.sum(X, axis=2**70), OverflowError),
    "negative size": (lambda: ops.zeros((-2, 3)), ValueError),
    "huge size": (lambda: ops.zeros((HUGE,)), (MemoryError, ValueError)),
    "huge product": (lambda: ops.zeros((2**31, 2**31, 2**31)), (MemoryError, ValueError)),
    "huge arange": (lambda: ops.arange(0, HUGE), (MemoryError, ValueError)),
    "huge broadcast": (lambda: ops.broadcast_to(Tensor(1.0), (HUGE,)) + 1, (MemoryError, ValueError)),
    "huge broadcast product": (lambda: ops.broadcast_to(Tensor(1.0), (2**31, 2**31, 2**31)), (MemoryError, ValueError)),
    "huge outer sum": (lambda: ops.add(Tensor(np.zeros((1, 0))), ops.broadcast_to(Tensor(1.0), (2**62, 1))), (MemoryError, ValueError)),
    "too many dimensions": (lambda: ops.reshape(Tensor(1.0), (1,) * 9), ValueError),
    "wrong reshape": (lambda: ops.reshape(X, (4,)), ValueError),
    "two unknown dimensions": (lambda: ops.reshape(X, (-1, -1)), ValueError),
    "not a permutation": (lambda: ops.transpose(X, (0, 0)), ValueError),
    "empty concat": (lambda: ops.concat([]), (TypeError, ValueError)),
    "concat of a tensor": (lambda: ops.concat(X), TypeError),
    "concat of strings": (lambda: ops.concat(["a"]), TypeError),
    "concat of unequal shapes": (lambda: ops.concat([X, Tensor(np.ones((2, 4), np.float32))], 0), ValueError),
    "bad dtype name": (lambda: ops.cast(X, "float33"), TypeError),
    "dtype of a number": (lambda: ops.cast(X, 3), TypeError),
    "big int operand": (lambda: X + 2**70, OverflowError),
    "index out of range": (lambda: X[2], IndexError),
    "gather out of range": (lambda: ops.gather(X, Tensor([9]), 0), IndexError),
    "str operand": (lambda: X + "a", TypeError),
    "None operand": (lambda: X * None, TypeError),
    "order of None": (lambda: X < None, TypeError),
    "bool of many": (lambda: bool(X), ValueError),
    "int of many": (lambda: int(X), ValueError),
    "float of many": (lambda: float(X), ValueError),
    "item of many": (lambda: X.item(), ValueError),
    "bool of none": (lambda: bool(Tensor([])), ValueError),
    "index of a float": (lambda: [1, 2][Tensor(1.0)], TypeError),
    "len of a number": (lambda: len(Tensor(1)), TypeError),
    "iteration over a number": (lambda: iter(Tensor(1)), TypeError),
    "construct from str": (lambda: Tensor("abc"), TypeError),
    "construct from None": (lambda: Tensor(None), TypeError),
    "construct from nothing": (lambda: Tensor(), TypeError),
    "construct from dict": (lambda: Tensor({1: 2}), TypeError),
    "construct from set": (lambda: Tensor({1}), TypeError),
    "construct from ragged list": (lambda: Tensor([[1, 2], [3]]), TypeError),
    "construct from mixed list": (lambda: Tensor([1, [2]]), TypeError),
    "construct from list of str": (lambda: Tensor([1, "a"]), TypeError),
    "construct from list of None": (lambda: Tensor([None]), TypeError),
    "construct from big int": (lambda: Tensor(2**70), OverflowError),
    "construct with bad dtype": (lambda: Tensor([1], "nope"), TypeError),
    "construct with negative shape": (lambda: Tensor(shape=(-1,), dtype=msjit.float32, init="zeros"), ValueError),
    "construct with huge shape": (lambda: Tensor(shape=(HUGE,), dtype=msjit.float32), (MemoryError, ValueError)),
    "construct with rank 9": (lambda: Tensor(np.zeros((1,) * 9)), ValueError),
    "construct from deep list": (lambda: Tensor([[[[[[[[[1]]]]]]]]]), ValueError),
    "requires_grad of ints": (lambda: setattr(Tensor([1]), "requires_grad", True), TypeError),
    "requires_grad of a str": (lambda: setattr(Tensor([1.0]), "requires_grad", "yes"), TypeError),
    "grad of another shape": (lambda: setattr(Tensor([1.0]), "grad", X), TypeError),
    "backward without history": (lambda: X.backward(), (RuntimeError, ValueError)),
    "set_data of a list": (lambda: Tensor([1.0]).set_data([1]), TypeError),
}


def tracked(*shape):
    x = Tensor(np.ones(shape, np.float32))
    x.requires_grad = True
    return x


CASES["composite of a tracked tensor"] = (lambda: ops.adaptive_avg_pool2d(tracked(2, 3), []), ValueError)


def self_containing():
    a = []
    a.append(a)
    return a


CASES["construct from a list within itself"] = (lambda: Tensor(self_containing()), ValueError)


@pytest.mark.parametrize("name", sorted(CASES))
def test_message(name):
    call, kind = CASES[name]
    with pytest.raises(kind) as caught:
        call()
    text = str(caught.value)
    assert type(caught.value) is not SystemError and not isinstance(caught.value, msjit.InternalError)
    if "operand type" not in text and "not supported between" not in text:
        import re
        assert re.match(HOUSE, text, re.S), text


def test_exceptions_of_the_user_pass_through():
    for call in (lambda: ops.sum(X, axis=Evil()), lambda: X[Evil()], lambda: X[Evil():], lambda: ops.reshape(X, (Evil(),))):
        with pytest.raises(KeyError, match="evil"):
            call()


def test_mistakes_leak_nothing():
    def round_():
        for call, kind in CASES.values():
            with pytest.raises(kind):
                call()

    for _ in range(3):
        round_()
    gc.collect()
    before = _msjit.allocator_stats()["live_blocks"]
    for _ in range(10):
        round_()
    gc.collect()
    assert _msjit.allocator_stats()["live_blocks"] == before


@pytest.mark.parametrize("name", ["sum", "prod", "all", "any", "max", "min", "argmax", "argmin", "mean", "cumsum", "softmax"])
def test_reductions_to_nothing(name):
    for shape in ((3, 100000, 0), (0, 5, 0), (3, 4, 0), (0, 4, 5)):
        for axis in range(3):
            x = Tensor(np.zeros(shape, np.float32))
            try:
                out = getattr(ops, name)(x, axis=axis)
            except (ValueError, IndexError):
                assert shape[axis] == 0  # nothing to take a maximum of
                continue
            want = shape if name in ("cumsum", "softmax") else shape[:axis] + shape[axis + 1:]
            assert out.shape == want


def test_zero_size():
    e = Tensor(np.zeros((0, 3), np.float32))
    assert (e + 1).shape == (0, 3) and ops.exp(e).shape == (0, 3) and ops.sum(e).item() == 0
    assert ops.matmul(e, Tensor(np.ones((3, 2), np.float32))).shape == (0, 2) and repr(e) and str(e) and e.tolist() == []
    assert e.T.shape == (3, 0) and e.reshape(3, 0).shape == (3, 0) and e[0:0].shape == (0, 3)
    assert ops.concat([e, e], 0).shape == (0, 3)


def test_list_changed_while_read():
    class Shrink(np.ndarray):
        pass

    data = [1.0, 2.0]

    class Popper:
        def __index__(self):
            data.clear()
            return 1

    with pytest.raises((TypeError, IndexError, ValueError)):
        ops.sum(X, axis=[Popper(), Popper(), "a"])
    shape = [1, 1, 6]

    class Clearing:
        def __index__(self):
            del shape[:]
            return 6

    shape[0] = Clearing()
    with pytest.raises((ValueError, TypeError, IndexError)):
        ops.reshape(X, shape + [7])
    shape[:] = [Clearing(), 1]
    assert ops.reshape(X, shape).shape == (6,)  # the list ended while it was read


CRASHERS = {
    "never initialised": "class P(Tensor):\n    def __init__(self): pass\np = P(); repr(p); p + 1; p.asnumpy(); p[0:0]; len(p)",
    "initialised twice": "x = Tensor([1., 2.]); y = x[0:1]; a = x.asnumpy(); x.__init__([3., 4., 5.]); assert y.tolist() == [1.] and a[1] == 2.",
    "wrong self": "for n in dir(Tensor):\n    try: getattr(Tensor, n)(3)\n    except Exception: pass",
    "op on itself": "_msjit.ops.add(_msjit.ops.add, _msjit.ops.add)",
    "deep history": "x = Tensor([1.]); x.requires_grad = True\ny = x\nfor _ in range(200000): y = y + 1\ndel y",
    "deep backward": "x = Tensor([1.]); x.requires_grad = True\ny = x\nfor _ in range(20000): y = y + 1\ny.backward(); assert x.grad.tolist() == [1.]",
    "exit with arrays alive": "a = np.ones(10); t = Tensor.from_numpy(a); b = t.asnumpy(); c = t.__dlpack__()",
    "thread at exit": "import threading\nt = threading.Thread(target=lambda: [Tensor(np.ones((300, 300))) + 1 for _ in range(200)], daemon=True); t.start()",
    "recursion": "def f(x): return f(x + 1)\ntry: f(Tensor([1.]))\nexcept RecursionError: pass\nelse: assert False",
    "nested lists": "l = [1]\nfor _ in range(100000): l = [l]\ntry: Tensor(l)\nexcept ValueError: pass",
    "nested lists of arrays": "l = [np.ones(1)]\nfor _ in range(100000): l = [l]\ntry: Tensor(l)\nexcept (ValueError, RecursionError): pass",
    "garbage dlpack": "class P:\n    def __dlpack__(self, **k): return 5\ntry: _msjit.from_dlpack(P())\nexcept TypeError: pass",
    "rebuild": "for bad in ((1,)*5, (Tensor, 'float32', (2,), b'123', 0), (Tensor, 'float32', (-1,), b'', 0), (Tensor, 'float32', (2**62,), b'', 0), (Tensor, 'float32', (1,)*9, b'1234', 0)):\n"
               "    try: _msjit._rebuild_tensor(*bad)\n    except (TypeError, ValueError, MemoryError): pass\n    else: assert False, bad",
    "scopes": "try: _msjit.pop_grad_scope()\nexcept RuntimeError: pass",
    "every op without sense": """
junk = [None, 1, -1, 2.5, float('nan'), 'x', [], (), [1, 'a'], {}, Tensor([]), Tensor([[1, 2], [3, 4]]), Tensor(1.5), 2**70, True,
        np.zeros((2, 2), np.float32)[:, ::-1], Tensor(np.zeros((0, 3))), (-1, 2), object(), msjit.float16, Tensor([True, False])]
import itertools, random
random.seed(1)
for row in _msjit.op_table():
    op = getattr(_msjit.ops, row['name'])
    for _ in range(150):
        args = [random.choice(junk) for _ in range(random.randint(0, len(row['params']) + 1))]
        kw = {p['name']: random.choice(junk) for p in row['params'][len(args):] if random.random() < 0.4}
        try: op(*args, **kw)
        except msjit.InternalError: raise
        except (TypeError, ValueError, IndexError, OverflowError, MemoryError, ZeroDivisionError, NotImplementedError, RuntimeError): pass
""",
}


@pytest.mark.costly
@pytest.mark.parametrize("name", sorted(CRASHERS))
def test_no_crash(name):
    code = "import numpy as np, msjit\nfrom msjit import Tensor, _msjit\n" + textwrap.dedent(CRASHERS[name])
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          universal_newlines=True, timeout=300, env=dict(os.environ, MSJIT_STRICT="1"))
    assert done.returncode == 0 or (name == "op on itself" and done.returncode == 1), done.stderr[-2000:]
    if name == "op on itself":
        assert "TypeError" in done.stderr
