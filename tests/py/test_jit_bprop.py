"""Cells with a custom gradient (bprop): eager, and the same under PIJit."""
import gc
import weakref

import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn, ops
from msjit._native import _msjit
from msjit.autograd import no_grad


def tensor(*values):
    return Tensor(np.array(values, np.float32))


X, Y = tensor(0.2, 0.3), tensor(0.5, 0.7)


def numbers(value):
    if isinstance(value, Tensor):
        return value.asnumpy().tolist()
    return type(value)(numbers(v) for v in value) if isinstance(value, (tuple, list)) else value


def check(value, expected):
    if isinstance(expected, tuple):
        assert isinstance(value, tuple) and len(value) == len(expected)
        for v, e in zip(value, expected):
            check(v, e)
    else:
        assert np.allclose(value.asnumpy(), np.asarray(expected, np.float32), rtol=1e-5), (value, expected)


def jit(fn):
    return ms.jit(fn, mode="PIJit")


class Product(nn.Cell):
    def construct(self, x, y):
        return x * y

    def bprop(self, x, y, out, dout):
        return dout * 10, dout * 100


class Weighted(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(tensor(1, 2), name="w")

    def construct(self, x):
        return x * self.w

    def bprop(self, x, out, dout):
        return (dout * 10,)


class Outer(nn.Cell):
    def __init__(self):
        super().__init__()
        self.inner = Weighted()
        self.v = Parameter(tensor(2, 3), name="v")

    def construct(self, x):
        return ops.tanh(self.inner(x * self.v) * 3)


class Inherited(Product):
    pass


class Mixed:
    def bprop(self, x, y, out, dout):
        return dout * 10, dout * 100


class WithMixin(Mixed, nn.Cell):
    def construct(self, x, y):
        return x * y


def on_the_instance():
    cell = nn.Cell()
    cell.construct = lambda x, y: x * y
    cell.bprop = lambda x, y, out, dout: (dout * 10, dout * 100)
    return cell


def on_the_class_later():
    class Late(nn.Cell):
        def construct(self, x, y):
            return x * y
    Late.bprop = Product.bprop
    return Late()


MAKERS = [Product, Inherited, WithMixin, on_the_instance, on_the_class_later]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("wrap", [lambda f: f, pytest.param(jit, marks=pytest.mark.jit)])
def test_entry_points(make, wrap):
    cell = wrap(make())
    expected = [10, 10], [100, 100]
    for _ in range(3):
        check(cell(X, Y), [0.1, 0.21])
        check(ms.grad(cell, (0, 1))(X, Y), expected)
        check(ms.grad(lambda a, b: ops.exp(cell(a, b)), (0, 1))(X, Y),
              tuple((np.exp([0.1, 0.21]) * k).tolist() for k in (10, 100)))
        check(ms.value_and_grad(cell, 1)(X, Y), ([0.1, 0.21], [100, 100]))
        check(ops.GradOperation(get_all=True)(cell)(X, Y), expected)
        check(ops.GradOperation(sens_param=True)(cell)(X, Y, tensor(2, 3)), [20, 30])
        check(ms.vjp(cell, X, Y)[1](tensor(2, 3)), ([20, 30], [200, 300]))
        with_hook = wrap(make())
        if isinstance(with_hook, nn.Cell):
            handle = with_hook.register_forward_hook(lambda c, args, out: out * 2)
            check(ms.grad(with_hook, (0, 1))(X, Y), ([20, 20], [200, 200]))
            handle.remove()
        check(ms.grad(with_hook, (0, 1))(X, Y), expected)
        check(ms.grad(cell.set_train(), (0, 1))(X, Y), expected)


class Base:
    pass


def seven(x, out, dout):
    return (dout * 7,)


WAYS = {
    "class": lambda cell: setattr(type(cell), "bprop", lambda self, *args: seven(*args)),
    "base": lambda cell: setattr(Base, "bprop", lambda self, *args: seven(*args)),
    "instance": lambda cell: setattr(cell, "bprop", seven),
    "dict": lambda cell: cell.__dict__.update(bprop=seven),
    "object": lambda cell: object.__setattr__(cell, "bprop", seven),
}


@pytest.mark.parametrize("way", list(WAYS))
@pytest.mark.parametrize("wrap", [lambda f: f, pytest.param(jit, marks=pytest.mark.jit), pytest.param(ms.jit, marks=pytest.mark.jit)])
@pytest.mark.parametrize("place", ["the Cell", "a function", "a Cell around it", "a transform inside"])
def test_given_to_a_cell_that_exists(way, wrap, place):
    class Triple(nn.Cell, Base):
        def construct(self, x):
            return x * 3

    cell = Triple()
    run = wrap({"the Cell": cell, "a function": lambda x: cell(x) + 0, "a Cell around it": nn.SequentialCell(cell, nn.ReLU()),
                "a transform inside": lambda x: ms.grad(cell)(x)}[place])
    grad = run if place == "a transform inside" else ms.grad(run)
    try:
        for _ in range(3):
            check(grad(X), [3, 3])
            check(run(X), [3, 3] if grad is run else [0.6, 0.9])
        WAYS[way](cell)
        for _ in range(3):
            check(grad(X), [7, 7])
            check(run(X), [7, 7] if grad is run else [0.6, 0.9])
        for owner in (cell, Triple, Base):
            if "bprop" in vars(owner):
                delattr(owner, "bprop") if owner is not cell else object.__delattr__(cell, "bprop")
        check(grad(X), [3, 3])
    finally:
        if "bprop" in vars(Base):
            del Base.bprop


@pytest.mark.parametrize("wrap", [lambda f: f, pytest.param(jit, marks=pytest.mark.jit)])
def test_nested_cells_and_parameters(wrap):
    """The Cell replaces whatever its construct records: its own Parameters get zeros as gradients, Parameters outside of it the gradient
    that reaches them through bprop."""
    cell = Outer()
    run = wrap(lambda x: cell(x) * 2)
    x = tensor(0.2, 0.1)
    value = np.tanh(np.array([0.2 * 2 * 1, 0.1 * 3 * 2]) * 3)
    slope = 2 * (1 - value ** 2) * 3 * 10
    for _ in range(3):
        check(run(x), (2 * value).tolist())
        of_x, of_weights = ms.grad(run, 0, cell.trainable_params())(x)
        check(of_x, (slope * [2, 3]).tolist())
        check(of_weights, ((slope * [0.2, 0.1]).tolist(), [0, 0]))
    inner = Weighted()
    check(ops.GradOperation(get_by_list=True)(wrap(inner), inner.trainable_params())(X), ([0, 0],))
    check(ms.grad(lambda a: inner(Y) * a, 0, inner.trainable_params())(X), ([0.5, 1.4], ([0, 0],)))


class Square(nn.Cell):
    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * x * x * x,)


