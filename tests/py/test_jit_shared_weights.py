"""Weights that a program uses again and again: products that are done as one, forward and in the gradient, give eager's values."""
import numpy as np
import pytest

import msjit as ms
from jit_same import FORCED
from msjit import Parameter, Tensor, nn, ops

pytestmark = pytest.mark.jit
STEPS = 6


def rand(*shape, dtype=np.float32, seed=0):
    return Tensor((np.random.RandomState(seed + sum(shape)).randn(*shape) / 8).astype(dtype))


class Recurrent(nn.Cell):
    def __init__(self, bias, layers=1, dtype=np.float32):
        super().__init__()
        self.bias, self.layers = bias, layers
        for layer in range(layers):
            setattr(self, "into%d" % layer, Parameter(rand(64, 64, dtype=dtype, seed=layer), name="into%d" % layer))
            setattr(self, "again%d" % layer, Parameter(rand(64, 64, dtype=dtype, seed=9 + layer), name="again%d" % layer))
            setattr(self, "bias%d" % layer, Parameter(rand(64, dtype=dtype, seed=layer), name="bias%d" % layer))

    def construct(self, x):
        for layer in range(self.layers):
            into, again = getattr(self, "into%d" % layer), getattr(self, "again%d" % layer)
            h, seen = ops.zeros_like(x[0]), []
            for t in range(x.shape[0]):
                y = ops.matmul(x[t], into) + ops.matmul(h, again)
                h = ops.tanh(y + getattr(self, "bias%d" % layer) if self.bias else y)
                seen.append(h)
            x = ops.stack(seen)
        return x


class Towers(nn.Cell):
    """Inputs of several lengths through one Dense, its weight also used transposed, a residual and a mean over all."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(64, 64, weight_init=rand(64, 64), bias_init=rand(64))

    def construct(self, x):
        parts = [x[0], x[1, :2], ops.relu(x[2]), x[3] * 2, x[4, 1:]]
        outs = [self.dense(p) + p for p in parts]
        back = [ops.matmul(o, self.dense.weight) for o in outs]
        return ops.cat(outs + back), outs[1], self.dense(outs[0])


def dropped(net):
    """With random numbers between the products."""
    def fn(x):
        total = ops.zeros_like(x[0])
        for t in range(STEPS):
            total = total + ops.tanh(ops.matmul(ops.dropout(x[t], 0.5, training=True), net.into0))
        return total
    return fn


def check(fn, params, dtype=np.float32, calls=3):
    def loss(x):
        out = fn(x)
        return sum((o * o).sum() for o in (out if isinstance(out, tuple) else (out,)))
    gradients = ms.value_and_grad(loss, 0, params)

    def trained(x):
        return fn(x), gradients(x)
    fast = ms.jit(trained, mode="PIJit")
    tolerance = 1e-5 if dtype == np.float32 else 1e-12
    for call in range(calls):
        x = rand(STEPS, 3, 64, dtype=dtype, seed=call)
        ms.set_seed(call)
        expected = leaves(trained(x))
        ms.set_seed(call)
        got = leaves(fast(x))
        assert len(got) == len(expected)
        for g, e in zip(got, expected):
            assert g.shape == e.shape and g.dtype == e.dtype
            assert np.allclose(g.asnumpy(), e.asnumpy(), rtol=tolerance, atol=tolerance), np.abs(g.asnumpy() - e.asnumpy()).max()


def leaves(value):
    return [leaf for item in value for leaf in leaves(item)] if isinstance(value, tuple) else [value]


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("layers", [1, 2])
def test_recurrences(bias, layers):
    net = Recurrent(bias, layers)
    check(net, net.trainable_params())


def test_other_dtypes():
    net = Recurrent(True, dtype=np.float64)
    check(net, net.trainable_params(), np.float64)


def test_parts_of_other_lengths():
    net = Towers()
    check(net, net.trainable_params())


def test_random_numbers_stay_in_order():
    net = Recurrent(False)
    check(dropped(net), [net.into0])


def test_not_a_number_stays_in_its_row():
    net = Recurrent(True)
    x = rand(STEPS, 3, 64).asnumpy().copy()
    x[2, 1, 5], x[4, 0, 0] = np.nan, np.inf
    fast = ms.jit(lambda x: net(x), mode="PIJit")
    assert np.array_equal(np.isnan(fast(Tensor(x)).asnumpy()), np.isnan(net(Tensor(x)).asnumpy()))


def test_results_are_written_into_apart():
    """Slices of one product are tensors of their own for the program."""
    weight = Parameter(rand(64, 64), name="w")

    def fn(x):
        return tuple([ops.matmul(x[t], weight) for t in range(STEPS)])
    for f in (fn, ms.jit(fn, mode="PIJit")):
        outs = f(rand(STEPS, 3, 64))
        before = [o.asnumpy().copy() for o in outs]
        outs[2][:] = 7
        assert all(np.array_equal(o.asnumpy(), b) for i, (o, b) in enumerate(zip(outs, before)) if i != 2)
        assert (outs[2].asnumpy() == 7).all()


@pytest.mark.skipif(FORCED, reason="looks at the graph")
def test_what_all_steps_share_is_one_product():
    net = Recurrent(True)
    text = str(ms.explain(ms.jit(lambda x: net(x), mode="PIJit"), rand(STEPS, 3, 64)))
    assert text.count(" = matmul(") == 1 + STEPS
