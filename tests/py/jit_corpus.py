"""Functions for the bytecode JIT's differential tests: each case is (function, argument maker). Run plainly and under
jit they must return, raise, print and mutate the same."""
import math

import msjit as ms
from msjit import Tensor, ops

CASES = []


def case(*makers):
    def add(fn):
        CASES.append((fn, makers))
        return fn
    return add


def t(*shape, start=0.0):
    import numpy as np
    count = 1
    for d in shape:
        count *= d
    return Tensor((np.arange(count, dtype=np.float32).reshape(shape) + start) / 8)


def x22():
    return t(2, 2, start=-1.5)


def x34():
    return t(3, 4, start=-5)


@case(x22, x22)
def arithmetic(x, y):
    return (x + y) * 2.0 - x / (y * y + 1.0)


@case(x22)
def many_locals(x):
    a = x + 1
    b = a * 2
    a, b = b, a
    c = (a, b, [a, b])
    return c


@case(x22)
def python_branch(x):
    if x.shape[0] == 2:
        y = x * 3
    else:
        y = x - 3
    return y if x.ndim > 1 else x


@case(x22)
def range_loop(x):
    total = x
    for i in range(4):
        total = total + x * i
    return total


@case(lambda: [x22(), x22(), x22()])
def list_loop(xs):
    total = 0
    for i, x in enumerate(xs):
        total = total + x * (i + 1)
    return total


@case(x22)
def while_loop(x):
    n = 0
    while n < 3:
        x = x * 1.5
        n += 1
    return x, n


@case(x22)
def break_continue(x):
    out = []
    for i in range(10):
        if i % 2:
            continue
        if i > 6:
            break
        out.append(x + i)
    else:
        out.append(None)
    return out


@case(lambda: {"a": x22(), "b": x22()})
def dict_items(d):
    total = 0
    for k, v in d.items():
        total = total + v * len(k)
    d["sum"] = total
    return total


@case(lambda: [x22()])
def mutates_list(xs):
    xs.append(xs[0] * 2)
    xs[0] = xs[0] + 1
    return len(xs)


def helper(x, scale=2.0, *rest, bias=0.5, **options):
    y = x * scale + bias
    for r in rest:
        y = y + r
    if options:
        y = y * len(options)
    return y


@case(x22)
def calls(x):
    return helper(x), helper(x, 3.0), helper(x, 1.0, x, x, bias=2.0), helper(x, k=1, j=2)


@case(x22)
def star_calls(x):
    args = (x, 2.5)
    keywords = {"bias": 1.5}
    return helper(*args, **keywords)


@case(x22)
def closures(x):
    scale = 3.0

    def inner(y):
        return y * scale + x

    scale = 4.0
    return inner(x)


@case(x22)
def nonlocal_store(x):
    count = 0

    def step(y):
        nonlocal count
        count += 1
        return y * count

    x = step(step(x))
    return x, count


@case(x22)
def comprehension(x):
    return [x * i for i in range(3)], {i: x + i for i in range(2)}


@case(x22)
def lambdas(x):
    f = lambda a, b=2: a * b
    return f(x) + f(x, b=3)


@case(x22)
def returns_function(x):
    y = x + 1
    return lambda z: z + y


@case(x34)
def indexing(x):
    return x[0], x[1:], x[:, 2], x[..., None], x[-1, ::2], x[None, 1]


@case(x34)
def shapes(x):
    a, b = x.shape
    return x.reshape(b, a), x.T, x.size, x.ndim, x.dtype


@case(x34)
def reductions(x):
    return x.sum(), x.sum(axis=1), x.mean(0), x.max(), ops.softmax(x[:, :2], -1)


@case(x22)
def tensor_branch(x):
    if x.sum() > 0:
        y = x * 2
    else:
        y = x - 2
    return y + 1


@case(x22)
def prints(x):
    y = x + 1
    print("middle", y.shape)
    z = y * 2
    print("sum", float(z.sum()))
    return z - x


@case(x22)
def break_in_loop(x):
    for i in range(5):
        x = x + i
        print(i)
        x = x * 0.5
    return x


def noisy(x):
    y = x * 2
    print("noisy")
    return y + 1


@case(x22)
def break_in_callee(x):
    y = x + 1
    z = noisy(y)
    w = noisy(z) * 2
    return w - x


@case(x22)
def try_except(x):
    y = x + 1
    try:
        y = y * 2
        if y.shape[0] == 2:
            raise ValueError("two")
        y = y * 3
    except ValueError as e:
        y = y - len(str(e))
    finally:
        y = y + 10
    return y


