"""A branch on a tensor with one arm that raises. The region assumes the other arm. If that proves wrong, the interpreter runs the call from
its start and raises the program's exception."""
import traceback

import numpy as np
import pytest

import assumption_programs as programs
import msjit as ms
from msjit import Tensor, ops

pytestmark = pytest.mark.jit
X = Tensor(np.arange(6).reshape(2, 3).astype(np.float32))
WHOLE = [dict(mode="PIJit", fullgraph=True), dict(fullgraph=True)]
MODES = [dict(mode="PIJit"), dict()] + [pytest.param(options, marks=pytest.mark.captures) for options in WHOLE]


FUNCTIONS = [programs.asserting, programs.raising, programs.both_and_a_branch, programs.in_a_helper,
             programs.wrong_shapes, programs.nan_is_true]
INPUTS = [X, -X, X * 60, X * 20, X * np.float32("nan"), X * 0, X - 1000, X]


def outcome(fn, x):
    try:
        return fn(x).tolist()
    except Exception as error:
        return type(error), str(error), traceback.extract_tb(error.__traceback__)[-1].lineno


@pytest.mark.parametrize("options", MODES, ids=str)
@pytest.mark.parametrize("fn", FUNCTIONS)
def test_results_and_exceptions_are_those_of_eager_runs(fn, options):
    compiled = ms.jit(fn, **options)
    for x in INPUTS * 3:
        assert str(outcome(compiled, x)) == str(outcome(fn, x))


@pytest.mark.captures
@pytest.mark.parametrize("fn", FUNCTIONS)
def test_one_region(fn):
    ms.reset()
    compiled = ms.jit(fn, mode="PIJit", fullgraph=True)
    for _ in range(3):
        compiled(X)
    totals = ms.stats()
    assert totals["breaks"] == 0 and totals["eager_ops"] == 0 and totals["captured_calls"] == 3


@pytest.mark.captures
def test_a_call_that_raises_now_and_then_leaves_the_others_captured():
    compiled = ms.jit(programs.raising, mode="PIJit")
    for _ in range(20):
        compiled(X)
    for _ in range(20):
        with pytest.raises(ValueError):
            compiled(X * 1000)
        before = ms.stats()["captured_calls"]
        for _ in range(10):
            compiled(X)
        assert ms.stats()["captured_calls"] == before + 10


def test_nothing_is_left_behind():
    seen = []

    def f(x, store):
        store.append(1)
        print("once")
        assert x.sum() > 0
        store.append(2)
        return x + 1

    compiled = ms.jit(f, mode="PIJit")
    for x in [X, X, -X, X]:
        stores = [], []
        for store, fn in zip(stores, (f, compiled)):
            try:
                fn(x, store)
            except AssertionError:
                pass
        assert stores[0] == stores[1]
        seen.append(stores[1])
    assert seen == [[1, 2], [1, 2], [1], [1, 2]]


def test_what_an_arm_has_done_before_it_raises_counts():
    def f(x, log):
        if x.sum() < 0:
            log.append("negative")
            raise ValueError("negative")
        return x + 1

    compiled = ms.jit(f, mode="PIJit")
    for x in [X, -X, X, -X]:
        logs = [], []
        assert outcome(lambda v: f(v, logs[0]), x)[:2] == outcome(lambda v: compiled(v, logs[1]), x)[:2]
        assert logs[0] == logs[1]


def test_random_numbers_of_an_arm_that_raises_are_not_drawn():
    def f(x):
        if x.sum() < 0:
            raise ValueError(ops.standard_normal((2,)))
        return x + ops.standard_normal((2, 3))

    ms.set_seed(3)
    expected = [f(X).tolist() for _ in range(3)]
    ms.set_seed(3)
    compiled = ms.jit(f, mode="PIJit")
    assert [compiled(X).tolist() for _ in range(3)] == expected


def test_gradients():
    for fn in (programs.asserting, programs.raising, programs.both_and_a_branch):
        compiled = ms.jit(fn, mode="PIJit")
        for x in (X, X * 6, X):
            plain, got = ms.grad(lambda v: fn(v).sum())(x), ms.grad(lambda v: compiled(v).sum())(x)
            np.testing.assert_allclose(got.asnumpy(), plain.asnumpy(), rtol=1e-6)


def test_a_handler_takes_what_an_arm_raises():
    def f(x):
        try:
            if x.sum() < 0:
                raise ValueError("negative")
            return x + 1
        except ValueError:
            return -x

    compiled = ms.jit(f, mode="PIJit")
    for x in [X, -X, X, -X]:
        assert outcome(f, x) == outcome(compiled, x)
