"""NumPy arrays that captured code makes of known values: arithmetic, functions, views, stores, and where they leave the region."""
import warnings

import numpy as np
import pytest

import msjit as ms
from jit_programs import regions_of
from jit_same import captured, same
from msjit import Tensor

pytestmark = pytest.mark.jit


def x23(_=0):
    return Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


def positions(x, n, d):
    angle = np.arange(n)[:, np.newaxis] / np.power(10000, np.arange(0, d, 2) / d)
    table = np.zeros((n, d), np.float32)
    table[:, 0::2] = np.sin(angle)
    table[:, 1::2] = np.cos(angle)
    return x.sum() + Tensor(table)


def grid(x, h, w):
    ys, xs = np.meshgrid(np.arange(h) + 0.5, np.arange(w) + 0.5, indexing="ij")
    centres = np.stack([xs, ys], axis=-1).reshape(-1, 2)
    boxes = np.concatenate([centres - 1, centres + 1], axis=1).astype(np.float32)
    boxes = np.clip(boxes, 0, [w, h, w, h])
    return Tensor(boxes, ms.float32) + x.mean(), len(boxes), boxes.shape, boxes.max()


def masks(x, n):
    mask = np.triu(np.ones((n, n)), 1) * -1e4
    mask[mask == 0] = 1
    keep = ~(np.arange(n) % 2 == 0)
    return x.sum() * Tensor(mask, ms.float32), keep, keep.any(), mask[keep].sum(), np.where(keep, 1.0, 2.0)


def window(x, n):
    ramp = np.linspace(-1, 1, n)
    bell = np.exp(-0.5 * ramp ** 2)
    bell /= bell.sum()
    kernel = np.outer(bell, bell)
    return Tensor(kernel.astype(np.float32)) * x[0, 1], kernel.T.copy(), -kernel.reshape(-1)[::2], bell @ bell, float(bell[0])


def methods(x, n):
    a = np.arange(2 * n).reshape(2, n)
    return (x + 1, a.sum(), a.sum(axis=0), a.mean(1), a.max(), a.argmax(axis=1), a.tolist(), a[1].tolist(), a.T.shape, a.flatten(), a.std(),
            a.astype(np.float16), a.repeat(2, axis=1), a.cumsum(), a[0, 1].item(), [int(v) for v in a[0]], [r.sum() for r in a], len(a), a.ndim)


@pytest.mark.parametrize("fn,args", [(positions, (4, 6)), (grid, (2, 3)), (masks, (4,)), (window, (5,)), (methods, (3,))])
def test_arrays_of_known_values(fn, args):
    same(fn, lambda v: (x23(),) + tuple(a + v for a in args), variants=(0, 0, 2, 0))


@pytest.mark.captures
@pytest.mark.parametrize("fn,args", [(positions, (4, 6)), (grid, (2, 3)), (masks, (4,)), (window, (5,)), (methods, (3,))])
def test_they_are_captured(fn, args):
    captured(fn, lambda _: (x23(),) + args)


def seen_through_views(x, n):
    a = np.zeros((2, 3))
    row, flat, turned = a[0], a.reshape(-1), a.T
    row[n] = 5
    flat[-1] += 2
    turned[0] *= 3
    a[1] = row
    total = sum(float(v) for v in flat)
    row -= 1
    return x * total, a, row, flat, turned, np.zeros(2)


def test_a_store_is_seen_through_all_views():
    jitted = ms.jit(seen_through_views, mode="PIJit")
    for n in (0, 0, 1, 0):
        expected, got = seen_through_views(x23(), n), jitted(x23(), n)
        assert [v.tolist() for v in got[1:]] == [v.tolist() for v in expected[1:]]
        _, a, row, flat, turned, other = got
        assert row.base is a and flat.base is a and turned.base is a and a.base is None and not turned.flags.c_contiguous
        a[0, 0] = 77  # by the caller: neither the next call nor `other` sees it
        assert row[0] == flat[0] == turned[0, 0] == 77 and other[0] == 0


def test_arrays_that_leave_are_new_ones():
    def fn(x):
        a = np.tile(np.arange(3), (2, 1))
        return x + 1, a, a, np.asarray(a), a[0, :2]
    jitted = ms.jit(fn, mode="PIJit")
    results = [fn(x23())] + [jitted(x23()) for _ in range(3)]
    for _, a, b, c, part in results:
        assert a is b and a is c and a.base is not None and part.base is a.base
        a[0, 0] = 9
        assert part[0] == 9
    assert len({id(r[1]) for r in results}) == 4


def test_a_loop_sees_stores_to_later_items():
    def fn(x):
        a, seen = np.arange(4), []
        for v in a:
            seen.append(int(v))
            a[3] = a[3] + 10
        return x + 1, seen, a
    same(fn, lambda _: (x23(),))


def test_a_store_in_one_arm():
    def fn(x):
        a = np.zeros(2)
        if x.sum() > 3:
            a[0] = 1
            y = x * 2
        else:
            y = x - 1
        return y + Tensor(a, ms.float32).sum(), a
    same(fn, lambda v: (Tensor(np.full((2, 3), v, np.float32)),), variants=(0, 0, 1, 1, 0))


def test_a_store_in_an_arm_that_raises():
    def fn(x):
        a = np.zeros(2)
        if x.sum() > 100:
            a[0] = 1
            raise ValueError("large")
        return x + Tensor(a, ms.float32).sum()
    same(fn, lambda v: (Tensor(np.full((2, 3), v, np.float32)),), variants=(0, 0, 50, 0))


