"""amp level "auto": the dtypes of results are those of MindSpore 2.10."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, amp, nn, ops

FULL = Tensor(np.ones((2, 4)), ms.float32)
HALF = FULL.astype(ms.float16)
IMAGES = Tensor(np.ones((1, 4, 6, 6)), ms.float32)


class Net(nn.Cell):
    """A network of a function, and of a Cell that the function calls."""

    def __init__(self, function, inner=None):
        super().__init__()
        self.function, self.inner = function, inner

    def construct(self, *args):
        return self.function(*args)


ROWS = {
    "dense": (nn.Dense(4, 3), (FULL,), "float32"), "dense of halves": (nn.Dense(4, 3), (HALF,), "float32"),
    "dense without bias": (nn.Dense(4, 3, has_bias=False), (FULL,), "float16"),
    "matmul": (lambda p: ops.matmul(p, p.T), (FULL,), "float16"), "@": (lambda p: p @ p.T, (FULL,), "float16"),
    "bmm": (lambda p: ops.bmm(p[None], p.T[None]), (FULL,), "float16"), "conv": (nn.Conv2d(4, 2, 3), (IMAGES,), "float16"),
    "conv with bias": (nn.Conv2d(4, 2, 3, has_bias=True), (IMAGES,), "float32"), "norm": (nn.BatchNorm2d(4), (IMAGES,), "float32"),
    "layer norm": (nn.LayerNorm((4,)), (HALF,), "float32"), "relu": (ops.relu, (FULL,), "float32"), "relu h": (ops.relu, (HALF,), "float16"),
    "add": (lambda p, q: p + q, (HALF, FULL), "float32"), "cat": (lambda p, q: ops.cat((p, q)), (HALF, FULL), "float32"),
    "where": (lambda p, q: ops.where(p > 0, p, q), (HALF, FULL), "float32"), "exp": (ops.exp, (HALF,), "float32"),
    "log": (ops.log, (HALF,), "float32"), "softmax": (lambda p: ops.softmax(p, -1), (HALF,), "float32"),
    "sum": (lambda p: p.sum(), (HALF,), "float32"), "mean": (lambda p: p.mean(), (HALF,), "float16"),
    "prod": (lambda p: p.prod(), (HALF,), "float32"), "pow": (lambda p: p ** 2, (HALF,), "float32"),
    "sigmoid": (ops.sigmoid, (HALF,), "float16"), "sqrt": (ops.sqrt, (HALF,), "float16"), "tanh": (ops.tanh, (HALF,), "float16"),
    "mse": (lambda p: ops.mse_loss(p, p), (HALF,), "float16"),
    "cross entropy": (lambda p: ops.cross_entropy(p, Tensor([1, 2], ms.int32)), (HALF,), "float32"),
    "ints": (lambda p: p + 1, (Tensor([1]),), "int64"), "float64": (ops.exp, (FULL.astype(ms.float64),), "float64")}


@pytest.mark.parametrize("name", sorted(ROWS))
def test_dtypes(name):
    function, args, dtype = ROWS[name]
    net = amp.auto_mixed_precision(Net(function, function if isinstance(function, nn.Cell) else None), "auto")
    assert net(*args).dtype == getattr(ms, dtype)


def test_gradients_have_the_dtypes_of_the_parameters():
    net = nn.SequentialCell(nn.Dense(4, 3, weight_init="ones"), nn.ReLU(), nn.Dense(3, 1, weight_init="ones", has_bias=False))
    assert amp.auto_mixed_precision(net, "auto", ms.bfloat16)(FULL).dtype == ms.bfloat16
    value, grads = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())(FULL)
    assert [g.dtype for g in grads] == [ms.float32] * 3 and np.isfinite(float(value))
    assert ops.matmul(FULL, FULL.T).dtype == ms.float32  # operators outside of the network are not cast
    with pytest.raises(ValueError, match="expected 'O0', 'O1', 'O2', 'O3' or 'auto'"):
        amp.auto_mixed_precision(net, "automatic")


def test_the_scope_ends_where_construct_raises():
    def fails(x):
        raise LookupError("here")
    with pytest.raises(LookupError):
        amp.auto_mixed_precision(Net(fails), "auto")(FULL)
    assert ops.matmul(FULL, FULL.T).dtype == ms.float32


@pytest.mark.jit
@pytest.mark.parametrize("mode", ["PIJit", "PSJit"])
def test_compiled_callers(mode):
    net = amp.auto_mixed_precision(Net(lambda p: ops.matmul(p, p.T)), "auto")
    compiled = ms.jit(net, mode=mode)
    outer = ms.jit(lambda x: (net(x + 1), ops.matmul(x, x.T)), mode=mode)
    for _ in range(3):
        assert compiled(FULL).dtype == ms.float16
        inner, plain = outer(FULL)
        assert inner.dtype == ms.float16 and plain.dtype == ms.float32
