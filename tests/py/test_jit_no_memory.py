"""Every allocation inside a call of a compiled function fails once, in turn. Each time the call raises MemoryError or CPython completes it,
and the function works afterwards. A preloaded library makes the allocations fail, so these tests run in separate processes."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

from jit_same import FORCED

pytestmark = [pytest.mark.jit, pytest.mark.skipif(not shutil.which("cc"), reason="no C compiler")]

SHIM = r"""
#include <errno.h>
#include <stddef.h>
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
static __thread long left = -1, times;  /* of this thread alone */
void fail_after(long n, long count) { left = n; times = count; }
long fail_stop(void) { long rest = times; left = -1; return rest; }
static int fails(void) {
  if (left < 0 || left-- > 0) return 0;
  left = --times > 0 ? 0 : -1;
  errno = ENOMEM;
  return 1;
}
void *malloc(size_t n) { return fails() ? 0 : __libc_malloc(n); }
void *calloc(size_t a, size_t b) { return fails() ? 0 : __libc_calloc(a, b); }
void *realloc(void *p, size_t n) { return fails() ? 0 : __libc_realloc(p, n); }
void *aligned_alloc(size_t a, size_t n) { return fails() ? 0 : __libc_memalign(a, n); }
int posix_memalign(void **p, size_t a, size_t n) { return fails() || !(*p = __libc_memalign(a, n)) ? ENOMEM : 0; }
"""

PROGRAM = r"""
import collections, ctypes, math, sys
import numpy as np
import msjit as ms
from msjit import Tensor, _msjit, ops

shim = ctypes.CDLL(sys.argv[1])
fail_after, fail_stop = shim.fail_after, shim.fail_stop
fail_after.argtypes, fail_after.restype, fail_stop.restype = [ctypes.c_long, ctypes.c_long], None, ctypes.c_long
X = Tensor(np.float32([[1.5, -2, 3], [4, 5, 6]]))
Point = collections.namedtuple("Point", "x y")


class Net:
    scale = 2.0

    def __init__(self):
        self.total, self.seen, self.table = 0.0, [], {"a": 1}

    def __call__(self, x, *rest, **named):
        self.seen.append(x.shape)
        return ops.tanh(x) * self.scale + sum(rest) + named["k"]


# Functions are made outside: CPython 3.12 and later free the code of one for which there is no memory.
def product(a, b=2):
    return a * b


def objects(x):
    net = Net()
    y = net(x, 1, 2, k=3)
    net.total += float(y.sum())
    net.table["b"] = y
    p = Point(y, [n * 2 for n in range(3) if n])
    with_default = product(3)
    return p, f"{net.total:.3f} {with_default}", sorted(net.table), {k for k in "ab"}, p.x[0, :2], max(net.total, 1), net.seen


def control(x):
    import math
    while x.sum() < 100:
        x = x * 2 + 1
    if x.mean() > 3:
        x = x - 1
    for row in x:
        x = x + row
    try:
        {}["a"]
    except KeyError as e:
        text = str(e)
    return x, math.sqrt(x.shape[0]), text, ",".join(["%d" % n for n in x.shape]), isinstance(x, Tensor), x.ndim


def outcome(fn):
    return repr(fn(X))


def attempt(jitted, want, n, times):
    try:
        fail_after(n, times)
        got = jitted(X)
    except MemoryError:
        got = None
    unused = fail_stop()
    if got is not None:
        assert repr(got) == want, n
    return unused < times


for fn in (objects, control):
    want = outcome(fn)
    for times, step in ((1, int(sys.argv[2])), (25, 10 * int(sys.argv[2]))):
        n = hit = 0
        while True:  # the first call, which captures
            _msjit.reset()
            jitted = ms.jit(fn, mode="PIJit")
            if not attempt(jitted, want, n, times):
                break
            assert outcome(jitted) == outcome(jitted) == want, n
            n += step
            hit += 1
        n = 0
        while attempt(jitted, want, n, times):  # a cached one
            assert outcome(jitted) == want, n
            n += 1
        print(fn.__name__, times, "failed in", hit, "captures and", n, "cached calls")
        assert hit > 3 and n > 3
"""


STEP_PROGRAM = r"""
import ctypes, sys
import numpy as np
import msjit as ms
from msjit import Parameter, ParameterTuple, Tensor, nn, ops

shim = ctypes.CDLL(sys.argv[1])
fail_after, fail_stop = shim.fail_after, shim.fail_stop
fail_after.argtypes, fail_after.restype, fail_stop.restype = [ctypes.c_long, ctypes.c_long], None, ctypes.c_long
START = [np.full((8, 8), 0.1, np.float32), np.full((8, 8), 0.2, np.float32)]
weights = ParameterTuple([Parameter(Tensor(start), name=f"w{i}") for i, start in enumerate(START)])
optimizer = nn.Momentum(weights, 0.5, 0.0)
X = Tensor(np.ones((4, 8), np.float32))
value_and_grad = ms.value_and_grad(lambda x: ops.matmul(ops.tanh(ops.matmul(x, weights[0])), weights[1]).sum(), None, weights)


@ms.jit(mode="PIJit")
def step(x):
    loss, gradients = value_and_grad(x)
    optimizer(gradients)
    return loss


def begin():
    for weight, start in zip(weights, START):
        weight.set_data(Tensor(start))


for _ in range(5):
    begin()
    want = float(step(X))
    ms._msjit.wait_compiled()
moved = [weight.asnumpy() for weight in weights]
assert not any(np.array_equal(a, b) for a, b in zip(moved, START))
raised = n = 0
while True:
    begin()
    try:
        fail_after(n, 1)
        got = step(X)
    except MemoryError:
        got = None
        raised += 1
    unused = fail_stop()
    now = [weight.asnumpy() for weight in weights]
    for value, before, behind in zip(now, START, moved):  # moved once, or not at all
        assert np.allclose(value, behind) or got is None and np.array_equal(value, before), (n, value)
    assert got is None or abs(float(got) - want) < 1e-4, n
    if unused:
        break
    n += 1
print("failed at", n, "places, raised at", raised)
assert raised
"""


@pytest.fixture(scope="module")
def shim(tmp_path_factory):
    folder = tmp_path_factory.mktemp("no_memory")
    (folder / "shim.c").write_text(SHIM)
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", "shim.so", "shim.c"], cwd=str(folder), check=True)
    return str(folder / "shim.so")


def run(program, shim, tmp_path, *arguments):
    script = tmp_path / "program.py"
    script.write_text(program)
    environment = dict(os.environ, LD_PRELOAD=shim, PYTHONMALLOC="malloc", MSJIT_STRICT="", MSJIT_NUM_THREADS="1")
    done = subprocess.run([sys.executable, "-X", "faulthandler", str(script), shim, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env=environment, cwd=str(pathlib.Path(__file__).parent), timeout=300)
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-3000:]


@pytest.mark.costly
def test_every_allocation_may_fail(shim, tmp_path):
    run(PROGRAM, shim, tmp_path, "41")


# A break inside the transform leaves CPython to call __exit__ of its scope, for which it may have no memory.
@pytest.mark.skipif(FORCED, reason="about a step that is one region")
def test_a_parameter_is_never_updated_twice(shim, tmp_path):
    run(STEP_PROGRAM, shim, tmp_path)
