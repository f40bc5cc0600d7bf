"""One small case for each difference from MindSpore that `make test-oracle` found."""
import math

import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn, ops
from msjit.ops import operations as P

X = np.array([[1.5, -2.0, 3.0], [0.5, 4.0, -1.0]], np.float32)


def tensor(values=X, dtype=None):
    return Tensor(np.asarray(values)) if dtype is None else Tensor(np.asarray(values), dtype)


@pytest.mark.parametrize("call", [
    lambda t: ops.sin(2.5), lambda t: ops.sin([1.0]), lambda t: ops.abs(np.ones(2, np.float32)), lambda t: ops.add(t, [1.0, 2.0, 3.0]),
    lambda t: P.Less()([1, 2], t), lambda t: ops.logical_and(t, 2), lambda t: ops.where(True, t, t), lambda t: ops.concat([t, 2.0]),
    lambda t: t * [1, 2, 3], lambda t: ops.sum(t, True), lambda t: ops.mean(2.0), lambda t: ops.shape([1, 2]), lambda t: ops.addn(t),
    lambda t: P.Argmax(axis=None), lambda t: nn.Dense(3, 4, has_bias=1), lambda t: nn.GELU("x"), lambda t: nn.ELU("x"),
    lambda t: nn.L1Loss()(t, 2.0), lambda t: nn.CosineEmbeddingLoss(0), lambda t: nn.CellList((nn.ReLU(),)), lambda t: ops.nan_to_num(tensor([1]))])
def test_type_errors(call):
    with pytest.raises(TypeError):
        call(tensor())


@pytest.mark.parametrize("call", [
    lambda t: P.Slice()(t, (0, 1), (2, 3)), lambda t: ops.slice(t, (0,), (2,)), lambda t: P.MatMul()(t, tensor(X[0])), lambda t: ops.mm(t, tensor(X[0])),
    lambda t: ops.bmm(tensor(np.ones((2, 2, 3), np.float32)), tensor(np.ones((3, 4), np.float32))), lambda t: ops.addn([t, tensor(X[0])]),
    lambda t: ops.arange(0, 5, -1), lambda t: ops.conv2d(t, t, padding=1), lambda t: P.MaxPool(2, 2, "bogus"), lambda t: nn.HuberLoss(delta=0),
    lambda t: nn.L1Loss(reduction=None), lambda t: nn.MaxPool2d(2, 2, "valid", 1), lambda t: nn.LayerNorm(()), lambda t: ops.smooth_l1_loss(t, tensor(X[0])),
    lambda t: nn.SoftmaxCrossEntropyWithLogits()(t, tensor(X[0])), lambda t: nn.Pad(((1, 1),))(t), lambda t: t.copy().add_(tensor(np.ones((2, 2, 3), np.float32)))])
def test_value_errors(call):
    with pytest.raises(ValueError):
        call(tensor())


@pytest.mark.jit
def test_refused_in_captured_code_too():
    for call in (lambda t: ops.sin(2.5), lambda t: ops.logical_and(t, 2), lambda t: ops.concat([t, 2.0]), lambda t: ops.sum(t, True),
                 lambda t: ops.where(True, t, t)):
        with pytest.raises(TypeError):
            ms.jit(call, mode="PIJit")(tensor())


def test_names_of_arguments():
    t = tensor()
    np.testing.assert_array_equal(ops.add(input=t, other=t).asnumpy(), X + X)
    np.testing.assert_array_equal(ops.pow(input=t, exponent=2).asnumpy(), X * X)
    np.testing.assert_array_equal(ops.reshape(input=t, shape=(3, 2)).asnumpy(), X.reshape(3, 2))
    assert ops.logical_and(t, True).dtype == ms.bool_
    for call in (lambda: ops.logsumexp(t, 1), lambda: ops.logsumexp(t, dim=1), lambda: ops.logsumexp(t, axis=1)):
        np.testing.assert_allclose(call().asnumpy(), np.log(np.exp(X).sum(1)), rtol=1e-6)
    for names in ("input target".split(), "logits label".split()):
        assert ops.binary_cross_entropy_with_logits(**dict(zip(names, (t, t)))) == ops.binary_cross_entropy_with_logits(t, t)
    np.testing.assert_allclose(ops.softplus(t, 2).asnumpy(), np.log1p(np.exp(2 * X)) / 2, rtol=1e-5)
    assert ops.softplus(ms.Tensor(np.array([1.5, 3], np.float32)), 1, 2)[1] == 3.0 == ms.mint.nn.functional.softplus(ms.Tensor([3.0]), 1, 2)[0]


@pytest.mark.jit
def test_names_of_arguments_in_captured_code():
    np.testing.assert_array_equal(ms.jit(lambda t: ops.add(input=t, other=t), mode="PIJit")(tensor()).asnumpy(), X + X)