class Cube(nn.Cell):
    def construct(self, x):
        return x * x * x

    def bprop(self, x, out, dout):
        return (dout * out,)


def test_gradients_of_gradients():
    """Second gradients differentiate what bprop computes. Where bprop uses `out`, the gradient of `out` is again the Cell's bprop."""
    x = tensor(2, 3)
    check(ms.grad(ms.grad(Square()))(x), [12, 27])
    check(ms.grad(ms.grad(ms.grad(Square())))(x), [12, 18])
    check(ms.grad(ms.grad(Cube()))(x), [8, 27])
    check(ops.jvp(Square(), x, tensor(1, 2))[1], [8, 54])
    check(ops.jacrev(Square())(x), [[8, 0], [0, 27]])


class Arguments(nn.Cell):
    """Notes what bprop gets."""

    def bprop(self, *args):
        self.seen = args
        return tuple(a * 10 if isinstance(a, Tensor) else a for a in args[:-2])


class Defaults(Arguments):
    def construct(self, x, y=None, k=3):
        return x * k if y is None else x * y * k


class KeywordOnly(Arguments):
    def construct(self, x, *, y):
        return x * y


class Anything(Arguments):
    def construct(self, *xs, **named):
        return xs[0] * named["y"]


@pytest.mark.parametrize("cell, call, expected, seen", [
    (Defaults(), lambda c, a, b: c(a, b), ([2, 3], [5, 7]), [[0.2, 0.3], [0.5, 0.7], 3]),
    (Defaults(), lambda c, a, b: c(a, k=2, y=b), ([2, 3], [5, 7]), [[0.2, 0.3], [0.5, 0.7], 2]),
    (Defaults(), lambda c, a, b: c(a), ([2, 3], [0, 0]), [[0.2, 0.3], None, 3]),
    (KeywordOnly(), lambda c, a, b: c(a, y=b), ([2, 3], [5, 7]), [[0.2, 0.3], [0.5, 0.7]]),
    (Anything(), lambda c, a, b: c(a, 5, y=b), ([2, 3], [5, 7]), [[0.2, 0.3], 5, [0.5, 0.7]]),
])
def test_arguments(cell, call, expected, seen):
    """Keywords and defaults come in the order of construct's parameters."""
    check(ms.grad(lambda a, b: call(cell, a, b), (0, 1))(X, Y), expected)
    found = [np.round(a.asnumpy(), 6).tolist() if isinstance(a, Tensor) else a for a in cell.seen[:-2]]
    assert found == [np.round(np.array(s, np.float32), 6).tolist() if isinstance(s, list) else s for s in seen]
    check(cell.seen[-1], [1, 1])


