"""Tensor.contiguous() and is_contiguous() in captured code: the same tensor, or a copy, as in eager code."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, jit, mint, nn, ops


def array(*shape):
    return Tensor(np.arange(np.prod(shape), dtype=np.float32).reshape(shape) / 7)


def heads(x):
    """As attention has it."""
    q = (x * 2).reshape(2, 3, 2, 4).swapaxes(1, 2).contiguous()
    return q.reshape(2, 2, 12), q.is_contiguous()


def part(x):
    rows = (x + 1)[:, 1:].contiguous()
    columns = (x + 1)[1:].contiguous()
    rows += 1
    return rows, columns


def itself(x):
    y = x * 2
    z = y.contiguous()
    t = y.T
    return z is y, t.contiguous() is t, t.T.contiguous() + 1, t.is_contiguous(), t.T.is_contiguous()


def written(x):
    """The write shows in y where contiguous() returns a tensor on its memory."""
    y = x * 2
    z = y.reshape(-1).contiguous()
    z += 10
    t = y.T.contiguous()
    t += 100
    return y, z, t


def one_column(x):
    """A transposed tensor with one column is contiguous."""
    y = (x[:, :1] * 3).T
    return y.contiguous() is y, y.contiguous()


def halves(x):
    first, second = ops.split(x * 2, 2, axis=-1)
    return first.contiguous() - second.contiguous(), first.is_contiguous()


def strides(x):
    y = x * 2
    t = y.T
    return y.stride(), t.stride(), t[:, :1].stride(0), y.reshape(-1).stride(), x[0:].value() + 1, y.value() is y


def data(x):
    """Shares memory with the tensor, as detach() does."""
    y = x * 2
    z = y.data
    z += 1
    return y, z, x.data is x, (x.data * 2).has_init


CASES = [(heads, (2, 3, 8)), (part, (3, 4)), (itself, (3, 4)), (written, (3, 4)), (one_column, (3, 4)), (halves, (3, 4)),
         (strides, (3, 4)), (data, (3, 4))]


def plain(value):
    if isinstance(value, Tensor):
        return value.asnumpy().tolist()
    return [plain(v) for v in value] if isinstance(value, tuple) else value


@pytest.mark.jit
@pytest.mark.parametrize("function, shape", CASES, ids=[f.__name__ for f, _ in CASES])
def test_equals_eager(function, shape):
    captured = jit(function, mode="PIJit")
    for times in range(4):
        x = array(*shape) + times
        assert plain(captured(x)) == plain(function(x))


@pytest.mark.jit
@pytest.mark.captures
def test_one_region():
    report = ms.explain(heads, array(2, 3, 8))
    assert (len(report.regions), report.breaks) == (1, [])


LAYERS = [nn.LayerNorm((4,)), nn.Dense(4, 4), nn.GELU(), nn.Softmax(), nn.BatchNorm2d(2), nn.GroupNorm(1, 2), nn.Conv2d(2, 2, 3),
          nn.MaxPool2d(2, 1), nn.AvgPool2d(2, 1), nn.ReLU(), nn.Pad(((0, 0), (0, 0), (1, 1), (0, 1))),
          lambda x: mint.roll(x, 1, 2), lambda x: ops.cumsum(x, 1), lambda x: ops.matmul(x, x),
          lambda x: ops.gather(x, Tensor([1, 0]), 1)]


@pytest.mark.captures
@pytest.mark.parametrize("layer", LAYERS, ids=range(len(LAYERS)))
def test_what_layers_return(layer):
    """In one region, also inside a gradient; what each returns has the strides of eager code."""
    def function(x):
        y = layer(x)
        return y.is_contiguous(), (y.swapaxes(1, 2).contiguous() ** 2).sum()

    x = array(1, 2, 4, 4)
    for f in (function, lambda x: ms.grad(lambda x: function(x)[1])(x)):
        captured = jit(eval("lambda x: f(x)", {"f": f}), mode="PIJit")  # with code of its own, which has no entries yet
        assert ms.explain(captured, x).breaks == []
        got, wanted = captured(x), f(x)
        if isinstance(got, tuple):
            assert got[0] == wanted[0]
            got, wanted = got[1], wanted[1]
        np.testing.assert_allclose(got.asnumpy(), wanted.asnumpy(), rtol=1e-5, atol=1e-4)  # gradients near 0 are sums of larger terms


@pytest.mark.jit
def test_sizes_that_change():
    """A size may become 1: then the transposed tensor is contiguous, and written through."""
    def function(x):
        y = x * 2
        z = y.swapaxes(0, 1).contiguous()
        z += 1
        return y, z
    captured = jit(function, mode="PIJit")
    for rows in (3, 4, 5, 6, 1, 7, 1, 2):
        x = array(rows, 4)
        assert plain(captured(x)) == plain(function(x)), rows


@pytest.mark.jit
def test_parts_that_change():
    """Columns up to n are contiguous when they are all columns: then the write shows in y."""
    def function(x, n):
        y = x * 2
        z = y[:, :n].contiguous()
        z += 1
        return y, z
    captured = jit(function, mode="PIJit")
    for rows, n in ((3, 2), (4, 3), (5, 4), (6, 3), (7, 5), (5, 5), (4, 2), (6, 5)):
        x = array(rows, 5)
        assert plain(captured(x, n)) == plain(function(x, n)), (rows, n)


@pytest.mark.jit
def test_gradients():
    class Net(nn.Cell):
        def construct(self, x):
            return (x.reshape(3, 2, 2).transpose(1, 0, 2) * 1).swapaxes(0, 2).contiguous().reshape(-1)[::3].sum()
    net = Net()
    x = array(3, 4)
    expected = ms.grad(net)(x)
    for mode in ("PIJit", "PSJit"):
        assert plain(jit(lambda x: ms.grad(net)(x), mode=mode)(x)) == plain(expected)


def shifted(logits, labels):
    """The loss of a language model: each token is predicted from those before it."""
    logits, labels = logits[..., :-1, :].contiguous(), labels[..., 1:].contiguous()
    return ops.cross_entropy(logits.view(-1, logits.shape[-1]), labels.view(-1)), labels.is_contiguous()


def tokens(length):
    logits, labels = array(2, length, 5), Tensor(np.arange(2 * length, dtype=np.int32).reshape(2, length) % 5)
    return logits, labels


@pytest.mark.jit
@pytest.mark.captures
def test_views_of_arguments_are_one_region():
    fn = jit(eval("lambda a, b: f(a, b)", {"f": shifted}), mode="PIJit")  # with code of its own, which has no entries yet
    for length in (4, 4, 5, 6, 7):
        got, wanted = fn(*tokens(length)), shifted(*tokens(length))
        np.testing.assert_allclose(got[0].asnumpy(), wanted[0].asnumpy(), rtol=1e-6)
        assert got[1] is wanted[1] is True
    assert ms.explain(fn, *tokens(8)).breaks == []


@pytest.mark.jit
def test_arguments_that_are_contiguous_at_some_calls():
    def function(x):
        y = x.contiguous()
        y[0] = 5  # shows in a contiguous x
        return y is x, x.is_contiguous(), x.stride(), y, x[:, 1:].contiguous() + 1
    fn = jit(function, mode="PIJit")
    for transposed in (False, False, True, False, True, True, False):
        def make():
            return array(3, 4).T if transposed else array(4, 3)
        x, mine = make(), make()
        wanted, got = function(x), fn(mine)
        assert got[:3] == wanted[:3] and plain(got[3:]) == plain(wanted[3:]) and plain(mine) == plain(x)
        if not transposed:
            assert got[3] is mine

