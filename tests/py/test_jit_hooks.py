"""Hooks on gradients: of Cells, HookBackward, InsertGradientOf, stop_gradient; eager, and the same under PIJit."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn, ops

X, Y = Tensor(np.array([2.0, 3.0], np.float32)), Tensor(np.array([5.0, 7.0], np.float32))
WRAPS = [pytest.param(lambda f: f, id="eager"),
         pytest.param(lambda f: ms.jit(f, mode="PIJit"), id="jit", marks=pytest.mark.jit)]


def plain(value):
    if isinstance(value, (tuple, list)):
        return type(value)(plain(v) for v in value)
    return value.asnumpy().tolist() if isinstance(value, Tensor) else value


class Square(nn.Cell):
    def construct(self, x):
        return x * x


class Weighted(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.array([5.0, 7.0], np.float32)), name="w")

    def construct(self, x):
        return x * self.w


class Two(nn.Cell):
    def construct(self, x, k=3, y=None):
        y = x if y is None else y
        return x * y, x + y


class Own(Square):
    def bprop(self, x, out, dout):
        return (dout * 7,)


class Log:
    """Hooks that note what they get, and scale the gradients."""

    def __init__(self, factor=None):
        self.factor, self.seen = factor, []

    def changed(self, grads):
        return None if self.factor is None else tuple(g if g is None else g * self.factor for g in grads)

    def __call__(self, cell, *grads):
        self.seen.append((type(cell).__name__,) + plain(grads))
        return self.changed(grads[0])


@pytest.mark.parametrize("wrap", WRAPS)
def test_backward_hooks_of_cells(wrap):
    for _ in range(2):
        net, hook, pre = Square(), Log(2), Log(5)
        run = wrap(lambda x, net=net: net(x) + 0)
        assert plain(ms.grad(run)(X)) == [4, 6]
        handle = net.register_backward_hook(hook)
        assert plain(run(X)) == [4, 9] and hook.seen == []
        assert plain(ms.grad(run)(X)) == [8, 12] and hook.seen == [("Square", ([4, 6],), ([1, 1],))]
        pre_handle = net.register_backward_pre_hook(pre)
        assert plain(ms.grad(run)(X)) == [40, 60]
        assert pre.seen == [("Square", ([1, 1],))] and hook.seen[1:] == [("Square", ([20, 30],), ([5, 5],))]
        pre_handle.remove()
        assert plain(ms.grad(lambda a, run=run: run(run(a)))(X)) == [128, 432]
        handle.remove()
        handle.remove()
        assert plain(ms.grad(run)(X)) == [4, 6] and "_ms_intercept" not in net.__dict__


@pytest.mark.parametrize("wrap", WRAPS)
def test_several_hooks(wrap):
    """One after the other, though nobody keeps their handles."""
    net, last = Square(), Log(10)
    net.register_backward_hook(Log(2))
    net.register_backward_hook(last)
    net.register_backward_pre_hook(Log(5))
    net.register_backward_pre_hook(lambda cell, grads: grads[0] + 1)
    assert plain(ms.grad(wrap(lambda x: net(x) + 0))(X)) == [480, 720]
    assert last.seen == [("Square", ([48, 72],), ([6, 6],))]
    log = []
    net.register_forward_hook(lambda cell, args, out: log.append(1))
    net.register_forward_hook(lambda cell, args, out: log.append(2))
    net(X)
    assert log == [1, 2]


@pytest.mark.parametrize("wrap", WRAPS)
def test_inputs_and_outputs(wrap):
    """The positional Tensors, tracked or not; None for an output that no gradient comes back to."""
    net, hook = Two(), Log(2)
    net.register_backward_hook(hook)
    first, both = wrap(lambda a, b: net(a, 3, b)[0] * 1), wrap(lambda a, b: net(a, 3, b))
    assert plain(ms.grad(first, (0, 1))(X, Y)) == ([10, 14], [4, 6])
    assert hook.seen.pop() == ("Two", ([5, 7], [2, 3]), ([1, 1], None))
    assert plain(ms.grad(both, (0, 1))(X, Y)) == ([12, 16], [6, 8])
    assert hook.seen.pop() == ("Two", ([6, 8], [3, 4]), ([1, 1], [1, 1]))
    assert plain(ms.grad(first)(X, Y)) == [10, 14] and hook.seen.pop()[1] == ([5, 7], [2, 3])
    assert plain(ms.grad(wrap(lambda a, b: net(a, y=b)[0]), (0, 1))(X, Y)) == ([10, 14], [2, 3])
    assert hook.seen.pop()[1] == ([5, 7],)


@pytest.mark.parametrize("wrap", WRAPS)
def test_with_parameters_bprop_precision_and_forward_hooks(wrap):
    net, hook = Weighted(), Log(2)
    net.register_backward_hook(hook)
    net.register_backward_pre_hook(Log(5))
    run = wrap(lambda x: net(x) + 0)
    assert plain(ms.grad(run, 0, net.trainable_params())(X)) == ([50, 70], ([10, 15],))
    hook.factor = None
    assert plain(ms.grad(lambda: run(X), None, net.trainable_params())()) == ([10, 15],)
    assert hook.seen.pop() == ("Weighted", (None,), ([5, 5],))
    own = Own()
    own.register_backward_hook(Log(2))
    assert plain(ms.grad(wrap(lambda x: own(x) + 0))(X)) == [14, 14]
    around, hook = Square(), Log(2)
    around.register_backward_hook(hook)
    around.register_forward_pre_hook(lambda cell, args: (args[0] * 3,))
    around.register_forward_hook(lambda cell, args, out: out * 7)
    assert plain(ms.grad(wrap(lambda x: around(x) + 0))(X)) == [504, 756]
    assert hook.seen == [("Square", ([84, 126],), ([1, 1],))]
    half = Square().to_float(ms.float16)
    half.register_backward_hook(lambda cell, grads, out: (grads[0] * 2 if out[0].dtype == ms.float16 else None,))
    assert plain(ms.grad(wrap(lambda x: half(x) + 0))(X)) == [8, 12]


@pytest.mark.parametrize("returned, error, text", [
    (lambda g: (g, g), TypeError, r"\[Square.backward_hook\] number of gradients returned, got 2, expected 1"),
    (lambda g: 3, TypeError, r"\[Square.backward_hook\] a gradient, got int, expected a Tensor"),
    (lambda g: g.sum(), ValueError, r"\[Square.backward_hook\] a gradient, got Float32\(\), expected Float32\(2,\)"),
    (lambda g: g.astype(ms.float16), ValueError, r"got Float16\(2,\), expected Float32\(2,\)"),
    (lambda g: {}["gone"], KeyError, "gone"),
])
@pytest.mark.parametrize("wrap", WRAPS)
def test_errors(returned, error, text, wrap):
    net = Square()
    net.register_backward_hook(lambda cell, grads, out: returned(grads[0]))
    with pytest.raises(error, match=text):
        ms.grad(wrap(lambda x: net(x) + 0))(X)
    for register in (net.register_backward_hook, net.register_backward_pre_hook, ops.HookBackward, ops.InsertGradientOf):
        with pytest.raises(TypeError, match="must be callable, got int"):
            register(3)


@pytest.mark.parametrize("wrap", WRAPS)
def test_primitives(wrap):
    seen = []
    hook = ops.HookBackward(lambda grads: seen.append(plain(grads)))
    assert plain(ms.grad(wrap(lambda a: hook(a * 2) * 3))(X)) == [6, 6] and seen == [([3, 3],)]
    both = ops.HookBackward(lambda grads: (grads[0] * 10, seen.append(plain(grads)) or grads[1] * 2))
    run = wrap(lambda a, b: both(a * 2, b)[0] * 3)
    assert plain(ms.grad(run, (0, 1))(X, Y)) == ([60, 60], [0, 0]) and seen.pop() == ([3, 3], [0, 0])
    assert plain(run(X, Y)) == [12, 18] and plain(ops.HookBackward(both._hook)(X)) == [2, 3]
    insert = ops.InsertGradientOf(lambda grad: grad * 10)
    assert plain(ms.grad(wrap(lambda a: insert(a * 2) * 3))(X)) == [60, 60]
    with pytest.raises(ValueError, match=r"\[insert_gradient_of\] a gradient, got Float32\(\), expected Float32\(2,\)"):
        ms.grad(lambda a: ops.InsertGradientOf(lambda grad: grad.sum())(a))(X)


@pytest.mark.parametrize("wrap", WRAPS)
def test_stop_gradient(wrap):
    stop = wrap(ops.stop_gradient)
    assert plain(ms.grad(lambda a: stop(a * 2) * a)(X)) == [4, 6]
    assert plain(ms.grad(wrap(lambda a: ops.stop_gradient((a, [a * 2]))[1][0] * a))(X)) == [4, 6]
    for value in (3, 2.5, True, None, "s", ()):
        assert stop(value) == value and type(stop(value)) is type(value)
    assert plain(stop((X, {"k": [Y]})[0])) == [2, 3] and plain(stop({"k": (Y, 3)})["k"]) == ([5, 7], 3)
    assert plain(ops.StopGradient()((X, Y))) == ([2, 3], [5, 7])


@pytest.mark.jit
@pytest.mark.captures
def test_captured_where_no_gradient_is_asked_for():
    net, hook = Square(), ops.HookBackward(lambda grads: None)
    net.register_backward_hook(lambda cell, grads, out: None)
    run = ms.jit(lambda x: hook(net(x) + 1) * 2, mode="PIJit")
    ms.grad(run)(X)
    run(X)
    assert ms.explain(run, X).totals["eager_ops"] == 0