def test_arms_that_make_arrays():
    def fn(x):
        if x.sum() > 3:
            a, y = np.zeros(2), x * 2
        else:
            a, y = np.ones(2), x - 1
        return y, a
    same(fn, lambda v: (Tensor(np.full((2, 3), v, np.float32)),), variants=(0, 0, 1, 1, 0))


@pytest.mark.parametrize("text", [
    "np.zeros(2) / 0", "np.arange(3) / np.arange(3)", "np.log(np.zeros(2))", "np.sqrt(np.array([-1.0]))", "np.exp(np.full(2, 1000.0))",
    "np.array([1e308]) * 10", "np.zeros((0,)).mean()", "np.arange(2) // 0", "np.float32(1e30) * np.ones(2, np.float32) * np.float32(1e30)",
    "np.array([1e10]).astype(np.int8)", "np.arange(3).std(ddof=3)", "np.arange(2, dtype='u1') * 200"])
def test_warnings_come_with_every_call(text):
    fn = eval("lambda x: (x + 1, %s)" % text)
    jitted, seen = ms.jit(fn, mode="PIJit"), []
    for call in (fn, jitted, jitted, jitted):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = call(x23())
        seen.append(([str(w.message) for w in caught], str(value[1])))
    assert seen[0] == seen[1] == seen[2] == seen[3]


def test_a_tensor_made_of_an_array_keeps_its_elements():
    def fn(x):
        a = np.zeros(3, np.float32)
        first = Tensor(a)
        a[1] = 5
        second = Tensor(a[1:])
        a += 1
        return x + first, first, second, Tensor(a), a
    same(fn, lambda _: (x23(),))


def test_lists_that_hold_themselves():
    def fn(x):
        a = [np.zeros(2)]
        a.append(a)
        return x + 1, len(a), np.shape(np.sqrt(np.float64(4))), np.array(a, dtype=object).shape
    same(fn, lambda _: (x23(),))


@pytest.mark.parametrize("text", ["np.arange(3) + np.arange(2)", "np.arange(3)[5]", "np.zeros((2, 2)).reshape(3)", "bool(np.arange(3))", "len(np.array(3))",
                                  "np.arange(3) @ np.arange(4)", "np.stack([np.zeros(2), np.zeros(3)])", "np.arange(3).nothing", "{np.arange(2): 1}",
                                  "np.arange(3)['a']", "np.arange(3) + 'a'"])
def test_errors(text):
    same(eval("lambda x: (x + 1, %s)" % text), lambda _: (x23(),))


def test_the_programs_own_error_settings():
    def fn(x):
        return x + 1, np.arange(3) / np.arange(1, 4)
    before = np.geterr()
    with np.errstate(all="call", under="ignore"):
        inside = np.geterr()
        same(fn, lambda _: (x23(),))
        assert np.geterr() == inside
    assert np.geterr() == before


def test_outputs_are_left_to_numpy():
    def fn(x):
        a, b = np.arange(3.0), np.zeros(3)
        np.add(a, a, b)
        np.multiply(a, 2, out=a)
        c = np.clip(a, 0, 3, b)
        a.sum(0, None, b[0:1].reshape(()))
        return x * 2, a, b, c is b
    same(fn, lambda _: (x23(),))


def test_known_and_unknown_arrays_together():
    def fn(x, a):
        return x + Tensor(np.ones(3, np.float32)) + Tensor(a), np.ones(3) * a, a + np.arange(3), np.stack([a, np.zeros(3)]), np.arange(3) * x.asnumpy()
    same(fn, lambda v: (x23(), np.full(3, v, np.float32)), variants=(1, 1, 2))


def test_arrays_and_tensors():
    def fn(x):
        a = np.ones(3, np.float32)
        return x * 2, x + a, x == a
    same(fn, lambda _: (x23(),))


def test_kinds_of_stores():
    def fn(x, n):
        a, b, u = np.zeros((2, 3), np.int32), np.zeros(3, bool), np.zeros(2, np.uint8)
        a[0], a[1, 1:], b[[0, 2]], u[:] = 40000, [n, 7], True, 200
        a[a == 7] = np.array([3])
        a[:, 0] = 2.9
        return x * 2, a, b, u, isinstance(a, np.ndarray), a is b, a is a
    same(fn, lambda v: (x23(), v), variants=(0, 0, 1))


def test_a_table_made_anew_when_the_size_changes():
    def fn(x):
        return x + Tensor(np.arange(x.shape[0]) / 4, ms.float32).reshape(-1, 1)
    same(fn, lambda v: (Tensor(np.ones((v, 3), np.float32)),), variants=(2, 2, 3, 4, 5, 2))


def test_floats_that_change_are_left_to_numpy():
    """mean(losses) is not captured for each loss again."""
    losses = []

    def step(x):
        y = x * 2 + 1
        losses.append(float(y.sum()) / len(losses) if losses else 0.5)
        return y * 3, np.mean(losses[-4:]), np.round(losses[-1], 2), np.clip(losses[-1], 0, 1)
    seen = []
    for decorate in (lambda f: f, lambda f: ms.jit(f, mode="PIJit")):
        del losses[:]
        run = decorate(step)
        seen.append([[float(v) for v in run(x23())[1:]] for _ in range(20)])
    assert seen[0] == seen[1]
    assert len(regions_of(run)) <= 8


def test_the_shape_of_a_tensors_array():
    def fn(x):
        y = x * 2
        return y.asnumpy().shape, y.asnumpy().ndim, y.asnumpy().size, y.asnumpy()
    same(fn, lambda v: (Tensor(np.ones((v, 3), np.float32)),), variants=(2, 2, 3, 4))
