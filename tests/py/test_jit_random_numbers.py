"""Numbers that Python's random draws in captured code: fresh in each call, in the program's order, with CPython's state afterwards."""
import gc
import random
import threading

import numpy as np
import pytest

import msjit as ms
from jit_same import captured
from msjit import Tensor, ops

pytestmark = pytest.mark.jit

BASE = np.linspace(-1, 1, 12).reshape(3, 4).astype(np.float32)
RNG = random.Random(5)


def equal(a, b):
    """Asserts that two results are alike: classes, numbers, and the bits of tensors."""
    assert type(a) is type(b)
    if isinstance(a, Tensor):
        assert a.dtype == b.dtype and a.shape == b.shape
        assert a.asnumpy().tobytes() == b.asnumpy().tobytes()
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for one, other in zip(a, b):
            equal(one, other)
    else:
        assert a == b


def scaled(x):
    return ops.tanh(x) * random.random()


def uniform(x, low, high):
    return ops.tanh(x) * random.uniform(low, high) + random.uniform(0, 1)


def whole(x):
    return ops.tanh(x) * random.randint(1, 6) + random.randrange(10) - random.randrange(0, 20, 5)


def bits(x):
    return ops.tanh(x), random.getrandbits(5), random.getrandbits(40), random.getrandbits(62)


def skipped(x, p):
    y = ops.tanh(x)
    if random.random() < p:
        y = y * 2 + 1
    return y * 3


def early(x, p):
    if random.random() < p:
        return x
    return ops.tanh(x)


def layers(x, p):
    for k in range(5):
        if random.random() < p:
            continue
        x = ops.tanh(x) + k
    return x


def picked(x):
    return ops.tanh(x) * random.choice([0.1, 0.25, 0.5]) + random.choice((1, 2, 3))


def picked_text(x):
    name = random.choice(["a", "b", "c"])
    return ops.tanh(x), name, "%s!" % name


def picked_layer(x):
    return random.choice([ops.tanh, ops.sin, ops.cos])(x)


def picked_tensor(x, y):
    return random.choice([x, y]) * 2


def own_generator(x):
    return ops.tanh(x) * RNG.random() + RNG.randint(0, 3)


def numbers(x):
    r = random.random()
    return ops.tanh(x), r, r * 2 + 1, "%.3f" % r, r < 0.5, max(r, 0.3), int(r * 10)


def spread(x):
    return ops.tanh(x), random.gauss(0, 1), random.expovariate(2.0), random.triangular(0, 1, 0.5)


def narrow(x):
    return x.astype(ms.float16) * random.random() + 1


def made(x):
    return x + Tensor(random.random(), ms.float32)


def as_argument(x):
    return ops.add(x, random.random()) + ops.full_like(x, 2)


WITHIN = [
    (scaled, ()), (uniform, (0.5, 1.5)), (whole, ()), (bits, ()), (skipped, (0.5,)), (early, (0.5,)), (layers, (0.4,)), (picked, ()),
    (picked_text, ()), (picked_layer, ()), (own_generator, ()), (numbers, ()), (narrow, ()), (made, ()), (as_argument, ())]
BREAKING = [(spread, ())]


def run(fn, args, calls=9):
    random.seed(3)
    RNG.seed(4)
    x = Tensor(BASE)
    results = [fn(x, *args) for _ in range(calls)]
    return results, random.getstate(), RNG.getstate()


@pytest.mark.parametrize("fn, args", WITHIN + BREAKING, ids=lambda v: getattr(v, "__name__", ""))
def test_the_numbers_and_the_state_are_those_of_python(fn, args):
    expected = run(fn, args)
    compiled = run(ms.jit(fn, mode="PIJit"), args)
    assert expected[1:] == compiled[1:]
    for a, b in zip(expected[0], compiled[0]):
        equal(a, b)


@pytest.mark.captures
@pytest.mark.parametrize("fn, args", WITHIN, ids=lambda v: getattr(v, "__name__", ""))
def test_it_is_one_region_with_fresh_numbers(fn, args):
    captured(fn, lambda variant: (Tensor(BASE),) + args)


@pytest.mark.captures
def test_a_number_that_decides_what_is_captured_is_drawn_before_the_region():
    def rows(x):
        y = ops.tanh(x)
        start = random.randrange(3)
        return y[start:start + 1] * 2

    random.seed(0)
    expected = [rows(Tensor(BASE)) for _ in range(8)]
    random.seed(0)
    compiled = ms.jit(rows, mode="PIJit")
    for e in expected:
        equal(e, compiled(Tensor(BASE)))


def test_items_that_are_objects_leave_the_region():
    class Named:
        def __init__(self, name):
            self.name = name

    items = [Named("a"), Named("b"), Named("c")]

    def pick(x):
        chosen = random.choice(items)
        return ops.tanh(x), chosen

    def name_of(x):
        return ops.tanh(x), random.choice(items).name

    for fn in (pick, name_of):
        random.seed(1)
        expected = [fn(Tensor(BASE))[1] for _ in range(12)]
        random.seed(1)
        compiled = ms.jit(fn, mode="PIJit")
        got = [compiled(Tensor(BASE))[1] for _ in range(12)]
        assert all(a is b for a, b in zip(expected, got))


