"""Errors that graph-mode programs of MindSpore catch: classes of exceptions, and primitives that only describe their result."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn, ops

X = np.float32([[1, 2, 3], [4, 5, 6]])
MODES = [None, "PIJit", "PSJit"]


def wrapped(fn, mode):
    return fn if mode is None else ms.jit(fn, mode=mode)


class Scaled(ops.PrimitiveWithInfer):
    @ops.prim_attr_register
    def __init__(self, by):
        pass

    def infer_value(self, n):
        return n if n is None else n * self.by


class Rank(ops.PrimitiveWithInfer):
    def __infer__(self, x, pair):
        assert x["value"] is None and x["dtype"] == ms.float32 and pair == {"shape": ([], [2, 3]), "dtype": (int, ms.float32), "value": (2, None)}
        return {"shape": (), "dtype": ms.int32, "value": len(x["shape"])}


class Checked(ops.PrimitiveWithCheck):
    def check_shape(self, shape):
        if len(shape) != 1:
            raise ValueError("rank %d" % len(shape))

    def infer_value(self, x):
        return 7


@pytest.mark.parametrize("mode", MODES)
def test_primitives_that_only_give_constants(mode):
    scaled, rank, checked = Scaled(3), Rank("Rank"), Checked("Checked")
    run = wrapped(lambda x: (scaled(2), rank(x, (2, x)) + 1, checked(x[0])), mode)
    for _ in range(2):
        assert run(Tensor(X)) == (6, 3, 7)
    with pytest.raises(ValueError, match="rank 2"):
        wrapped(lambda x: checked(x), mode)(Tensor(X))
    with pytest.raises(NotImplementedError, match=r"\[Scaled\] __call__, expected a method of the subclass"):
        wrapped(lambda x: scaled(x), mode)(Tensor(X))


def add(state, x):
    return state + x, state * 2


@pytest.mark.parametrize("call, error, text", [
    (lambda: ops.ForiLoop()(0, "3", add, 1), TypeError, r"\[ForiLoop\] upper, got str"),
    (lambda: ops.ForiLoop()(0.5, 3, add, 1), TypeError, r"\[ForiLoop\] lower, got float"),
    (lambda: ops.ForiLoop()(False, 3, add, 1), TypeError, r"\[ForiLoop\] lower, got bool"),
    (lambda: ops.ForiLoop()(0, 3, 5, 1), TypeError, r"\[ForiLoop\] loop_func, got int, expected a function"),
    (lambda: ops.ForiLoop()(0, 3, add, 1, 5), TypeError, r"\[ForiLoop\] unroll, got int"),
    (lambda: ops.WhileLoop()(bool, 3, 1), TypeError, r"\[WhileLoop\] loop_func, got int, expected a function"),
    (lambda: ops.Scan()(add, 0, 5), TypeError, r"\[Scan\] xs, got int, expected a tuple, a list, a Tensor or None"),
    (lambda: ops.Scan()(add, 0, [1], "a"), TypeError, r"\[Scan\] length, got str"),
    (lambda: ops.Scan()(3, 0, [1]), TypeError, r"\[Scan\] loop_func, got int"),
    (lambda: ops.Scan()(add, 0, None), ValueError, r"\[Scan\] length, got None"),
    (lambda: ms.vmap(add, (0,))(Tensor(X), Tensor(X)), RuntimeError, r"\[vmap\] axes, got 1, expected 2"),
    (lambda: ms.vmap(add, (0, 5))(Tensor(X), Tensor(X)), RuntimeError, r"\[vmap\] axis, got 5, expected -2 to 1"),
    (lambda: ms.vmap(abs)(Tensor(1.0)), RuntimeError, r"\[vmap\] axis, got 0, expected None for a tensor without axes"),
    (lambda: ms.vmap(add, "a")(Tensor(X), Tensor(X)), RuntimeError, r"\[vmap\] axis, got 'a'"),
    (lambda: ms.vmap(abs, 0, True)(Tensor(X)), RuntimeError, r"\[vmap\] axis, got True"),
    (lambda: ops.HyperMap()(add, (1, 2), (1,)), RuntimeError, r"\[hyper_map\] sequences must have the same length, got 2 and 1"),
    (lambda: ops.Map()(add, (1, 2), (1,)), RuntimeError, r"\[map\] sequences must have the same length, got 2 and 1"),
    (lambda: ms.get_grad((0, Tensor(1.0)), None), TypeError, r"\[get_grad\] identifier, got NoneType"),
    (lambda: ms.load(3), ValueError, r"\[load\] file_name, got int"),
    (lambda: nn.ForwardValueAndGrad(3), TypeError, r"\[forward_value_and_grad\] network, got int"),
])
def test_classes_of_errors(call, error, text):
    for _ in range(2):
        with pytest.raises(error, match=text):
            call()


@pytest.mark.parametrize("mode", MODES)
def test_scan_takes_the_length_from_its_values(mode):
    scan = ops.Scan()
    run = wrapped(lambda x: (scan(add, 0, [1, 2, 3], 2), scan(add, 0, [], 3), scan(lambda s, _: (s * 2, s), x, None, 2)), mode)
    for _ in range(2):
        first, empty, (last, found) = run(Tensor(1.0))
        assert first == (6, [0, 2, 6]) and empty == (0, []) and float(last) == 4.0 and [float(v) for v in found] == [1.0, 2.0]


def test_the_options_of_a_jit_config_are_in_the_order_of_mindspore():
    assert list(ms.JitConfig(jit_level="O1").jit_config_dict) == ["jit_level", "exc_mode", "jit_syntax_level", "debug_level", "infer_boost", "backend"]
