"""Recurrent layers against NumPy; eager, compiled and in training."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn

KINDS = ["RNN", "GRU", "LSTM"]


def array(*shape, seed=0):
    return np.random.RandomState(seed).randn(*shape).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def step(kind, x, h, c, w):
    """(h, c) of one step in NumPy."""
    gates, hidden = x @ w["weight_ih"].T + w["bias_ih"], h @ w["weight_hh"].T + w["bias_hh"]
    if kind == "RNN":
        return np.tanh(gates + hidden), c
    if kind == "LSTM":
        i, f, g, o = np.split(gates + hidden, 4, -1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c
    (r, z, n), (hr, hz, hn) = np.split(gates, 3, -1), np.split(hidden, 3, -1)
    n, z = np.tanh(n + sigmoid(r + hr) * hn), sigmoid(z + hz)
    return (1 - z) * n + z * h, c


def layer(kind, x, h, c, w, lengths):
    """One direction: outputs and last states, one sequence after the other."""
    out, h, c = np.zeros(x.shape[:2] + h.shape[-1:], np.float32), h.copy(), c.copy()
    for n in range(x.shape[1]):
        for t in range(lengths[n]):
            h[n], c[n] = step(kind, x[t, n], h[n], c[n], w)
            out[t, n] = h[n]
    return out, h, c


def backwards(x, lengths):
    x = x.copy()
    for n, length in enumerate(lengths):
        x[:length, n] = x[:length, n][::-1]
    return x


def reference(kind, net, x, lengths, layers, directions):
    weights, last = {p.name: p.asnumpy() for p in net.get_parameters()}, []
    for at in range(layers):
        outputs = []
        for suffix in ("", "_reverse")[:directions]:
            w = {name: weights["%s_l%d%s" % (name, at, suffix)] for name in
                 ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}
            zeros = np.zeros((x.shape[1], w["weight_hh"].shape[1]), np.float32)
            rows = backwards(x, lengths) if suffix else x
            out, h, c = layer(kind, rows, zeros, zeros, w, lengths)
            outputs.append(backwards(out, lengths) if suffix else out)
            last.append((h, c))
        x = np.concatenate(outputs, 2)
    return x, np.stack([h for h, _ in last]), np.stack([c for _, c in last])


def flat(result):
    out, state = result
    return [t.asnumpy() for t in (out,) + (state if isinstance(state, tuple) else (state,))]


@pytest.mark.parametrize("lengths", [None, [5, 3], [0, 4]])
@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_values(kind, bidirectional, lengths):
    net = getattr(nn, kind)(3, 4, 2, bidirectional=bidirectional)
    x = array(5, 2, 3)
    given = None if lengths is None else Tensor(np.int32(lengths))
    expected = reference(kind, net, x, lengths or [5, 5], 2, 2 if bidirectional else 1)
    found = flat(net(Tensor(x), None, given))
    for a, b in zip(found, expected):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    net.batch_first = True
    first = flat(net(Tensor(x.swapaxes(0, 1).copy()), None, given))
    assert np.array_equal(first[0].swapaxes(0, 1), found[0]) and np.array_equal(first[1], found[1])


@pytest.mark.parametrize("kind", KINDS)
def test_states_names_and_dtypes(kind):
    net, gates = getattr(nn, kind)(3, 4, 2, has_bias=False, bidirectional=True), {"RNN": 4, "GRU": 12, "LSTM": 16}[kind]
    assert [(n, p.name, p.shape) for n, p in net.parameters_and_names()] == [
        (name, name, shape) for name, shape in (
            ("weight_ih_l0", (gates, 3)), ("weight_ih_l0_reverse", (gates, 3)), ("weight_ih_l1", (gates, 8)),
            ("weight_ih_l1_reverse", (gates, 8)), ("weight_hh_l0", (gates, 4)), ("weight_hh_l0_reverse", (gates, 4)),
            ("weight_hh_l1", (gates, 4)), ("weight_hh_l1_reverse", (gates, 4)))]
    net, x = getattr(nn, kind)(3, 4), Tensor(array(6, 2, 3))
    whole, state = net(x)
    half, middle = net(x[:3])
    rest, end = net(x[3:], middle)
    np.testing.assert_allclose(rest.asnumpy(), whole.asnumpy()[3:], rtol=1e-5, atol=1e-6)
    for a, b in zip(end if kind == "LSTM" else (end,), state if kind == "LSTM" else (state,)):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5, atol=1e-6)
    assert net(x.astype(ms.float16))[0].dtype == ms.float16 and half.dtype == ms.float32


@pytest.mark.parametrize("kind", KINDS)
def test_cells(kind):
    cell = getattr(nn, kind + "Cell")(3, 4)
    assert [n for n, _ in cell.parameters_and_names()] == ["weight_ih", "weight_hh", "bias_ih", "bias_hh"]
    x, h, c = array(2, 3), array(2, 4, seed=1), array(2, 4, seed=2)
    expected = step(kind, x, h, c, {p.name: p.asnumpy() for p in cell.get_parameters()})
    state = (Tensor(h), Tensor(c)) if kind == "LSTM" else Tensor(h)
    found = cell(Tensor(x), state)
    for a, b in zip(found if kind == "LSTM" else (found,), expected):
        np.testing.assert_allclose(a.asnumpy(), b, rtol=1e-4, atol=1e-5)
    with pytest.raises(TypeError, match="expected float32 or float16"):
        cell(Tensor(x.astype(np.int32)), state)
    with pytest.raises(ValueError, match="shapes of x and hx"):
        cell(Tensor(x[:1]), state)


def test_dropout_between_layers_and_relu():
    net, x = nn.LSTM(3, 8, 2, dropout=0.5), Tensor(array(4, 2, 3))
    assert np.array_equal(net(x)[0].asnumpy(), net(x)[0].asnumpy())
    net.set_train()
    assert not np.array_equal(net(x)[0].asnumpy(), net(x)[0].asnumpy())
    assert nn.RNN(3, 4, nonlinearity="relu")(x)[0].asnumpy().min() >= 0


@pytest.mark.parametrize("call, error", [
    (lambda x: nn.LSTM(3, 4, dropout=1.0), ValueError), (lambda x: nn.LSTM(3, 4, dropout=0), TypeError),
    (lambda x: nn.LSTM(3, 4, num_layers=0), ValueError), (lambda x: nn.LSTM(3, 4, has_bias=1), TypeError),
    (lambda x: nn.LSTM(3, 4)(x, x), TypeError), (lambda x: nn.GRU(3, 4)(x, x), ValueError),
    (lambda x: nn.GRU(3, 4)(x[0]), ValueError), (lambda x: nn.GRU(3, 4)(x, None, Tensor([1.0, 2.0])), TypeError),
    (lambda x: nn.GRU(3, 4)(x, None, Tensor([1, 2, 3])), ValueError), (lambda x: nn.RNN(3, 4, nonlinearity="x"), ValueError),
    (lambda x: nn.RNNCell(3, 4, nonlinearity="x"), ValueError), (lambda x: nn.RNN(3, 4)(3), TypeError)])
def test_errors(call, error):
    with pytest.raises(error, match=r"^\[\w+\] "):
        call(Tensor(array(5, 2, 3)))


@pytest.mark.jit
@pytest.mark.captures
@pytest.mark.parametrize("kind", KINDS)
def test_one_graph_for_all_lengths(kind):
    """The loop over the steps is captured, with its gradient, and serves other numbers of steps."""
    net, given = getattr(nn, kind)(3, 4, bidirectional=True), Tensor(np.int32([4, 2]))
    gradient = ms.value_and_grad(lambda x: net(x, None, given)[0].sum(), None, net.trainable_params())
    jitted = ms.jit(gradient, mode="PIJit", fullgraph=True)
    for steps in (4, 6, 7, 8, 9):
        x = Tensor(array(steps, 2, 3, seed=steps))
        (value, found), (plain, expected) = jitted(x), gradient(x)
        np.testing.assert_allclose(value.asnumpy(), plain.asnumpy(), rtol=1e-5)
        for a, b in zip(found, expected):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-4, atol=1e-5)


def test_the_children_that_are_printed():
    assert repr(ms.nn.LSTM(2, 3)) == "LSTM(\n  (rnn): _DynamicLSTMCPUGPU()\n  (dropout_op): Dropout(p=0.0)\n)"
    assert [name for name, _ in ms.nn.RNN(2, 3, nonlinearity="relu").cells_and_names()] == ["", "rnn", "dropout_op"]
    assert repr(ms.nn.Dropout2d(0.25)) == "Dropout2d(p=0.75)" and repr(ms.nn.Dropout(p=0.25)) == "Dropout(p=0.25)"


@pytest.mark.parametrize("kind", [nn.RNNCell, nn.GRUCell, nn.LSTMCell])
def test_cells_draw_their_weights_anew(kind):
    cell = kind(3, 4)
    before = [p.asnumpy().copy() for p in cell.get_parameters()]
    cell.reset_parameters()
    for param, old in zip(cell.get_parameters(), before):
        assert (param.asnumpy() != old).any() and abs(param.asnumpy()).max() <= 0.5
