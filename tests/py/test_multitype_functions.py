"""MultitypeFuncGraph, HyperMap and Map choose, nest and refuse as MindSpore does."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, ParameterTuple, Tensor, nn, ops


def tensor(value):
    return Tensor(np.float32([value]))


VALUES = {"tensor": tensor(1), "long": Tensor([1]), "param": Parameter(tensor(1)), "int": 1, "float": 1.5, "bool": True, "str": "a",
          "list": [1], "tuple": (1,), "dict": {}, "none": None, "function": tensor, "cell": nn.ReLU(), "np.float32": np.float32(1),
          "np.int64": np.int64(1), "complex": 1j, "dtype": ms.int32}


@pytest.mark.parametrize("kind, expected", [
    ("Tensor", "tensor long param"), ("Tensor[Float32]", "tensor param"), ("Tensor[Int64]", "long"),
    ("Number", "int float bool np.float32 np.int64 complex"), ("Int", "int np.int64"), ("Int64", "int np.int64"), ("Int32", ""),
    ("int", "int np.int64"), ("Float", "float np.float32"), ("Float32", "np.float32"), ("Float64", "float"), ("Bool", "bool"),
    ("String", "str"), ("List", "list"), ("Tuple", "tuple"), ("None", "none"), ("Function", "function cell"), ("TypeType", "dtype"),
    ("Complex", "complex"), ("Dictionary", "dict")])
def test_kinds(kind, expected):
    graph = ops.MultitypeFuncGraph("kinds")
    graph.register("Slice", "Slice")(lambda a, b: False)
    graph.register(kind)(lambda a: True)
    found = []
    for name, value in VALUES.items():
        try:
            assert graph(value)
            found.append(name)
        except ValueError:
            pass
    assert found == expected.split()


def chosen(*kinds):
    graph = ops.MultitypeFuncGraph("chosen")
    for kind in kinds:
        graph.register(kind)(lambda x, kind=kind: kind)
    return graph


def test_order_of_definitions():
    assert chosen("Number", "Int")(1) == "Number" and chosen("Int", "Number")(1) == "Int"
    assert chosen("Tensor")("anything") == "Tensor"  # the only one
    with pytest.raises(TypeError):
        chosen("Tensor")(1, 2, 3)
    for call in (lambda: chosen()(1), lambda: chosen("Int", "Float")("text")):
        with pytest.raises(ValueError):
            call()
    for call in (lambda: ops.MultitypeFuncGraph(3), lambda: ops.HyperMap(3), lambda: ops.Map("text")):
        with pytest.raises(TypeError):
            call()


def test_results_are_tuples():
    hyper = ops.HyperMap()
    assert hyper(lambda a: a + 1, [1, [2, 3]]) == (2, (3, 4))
    assert ops.Map()(lambda a: a + 1, (i for i in (1, 2))) == (2, 3)
    assert type(hyper(lambda a: a, ParameterTuple([Parameter(tensor(1), name="a")]))) is tuple
    for made in (hyper, ops.Map()):
        with pytest.raises(RuntimeError):
            made(lambda a, b: a, (1, 2), (3,))


add = ops.MultitypeFuncGraph("add")
add.register("Tensor", "Tensor")(lambda a, b: a + b)
add.register("Tensor", "Number")(lambda a, b: a * b)
add.register("Number", "Number")(lambda a, b: a - b)
hyper_map = ops.HyperMap()


@pytest.mark.jit
@pytest.mark.parametrize("mode", ["PIJit", "PSJit"])
def test_compiled(mode):
    def run(a, b, n):
        return hyper_map(add, (a, (b, a)), (b, (n, b))) + (add(n, 2),)

    compiled, args = ms.jit(run, mode=mode), (tensor(3), tensor(4), 5)
    for n in (5, 5, 6):
        got, expected = compiled(*args[:2], n), run(*args[:2], n)
        assert str(got) == str(expected) and expected[2] == n - 2 and expected[1][0].asnumpy() == 4 * n