@pytest.mark.parametrize("call, dtype", [
    (lambda i: ops.mean(i), ms.int32), (lambda i: i.mean(), ms.int32), (lambda i: P.ReduceMean()(i), ms.int32), (lambda i: ops.argmin(i), ms.int32),
    (lambda i: P.ReduceSum()(i), ms.int32), (lambda i: ops.sum(i), ms.int64), (lambda i: ops.cumsum(i, 0), ms.int32), (lambda i: P.RealDiv()(i, i), ms.int32),
    (lambda i: ops.max(i)[1], ms.int64), (lambda i: ops.sum(i > 0, dtype=ms.int32), ms.int32), (lambda i: i.astype(float), ms.float64),
    (lambda i: P.TensorShape()(i), ms.int64)])
def test_dtypes(call, dtype):
    i = tensor(np.array([[1, 2, 4], [-5, 6, 7]]), ms.int32)
    assert call(i).dtype == dtype


def test_mean_of_integers_is_cut_off():
    assert ops.mean(tensor([1, 2, 4], ms.int32)).item() == 2 and tensor([-1, -2], ms.int64).mean().item() == -1
    assert P.RealDiv()(tensor([7, -7], ms.int32), 2).tolist() == [3, -3]


@pytest.mark.jit
def test_astype_float_in_captured_code():
    assert ms.jit(lambda t: t.astype(float), mode="PIJit")(tensor()).dtype == ms.float64


def test_remainders():
    a, b = tensor([7.5, -7.5, 7.5, -7.5]), tensor([2.0, 2.0, -2.0, -2.0])
    assert P.Mod()(a, b).tolist() == [1.5, -1.5, 1.5, -1.5] and ops.fmod(a, b).tolist() == [1.5, -1.5, 1.5, -1.5]
    assert P.FloorMod()(a, b).tolist() == [1.5, 0.5, -0.5, -1.5]
    assert P.Mod()(tensor([-7, 7], ms.int32), tensor([2, 0], ms.int32)).tolist() == [-1, 0]


def test_largest_element_and_index():
    values, places = tensor().max(1)
    assert values.tolist() == [3.0, 4.0] and places.tolist() == [2, 1]
    assert tensor().max(axis=1).tolist() == [3.0, 4.0] and tensor().max().item() == 4.0
    assert tensor().min((0, 1)).item() == -2.0
    values, places = ops.median(tensor(), 1)
    assert values.tolist() == [1.5, 0.5] and places.tolist() == [0, 0]


def test_norms():
    t = tensor()
    for ord in (1, float("inf"), "fro", -1):
        assert ops.norm(t, ord).item() == pytest.approx(np.linalg.norm(X, ord), rel=1e-6)
    for ord in (0, 1, 2, 3, float("inf"), float("-inf")):
        np.testing.assert_allclose(ops.norm(t, ord, 1).asnumpy(), np.linalg.norm(X, ord, 1), rtol=1e-6)
        assert ops.norm(tensor(X[0]), ord).item() == pytest.approx(np.linalg.norm(X[0], ord), rel=1e-6)


def test_limits_above_each_other():
    assert ops.clamp(tensor(), 1, -1).asnumpy().max() == -1 and ops.hardtanh(tensor(), 1, -1).asnumpy().max() == -1


def test_weight_of_one_axis():
    assert ops.dense(tensor(X[0]), tensor(X[1])).item() == pytest.approx(float(X[0] @ X[1]))
    np.testing.assert_allclose(P.Dense()(tensor(), tensor(X[1]), tensor(np.float32(1))).asnumpy(), X @ X[1] + 1)


@pytest.mark.parametrize("mode, name", [("reflect", "reflect"), ("replicate", "edge"), ("circular", "wrap")])
def test_padding(mode, name):
    np.testing.assert_array_equal(ops.pad(tensor(), (1, 2, 1, 0), mode=mode).asnumpy(), np.pad(X, ((1, 0), (1, 2)), name))


@pytest.mark.parametrize("padding", [((0, 0), (1, 1)), [(0, 0), (1, 1)], (1.0, 1), (True, 1)], ids=str)
def test_padding_is_flat(padding):
    for call in (ops.pad, ms.jit(lambda x, p: ops.pad(x, p), mode="PIJit")):
        with pytest.raises(TypeError, match=r"\[pad\] padding, got .*, expected a flat tuple or list of ints"):
            call(tensor(), padding)


def test_padding_layer():
    np.testing.assert_array_equal(nn.Pad(((1, 1), (2, 0)), "SYMMETRIC")(tensor()).asnumpy(), np.pad(X, ((1, 1), (2, 0)), "symmetric"))