def test_tensors_are_picked():
    x, y = Tensor(BASE), Tensor(BASE + 1)
    random.seed(1)
    expected = [picked_tensor(x, y) for _ in range(8)]
    random.seed(1)
    compiled = ms.jit(picked_tensor, mode="PIJit")
    for e in expected:
        equal(e, compiled(x, y))


def test_a_seed_in_between_counts():
    def twice(x, n):
        a = random.random()
        random.seed(n)
        b = random.random()
        return x * a + b, a, b

    random.seed(8)
    expected = [twice(Tensor(BASE), n) for n in (1, 2, 1, 1, 3)] + [random.random()]
    random.seed(8)
    compiled = ms.jit(twice, mode="PIJit")
    got = [compiled(Tensor(BASE), n) for n in (1, 2, 1, 1, 3)] + [random.random()]
    for e, g in zip(expected, got):
        equal(e, g)


def test_a_replaced_function_is_called(monkeypatch):
    compiled = ms.jit(lambda x: (ops.tanh(x), random.random()), mode="PIJit")
    for _ in range(3):
        assert 0 <= compiled(Tensor(BASE))[1] < 1
    monkeypatch.setattr(random, "random", lambda: 7.0)
    assert compiled(Tensor(BASE))[1] == 7.0
    other = random.Random(2)
    first = random.Random(2).random()
    monkeypatch.setattr(random, "random", other.random)
    assert compiled(Tensor(BASE))[1] == first
    monkeypatch.undo()
    random.seed(6)
    first = random.Random(6).random()
    assert compiled(Tensor(BASE))[1] == first


class Counting(random.Random):
    calls = 0

    def random(self):
        self.calls += 1
        return super(Counting, self).random() / 2


class OwnBits(random.Random):
    def getrandbits(self, k):
        return 0


class Fixed(random.Random):
    def random(self):
        return 0.25


@pytest.mark.parametrize("cls", [Counting, OwnBits, Fixed, random.SystemRandom])
def test_derived_generators_draw_in_their_own_way(cls):
    def draw(x, rng):
        return ops.tanh(x) * rng.random() + rng.randint(0, 5) * rng.choice([0.5, 0.75])

    def results(fn):
        rng = cls(7)
        made = [fn(Tensor(BASE), rng) for _ in range(5)]
        return made, getattr(rng, "calls", 0)

    if cls is random.SystemRandom:
        compiled = ms.jit(draw, mode="PIJit")
        rng = cls()
        assert len({float(compiled(Tensor(BASE), rng).sum()) for _ in range(6)}) > 1
        return
    expected, got = results(draw), results(ms.jit(draw, mode="PIJit"))
    assert expected[1] == got[1]
    for a, b in zip(expected[0], got[0]):
        equal(a, b)


def test_an_instance_attribute_hides_the_method():
    def draw(x, rng):
        return ops.tanh(x) * rng.random()

    rng = random.Random(1)
    compiled = ms.jit(draw, mode="PIJit")
    for _ in range(3):
        compiled(Tensor(BASE), rng)
    rng.random = lambda: 3.0
    equal(compiled(Tensor(BASE), rng), ops.tanh(Tensor(BASE)) * 3.0)
    del rng.random
    state = rng.getstate()
    got = compiled(Tensor(BASE), rng)
    rng.setstate(state)
    equal(got, draw(Tensor(BASE), rng))


def test_two_names_of_one_generator():
    def draw(x, a, b):
        return ops.tanh(x) * a.random(), b.random(), a.random()

    rng = random.Random(1)
    compiled = ms.jit(draw, mode="PIJit")
    for pair in [(rng, rng), (rng, random.Random(9)), (rng, rng)]:
        states = [r.getstate() for r in pair]
        got = compiled(Tensor(BASE), *pair)
        after = [r.getstate() for r in pair]
        for r, state in zip(pair, states):
            r.setstate(state)
        equal(got, draw(Tensor(BASE), *pair))
        assert after == [r.getstate() for r in pair]


def test_a_region_that_is_given_up_takes_its_draws_back():
    def careful(x):
        r = random.random()
        y = x * r
        if float(y.sum()) > 0:
            raise ValueError(r)
        return y, random.random()

    def results(fn):
        random.seed(2)
        out = []
        for sign in (-1, -1, -1, 1, -1, 1, 1, -1):
            try:
                out.append(fn(Tensor(np.full((2, 2), sign, np.float32))))
            except ValueError as error:
                out.append(error.args)
        return out, random.getstate()

    expected, got = results(careful), results(ms.jit(careful, mode="PIJit"))
    assert expected[1] == got[1]
    for a, b in zip(expected[0], got[0]):
        equal(a, b)


