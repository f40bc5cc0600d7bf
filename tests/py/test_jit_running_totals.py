"""Numbers and texts that a program makes of numbers of tensors: computed at a region's exit by Python's own functions."""
import math
import operator

import numpy as np
import pytest

import msjit as ms
from jit_same import FORCED, breaks, captured, same
from msjit import Tensor, _msjit, nn, ops

pytestmark = pytest.mark.jit


def x3(fill=1.0):
    return Tensor(np.float32([1.5, -2.25, 7]) * np.float32(fill))


def batches():
    return [x3(k / 3) for k in range(1, 6)]


class Meter:
    def __init__(self):
        self.total, self.count, self.best = 0.0, 0, -math.inf

    def add(self, value, n):
        self.total += value * n
        self.count += n


# -- what is captured whole ----------------------------------------------------------------------------------------------


def loss_totals(xs, meter):
    total, hits, seen = 0.0, 0, 0
    for x in xs:
        loss = ops.tanh(x).max()  # a sum's last bit depends on the order of its terms
        total += float(loss)
        hits += int((x > 0).sum().asnumpy())
        seen += x.shape[0]
        meter.add(loss.item(), x.shape[0])
        meter.best = max(meter.best, loss.item())
    return total, total / len(xs), hits / seen, meter.total / meter.count


def lines_of_a_log(xs, epoch):
    lines = []
    for i, x in enumerate(xs):
        loss = float(ops.exp(x).mean())
        lines.append(f"epoch {epoch} step {i}: loss {loss:.4f} {loss!r:>12} {loss}")
        lines.append("loss %.3f of %d (%s)" % (loss, len(xs), "all"))
        lines.append("mean {:.2f}, {mean}".format(loss, mean=1) if i < 0 else "mean {:.2f}".format(loss))
        lines.append(str(loss) + "|" + repr(int(x.sum())) + "|" + format(loss, "e"))
    print(lines[0], float(xs[0].sum()), [float(x.sum()) for x in xs], sep="; ")
    return lines


def functions_of_them(x):
    n, i, b = float(x.sum()), int((x > 0).sum()), bool(x.sum() > 1)
    return (abs(n), -n, +i, ~i, round(n), round(n, 1), round(i, -1), int(n), float(i), math.sqrt(n), math.floor(n),
            math.atan2(n, 2), math.isnan(n), math.gcd(i, 4), min(n, 2.0), max(n, -n, 3.5), max(i, 7), n ** 2, 2 ** n, i ** 2,
            n // 0.7, n % 0.7, divmod(7, 2), i // 2, i % 2, i << 3, i >> 1, i & 3, i | 8, i ^ 1, b & True, b + 1, b | i)


def compared(x):
    n, i = float(x.sum()), int(x.sum())
    return n < 3, n == i, i != 6, n >= i, 5 > i


def sums(xs):
    values = [float(x.sum()) for x in xs]
    return sum(values), sum(values, 0.1), sum([0.1, 0.2, 0.3] + values), sum(int(x.sum()) for x in xs), sum(values) / len(values)


WHOLE = [(loss_totals, lambda v: (batches(), Meter())), (lines_of_a_log, lambda v: (batches(), 3)),
         (functions_of_them, lambda v: (x3(),)), (compared, lambda v: (x3(),)), (sums, lambda v: (batches(),))]


@pytest.mark.parametrize("fn, make", WHOLE, ids=lambda v: getattr(v, "__name__", ""))
def test_captured_whole(fn, make):
    same(fn, make)
    captured(fn, make)


def test_a_total_of_the_program_is_not_looked_at():
    """A total of the program may differ in each call: one capture serves all calls."""
    def step(x, meter, total):
        loss = ops.tanh(x).max()
        meter.total += float(loss)
        meter.count += int(loss > 0)
        return total + float(loss), total * 2 if False else float(loss) - total
    _msjit.reset()
    jitted = same(step, lambda v: (x3(v), METERS[v], v * 0.1), variants=())
    for v in range(8):
        got, want = Meter(), Meter()
        got.total = want.total = v * 1.1
        got.count = want.count = v * 10 ** 18
        assert jitted(x3(v), got, v * 0.1) == step(x3(v), want, v * 0.1)
        assert vars(got) == vars(want)
    if not FORCED:
        report = [f for f in _msjit.explain_json() if f["name"] == "step"][0]
        assert report["breaks"] == report["recompiles"] == []


METERS = []


def test_other_classes_in_their_place():
    class Half(float):
        def __add__(self, other):
            return "mine"

    def fn(x, total):
        return total + float(x.sum())
    same(fn, lambda v: (x3(), v), variants=(1.0, 2, True, Half(1), 2 ** 70, np.float64(3), "1", -0.0, math.nan, 10 ** 400))


# -- what raises ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fn", [
    lambda x, log: (log.append(1), 1 / float(x.sum()), log.append(2)), lambda x, log: (log.append(1), float(x.sum()) % 0),
    lambda x, log: (log.append(1), 10 ** 400 + float(x.sum())), lambda x, log: (log.append(1), math.log(float(x.sum()))),
    lambda x, log: (log.append(1), round(float(x.sum()) / 0.0)), lambda x, log: (log.append(1), int(x.sum()) << -1),
    lambda x, log: (log.append(1), "%d %d" % tuple([float(x.sum())])), lambda x, log: (log.append(1), f"{float(x.sum()):d}"),
    lambda x, log: (log.append(1), (float(x.sum()) - 0.5) ** 0.5), lambda x, log: (log.append(1), float(x.sum()) + "a"),
    lambda x, log: (log.append(1), float(x.sum()) & 1), lambda x, log: (log.append(1), 2 ** int(x.sum() - 1))])