@case(x22)
def with_block(x):
    class Manager:
        def __enter__(self):
            print("enter")
            return 3

        def __exit__(self, *exc):
            print("exit", exc[0])
            return True

    with Manager() as n:
        y = x * n
        y = y + 1
        raise KeyError("inside")
    return y


@case(x22)
def raises_inside(x):
    y = x + 1
    z = y * 2
    return ops.matmul(z, t(3, 3))


@case(x22)
def raises_index(x):
    y = [x + 1]
    return y[3]


@case(x22)
def unbound(x):
    y = x * 2
    if x.shape[0] == 3:
        w = 1
    return y + w


@case(x22)
def strings(x):
    name = "%d-%s" % (x.shape[0], "a")
    return {name: x * 2, f"{x.ndim}!": name.upper()}


@case(x22)
def identities(x):
    y = x
    return y is x, x is not None, [x, x + 0][0] is x


@case(x22)
def unpacking(x):
    first, *middle, last = [x, x + 1, x + 2, x + 3]
    return first, middle, last


@case(x22)
def math_functions(x):
    return x * math.sqrt(2.0) + math.pi, max(1, 2), abs(-3), int(2.7), round(2.5), sum([1, 2, 3])


@case(x22)
def zips(x):
    total = x
    for a, b in zip([1, 2, 3], (x, x * 2, x * 3)):
        total = total + a * b
    return total, list(reversed([1, 2])), tuple(i for i in [1])


class Box:
    factor = 1.5

    def __init__(self, w):
        self.w = w
        self.calls = 0
        self.parts = [w, w * 2]

    @property
    def double(self):
        return self.w * 2

    @staticmethod
    def twice(x):
        return x + x

    @classmethod
    def scaled(cls, x):
        return x * cls.factor

    def method(self, x):
        self.calls += 1
        return x * self.w + self.parts[1]

    def __call__(self, x):
        return self.method(x) + 1


@case(lambda: Box(x22()), x22)
def objects(box, x):
    y = box(x) + box.double
    y = box.twice(y) + box.scaled(x)
    return y, box.calls


class Child(Box):
    def method(self, x):
        return super().method(x) - 1


@case(lambda: Child(x22()), x22)
def inheritance(box, x):
    return box.method(x), isinstance(box, Box), type(box) is Child


class Net(ms.nn.Cell):
    def __init__(self):
        super().__init__()
        ms.set_seed(3)
        self.a = ms.nn.Dense(4, 5)
        self.b = ms.nn.Dense(5, 2)
        self.act = ms.nn.ReLU()
        self.layers = ms.nn.SequentialCell(self.a, self.act, self.b)

    def construct(self, x):
        return self.layers(x) + self.b(self.act(self.a(x)))


@case(Net, x34)
def cell(net, x):
    return net(x)


@case(x22, lambda: 3)
def int_argument(x, n):
    return x * n + n // 2


@case(x22, lambda: None)
def optional(x, y=None):
    if y is None:
        y = 1
    return x + y


@case(x22)
def try_without_exception(x):
    try:
        y = x * 2
        try:
            z = y + 1
        finally:
            y = y - z
    except ValueError:
        return None
    return y, z


@case(x22, x34)
def op_error_in_try(x, y):
    try:
        z = x * 2
        try:
            z = z + y
        finally:
            print("finally", z.shape)
    except (ValueError, TypeError, RuntimeError) as e:
        return type(e).__name__, str(e), z * 3
    return z


def may_raise(x, n):
    if n > 1:
        raise KeyError(n)
    return x + n


@case(x22)
def callee_raises_in_try(x):
    out = []
    for n in range(4):
        try:
            out.append(may_raise(x, n))
        except KeyError as e:
            out.append(e.args)
            continue
        else:
            out.append(x * n)
        finally:
            x = x + 1
    return out


@case(x22)
def returns_from_try(x):
    for n in range(3):
        try:
            y = x * n
            if n == 1:
                return y + 1
        finally:
            print("leaving", n)


class Printing:
    def __init__(self, value):
        self.value = value

    def __enter__(self):
        print("enter", self.value)
        return self.value

    def __exit__(self, *exc):
        print("exit", exc[0])


@case(x22)
def managers_in_loops(x):
    for n in range(2):
        with Printing(n) as m, Printing("b") as other:
            x = x * 2
            try:
                x = x + m + len(other)
                x = x + missing.attribute if n else x * other
            except (TypeError, NameError) as e:
                x = x - len(str(e))
    return x
