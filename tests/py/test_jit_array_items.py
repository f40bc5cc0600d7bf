"""Single elements of NumPy arrays of the program in captured code: schedulers that read tables of the program."""
import enum
import sys

import numpy as np
import pytest

import msjit as ms
from jit_same import captured, same, same_after
from msjit import Tensor

pytestmark = pytest.mark.jit
SINCE_38 = sys.version_info >= (3, 8)  # classes of metaclasses, as enumerations are, have no version before


def x3(_=0):
    return [Tensor(np.float32([1, 2, 3]))]


class Scheduler:
    def __init__(self, count=10):
        self.betas = np.linspace(0.1, 0.2, count, dtype=np.float32)
        self.alphas = np.cumprod(1.0 - self.betas)
        self.timesteps = np.arange(0, count, 3)[::-1]
        self.table = np.arange(6, dtype=np.float64).reshape(2, 3).T
        self.flags = np.array([True, False])

    def step(self, out, t, sample):
        before = t - 3
        a = self.alphas[t]
        b = self.alphas[before] if before >= 0 else 1.0
        original = (sample - (1 - a) ** 0.5 * out) / a ** 0.5
        return b ** 0.5 * original + (1 - b) ** 0.5 * out


scheduler = Scheduler()


def one_step(x):
    return scheduler.step(x * 0.5, 4, x)


def all_steps(x):
    seen = []
    for i, t in enumerate(scheduler.timesteps):
        x = scheduler.step(x * 0.5, t, x)
        seen.append((i, int(t), type(t).__name__))
    return x, seen


def items(x):
    t = scheduler.table
    return (x * 2, t[1, 0], t[-1, 1], float(t[0, 0]), type(t[0, 1]).__name__, scheduler.flags[0], bool(scheduler.flags[1]), scheduler.timesteps[-1],
            list(scheduler.timesteps), sum(scheduler.timesteps), max(scheduler.betas) > 0.1)


def views(x):
    return x * 2, scheduler.table[0].tolist(), scheduler.betas[2:4].tolist(), [r.sum() for r in scheduler.table]


def out_of_range(x):
    try:
        return scheduler.betas[50]
    except IndexError as error:
        return x * 2, str(error)


class Kind(str, enum.Enum):
    def __str__(self):
        return self.value

    COSINE = "cosine"


def shown(x):
    kind = Kind("cosine")
    return x * 2, f"{kind}", f"{kind:>9}", f"{kind!s}", str(kind)


PROGRAMS = [one_step, all_steps, items, views, out_of_range, shown]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_as_in_python(program):
    same(program, x3, exact=False)


@pytest.mark.captures
@pytest.mark.parametrize("program", [one_step, all_steps, items] + [shown] * SINCE_38, ids=lambda p: p.__name__)
def test_is_captured(program):
    captured(program, x3)


def test_arrays_that_change():
    setup = """
import numpy as np
a = np.arange(4, dtype=np.float32)
t = np.array([1, 2])
def f(x): return x * float(a[1]), a[-1], [int(v) for v in t], t[0] + 1
"""
    same_after(setup, "f(x)", ["a[1] = 5", "a[0] = 7", "a[-1] = np.nan", "a[3] = -0.0", "a[3] = 0.0", "t[0] = 9", "t = np.array([1, 2, 3])", "a = a[::-1]",
                               "a = a.astype(np.float64)", "t = t.astype(np.int32)", "a = [1.0, 2.0]", "t = t.reshape(3, 1)[:, 0]"])


def test_an_element_that_changes_in_every_call():
    counts = np.zeros(3)

    def counted(x, n):
        y = x * 2
        counts[1] += 1
        return y + float(counts[1]), counts[1], n
    jitted = ms.jit(counted, mode="PIJit")
    for n in range(40):
        y, count, _ = jitted(*x3(), n % 2)
        assert count == n + 1 and y.tolist() == [2.0 + count, 4.0 + count, 6.0 + count]


def test_an_array_on_the_memory_of_a_tensor():
    t = Tensor(np.float32([1, 2, 3]))
    shared = t.asnumpy()

    def written(x):
        t[1] = 7.0
        return x * 2, float(shared[1])
    jitted, alone = ms.jit(written, mode="PIJit"), written(*x3())[1]
    for _ in range(3):
        assert jitted(*x3())[1] == alone
