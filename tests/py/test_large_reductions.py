"""Reductions of many elements to few values, which threads share: the same values eagerly and compiled, whatever the number of threads."""

import os
import subprocess
import sys

import numpy as np
import pytest

import msjit as ms
from msjit import ops

PROGRAM = """
import hashlib, numpy as np, msjit as ms
x = ms.Tensor(np.random.default_rng(1).standard_normal((700, 901)).astype(np.float32))

def f(x):
    return x.sum(), (ms.ops.tanh(x) * x).mean(), x.max(), x.sum(0), x.reshape(-1, 7).sum(0)

jit = ms.jit(f, mode="PIJit")
digest = hashlib.sha256()
for run in (f, jit, jit):
    for value in run(x):
        digest.update(value.asnumpy().tobytes())
print(digest.hexdigest())
"""


def both(f, *args):
    jitted = ms.jit(f, mode="PIJit")
    return f(*args), jitted(*args), jitted(*args)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.bool_])
@pytest.mark.parametrize("name", ["sum", "mean", "max", "min", "prod", "any", "all"])
def test_values(name, dtype):
    random = np.random.default_rng(0)
    near_one = name == "prod" or np.issubdtype(dtype, np.floating)
    data = (random.uniform(0.99, 1.01, (3, 100_003)) if near_one else random.integers(-3, 4, (3, 100_003))).astype(
        dtype
    )
    x = ms.Tensor(data)
    wide = data.astype(np.float64) if name in ("sum", "mean", "prod") else data
    for axis in (None, 1):
        want = getattr(np, name)(wide, axis=axis)
        for got in both(lambda x, axis=axis: getattr(x, name)(axis), x):
            got = got[0] if isinstance(got, tuple) else got  # largest elements come with their places
            if name == "mean" and got.dtype == ms.int32:
                want = np.trunc(want)
            np.testing.assert_allclose(got.asnumpy().astype(np.float64), want, 2e-4, 1e-5)


def test_nan_and_infinities():
    data = np.zeros((4, 50_000), np.float32)
    data[1, 7], data[2, 40_000], data[3, 3] = np.nan, np.inf, -np.inf
    x = ms.Tensor(data)
    for name in ("sum", "max", "min", "any", "all"):
        want = getattr(np, name)(data[2:3] if name == "sum" else data, axis=None)
        y = x[2:3] if name == "sum" else x
        for got in both(lambda y, name=name: getattr(y, name)(), y):
            np.testing.assert_array_equal(got.asnumpy(), want)
    for got in both(lambda x: x.sum(1), x):
        np.testing.assert_array_equal(got.asnumpy(), data.sum(1))


def test_gradient_of_a_large_mean():
    x = ms.Tensor(np.linspace(-1, 1, 200_000, dtype=np.float32))

    def loss(x):
        return (x * x).mean()

    want = 2 * x.asnumpy() / x.size
    for grad in (ms.grad(loss), ms.jit(ms.grad(loss), mode="PIJit"), ms.grad(ms.jit(loss, mode="PIJit"))):
        np.testing.assert_allclose(grad(x).asnumpy(), want, 1e-5)


@pytest.mark.costly
def test_bits_do_not_depend_on_the_number_of_threads():
    digests = set()
    for threads in ("1", "2", "5"):
        env = dict(os.environ, MSJIT_NUM_THREADS=threads, MSJIT_SYNC_COMPILE="1")
        digests.add(subprocess.run([sys.executable, "-c", PROGRAM], env=env, stdout=subprocess.PIPE, check=True).stdout)
    assert len(digests) == 1