def test_errors_are_python_s(fn):
    same(fn, lambda v: (x3(v), []), variants=(0, 1, 0, 0))


def test_an_unused_division_raises():
    def fn(x, log):
        log.append("before")
        mean = 1.0 / float(x.sum())  # noqa: F841
        return x + 1

    def handled(x):
        try:
            return 1.0 / float(x.sum())
        except ZeroDivisionError as e:
            return str(e)
    same(fn, lambda v: (x3(v), []), variants=(1, 0, 1))
    same(handled, lambda v: (x3(v),), variants=(1, 0, 1))


# -- where a region ends -------------------------------------------------------------------------------------------------


def test_branches_on_totals():
    def fn(xs, limit):
        total, best = 0.0, None
        for x in xs:
            total += float(x.sum())
            if total > limit:
                break
            if best is None or total > best:
                best = total
        return total, best, not total, total and 1
    same(fn, lambda v: (batches(), v), variants=(5, 100, -1, 5))


def test_identity_is_left_to_python():
    def fn(x):
        n = float(x.sum())
        m = n + 0.0
        return n is m, m is m, max(n, -1.0) is n, n in (n, 1), [n] == [n], n.is_integer(), isinstance(n, float), type(m)
    same(fn, lambda v: (x3(),))


def test_beside_tensors():
    def fn(x):
        n = float(x.sum()) * 2
        return x * n, n - x, Tensor(n) + x, ops.full((2,), n)
    same(fn, lambda v: (x3(),))


def test_in_branches_and_loops_on_tensors():
    def fn(x, total):
        if x.sum() > 5:
            total += float(x.mean())
            n = 1 / float(x.sum())
        else:
            n = 0.0
        while x.sum() < 20:
            x = x * 2
            total += float(x.sum())
        return total, n, x
    same(fn, lambda v: (x3(v), 0.5), variants=(1, 0.5, 0.1, 1))


def test_a_long_loop():
    def fn(x, n):
        total = 0.0
        for i in range(n):
            total = total + float(x[i % 3]) * i
        return total
    same(fn, lambda v: (x3(), 700), variants=(0, 0))


