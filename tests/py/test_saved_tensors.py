"""saved_tensors_hooks: what gradients need goes through functions of the program. Numbers are MindSpore 2.10's."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn, ops

ONES, THREES = Tensor([1.0, 1.0]), Tensor([3.0, 3.0])


class Log:
    """Hooks that add 1 and note what they get."""

    def __init__(self):
        self.packed, self.unpacked = [], []

    def pack(self, tensor):
        self.packed.append(round(float(tensor.sum()), 4))
        return tensor + 1

    def unpack(self, value):
        self.unpacked.append(round(float(value.sum()), 4))
        return value


def gradients(function, *args):
    log = Log()

    def hooked(*xs):
        with ms.saved_tensors_hooks(log.pack, log.unpack):
            return function(*xs)
    grads = ms.grad(hooked, tuple(range(len(args))))(*args)
    return [grad.asnumpy().ravel().tolist() for grad in (grads if isinstance(grads, tuple) else (grads,))], log


@pytest.mark.parametrize("function, args, grads, packed", [
    (lambda x, y: x * y, (ONES, THREES), [[4, 4], [2, 2]], [2, 6]),
    (lambda x, y: x + y, (ONES, THREES), [[1, 1], [1, 1]], []),
    (lambda x: x.sum(), (ONES,), [[1, 1]], []),
    (ops.exp, (ONES,), [[3.7182818, 3.7182818]], [5.4366]),
    (lambda x: ops.sin(x) * 2, (ONES,), [[-0.8322937, -0.8322937]], [2]),
    (ops.tanh, (ONES,), [[-2.103214, -2.103214]], [1.5232]),
    (ops.relu, (ONES,), [[1, 1]], [2]),
    (ops.matmul, (Tensor(np.ones((2, 2), np.float32)),) * 2, [[4] * 4, [4] * 4], [4, 4])])
def test_what_is_packed(function, args, grads, packed):
    got, log = gradients(function, *args)
    np.testing.assert_allclose(got, grads, 1e-5)
    assert log.packed == packed and len(log.unpacked) == len(packed)


def test_hooks_inside_one_another():
    outer, inner = [], Log()

    def f(x):
        with ms.saved_tensors_hooks(lambda t: outer.append("pack") or t, lambda t: outer.append("unpack") or t):
            z = x * x
            with ms.saved_tensors_hooks(inner.pack, inner.unpack):
                z = z * x
            return z * x
    assert ms.grad(f)(ONES).tolist() == [7, 7]
    assert outer == ["pack"] * 4 + ["unpack"] * 4 and inner.packed == [2, 2]


def test_any_object_may_stand_for_a_tensor():
    def f(x):
        with ms.saved_tensors_hooks(lambda t: t.asnumpy().astype("float16"), lambda a: Tensor(a.astype("float32"))):
            return ops.exp(x) * x
    np.testing.assert_allclose(ms.grad(f)(ONES).asnumpy(), 2 * np.e, 1e-3)


def fails(text):
    def hook(value):
        raise LookupError(text)
    return hook


@pytest.mark.parametrize("pack, unpack, error, text", [
    (lambda t: t, lambda t: 3, TypeError, "result of unpack_hook, got int, expected a Tensor"),
    (lambda t: t, lambda t: Tensor([1.0, 2.0, 3.0]), ValueError, "result of unpack_hook, got float32\\(3,\\), expected float32\\(2,\\)"),
    (fails("packing"), lambda t: t, LookupError, "packing"), (lambda t: t, fails("unpacking"), LookupError, "unpacking"),
    (3, lambda t: t, TypeError, "pack_hook, got int, expected a function"),
    (lambda t: t, None, TypeError, "unpack_hook, got NoneType, expected a function")])
def test_errors(pack, unpack, error, text):
    def f(x):
        with ms.saved_tensors_hooks(pack, unpack):
            return x * x
    with pytest.raises(error, match=text):
        ms.grad(f)(ONES)
    assert ms.grad(lambda x: x * x)(ONES).tolist() == [2, 2]  # no hook is left


def test_a_gradient_of_a_gradient():
    def f(x):
        with ms.saved_tensors_hooks(lambda t: t, lambda t: t):
            return x * x * x
    with pytest.raises(NotImplementedError, match="a gradient of a gradient"):
        ms.grad(ms.grad(f))(ONES)


def test_functions_and_cells():
    log = Log()

    @ms.register_saved_tensors_hooks(log.pack, log.unpack)
    def square(x):
        return x * x
    assert ms.grad(square)(ONES).tolist() == [4, 4] and log.packed == [2, 2]

    class Net(nn.Cell):
        def construct(self, x):
            return x * x
    net = Net()
    net.register_saved_tensors_hooks(log.pack, log.unpack)
    assert ms.grad(net)(ONES).tolist() == [4, 4] and len(log.packed) == 4
    with pytest.raises(TypeError, match="unpack_hook, got int"):
        net.register_saved_tensors_hooks(log.pack, 3)


def test_nothing_is_packed_without_gradients():
    log = Log()
    with ms.saved_tensors_hooks(log.pack, log.unpack):
        assert (ONES * THREES).tolist() == [3, 3]
        with ms.no_grad():
            ms.grad(lambda x: x)(ONES)
    assert log.packed == []


@pytest.mark.jit
@pytest.mark.parametrize("mode", ["PIJit", "PSJit"])
def test_no_graph_packs(mode):
    log = Log()

    @ms.jit(mode=mode)
    def inner(x):
        return ops.exp(x) * 2

    @ms.jit(mode=mode)
    def f(x):
        y = x * 2
        with ms.saved_tensors_hooks(log.pack, log.unpack):
            z = inner(y) * y
        return z + ops.sin(y)
    for n in range(1, 4):
        got = ms.grad(f)(Tensor([0.0]))
        assert len(log.packed) == 3 * n == len(log.unpacked), log.packed
        np.testing.assert_allclose(got.asnumpy(), [16], 1e-6)  # 2 (3 + 4 + cos 0)
