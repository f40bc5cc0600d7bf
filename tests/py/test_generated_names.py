"""Names that MindSpore generates or keeps in inner modules, and what primitives say of themselves."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, ops
from msjit.ops import auto_generate, function, functional_overload
from msjit.ops._utils.arg_dtype_cast import ListToTuple, TupleToList

X = np.float32([[4, 1, 3], [2, 6, 5]])


def test_modules_are_attributes_of_ops():
    assert ops.auto_generate is auto_generate and ops.gen_ops_def is auto_generate
    assert ops.functional_overload is functional_overload
    assert (ms.bool, ms.int, ms.float) == (ms.bool_, ms.int32, ms.float32)
    assert Tensor([1, 0], ms.bool).dtype == ms.bool_


@pytest.mark.parametrize("name, args, want", [
    ("add_ext", (Tensor(X), 2), X + 3 * 2), ("sub_ext", (Tensor(X), 2), X - 3 * 2),
    ("mean_ext", (), X.mean()), ("softmax_ext", (), np.exp(X) / np.exp(X).sum(1, keepdims=True)),
    ("new_zeros", ((2,),), np.zeros(2)), ("new_ones", (3,), np.ones(3)), ("clamp_scalar", (2, 5), X.clip(2, 5)),
    ("transpose_ext_view", (0, 1), X.T), ("select_ext_view", (1, 2), X[:, 2]), ("slice_ext", (-1, 0, 3, 2), X[:, ::2]),
    ("narrow_view", (1, 1, 2), X[:, 1:]), ("unsqueeze_view", (0,), X[None]), ("index", ([Tensor([1]), Tensor([2])],), X[[1], [2]]),
    ("inner_non_zero", (), np.argwhere(X)), ("index_fill_ext", (0, Tensor([1]), 7.0), [[4, 1, 3], [7, 7, 7]]),
    ("amax_ext", (1,), X.max(1)), ("atan2_ext", (Tensor(X),), np.full(X.shape, np.pi / 4)),
])
def test_generated_functions(name, args, want):
    if name in ("add_ext", "sub_ext"):
        got = getattr(auto_generate, name)(Tensor(X), args[1], 3)
    else:
        got = getattr(auto_generate, name)(Tensor(X), *args)
    np.testing.assert_allclose(got.asnumpy(), want, rtol=1e-6)


def test_functions_with_several_results():
    values, places = auto_generate.MaxDim()(Tensor(X), 1, keepdim=True)
    assert values.tolist() == [[4], [6]] and places.tolist() == [[0], [1]]
    assert [t.tolist() for t in auto_generate.MinDim()(Tensor(X), dim=0)] == [[2, 1, 3], [1, 0, 0]]
    values, inverse, counts = auto_generate.Unique2()(Tensor([3, 1, 3]), True, True, True)
    assert (values.tolist(), inverse.tolist(), counts.tolist()) == ([1, 3], [1, 0, 1], [1, 2])
    assert [t.shape for t in function.chunk_view(Tensor(X), 2, dim=1)] == [(2, 2), (2, 1)]
    assert [t.shape for t in function.split_view(Tensor(X), 1, dim=0)] == [(1, 3), (1, 3)]
    q, r = auto_generate.linalg_qr(Tensor(X))
    np.testing.assert_allclose((q @ r).asnumpy(), X, rtol=1e-5)


def test_upsampling():
    x = Tensor(np.float32([[[1, 2]]]))
    assert auto_generate.UpsampleNearest1D()(x, (4,)).tolist() == [[[1, 1, 2, 2]]]
    assert auto_generate.UpsampleNearest1D()(x, None, [2.0]).tolist() == [[[1, 1, 2, 2]]]
    assert auto_generate.UpsampleLinear1D()(x, (3,), None, True).tolist() == [[[1, 1.5, 2]]]


def test_overloads():
    assert functional_overload.any(Tensor([[0, 1], [0, 0]]), 1).tolist() == [True, False]
    assert functional_overload.kthvalue(Tensor(X), 2, 1, False)[0].tolist() == [3, 5]
    assert functional_overload.imag(Tensor(np.complex64([1 + 2j]))).tolist() == [2]
    assert functional_overload.rmod(Tensor([3, 5]), 7).tolist() == [1, 2]
    with pytest.raises(NotImplementedError, match="gmm"):
        functional_overload.gmm()
    assert not hasattr(functional_overload, "nothing")


def test_tuples_and_lists():
    assert TupleToList()((1, 2)) == [1, 2] and ListToTuple()([1, 2]) == (1, 2)
    with pytest.raises(TypeError, match=r"\[TupleToList\] x, got list, expected a tuple"):
        TupleToList()([1])


def test_attributes_of_primitives():
    add = ops.Add()
    assert add.add_prim_attr("kept", 3) is add and add.attrs == {"kept": 3} and add.kept == 3
    assert repr(add) == "Prim[Add]<kept=3>" and repr(add.del_prim_attr("kept")) == "Prim[Add]" and add.attrs == {}
    assert add.set_prim_instance_name("mine").instance_name == "mine" and add.place("MS_WORKER", 0) is None
    assert repr(ops.Add().set_stage(0)) == "Prim[Add]<stage=0>"
    assert repr(ops.Add().shard(((1, 1), (1, 1)))) == "Prim[Add]<in_strategy=((1, 1), (1, 1))>"
    assert ops.Add().set_device("CPU").primitive_target == "CPU" and ops.Add().recompute().attrs == {"recompute": True}
    assert ops.ReduceSum(True).init_attrs == {"keep_dims": True, "skip_mode": False}
    assert repr(ops.ScatterAdd()) == "Prim[ScatterAdd]<use_locking=False>"
    for bad in (lambda: add.shard(3), lambda: add.recompute(1)):
        with pytest.raises(TypeError, match=r"\[Add\]"):
            bad()
    with pytest.raises(ValueError, match=r"\[Add\] device_target, got 'NPU'"):
        add.set_device("NPU")


ROWS = [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize("call, expected", [
    (lambda x: auto_generate.SplitWithSize()(x, [1, 1], dim=1)[0], [[1.0], [3.0]]),
    (lambda x: auto_generate.SplitWithSize()(input=x, split_size=[1, 1], dim=1)[1], [[2.0], [4.0]]),
    (lambda x: auto_generate.Chunk()(x, 2, dim=1)[1], [[2.0], [4.0]]),
    (lambda x: auto_generate.SortExt()(x, -1, True, False)[0], [[2.0, 1.0], [4.0, 3.0]]),
    (lambda x: auto_generate.sort_ext(x, 0, True)[1], [[1, 1], [0, 0]]),
    (lambda x: auto_generate.MeanExt()(x, dim=1, keepdim=True), [[1.5], [3.5]]),
    (lambda x: auto_generate.Var()(x, dim=1, correction=0), [0.25, 0.25]),
    (lambda x: auto_generate.BatchNormExt()(x, Tensor([2.0, 2.0]), Tensor([1.0, 1.0]), Tensor([0.0, 0.0]), Tensor([4.0, 4.0]), False, 0.1, 0.0),
     [[2.0, 3.0], [4.0, 5.0]]),
    (lambda x: auto_generate.SolveTriangular()(Tensor([[2.0, 0.0], [1.0, 4.0]]), x, 0, True, False), [[0.5, 1.0], [0.625, 0.75]]),
    (lambda x: auto_generate.IndexAddExt()(x, 0, Tensor([1, 0]), x, 2), [[7.0, 10.0], [5.0, 8.0]]),
    (lambda x: auto_generate.NewOnes()(x, (2,), ms.int32), [1, 1]),
    (lambda x: auto_generate.StackExt(dim=1)((x, x)), [[[1.0, 2.0], [1.0, 2.0]], [[3.0, 4.0], [3.0, 4.0]]]),
    (lambda x: auto_generate.StackExt(-1)([x[0], x[1]]), [[1.0, 3.0], [2.0, 4.0]]),
    (lambda x: auto_generate.Diagonal(offset=1)(x), [2.0]),
    (lambda x: auto_generate.TensorScatterElements(axis=1, reduce="add")(x, Tensor([[0, 0]]), Tensor([[5.0, 6.0]])), [[12.0, 2.0], [3.0, 4.0]]),
    (lambda x: auto_generate.OneHotExt()(Tensor([0, 2]), -1, Tensor(1.0), Tensor(0.0)), [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    (lambda x: auto_generate.FmodScalar()(x - 3, 2), [[-0.0, -1.0], [0.0, 1.0]]),
    (lambda x: auto_generate.EluExt(alpha=2.0)(x), ROWS),
    (lambda x: auto_generate.Frac()(input=x / 2), [[0.5, 0.0], [0.5, 0.0]]),
    (lambda x: auto_generate.CountNonZero()(x - 1, dim=1), [1, 2]),
    (lambda x: auto_generate.EmptyLike()(x, ms.int32) * 0, [[0, 0], [0, 0]]),
    (lambda x: auto_generate.AvgPool2D()(input=x.reshape(1, 1, 2, 2), kernel_size=2, stride=1)[0, 0], [[2.5]]),
    (lambda x: auto_generate.AvgPool1D()(input=x.reshape(1, 2, 2), kernel_size=2)[0], [[1.5], [3.5]]),
    (lambda x: auto_generate.InnerUnique()(x[:, 0], True, True)[1], [0, 1]),
    (lambda x: auto_generate.Sub()(input=x, other=x), [[0.0, 0.0], [0.0, 0.0]]),
])
@pytest.mark.parametrize("wrap", [lambda f: f, lambda f: ms.jit(f, mode="PIJit"), ms.jit])
def test_calls_with_the_generated_parameters(call, expected, wrap):
    got = wrap(lambda x: call(x))(Tensor(ROWS)).asnumpy()
    assert got.tolist() == pytest.approx(expected) if got.ndim == 1 else abs(got - expected).max() < 1e-6


def test_dropout_draws_from_seed_and_offset():
    x = Tensor([[1.0] * 50] * 4)
    draw = auto_generate.DropoutExt()
    out, kept = draw(input=x, p=0.5, seed=Tensor(3, ms.int64), offset=Tensor(0, ms.int64))
    assert (out.asnumpy() == 2.0 * kept.asnumpy()).all() and 0 < kept.asnumpy().sum() < 200
    assert (draw(x, 0.5, 3, 0)[0].asnumpy() == out.asnumpy()).all() and (draw(x, 0.5, 3, 1)[0].asnumpy() != out.asnumpy()).any()