class OfTuple(nn.Cell):
    def construct(self, pair, named):
        return pair[0] * pair[1] * named["k"]

    def bprop(self, pair, named, out, dout):
        return (dout * 10, None), {"k": dout * named["k"]}


class TwoOutputs(nn.Cell):
    def construct(self, x, y):
        return x * y, {"sum": [x + y]}, 5

    def bprop(self, x, y, out, dout):
        self.seen = out, dout
        return dout[0] * 10 + dout[1], dout[1] * 100


def test_containers():
    check(ms.grad(lambda a, b: OfTuple()((a, b), {"k": b}), (0, 1))(X, Y), ([10, 10], [0.5, 0.7]))
    cell = TwoOutputs()
    check(ms.grad(lambda a, b: cell(a, b)[0], (0, 1))(X, Y), ([10, 10], [0, 0]))
    check(ms.grad(lambda a, b: cell(a, b)[1]["sum"][0] * 2, (0, 1))(X, Y), ([2, 2], [200, 200]))
    out, dout = cell.seen
    assert isinstance(out, tuple) and out[2] == 5 and list(out[1]) == ["sum"]
    assert isinstance(dout, tuple) and numbers(dout) == ([0, 0], [2, 2])


class Returns(nn.Cell):
    def __init__(self, gradients, inputs=1):
        super().__init__()
        self.gradients, self.inputs = gradients, inputs

    def construct(self, *xs):
        return xs[0] * 2

    def bprop(self, *args):
        return self.gradients(args[-1]) if callable(self.gradients) else self.gradients


@pytest.mark.parametrize("gradients, expected", [
    (lambda d: d * 3, [3, 3]), (lambda d: [d * 3], [3, 3]), (lambda d: (d * 3, d), [3, 3]), ((None,), [0, 0]),
    (lambda d: (ops.ones((3, 2), ms.float32),), [3, 3]), (lambda d: (d.astype(ms.float16),), [1, 1]),
    (lambda d: (ops.ones((2,), ms.int32) * 7,), [7, 7]),
])
def test_what_bprop_may_return(gradients, expected):
    found = ms.grad(Returns(gradients))(X)
    check(found, expected)
    assert found.dtype == ms.float32 and found.shape == (2,)


@pytest.mark.parametrize("gradients, inputs, error, text", [
    (lambda d: (d,), 2, ValueError, r"\[Returns.bprop\] number of gradients, got 1, expected 2"),
    (lambda d: d, 2, TypeError, r"\[Returns.bprop\] gradients, got Tensor, expected a tuple of 2"),
    ((), 1, ValueError, r"\[Returns.bprop\] number of gradients, got 0, expected 1"),
    (None, 1, TypeError, r"\[Returns.bprop\] gradients, got NoneType, expected a tuple of 1"),
    (("s",), 1, TypeError, r"\[Returns.bprop\] a gradient, got str, expected a Tensor"),
    (lambda d: (d.sum(),), 1, ValueError, r"\[Returns.bprop\] shape of a gradient, got \(\), expected \(2,\)"),
    (lambda d: (ops.ones((3,), ms.float32),), 1, ValueError, r"got \(3,\), expected \(2,\)"),
    (lambda d: {}["gone"], 1, KeyError, "gone"),
])
@pytest.mark.parametrize("wrap", [lambda f: f, pytest.param(jit, marks=pytest.mark.jit)])
def test_errors(gradients, inputs, error, text, wrap):
    cell = Returns(gradients)
    run = wrap(lambda *xs: cell(*xs) + 1)
    for _ in range(2):
        with pytest.raises(error, match=text):
            ms.grad(run, tuple(range(inputs)))(*[X, Y][:inputs])
        check(run(*[X, Y][:inputs]), [1.4, 1.6])
    cell.bprop = None
    with pytest.raises(TypeError, match=r"\[Returns.bprop\] the gradient function, got NoneType"):
        ms.grad(run)(X)


def test_mixed_precision():
    """bprop gets the inputs as the caller gave them; out and dout are what the Cell computed."""
    class Cast(Arguments):
        def construct(self, x):
            return x * x
    cell = Cast().to_float(ms.float16)
    found = ms.grad(cell)(X)
    assert [a.dtype for a in cell.seen] == [ms.float32, ms.float16, ms.float16] and found.dtype == ms.float32


