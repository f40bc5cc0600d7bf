"""Operators that write to Parameters inside of functions that are differentiated: eager and under the JIT."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn, ops


def tensor(*values):
    return Tensor(np.array(values, np.float32))


WRITES = {
    "assign": lambda p: ops.assign(p, tensor(10, 20)),
    "assign_add": lambda p: ops.assign_add(p, tensor(9, 18)),
    "assign_sub": lambda p: ops.assign_sub(p, tensor(-9, -18)),
    "Assign": lambda p: ops.Assign()(p, tensor(10, 20)),
    "ScatterUpdate": lambda p: ops.ScatterUpdate()(p, Tensor([0, 1], ms.int32), tensor(10, 20)),
    "scatter_nd_add": lambda p: ops.ScatterNdAdd()(p, Tensor([[0], [1]], ms.int32), tensor(9, 18)),
}
WAYS = [lambda fn: fn, lambda fn: ms.jit(fn, mode="PIJit"), ms.jit]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("by_weights", [False, True])
@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("name", list(WRITES))
def test_a_write_between_two_uses(name, frozen, by_weights, way):
    """What is computed from the old values keeps them for its gradient."""
    p = Parameter(tensor(1, 2), name="p", requires_grad=not frozen)

    def f(x):
        old = x * p
        WRITES[name](p)
        return (old + x * p).sum()

    gradient = way(ms.grad(f, 0, [p] if by_weights else None))
    for _ in range(3):
        p.set_data(tensor(1, 2))
        found = gradient(tensor(1, 3))
        by_input = found[0] if by_weights else found
        assert by_input.asnumpy().tolist() == [11, 22] and p.asnumpy().tolist() == [10, 20]
        if by_weights and not frozen:
            assert found[1][0].asnumpy().tolist() == [2, 6]


@pytest.mark.parametrize("way", WAYS)
def test_a_counter(way):
    """A Parameter that counts calls, in a Cell that is trained."""
    class Counting(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(tensor(1, 2), name="w")
            self.calls = Parameter(Tensor(0, ms.int32), name="calls")

        def construct(self, x):
            ops.assign_add(self.calls, 1)
            return (x * self.w).sum() * self.calls

    net = Counting()
    step = way(ms.value_and_grad(net, None, [net.w]))
    for n in range(1, 4):
        value, (grad,) = step(tensor(1, 3))
        assert float(value) == 7 * n and grad.asnumpy().tolist() == [n, 3 * n] and int(net.calls) == n


def test_a_tensor_with_a_gradient_is_still_refused():
    def f(x):
        ops.assign(x, tensor(3, 4))
        return x.sum()

    with pytest.raises(RuntimeError, match="cannot be modified in place"):
        ms.grad(f)(tensor(1, 2))


def test_assignment_in_a_loop_of_graph_mode():
    """The example of side effects in MindSpore's pages on graph mode."""
    class Forward(nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = Parameter(Tensor(0, ms.int32), name="param")

        def construct(self, x):
            out, i = 0, 0
            while i < 3:
                ops.assign(self.weight, i)
                out = x * self.weight + out
                i = i + 1
            return out

    class Backward(nn.Cell):
        def __init__(self, net):
            super().__init__(auto_prefix=False)
            self.net, self.grad = net, ops.GradOperation(get_all=True)

        def construct(self, *inputs):
            return self.grad(self.net)(*inputs)

    net = Forward()
    before = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        (grad,) = Backward(net)(Tensor(1, ms.int32))
    finally:
        ms.set_context(mode=before)
    assert int(grad) == 3 and int(net.weight) == 2


# name: (a write of the second argument to p whose result is used, the gradient by it, the gradient by p)
RESULTS = {
    "assign_add": (lambda p, u: ops.assign_add(p, u), [1, 3], [1, 3]),
    "assign_sub": (lambda p, u: ops.assign_sub(p, u), [-1, -3], [1, 3]),
    "assign": (lambda p, u: ops.assign(p, u), [0, 0], [1, 3]),
    "scatter_add": (lambda p, u: ops.scatter_add(p, Tensor([1, 0], ms.int32), u), [3, 1], [1, 3]),
    "ScatterUpdate": (lambda p, u: ops.ScatterUpdate()(p, Tensor([1, 0], ms.int32), u), [3, 1], [0, 0]),
    "ScatterMax": (lambda p, u: ops.ScatterMax()(p, Tensor([1, 0], ms.int32), u), [3, 0], [1, 0]),
    "IndexAdd": (lambda p, u: ops.IndexAdd(0)(p, Tensor([1, 0], ms.int32), u), [3, 1], [1, 3]),
    "index_add": (lambda p, u: ops.index_add(p, Tensor([1, 0], ms.int32), u, 0), [3, 1], [1, 3]),
    "scatter_nd_sub": (lambda p, u: ops.ScatterNdSub()(p, Tensor([[0], [1]], ms.int32), u), [-1, -3], [1, 3]),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", list(RESULTS))
def test_the_result_of_a_write_has_a_gradient(name, way):
    """As in MindSpore by what is added or written; assign alone passes none on."""
    write, by_value, by_weight = RESULTS[name]
    p = Parameter(tensor(5, 1), name="p")
    gradient = way(ms.grad(lambda u: (write(p, u) * tensor(1, 3)).sum(), 0, [p]))
    for _ in range(3):
        p.set_data(tensor(5, 1))
        found = gradient(tensor(2, 4))
        assert found[0].asnumpy().tolist() == by_value and found[1][0].asnumpy().tolist() == by_weight
