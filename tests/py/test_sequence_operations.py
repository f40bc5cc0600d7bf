"""Primitives of numbers, tuples, lists and strings do what Python's operators do."""
import operator

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, ops
from msjit.ops.operations import _inner_ops as I
from msjit.ops.operations import _scalar_ops as S
from msjit.ops.operations import _sequence_ops as Q

SCALARS = [("Add", operator.add), ("Sub", operator.sub), ("Mul", operator.mul), ("Div", operator.truediv), ("FloorDiv", operator.floordiv),
           ("Mod", operator.mod), ("Pow", operator.pow), ("Eq", operator.eq), ("Ge", operator.ge), ("Gt", operator.gt),
           ("Le", operator.le), ("Lt", operator.lt), ("Max", max), ("Min", min)]


@pytest.mark.parametrize("name, function", SCALARS, ids=[row[0] for row in SCALARS])
def test_numbers(name, function):
    operation = getattr(S, "Scalar" + name)()
    for x, y in ((7, 2), (-7, 3), (2.5, 2), (3, 3)):
        assert operation(x, y) == function(x, y)


def test_numbers_alone():
    assert S.ScalarUsub()(3) == -3 and S.ScalarUadd()(3) == 3 and S.ScalarBool()(3) is True and abs(S.ScalarLog()(3.0) - 1.0986123) < 1e-6
    with pytest.raises(ValueError, match="divisor, got 0"):
        S.ScalarDiv()(1, 0)
    assert I.bit_and(6, 3) == 2 and I.bit_xor(6, 3) == 5 and I.bit_left_shift(1, 3) == 8
    assert I.string_getitem("abc", 1) == "b" and I.string_in("a", "abc") and I.string_mul("a", 2) == "aa" and not I.string_lt("b", "a")


CASES = [
    (Q.InSequence(), (2, (1, 2)), True), (Q.InSequence(), (3, (1, 2)), False), (Q.ListAppend(), ([1, 2], 3), [1, 2, 3]),
    (Q.ListInsert(), ([1, 2], 0, 3), [3, 1, 2]), (Q.ListAppendAndInsertGrad(), ([1, 2, 3], 1), [1, 3]),
    (Q.SequenceAdd(), ((1, 2), (3,)), (1, 2, 3)), (Q.SequenceAddOffset(), ((1, 2), (3,)), (0, 2)),
    (Q.SequenceCount(), ((1, 2, 1), 1), 2), (Q.SequenceIndex(), ((1, 2, 1), 1, 1, 3), 2), (Q.SequenceIndex(), ((1, 2, 1), 2), 1),
    (Q.SequenceMax(), ((1, 5, 1),), 5), (Q.SequenceMin(), ([4, 2],), 2), (Q.SequenceMul(), ((1, 2), 2), (1, 2, 1, 2)),
    (Q.SequenceSlice(), ((1, 2, 3, 4), 0, 3, 2), (1, 3)), (Q.SequenceSliceGrad(), ((9, 8), (1, 2, 3, 4), 0, 3, 2), (9, 0, 8, 0)),
    (Q.SequenceSliceSetItem(), ((1, 2, 3, 4), (7, 8, 9), 0, 2, 1), (7, 8, 9, 3, 4)), (Q.SequenceZerosLike(), ((1, (2.0, True)),), (0, (0.0, False))),
    (Q.ShapeMulGrad(), ((2, 3, 4), 1), (12, 8, 6)), (Q.shape_mul(), ((2, 3),), 6), (Q.sequence_len(), ((1, 2),), 2),
    (Q.tuple_lt(), ((1, 2), (1, 3)), True), (Q.list_equal(), ([1], [1]), True), (Q.make_range(), (1, 6, 2), (1, 3, 5)),
    (I.Format(), ("a{}b{}", 1, "c"), "a1bc"), (I.TileSize(), ((1, 4), (3, 4), 2), (3, 1)), (I.TileSize(), ((2,), (3, 4), 2), (3, 1)),
]


@pytest.mark.parametrize("operation, inputs, expected", CASES, ids=[row[0].name + str(i) for i, row in enumerate(CASES)])
def test_sequences(operation, inputs, expected):
    found = operation(*inputs)
    assert found == expected and type(found) is type(expected)


def test_sequences_of_tensors():
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    assert Q.InSequence()(Tensor([3.0, 4.0]), (x, y)) and not Q.InSequence()(Tensor([3.0]), (x, y))
    assert Q.SequenceAddN()((x, y, y)).tolist() == [7, 10] and Q.SequenceStack(1)([x, y]).tolist() == [[1, 3], [2, 4]]
    assert [part.item() for part in Q.SequenceUnstack()(x)] == [1, 2]
    assert Q.TensorToList()(x) == [1, 2] and Q.TensorToScalar()(Tensor(3)) == 3
    assert Q.SequenceZerosLike()([x])[0].tolist() == [0, 0]
    with pytest.raises(ValueError, match=r"\[TensorToScalar\] number of elements, got 2, expected 1"):
        Q.TensorToScalar()(x)


def test_errors():
    with pytest.raises(ValueError, match=r"\[SequenceIndex\] target, got 5"):
        Q.SequenceIndex()((1, 2), 5)
    with pytest.raises(TypeError, match=r"\[ListAppend\] sequence, got int, expected a tuple or a list"):
        Q.ListAppend()(3, 1)


@pytest.mark.jit
def test_compiled():
    add, cut = S.ScalarAdd(), Q.SequenceSlice()

    def function(x):
        return x * add(1, 2) + cut((x, x * 2, x * 3), 1, 3, 1)[1]
    x = Tensor(np.float32([1, 2]))
    assert ms.jit(function)(x).tolist() == [6, 12] and ms.grad(function)(x).tolist() == [6, 6]
    assert ops.Primitive("ScalarAdd")(1, 2) == 3
