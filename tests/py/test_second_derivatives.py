"""Gradients of gradients: of every operator against central differences of its gradient, and of a gradient penalty against numbers."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, mint, nn, ops
from test_op_matrix import GRAD_CASES, ROWS, attributes, call, inputs

F = mint.nn.functional
WIDE = {"float32": "float64", "float64": "float64", "complex128": "complex128"}
# These take no float64.
NARROW = {"linear_act", "weight_only_linear"}


def wide_case(name, index):
    """Arrays of a sample in double precision, and the places of those with a derivative."""
    arrays = inputs(name, index)
    if name in NARROW or any(kind in ("float16", "bfloat16", "complex64") for _, kind in arrays):
        return None, []
    arrays = [(a.astype(WIDE.get(kind, a.dtype)), WIDE.get(kind, kind)) for a, kind in arrays]
    return arrays, [i for i, (_, kind) in enumerate(arrays) if kind in ("float64", "complex128")]


CASES = [case for case in GRAD_CASES if wide_case(*case)[1] and case != ("nll_loss", 1)]


def real_parts(tensors):
    for t in tensors:
        if t.is_complex():
            yield ops.real(t)
            yield ops.imag(t)
        elif t.is_floating_point():
            yield t


def weighted(tensors, power):
    """A sum in which every element has a weight of its own and counts by a square as well."""
    total = 0.0
    for i, t in enumerate(real_parts(tensors)):
        rng = np.random.RandomState(i + power)
        total = total + (t * Tensor(rng.uniform(0.5, 1.5, t.shape))).sum() + 0.3 * (t * t).sum()
    return total


def as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


def slope_along(function, arrays, directions, step=1e-4):
    def at(k):
        return float(function(*[Tensor(a + k * step * d) for a, d in zip(arrays, directions)]))
    return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step)


def directions_like(arrays):
    rng = np.random.RandomState(9)
    return [np.asarray(rng.uniform(-1, 1, a.shape) + (1j * rng.uniform(-1, 1, a.shape) if a.dtype.kind == "c" else 0.0)) for a in arrays]


def chain(function, count):
    """(the sum over a function's gradient, its gradient)."""
    positions = tuple(range(count)) if count > 1 else 0
    gradient = ms.grad(lambda *x: weighted(as_tuple(function(*x)), 0), positions)

    def of_gradient(*x):
        return weighted(as_tuple(gradient(*x)), 1)
    return of_gradient, ms.grad(of_gradient, positions)


@pytest.mark.parametrize("name, index", CASES, ids=lambda v: str(v))
def test_operators(name, index):
    arrays, places = wide_case(name, index)
    attrs = attributes(ROWS[name]["samples"][index])

    def function(*x):
        given = dict(zip(places, x))
        return call(name, [given[i] if i in given else Tensor(*a) for i, a in enumerate(arrays)], attrs)

    chosen = [arrays[i][0] for i in places]
    ways = directions_like(chosen)
    of_gradient, second = chain(function, len(chosen))
    found = as_tuple(second(*map(Tensor, chosen)))
    slope = sum(np.real(np.sum(np.conj(g.asnumpy()) * w)) for g, w in zip(found, ways))
    np.testing.assert_allclose(slope, slope_along(of_gradient, chosen, ways), rtol=1e-5, atol=1e-7)
    captured = ms.jit(second, mode="PIJit")
    for _ in range(2):
        for a, b in zip(as_tuple(captured(*map(Tensor, chosen))), found):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-9, atol=1e-11)


# -- a gradient penalty -------------------------------------------------------------------------------------------------


def wave(*shape, step=1.0):
    return np.cos(1.0 + step * np.arange(int(np.prod(shape)))).reshape(shape)


class Judge(nn.Cell):
    """A discriminator with the deviation of its minibatch as a channel of its own."""

    def __init__(self):
        super().__init__()
        arrays = (wave(4, 3, 3, 3, step=0.7) * 0.4, wave(4, step=1.1) * 0.1, wave(5, 5, 3, 3, step=0.37) * 0.3, wave(5, step=1.3) * 0.1,
                  wave(1, 20, step=0.9) * 0.5)
        self.weights = ms.ParameterTuple([ms.Parameter(Tensor(a), name="w%d" % i) for i, a in enumerate(arrays)])

    def construct(self, x):
        w1, b1, w2, b2, w3 = self.weights
        h = F.leaky_relu(F.conv2d(x, w1, b1, padding=1), 0.2)
        n, c, height, width = h.shape
        spread = mint.sqrt(mint.var(h.view(2, -1, c, height, width), dim=0, correction=0) + 1e-8).mean((1, 2, 3), True)
        h = mint.cat([h, mint.broadcast_to(mint.tile(spread, (2, 1, 1, 1)), (n, 1, height, width))], 1)
        return F.linear(F.softplus(F.conv2d(h, w2, b2, stride=2, padding=1)).view(n, -1), w3)


# Of an independent implementation in float64: for each weight the sum of the gradient's sizes, and its sum weighted by cosines.
PENALTY = 0.08551768428197379
GRADIENTS = [(2.835887634, 0.1676786357), (0.03560127986, -0.008864377565), (12.81855185, 0.2262973342), (0.0824690506, -0.01114117701),
             (0.8453908923, 0.4857058021)]


@pytest.mark.parametrize("way", ["eager", "PIJit", "PSJit"])
def test_gradient_penalty(way):
    net = Judge()
    slope = ms.grad(lambda x: net(x).sum())

    def penalty(x):
        return slope(x).pow(2).reshape(4, -1).sum(1).mean()

    step = ms.value_and_grad(penalty, None, list(net.trainable_params()))
    step = step if way == "eager" else ms.jit(step, mode=way)
    x = Tensor(wave(4, 3, 4, 4, step=0.59))
    for _ in range(2):
        value, gradients = step(x)
        np.testing.assert_allclose(float(value), PENALTY, rtol=1e-12)
        for g, (size, cosines) in zip(gradients, GRADIENTS):
            flat = g.asnumpy().reshape(-1)
            np.testing.assert_allclose([np.abs(flat).sum(), flat @ np.cos(np.arange(flat.size))], [size, cosines], rtol=1e-8)