def test_an_error_midway_leaves_the_state_as_python_does():
    def failing(x, n):
        a = random.random()
        y = x * a
        return y / 2, 1 / n, random.random()

    def results(fn):
        random.seed(2)
        out = []
        for n in (1, 2, 3, 0, 4, 0, 0, 5):
            try:
                out.append(fn(Tensor(BASE), n))
            except ZeroDivisionError:
                out.append(None)
        return out, random.getstate()

    expected, got = results(failing), results(ms.jit(failing, mode="PIJit"))
    assert expected[1] == got[1]
    for a, b in zip(expected[0], got[0]):
        equal(a, b)


class Net(ms.nn.Cell):
    def __init__(self, p):
        super().__init__()
        self.parts = ms.nn.CellList([ms.nn.Dense(4, 4) for _ in range(4)])
        self.p = p

    def construct(self, x):
        for part in self.parts:
            if self.training and random.random() < self.p:
                continue
            x = x + ops.tanh(part(x))
        return x


def train(mode, steps=6):
    ms.set_seed(1)
    np.random.seed(1)
    random.seed(1)
    net = Net(0.5)
    net.set_train()
    optimizer = ms.nn.SGD(net.trainable_params(), 0.1)
    grad = ms.value_and_grad(lambda x: net(x).square().mean(), None, optimizer.parameters)

    def step(x):
        loss, grads = grad(x)
        optimizer(grads)
        return loss

    if mode:
        step = ms.jit(step, mode=mode)
    losses = [step(Tensor(BASE)) for _ in range(steps)]
    return losses, [p.asnumpy() for p in net.trainable_params()], random.getstate()


def test_stochastic_depth_trains_as_eager_code():
    expected, got = train(None), train("PIJit")
    assert expected[2] == got[2]
    for a, b in zip(expected[0] + expected[1], got[0] + got[1]):
        np.testing.assert_allclose(np.asarray(a.asnumpy() if isinstance(a, Tensor) else a),
                                   np.asarray(b.asnumpy() if isinstance(b, Tensor) else b), rtol=2e-5, atol=1e-6)


def test_draws_in_branches_and_loops_on_tensors():
    def branch(x):
        if x.sum() > 0:
            x = x * random.random()
        return x + 1

    def loop(x):
        while x.sum() < 10:
            x = x + random.random()
        return x

    def nested(x):
        if random.random() < 0.5:
            x = x * random.uniform(0.5, 1.5)
        return ops.tanh(x)

    for fn in (branch, loop, nested):
        def results(call):
            random.seed(3)
            out = [call(Tensor(np.full((2, 2), v, np.float32))) for v in (1, -1, 1, 1, -1, 2)]
            return out, random.getstate()

        expected, got = results(fn), results(ms.jit(fn, mode="PIJit"))
        assert expected[1] == got[1], fn.__name__
        for a, b in zip(expected[0], got[0]):
            equal(a, b)


def test_threads_share_a_generator():
    compiled = ms.jit(lambda x: (x * 2, random.random()), mode="PIJit")
    compiled(Tensor(BASE))
    random.seed(12)
    drawn, lock = [], threading.Lock()

    def work(call):
        mine = [call() for _ in range(200)]
        with lock:
            drawn.extend(mine)

    threads = [threading.Thread(target=work, args=(call,))
               for call in (random.random, lambda: compiled(Tensor(BASE))[1], lambda: compiled(Tensor(BASE))[1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    fresh = random.Random(12)
    assert sorted(drawn) == sorted(fresh.random() for _ in range(600))
    assert random.getstate() == fresh.getstate()


def test_a_generator_may_die():
    def draw(x, rng):
        return x * rng.random()

    compiled = ms.jit(draw, mode="PIJit")
    for seed in range(6):
        rng = random.Random(seed)
        got = compiled(Tensor(BASE), rng)
        equal(got, draw(Tensor(BASE), random.Random(seed)))
        del rng
        gc.collect()


def test_many_draws_cross_the_end_of_the_words():
    def draw(x):
        return ops.tanh(x), [random.random() for _ in range(40)], [random.randrange(1000) for _ in range(40)]

    expected, got = run(draw, (), 12), run(ms.jit(draw, mode="PIJit"), (), 12)
    assert expected[1] == got[1]
    for a, b in zip(expected[0], got[0]):
        equal(a, b)


def test_printing_that_fails_draws_once():
    import io

    class Refusing(io.StringIO):
        pass

    def shown(x, out):
        r = random.random()
        print("%.4f" % r, file=out)
        return x * r

    def results(fn):
        random.seed(4)
        made, texts = [], []
        for closed in (False, False, True, False, True):
            out = io.StringIO()
            if closed:
                out.close()
            try:
                made.append(fn(Tensor(BASE), out))
                texts.append(out.getvalue())
            except ValueError:
                made.append(None)
        return made, texts, random.getstate()

    expected, got = results(shown), results(ms.jit(shown, mode="PIJit"))
    assert expected[1:] == got[1:]
    for a, b in zip(expected[0], got[0]):
        equal(a, b)
