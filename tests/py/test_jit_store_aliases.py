"""A store to a tensor that something else may be a view of, or the very same tensor, is seen as without msjit."""
import numpy as np
import pytest

import msjit as ms
from jit_same import same
from msjit import Tensor, nn, ops

pytestmark = pytest.mark.jit
DROP, SAME = nn.Dropout(p=0.5).set_train(False), nn.Identity()
VIEWS = {
    "reshape": lambda y: y.reshape(3, 4), "detach": lambda y: y.detach(), "squeeze": lambda y: y.squeeze(), "all": lambda y: y[:],
    "cast": lambda y: ops.cast(y, ms.float32), "dropout": lambda y: DROP(y), "identity": lambda y: SAME(y), "row": lambda y: y[1],
    "flatten": ops.flatten, "broadcast": lambda y: ops.broadcast_to(y, (3, 4)), "stop": ops.stop_gradient, "T": lambda y: y.T,
    "split": lambda y: ops.split(y, 1)[0], "expand": lambda y: ops.expand_dims(y, 0), "plus": lambda y: +y, "relu": ops.relu,
    "concat": lambda y: ops.concat([y]), "clip": lambda y: ops.clip_by_value(y, -1e9, 1e9), "tile": lambda y: ops.tile(y, (1, 1)),
    "pad": lambda y: ops.pad(y, (0, 0)), "where": lambda y: ops.where(y > -99, y, y), "view": lambda y: y.view(3, 4),
    "ravel": ops.ravel, "contiguous": lambda y: y.contiguous(), "transpose": lambda y: ops.transpose(y, (0, 1)),
    "value": lambda y: y.value(), "swapaxes": lambda y: ops.swapaxes(y, 0, 0), "stack": lambda y: ops.stack([y]),
    "roll": lambda y: ops.roll(y, 0, 0), "select": lambda y: ops.select(y > -99, y, y), "float": lambda y: y.float(),
    "gather": lambda y: ops.gather(y, Tensor([0, 1, 2]), 0), "sum": lambda y: ops.sum(ops.expand_dims(y, 0), 0), "copy": lambda y: y.copy(),
    "mean": lambda y: ops.mean(ops.expand_dims(y, 0), 0), "tril": ops.tril, "times": lambda y: y * 1, "cumsum": lambda y: ops.cumsum(y, 0),
    "movedim": lambda y: ops.movedim(y, 0, 0), "narrow": lambda y: ops.narrow(y, 0, 0, 3), "flip": lambda y: ops.flip(y, (0,)),
}


def programs(view):
    def base(x):
        y = x * 2
        z = view(y)
        y[0] = 9
        return y, z, z + 1

    def through_the_view(x):
        y = x * 2
        z = view(y)
        z[0] = 9
        return y, z, y + 1

    def method(x):
        y = x * 2
        z = view(y)
        y.add_(x)
        return y, z, z + 1

    def arm(x):
        y = x * 2
        z = y
        if x.sum() > 3:
            z = view(y)
            y[0] = 9
        return y, z.sum()

    def program(x):
        z = view(x)
        x[0] = 9
        return x + 0, z, z + 1
    return base, through_the_view, method, arm, program


@pytest.mark.parametrize("name", sorted(VIEWS))
def test_views(name):
    for fn in programs(VIEWS[name]):
        same(fn, lambda v: (Tensor(np.arange(12, dtype=np.float32).reshape(3, 4) - 20 * v),), variants=(0, 0, 0, 1), exact=False)


MAKERS = {
    "softmax": lambda x: ops.softmax(x, -1), "log_softmax": lambda x: ops.log_softmax(x, 1),
    "batch_norm": nn.BatchNorm2d(2).set_train(False), "batch_norm_train": nn.BatchNorm2d(2).set_train(True), "conv2d": nn.Conv2d(2, 2, 1),
    "cast": lambda x: x.astype(ms.float64),
}


@pytest.mark.captures
@pytest.mark.parametrize("name", sorted(MAKERS))
def test_results_with_memory_of_their_own_are_stored_into(name):
    make = MAKERS[name]

    def fn(x):
        y = make(x)
        y[:, 0:1] += x[:, 1:2].astype(y.dtype)
        return y
    x = ms.Tensor(np.arange(24, dtype=np.float32).reshape(2, 2, 2, 3) / 5)
    wanted, kept = fn(x).asnumpy(), x.asnumpy().copy()
    ms.reset()
    call = ms.jit(fn, mode="PIJit")
    for _ in range(2):
        np.testing.assert_allclose(call(x).asnumpy(), wanted, 1e-5, 1e-5)
    assert np.array_equal(x.asnumpy(), kept)
    assert not [b for f in ms.report()["functions"] if f["name"] == "fn" for b in f["breaks"]]


def test_a_cast_that_changes_nothing_is_its_argument():
    def fn(x):
        y = x.astype(ms.float32)
        y[0] = 7
        return x + 0
    for call in (fn, ms.jit(fn, mode="PIJit")):
        x = ms.Tensor(np.zeros(3, np.float32))
        assert call(x).asnumpy().tolist() == [7, 0, 0] and x.asnumpy().tolist() == [7, 0, 0]


def test_a_row_whose_number_differs_is_written_through_a_view():
    """Regions for the numbers of other turns are made on another thread."""
    def f(x, h):
        rows, t = x * 1, Tensor(-1)
        while t < len(x) - 1:
            t = t + 1
            rows[:, 1] = h.mean()
        for t in range(len(x)):
            rows[t][0] = h[1] + t
        return rows

    jitted = ms.jit(f, mode="PIJit")
    rng = np.random.RandomState(0)
    for _ in range(6):
        x, h = (Tensor(rng.standard_normal(shape).astype(np.float32)) for shape in ((6, 2, 4), (2, 4)))
        np.testing.assert_allclose(jitted(x, h).asnumpy(), f(x, h).asnumpy(), rtol=1e-6)
        ms._msjit.wait_compiled()
