"""Primitives take their operands under MindSpore's names."""
from inspect import signature

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, ops
from msjit.ops import call_names
from msjit.ops import operations as P

MODES = [lambda f: f] + [lambda f: ms.jit(f, mode="PIJit"), lambda f: ms.jit(f, mode="PSJit")] * ms.has_jit
A, B = Tensor([1.0, 4.0, 9.0]), Tensor([2.0, 2.0, 5.0])


def test_every_primitive_of_the_table_has_its_names():
    for (operands, defaults), classes in call_names._rows():
        for name in classes:
            parameters = list(signature(getattr(P, name).__call__).parameters.values())[1:]
            assert tuple(p.name for p in parameters) == operands, name
            assert all(p.default is None for p in parameters[len(operands) - len(defaults):]), name


CALLS = {
    "two": lambda: P.Mul()(input=A, other=B), "one": lambda: P.Sqrt()(x=A), "renamed": lambda: P.Abs()(input=A - B), "mixed": lambda: P.Pow()(A, exponent=B),
    "attributes": lambda: P.Cross(0)(other=B, input=A), "optional": lambda: P.BinaryCrossEntropy("sum")(A / 10, target=B / 10),
    "three": lambda: P.Select()(condition=A > B, input=A, other=B), "dtype": lambda: P.Cast()(input_x=A, dtype=ms.int32),
    "decimals": lambda: P.Round()(input=A / 7, decimals=2)}
WANT = {
    "two": [2, 8, 45], "one": [1, 2, 3], "renamed": [1, 2, 4], "mixed": [1, 16, 59049], "attributes": [2, 13, -6], "optional": 2.3407,
    "three": [2, 4, 9], "dtype": [1, 4, 9], "decimals": [0.14, 0.57, 1.29]}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CALLS)
def test_calls(name, mode):
    assert np.allclose(mode(CALLS[name])().asnumpy(), WANT[name], atol=1e-3)


def test_what_is_not_a_name_is_refused():
    with pytest.raises(TypeError, match="unexpected keyword argument 'y'"):
        P.Add()(A, y=B)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'other'"):
        P.Add()(A)


def test_classes_of_programs_keep_their_own():
    class Twice(ops.Add):
        def __call__(self, x, y):
            return super().__call__(x, y) * 2
    assert Twice()(x=A, y=B).asnumpy().tolist() == [6, 12, 28]