def test_shapes():
    assert ops.rank(tensor()) == 2 and ops.flatten(Tensor(2.0)).shape == (1,) and ops.flatten(tensor(), "F").tolist() != tensor().flatten().tolist()
    assert ops.movedim(ops.ones((2, 3, 4)), (0, 1), (1, 2)).shape == (4, 2, 3)
    np.testing.assert_array_equal(ops.diagonal(tensor(np.arange(24).reshape(2, 3, 4)), 1, 0, 2).asnumpy(), np.diagonal(np.arange(24).reshape(2, 3, 4), 1, 0, 2))
    assert ops.outer(tensor(), tensor(X[0])).shape == (6, 3) and ops.inner(tensor(), tensor()).shape == (2, 2)
    assert nn.MaxPool2d(2, 2)(ops.ones((3, 4, 4))).shape == (3, 2, 2)
    assert ops.dot(ops.ones((2, 3)), ops.ones((4, 3, 5))).shape == (2, 4, 5)


def test_gradient_through_meshgrid():
    gradient = ms.grad(lambda a, b: (ops.meshgrid(a, b)[0] * 2).sum(), 0)(tensor(X[0]), tensor(X[1]))
    assert gradient.tolist() == [6.0, 6.0, 6.0]
    assert [g.tolist() for g in ops.meshgrid(tensor([1, 2]), tensor([3, 4, 5]))] == [g.tolist() for g in np.meshgrid([1, 2], [3, 4, 5])]


@pytest.mark.parametrize("op, want", [
    (ops.asin, math.asin), (ops.acos, math.acos), (ops.asinh, math.asinh), (ops.atanh, math.atanh), (ops.erfc, math.erfc)])
def test_inverse_functions(op, want):
    assert op(Tensor([0.3])).item() == pytest.approx(want(0.3), rel=1e-6)


def test_assignment_keeps_dtype_and_shape():
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    assert P.AssignAdd()(p, Tensor([1, 2], ms.int32)).tolist() == [2.0, 4.0] and p.dtype == ms.float32
    with pytest.raises(TypeError, match="cannot be converted"):
        ops.assign(p, Tensor([1.0, 2.0], ms.float64))
    with pytest.raises(ValueError, match="wrong shape"):
        ops.assign_sub(p, Tensor([1.0]))


def test_methods_take_the_arguments_of_the_functions():
    t, index = tensor(), tensor([[0, 1, 0]], ms.int64)
    assert t.gather_elements(0, index).tolist() == t.gather(0, index).tolist() == [[1.5, 4.0, 3.0]]
    assert t.gather(tensor([1], ms.int32), 0).tolist() == [[0.5, 4.0, -1.0]]
    assert t.repeat_interleave(2).shape == (12,) and t.repeat_interleave([2, 1], 0).shape == (3, 3)


def test_mint_has_its_own_arguments():
    t = tensor()
    assert ms.mint.flatten(t).shape == (6,) and ms.mint.select(t, 1, -1).tolist() == [3.0, -1.0]
    assert ms.mint.gather(t, 1, tensor([[2], [0]], ms.int64)).tolist() == [[3.0], [0.5]]


def test_numpy_names():
    import msjit.numpy as mnp
    assert mnp.array([1, 2]).dtype == mnp.arange(3).dtype == mnp.full((2,), 3).dtype == ms.int32
    assert mnp.array([1.5]).dtype == ms.float32 and mnp.array(np.array([1, 2])).dtype == ms.int64
    assert mnp.sum(tensor(), axis=1).shape == (2,) and mnp.sqrt(4.0).item() == 2.0 and isinstance(mnp.meshgrid(tensor(X[0])), list)


def test_parameters_of_numbers():
    assert Parameter(3, name="p").dtype == ms.int32 and Parameter(3.5, name="p").dtype == ms.float32
    for call in (lambda: Parameter(True), lambda: Parameter(Tensor([1.0]), name=3)):
        with pytest.raises(ValueError):
            call()


def test_learning_rate_can_be_assigned():
    p = Parameter(Tensor([1.0]), name="p")
    optimizer = nn.SGD([p], 0.5)
    ops.assign(optimizer.learning_rate, Tensor(0.25, ms.float32))
    assert optimizer((Tensor([1.0]),)) == (True,) and p.tolist() == [0.75] and optimizer.get_lr().item() == 0.25
    assert optimizer.weight_decay.item() == 0.0


@pytest.mark.parametrize("copy", [lambda x: Tensor(x), lambda x: Tensor(x, ms.float16).astype(ms.float32), lambda x: ms.tensor(x)])
def test_gradient_through_a_tensor_of_a_tensor(copy):
    x = tensor(X[0])
    for function in (lambda x: (copy(x) * x).sum(), ms.jit(lambda x: (copy(x) * x).sum(), mode="PIJit")):
        np.testing.assert_allclose(ms.grad(function)(x).asnumpy(), 2 * X[0])
    assert not ms._msjit.is_tracked(Tensor(x)) and ms.grad(lambda x: Parameter(x, name="p").sum() + x.sum())(x).tolist() == [1, 1, 1]
