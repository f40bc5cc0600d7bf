"""Numbers and arrays that numpy.random draws in captured code: fresh in each call, with NumPy's state afterwards."""
import threading

import numpy as np
import pytest

import msjit as ms
from jit_same import captured
from msjit import Tensor, nn, ops

pytestmark = pytest.mark.jit

BASE = np.linspace(-1, 1, 12).reshape(3, 4).astype(np.float32)
RNG = np.random.RandomState(5)


def equal(a, b):
    """Asserts that two results are alike: classes, numbers, and the bits of arrays and tensors."""
    assert type(a) is type(b)
    if isinstance(a, (Tensor, np.ndarray)):
        assert a.dtype == b.dtype and a.shape == b.shape
        a, b = [v.asnumpy() if isinstance(v, Tensor) else v for v in (a, b)]
        assert a.tobytes() == b.tobytes()
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for one, other in zip(a, b):
            equal(one, other)
    else:
        assert a == b


def state_of(rng=np.random):
    name, words, position, has_gauss, gauss = rng.get_state()
    return name, words.tobytes(), position, has_gauss, gauss


def scaled(x):
    return ops.tanh(x) * np.random.rand()


def numbers(x):
    return ops.tanh(x) * np.random.uniform(0.5, 1.5) + np.random.randint(1, 7), np.random.normal(0, 2), np.random.randint(5)


def skipped(x):
    if np.random.rand() < 0.5:
        x = x * 2
    return ops.tanh(x)


def noise(x):
    return x + Tensor(np.random.randn(*x.shape).astype(np.float32)) * 0.1


def steps(x):
    t = Tensor(np.random.randint(0, 3, size=(3,)), ms.int32)
    return x[t] + Tensor(np.random.randn(3, 4), ms.float32)


def mixed(x):
    lam = np.random.beta(0.4, 0.4)
    order = Tensor(np.random.permutation(3), ms.int32)
    return lam * x + (1 - lam) * x[order], lam


def own(x):
    return ops.tanh(x) * RNG.rand(), RNG.random_sample(), RNG.uniform(size=2)


def returned(x):
    a = np.random.normal(1.0, 0.1, (2, 2))
    return ops.tanh(x), a, a.shape, a.astype(np.float32)


def twice(x):
    a = np.random.randn(3, 4)
    return Tensor(a) + x, Tensor(a.astype("float32")) + x


CASES = [scaled, numbers, skipped, noise, steps, mixed, own, returned, twice]


def run(fn, calls=9):
    np.random.seed(3)
    RNG.seed(4)
    x = Tensor(BASE)
    return [fn(x) for _ in range(calls)], state_of(), state_of(RNG)


@pytest.mark.parametrize("fn", CASES, ids=lambda f: f.__name__)
def test_the_numbers_and_the_state_are_those_of_numpy(fn):
    expected, got = run(fn), run(ms.jit(fn, mode="PIJit"))
    assert expected[1:] == got[1:]
    for a, b in zip(expected[0], got[0]):
        equal(a, b)


@pytest.mark.captures
@pytest.mark.parametrize("fn", CASES, ids=lambda f: f.__name__)
def test_it_is_one_region(fn):
    fn(Tensor(BASE))
    captured(fn, lambda variant: (Tensor(BASE),))


def test_an_array_that_is_drawn_is_the_caller_s_own():
    def fn(x):
        a = np.random.rand(3)
        return x + Tensor(a), a, a

    compiled = ms.jit(fn, mode="PIJit")
    for _ in range(3):
        y, a, same = compiled(Tensor(np.zeros(3)))
        before = y.asnumpy().copy()
        assert a is same and a.flags.owndata and a.flags.writeable
        a += 5
        assert (y.asnumpy() == before).all()


def test_other_uses_of_an_array_are_left_to_numpy():
    def fn(x):
        a = np.random.randn(3, 4)
        b = np.random.rand(4)
        return x + Tensor((a * 2 + b).astype(np.float32)), a.mean()

    expected, got = run(fn), run(ms.jit(fn, mode="PIJit"))
    assert expected[1:] == got[1:]
    for a, b in zip(expected[0], got[0]):
        equal(a, b)


def test_a_region_that_is_given_up_takes_its_draws_back():
    def careful(x):
        r, g = np.random.rand(), np.random.randn()
        y = x * r + 0 * g
        if float(y.sum()) > 0:
            raise ValueError(r, g)
        return y, np.random.standard_normal(), Tensor(np.random.randn(3))

    def results(fn):
        np.random.seed(2)
        out = []
        for sign in (-1, -1, -1, 1, -1, 1, 1, -1):
            try:
                out.append(fn(Tensor(np.full((2, 2), sign, np.float32))))
            except ValueError as error:
                out.append(error.args)
        return out, state_of()

    expected, got = results(careful), results(ms.jit(careful, mode="PIJit"))
    assert expected[1] == got[1]
    for a, b in zip(expected[0], got[0]):
        equal(a, b)


