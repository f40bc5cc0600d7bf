"""For loops of changing lengths: results, errors and gradients are those of the plain program."""
import contextlib
import io
import marshal
import pathlib
import signal
import sys
import types

import numpy as np
import pytest

import loop_iterators
import loop_programs
import loop_states
import loop_turns
import loop_writes
import msjit as ms
from jit_same import FORCED
from msjit import Tensor, ops

pytestmark = pytest.mark.jit
LENGTHS = [5, 9, 30, 17, 2, 9, 0, 33, 1, 21][:4 if FORCED else None]  # with forced breaks each turn is a region
MODES = ["PIJit", "PSJit"]


def data(seed, *shape):
    return Tensor(np.random.RandomState(seed).standard_normal(shape).astype(np.float32))


def inputs(length):
    return data(length, length, 2, 4), data(1, 2, 4), data(2, 4, 4) * 0.5


def outcome(function, *args):
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed):
            return function(*args), printed.getvalue()
    except Exception as error:
        return type(error), str(error), printed.getvalue()


def assert_same(got, want):
    assert type(got) is type(want)
    if isinstance(want, (tuple, list)):
        assert len(got) == len(want)
        for a, b in zip(got, want):
            assert_same(a, b)
    elif isinstance(want, dict):
        assert list(got) == list(want)
        for key in want:
            assert_same(got[key], want[key])
    elif isinstance(want, Tensor):
        assert got.dtype == want.dtype and got.shape == want.shape
        np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=2e-5, atol=2e-5)
    else:
        assert got == want


ONE_NODE = loop_programs.ONE_NODE + loop_iterators.ONE_NODE + loop_writes.ONE_NODE + loop_states.ONE_NODE + loop_turns.ONE_NODE
UNROLLED = loop_programs.UNROLLED + loop_iterators.UNROLLED + loop_writes.UNROLLED + loop_states.UNROLLED + loop_turns.UNROLLED


@pytest.mark.costly
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", ONE_NODE + UNROLLED, ids=lambda f: f.__name__)
def test_results(program, mode):
    captured = ms.jit(program, mode=mode)
    for length in LENGTHS:
        args = inputs(length)
        assert_same(outcome(captured, *args), outcome(program, *args))


def one_node(captured, *args):
    """Whether the loop became one node. In `no_state` no loop is left at all, because everything in it can be computed for all rows at once."""
    text = str(ms.explain(captured, *args))
    return "= scan(" in text or (captured.__name__ == "no_state" and "graphs for the sizes met" in text)


def with_own_code(function):
    """The function with a code object of its own. Functions that share their code share its captures, also those that another test made."""
    code = marshal.loads(marshal.dumps(function.__code__))
    return types.FunctionType(code, function.__globals__, function.__name__, function.__defaults__, function.__closure__)


@pytest.mark.costly
@pytest.mark.captures
@pytest.mark.parametrize("program", ONE_NODE, ids=lambda f: f.__name__)
def test_one_node(program):
    captured = compiled(with_own_code(program))
    for length in LENGTHS:
        outcome(captured, *inputs(length))
    assert one_node(captured, *inputs(13))


# Each function is compiled from this text, as functions of one code object would share its captures.
STEP = """
def leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, (tuple, list)) else [value]

def loss(x, h, w):
    return sum((part * part).sum() for part in leaves(program(x, h, w)) if isinstance(part, Tensor))

def step(x, h, w):
    return ms.value_and_grad(inner, (0, 1, 2))(x, h, w)
"""


def gradient_step(program, wrap_loss=lambda f: f, wrap_step=lambda f: f):
    names = {"program": program, "ms": ms, "Tensor": Tensor}
    exec(STEP, names)
    names["inner"] = wrap_loss(names["loss"])
    return wrap_step(names["step"])


def compiled(function):
    return ms.jit(function, mode="PIJit")


@pytest.mark.costly
@pytest.mark.parametrize("wrapped", ["wrap_loss", "wrap_step"])  # gradients from outside, and in the graph
@pytest.mark.parametrize("program", ONE_NODE + UNROLLED, ids=lambda f: f.__name__)
def test_gradients(program, wrapped):
    plain, captured = gradient_step(program), gradient_step(program, **{wrapped: compiled})
    for length in LENGTHS:
        args = inputs(length)
        assert_same(outcome(captured, *args), outcome(plain, *args))


@pytest.mark.costly
@pytest.mark.captures
@pytest.mark.parametrize("program", ONE_NODE, ids=lambda f: f.__name__)
def test_one_node_with_its_gradient(program):
    captured = gradient_step(program, wrap_step=compiled)
    for length in LENGTHS:
        outcome(captured, *inputs(length))
    assert one_node(captured, *inputs(13))


def test_some_gradients_alone():
    """Gradients of only some results may need a state from before the last turns, which the gradients of all results do not need."""
    def states(x, h, w):
        ids, outs = (x[:, 0, 0] > 0).astype(ms.float32), []
        for t in range(x.shape[0]):
            if h[0, 0] > 0.07:
                h = h * 0.5 + ids[t] * 0.5
            outs.append(h)
        return h, ops.stack(outs)

    plain, captured = gradient_step(states), gradient_step(states, wrap_loss=compiled)
    for length in [6, 9, 30, 3, 1, 0, 17, 12, 12, 30]:
        rng = np.random.RandomState(length)
        args = [Tensor(rng.randint(-8, 8, shape).astype(np.float32) / 8) for shape in ((length, 2, 4), (2, 4), (4, 4))]
        assert_same(outcome(captured, *args), outcome(plain, *args))


@pytest.mark.parametrize("program", [loop_programs.stacked, loop_programs.rows, loop_programs.backwards, loop_programs.branch_on_state,
                                     loop_programs.from_outside, loop_programs.parts_of_rows, loop_programs.in_pairs], ids=lambda f: f.__name__)
def test_gradients_of_gradients(program):
    def second(step):
        def norm(*args):
            return sum((part * part).sum() for part in step(*args)[1])
        return ms.grad(norm, (0, 1, 2))

    plain, captured = gradient_step(program), gradient_step(program, wrap_loss=compiled)
    for length in LENGTHS:
        args = inputs(length)
        assert_close(outcome(second(captured), *args), outcome(second(plain), *args))


def assert_close(got, want):
    assert type(got) is type(want) and len(got) == len(want)
    for a, b in zip(got, want):
        if isinstance(b, Tensor):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=2e-4, atol=2e-3)
        elif isinstance(b, tuple):
            assert_close(a, b)
        else:
            assert a == b


def endless(x):
    for _ in range(10 ** 10):
        x = ops.tanh(x) * 0.999
    return x


@pytest.mark.captures
def test_a_long_loop_can_be_interrupted():
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            compiled(endless)(data(1, 4, 4))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.costly
def test_a_short_loop_fuzz():
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fuzz"))
    import loop_fuzz
    said = []
    programs, _, _, failed = loop_fuzz.fuzz(0, 20 if FORCED else 40, 20, said.append)
    assert programs and not failed, said