def test_a_training_step_keeps_its_totals():
    def loop(net, optimizer, data, totals):
        step = ms.value_and_grad(lambda a, b: ((net(a) - b) ** 2).mean(), None, optimizer.parameters)
        for epoch in range(2):
            running = 0.0
            for a, b in data:
                loss, grads = step(a, b)
                optimizer(grads)
                running += float(loss)
            totals.append(running / len(data))
            print(f"epoch {epoch} {totals[-1]:.5f}")
        return totals

    def make(_):
        ms.set_seed(1)
        net = nn.Dense(3, 1)
        data = [(Tensor(np.float32(np.arange(6).reshape(2, 3) * k / 9)), Tensor(np.float32([[k], [1]]))) for k in range(4)]
        return net, nn.SGD(net.trainable_params(), 0.01), data, []
    expected, got = loop(*make(0)), ms.jit(loop, mode="PIJit")(*make(0))
    assert np.allclose(got, expected, rtol=1e-6)


# -- arrays --------------------------------------------------------------------------------------------------------------


def test_arrays_of_tensors():
    def fn(x, keep):
        y = x + 1
        a, b = y.asnumpy(), x.numpy()
        keep.append(y.sum().asnumpy())
        return a, b, y, int(y.sum().asnumpy()), float(y.mean().asnumpy()), y.sum().asnumpy().item(), y[0].asnumpy().tolist()

    def shared(x):
        y = x * 2
        a = y.asnumpy()
        return y, a
    same(lambda x, keep: [v.tolist() if isinstance(v, np.ndarray) else v for v in fn(x, keep)], lambda v: (x3(), []))
    captured(fn, lambda v: (x3(), []))
    y, a = ms.jit(shared, mode="PIJit")(x3())
    a[0] = 50
    assert y[0] == 50


def test_an_array_sees_writes():
    def fn(x):
        y = x * 2
        a = y.sum().asnumpy()
        total = y.sum()
        b = total.asnumpy()
        total[...] = 3.0
        return float(a), float(b), total, operator.index(int(b))
    same(fn, lambda v: (x3(),))


def test_what_is_made_of_an_array_is_of_its_time():
    def fn(x, kept):
        total = x.sum() * 2
        a = total.asnumpy()
        n, text, line = 1.0 + a, f"{a:.2f}", "%.1f %s" % (a, "now")
        total[...] = 3.0
        b = kept.asnumpy()
        m = b + 1
        kept[...] = 5.0
        return float(n), text, line, total, float(m), kept
    same(fn, lambda v: (x3(), Tensor(np.float32(2))))


def test_totals_with_numpy_numbers():
    def fn(xs, meter):
        total, worst = 0.0, 1
        for x in xs:
            total += x.sum().asnumpy()
            meter.total += x.mean().asnumpy()
            worst = worst * x.max().asnumpy()
        return type(total).__name__, float(total), total / len(xs), f"{total / len(xs):.3f}", worst, -total, int(total), abs(total)
    same(fn, lambda v: (batches(), Meter()))
    same(fn, lambda v: ([x3(v), x3(v)], Meter()), variants=(1e38, 2, float("nan"), 1))  # not 0: max() may be 0 or -0


def test_arrays_go_on_in_numpy():
    def fn(logits, labels):
        a = logits.asnumpy()
        hits = (a.argmax(-1) == labels.asnumpy()).mean()
        return float(hits), a.shape, a.dtype == np.float32, a[0, 1] + 1, int(a.sum()), len(a), str(a)
    same(fn, lambda v: (Tensor(np.float32([[1, 2], [4, 3]])), Tensor(np.int64([1, 1]))))


def test_breaks_are_told():
    def fn(x):
        n = float(x.sum()) + 1
        return x + 1 if round(n) > 2 else x
    _msjit.reset()
    jitted = ms.jit(fn, mode="PIJit")
    jitted(x3())
    jitted(x3())
    if not FORCED:
        assert any(b["reason"] == "tensor_value" for b in breaks(fn))