def test_a_seed_and_a_state_in_between_count():
    def fn(x, seed):
        a = np.random.rand()
        np.random.seed(seed)
        return x * a, np.random.rand(), np.random.get_state()[2]

    np.random.seed(1)
    expected = [fn(Tensor(BASE), n) for n in (1, 2, 1, 3)]
    np.random.seed(1)
    compiled = ms.jit(fn, mode="PIJit")
    for e, n in zip(expected, (1, 2, 1, 3)):
        equal(e, compiled(Tensor(BASE), n))


def test_a_replaced_function_is_called(monkeypatch):
    compiled = ms.jit(lambda x: (x * 2, np.random.rand()), mode="PIJit")
    for _ in range(3):
        assert 0 <= compiled(Tensor(BASE))[1] < 1
    monkeypatch.setattr(np.random, "rand", lambda: 7.0)
    assert compiled(Tensor(BASE))[1] == 7.0
    other = np.random.RandomState(3)
    monkeypatch.setattr(np.random, "rand", other.rand)
    assert compiled(Tensor(BASE))[1] == np.random.RandomState(3).rand()


def test_generators_of_derived_classes_and_other_sources_of_bits():
    class Half(np.random.RandomState):
        def rand(self, *shape):
            return super(Half, self).rand(*shape) / 2

    def fn(x, rng):
        return x * rng.rand(), rng.uniform(0, 2)

    makers = [lambda: Half(3), lambda: np.random.RandomState(np.random.PCG64(3)), lambda: np.random.RandomState(3)]
    compiled = ms.jit(fn, mode="PIJit")
    for make in makers * 2:
        plain, jitted = make(), make()
        for _ in range(4):
            equal(fn(Tensor(BASE), plain), compiled(Tensor(BASE), jitted))


def test_arguments_that_numpy_refuses_raise_as_without_the_jit():
    def fn(x, scale):
        return x + 1, np.random.normal(0, scale)

    compiled = ms.jit(fn, mode="PIJit")
    for scale in (1.0, 1.0, -1.0, 1.0, 2.0):
        results = []
        for f in (fn, compiled):
            np.random.seed(7)
            try:
                results.append(f(Tensor(BASE), scale)[1])
            except ValueError as error:
                results.append(str(error))
        assert results[0] == results[1]


def test_noise_in_the_forward_pass_of_a_training_step():
    def train(jit):
        ms.set_seed(1)
        np.random.seed(1)
        net = nn.Dense(4, 4)
        optimizer = nn.SGD(net.trainable_params(), 0.1)

        def forward(x):
            z = Tensor(np.random.normal(0, 1, x.shape).astype(np.float32))
            keep = np.random.rand() < 0.7
            y = net(x + 0.1 * z)
            if keep:
                y = y * np.float32(1.5)
            return (y - z).square().mean()
        grad = ms.value_and_grad(forward, None, optimizer.parameters)

        def step(x):
            loss, grads = grad(x)
            optimizer(grads)
            return loss
        if jit:
            step = ms.jit(step, mode="PIJit")
        return [step(Tensor(BASE)).asnumpy() for _ in range(8)], state_of()

    expected, got = train(False), train(True)
    assert expected[1] == got[1]
    np.testing.assert_allclose(expected[0], got[0], rtol=2e-5)


def test_an_array_of_a_tensor_has_no_gradient():
    def fn(x):
        y = x * x
        return (x * Tensor(y.asnumpy())).sum() + (x * Tensor(y.asnumpy().astype(np.float64).astype(np.float32))).sum()

    grad = ms.grad(fn)
    expected = grad(Tensor(BASE))
    compiled = ms.jit(lambda x: grad(x), mode="PIJit")
    for _ in range(3):
        np.testing.assert_allclose(compiled(Tensor(BASE)).asnumpy(), expected.asnumpy(), rtol=1e-6)


def test_a_copy_made_by_astype_shows_no_later_write():
    def fn(x):
        y = x + 1
        a = y.asnumpy()
        b = a.astype(np.float32)
        t = Tensor(a)
        y[0] = 9
        return y, a, b, t

    compiled = ms.jit(fn, mode="PIJit")
    for _ in range(3):
        equal(fn(Tensor(BASE)), compiled(Tensor(BASE)))


def test_threads_share_the_generator():
    compiled = ms.jit(lambda x: (x * 2, np.random.rand()), mode="PIJit")
    compiled(Tensor(BASE))
    np.random.seed(12)
    drawn, lock = [], threading.Lock()

    def work(call):
        mine = [call() for _ in range(200)]
        with lock:
            drawn.extend(mine)

    threads = [threading.Thread(target=work, args=(call,))
               for call in (np.random.rand, lambda: compiled(Tensor(BASE))[1], lambda: compiled(Tensor(BASE))[1])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    fresh = np.random.RandomState(12)
    assert sorted(drawn) == sorted(fresh.rand(600).tolist())
    assert state_of() == state_of(fresh)