def test_outputs_that_are_inputs():
    class Same(nn.Cell):
        def construct(self, x):
            return x

        def bprop(self, x, out, dout):
            return (dout * 7,)

    class View(Same):
        def construct(self, x):
            return x.reshape(2, 1)

        def bprop(self, x, out, dout):
            return (dout.reshape(2) * 7,)

    class Kept(Same):
        def __init__(self):
            super().__init__()
            self.kept = tensor(1, 1)

        def construct(self, x):
            return self.kept
    check(ms.grad(lambda a: Same()(a) * 2)(X), [14, 14])
    check(ms.grad(lambda a: View()(a) * 2)(X), [14, 14])
    cell = Kept()
    check(ms.grad(cell)(X), [7, 7])
    check(ms.grad(lambda a: cell.kept * a)(X), [1, 1])  # the tensor itself got no history


def test_nothing_inside_is_recorded():
    class Saves(nn.Cell):
        def construct(self, x):
            self.saved = x * 3
            return x * 2

        def bprop(self, x, out, dout):
            return (dout * self.saved,)
    cell = Saves()
    check(ms.grad(lambda a: cell(a) + cell.saved)(X), [0.6, 0.9])

    class Grads(nn.Cell):
        def construct(self, x):
            return ms.grad(lambda a: a * a * a)(x)

        def bprop(self, x, out, dout):
            return (ms.grad(lambda a: (a * a).sum())(x) * dout,)
    check(ms.grad(Grads())(X), [0.4, 0.6])


def test_the_inner_one_of_two():
    class Twice(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Weighted()

        def construct(self, x):
            return self.inner(x) * 3

        def bprop(self, x, out, dout):
            return (ms.grad(self.inner)(x) * dout * 2,)
    check(ms.grad(Twice())(X), [20, 20])


def test_backward_of_tensors():
    """Tensors that the user tracks, outside all transforms."""
    x = tensor(1, 2)
    x.requires_grad = True
    cell = Product()
    cell(x, Y).sum().backward()
    check(x.grad, [10, 10])


@pytest.mark.jit
def test_backward_of_tensors_under_pijit():
    cell = Product()
    run = jit(lambda a, b: ops.tanh(cell(a, b)) * 1.0)
    for _ in range(3):
        check(run(X, Y), np.tanh([0.1, 0.21]).tolist())
        x = tensor(0.2, 0.3)
        x.requires_grad = True
        run(x, Y).sum().backward()
        check(x.grad, (10 * (1 - np.tanh([0.1, 0.21]) ** 2)).tolist())


def test_writes_in_between():
    class Reads(nn.Cell):
        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            return (dout * x,)

    param = Parameter(tensor(1, 2), name="p")

    def run(write):
        out = Reads()(param)
        with no_grad():
            write()
        return out
    with pytest.raises(RuntimeError, match="Reads.bprop needs for its gradient was modified in place"):
        ms.grad(run, None, [param])(lambda: param.add_(X))
    param.set_data(tensor(1, 2))
    check(ms.grad(run, None, [param])(lambda: ops.assign(param, X))[0], [1, 2])  # assign gives it new memory


def test_what_is_kept_alive():
    gc.collect()
    live = _msjit.live_tape_nodes()
    cell = Weighted()
    gone = weakref.ref(cell)
    for _ in range(3):
        ms.grad(lambda a, c=cell: c(c(a)))(X)
    del cell
    gc.collect()
    assert gone() is None and _msjit.live_tape_nodes() == live


@pytest.mark.jit
@pytest.mark.captures
def test_captured_where_no_gradient_is_asked_for():
    cell = Outer()
    run = jit(lambda x: ops.tanh(cell(x) + 1) * 2)
    grad = ms.grad(run)
    for _ in range(3):
        grad(X)  # first: what it leaves behind must not stand in the way
    run(X)
    report = ms.explain(run, X)
    assert report.totals["eager_ops"] == 0 and report.totals["breaks"] == 0
    only = jit(Product())
    ms.grad(only)(X, Y)
    only(X, Y)
    assert ms.explain(only, X, Y).totals["eager_ops"] == 0


def test_gradient_functions_run_in_the_reverse_order_of_their_steps():
    """Whatever the order of the operands is, and compiled or not: they may print, count, or call other processes."""
    seen = []

    class Noted(nn.Cell):
        def __init__(self, name):
            super().__init__()
            self.name = name

        def construct(self, x):
            return x * 2

        def bprop(self, x, out, dout):
            seen.append(self.name)
            return (dout * 2,)
    first, second, third = Noted("first"), Noted("second"), Noted("third")

    def f(x):
        a, b = first(x), second(x)
        c = third(a)
        return (b * (c * a)).sum()

    def gradient(x):
        return ms.grad(f)(x)
    for fn in (gradient, jit(gradient)):
        for _ in range(3):
            del seen[:]
            check(fn(X), 3 * 16 * X.asnumpy() ** 2)
            assert seen == ["third", "second", "first"]
