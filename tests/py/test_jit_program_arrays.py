"""NumPy arrays of the program: guards check their dtype and shape, and each call reads their elements."""
import numpy as np
import pytest

import msjit as ms
from jit_same import captured, same, same_after
from msjit import Tensor, nn, ops

pytestmark = pytest.mark.jit


def x3():
    return Tensor(np.float32([[1.5, -2.25, 7], [0, 1, 2]]))


def batch(k, dtype=np.float32):
    return (np.arange(6).reshape(2, 3) * (k + 1) - 4 * k).astype(dtype)


def test_what_it_holds_is_read_at_each_call():
    def fn(x, a):
        return ops.tanh(x + Tensor(a)) * a.shape[0] + len(a) + a.ndim + a.size
    same(fn, lambda k: (x3(), batch(k)), variants=range(6))


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "?", ">f4", "<i4", "c8"])
def test_dtypes(dtype):
    def fn(a):
        t = Tensor(a)
        return t, t + t, t.dtype
    same(fn, lambda k: (batch(k, dtype),), variants=range(3))

    def cast(a):
        return Tensor(a, ms.float32) * 2, Tensor(a, dtype=ms.float32)
    same(cast, lambda k: (batch(k, dtype),), variants=range(3))


def test_layouts():
    def fn(x, a):
        return ops.relu(x) + Tensor(a)
    layouts = [batch(1), np.asfortranarray(batch(2)), batch(3)[::-1], batch(4)[:, ::-1], np.broadcast_to(np.float32([1, 2, 3]), (2, 3)),
               np.zeros((4, 6), np.float32)[::2, ::2]]
    fixed = batch(5)
    fixed.flags.writeable = False
    layouts.append(fixed)
    packed = np.zeros(2, np.dtype([("a", "i1"), ("v", "f4", (3,))]))
    packed["v"] = batch(1)
    layouts.append(packed["v"])  # not aligned
    same(fn, lambda k: (x3(), layouts[k]), variants=[*range(len(layouts)), 0, 3])


def test_shapes_and_classes_that_change():
    class Own(np.ndarray):
        pass

    def fn(x, a):
        return ops.relu(x), Tensor(a) * 2, a.shape
    args = [batch(0), batch(1), np.float32([1, 2]), np.float32(3), np.array(2.5, np.float32), np.zeros((0, 3), np.float32), batch(1).view(Own),
            [1.0, 2.0], batch(1, np.int32), np.ma.masked_array(batch(1)), np.array(["a"]), np.array([None]), batch(2)]
    same(lambda x, a: (ops.relu(x), Tensor(a) * 2), lambda k: (x3(), args[k]), variants=[*range(len(args)), 0, 6, 2])
    same(fn, lambda k: (x3(), batch(k)[:1 + k % 2]), variants=range(5))


def test_a_shape_assigned_in_place():
    def fn(a, x):
        return Tensor(a) * 2, a.shape
    same_after("import numpy as np\nfrom msjit import Tensor\na = np.arange(6).astype(np.float32)", "(Tensor(a) * 2 + x[0], len(a), a.shape)",
               ["a[0] = 7", "a *= 3", "a.shape = (2, 3)", "a = a[:1]", "a = a.astype(np.float64)", "a = a.astype(np.int32)", "a.sort()"])


def test_the_tensor_is_a_copy():
    def fn(x, a):
        t = Tensor(a)
        y = ops.relu(x) + t
        return t, y
    a = batch(2)
    t, _ = ms.jit(fn, mode="PIJit")(x3(), a)
    a[:] = 100
    assert t.asnumpy().max() < 100 and not np.shares_memory(t.asnumpy(), a)

    jitted = ms.jit(fn, mode="PIJit")
    for k in range(4):
        a = batch(k)
        t, _ = jitted(x3(), a)
        before = t.asnumpy().copy()
        a[:] = 100
        assert (t.asnumpy() == before).all()


def test_changed_by_the_program_itself():
    def fn(x, a):
        first = Tensor(a) + x
        a[0] = 50
        second = Tensor(a) + x
        a += 1
        return first, second, Tensor(a)
    same(fn, lambda k: (x3(), batch(k)), variants=range(4))


def test_beside_writes_to_its_memory():
    """A tensor may show the memory of an array."""
    def before(t, a):
        t.add_(1) if hasattr(t, "add_") else t.set_data(t + 1)
        return Tensor(a) * 2

    def behind(t, a):
        own = Tensor(a) * 2
        t.set_data(t * 3)
        return own, Tensor(a)

    def shared(k):
        a = batch(k)
        return Tensor.from_numpy(a), a
    for fn in (before, behind):
        same(fn, shared, variants=range(4))


def test_an_array_of_an_object():
    class Loader:
        def __init__(self):
            self.batches = [batch(k) for k in range(3)]
            self.at = 0

        def take(self):
            self.at += 1
            return {"image": self.batches[self.at % 3], "label": np.int32([self.at, 1])}

    def fn(x, loader):
        total = x.sum()
        for _ in range(3):
            row = loader.take()
            total = total + (Tensor(row["image"]) * x).sum() + Tensor(row["label"]).sum()
        return total
    same(fn, lambda k: (x3(), Loader()), variants=range(4))


def test_the_same_array_twice():
    def fn(x, a, b):
        return x + Tensor(a) + Tensor(b), a is b, Tensor(a) is Tensor(a)
    same(fn, lambda k: (x3(), *((lambda a: (a, a))(batch(k)) if k % 2 else (batch(k), batch(k + 1)))), variants=range(6))


def test_branches_and_loops():
    def fn(x, a):
        if x.sum() > 5:
            x = x + Tensor(a)
        for row in (a, a):
            x = x * Tensor(row)
        while x.max() < 20:
            x = x * 2 + 1
        return x
    same(fn, lambda k: (x3() * (k - 1), batch(k)), variants=range(5))


def test_gradients():
    def fn(x, a):
        return (x * Tensor(a)).sum()
    plain, jitted = ms.grad(fn), ms.grad(ms.jit(fn, mode="PIJit"))
    for k in range(4):
        assert jitted(x3(), batch(k)).tolist() == plain(x3(), batch(k)).tolist()


def test_a_training_step():
    def run(jit):
        ms.set_seed(3)
        net = nn.Dense(3, 2)
        opt = nn.SGD(net.trainable_params(), 0.1)
        step = ms.value_and_grad(lambda a, y: ((net(Tensor(a)) - Tensor(y)) ** 2).mean(), None, opt.parameters)

        def train(a, y):
            loss, grads = step(a, y)
            opt(grads)
            return loss
        train = ms.jit(train, mode="PIJit") if jit else train
        return [float(train(batch(k) / 10, batch(k)[:, :2])) for k in range(5)]
    assert np.allclose(run(True), run(False), rtol=1e-5)


@pytest.mark.captures
def test_captured_whole():
    def fn(x, a):
        return ops.tanh(x + Tensor(a)) * a.shape[1] + len(a)
    captured(fn, lambda k: (x3(), batch(k)))
