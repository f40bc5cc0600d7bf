"""For loops over schedules of numbers: results, errors and gradients are those of the plain program, and the loop is one node."""
import numpy as np
import pytest

import loop_tables
import msjit as ms
from jit_same import FORCED
from msjit import Tensor
from test_jit_scan import assert_same, compiled, gradient_step, one_node, outcome, with_own_code

pytestmark = pytest.mark.jit


def inputs(seed=0):
    r = np.random.RandomState(seed)
    return tuple(Tensor(r.standard_normal(shape).astype(np.float32) * 0.5) for shape in ((2, 4), (2, 4), (4, 4)))


@pytest.mark.costly
@pytest.mark.parametrize("mode", ["PIJit", "PSJit"])
@pytest.mark.parametrize("program", loop_tables.ONE_NODE + loop_tables.UNROLLED, ids=lambda f: f.__name__)
def test_results(program, mode):
    captured = ms.jit(program, mode=mode)
    for seed in range(1 if FORCED else 2):
        assert_same(outcome(captured, *inputs(seed)), outcome(program, *inputs(seed)))


@pytest.mark.costly
@pytest.mark.captures
@pytest.mark.parametrize("program", loop_tables.ONE_NODE, ids=lambda f: f.__name__)
def test_one_node(program):
    captured = compiled(with_own_code(program))
    captured(*inputs())
    assert one_node(captured, *inputs())


@pytest.mark.costly
@pytest.mark.parametrize("wrapped", ["wrap_loss", "wrap_step"])
@pytest.mark.parametrize("program", [f for f in loop_tables.ONE_NODE if f.__name__ in ("zipped_with_range", "conditions", "array_functions", "powers", "decayed", "from_tensors", "while_below", "while_above")], ids=lambda f: f.__name__)
def test_gradients(program, wrapped):
    plain, captured = gradient_step(program), gradient_step(program, **{wrapped: compiled})
    assert_same(outcome(captured, *inputs()), outcome(plain, *inputs()))
