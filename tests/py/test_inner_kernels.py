"""Primitives that MindSpore keeps beside its public ones, against NumPy."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, ops
from msjit.ops.operations import _grad_ops as G
from msjit.ops.operations import _inner_ops as I
from msjit.ops.operations import array_ops, image_ops, inner_ops, linalg_ops, math_ops, nn_ops, other_ops, random_ops


def numbers(*shape, seed=0):
    return (np.random.RandomState(seed).rand(*shape) * 2 - 1).astype(np.float32)


def ints(values, kind=np.int64):
    return Tensor(np.array(values, kind))


def close(found, expected):
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-4, atol=1e-5)


A, B = numbers(3, 4), numbers(3, 4, seed=1)
X, Y = Tensor(A), Tensor(B)


def test_arithmetic():
    close(math_ops.AddV2()(X, Y), A + B)
    close(nn_ops.ReLUV3()(X), np.maximum(A, 0))
    close(math_ops.DivMod()(X, Y, "floor"), np.floor(A / B))
    close(I.Centralization()(X, -1), A - A.mean(-1, keepdims=True))
    close(I.ClipByNorm()(X, Tensor(np.float32(0.5))), A * 0.5 / np.sqrt((A * A).sum()))
    norm = np.sqrt((A * A).sum(1, keepdims=True))
    close(I.ClipByNorm(1)(X, Tensor(np.float32([1.0]))), np.where(norm > 1, A / norm, A))
    close(image_ops.AdjustContrastv2()(Tensor(A.reshape(1, 2, 2, 3)), Tensor(np.float32(2))),
          (A.reshape(1, 2, 2, 3) - A.reshape(4, 3).mean(0)) * 2 + A.reshape(4, 3).mean(0))
    assert nn_ops.AllFinite()((X, Y)).item() and not nn_ops.AllFinite()([X, X / 0]).item()


def test_shapes():
    assert array_ops.Unsqueeze(1)(X).shape == (3, 1, 4) and array_ops.TransShape()(X, (2, 6)).shape == (2, 6)
    assert array_ops.RangeV2()(Tensor(0), Tensor(4), Tensor(2)).tolist() == [0, 2]
    assert array_ops.ArgminV2()(X, 1).tolist() == A.argmin(1).tolist()
    assert I.DynamicBroadcastTo()(X, ints([2, 3, 4])).shape == (2, 3, 4)
    assert G.ConcatOffset(2, 0)((X, Y)).tolist() == [[0, 0], [3, 0]]
    found = array_ops.ConcatOffsetV1()(ints(1, np.int32), (ints([2, 3], np.int32), ints([2, 5], np.int32)))
    assert [row.tolist() for row in found] == [[0, 0], [0, 3]]
    first, second = I.DynamicBroadcastGradientArgs()(ints([4, 2, 1]), ints([2, 7]))
    assert first.tolist() == [2] and second.tolist() == [0]
    with pytest.raises(ValueError, match=r"\[DynamicBroadcastGradientArgs\] shapes"):
        I.DynamicBroadcastGradientArgs()(ints([4, 2]), ints([4, 3]))


def test_stitched():
    indices = [ints([6]), ints([4, 1]), ints([[5, 2], [0, 3]])]
    data = [ints([[6, 1]]), ints([[41, 42], [11, 12]]), ints([[[51, 52], [21, 22]], [[1, 2], [31, 32]]])]
    assert I.DynamicStitch()(indices, data).tolist() == [[1, 2], [11, 12], [21, 22], [31, 32], [41, 42], [51, 52], [6, 1]]
    with pytest.raises(ValueError, match=r"\[DynamicStitch\] indices"):
        I.DynamicStitch()([ints([2])], [ints([[1]])])


def test_matrices():
    symmetric = A[:, :3] + A[:, :3].T
    for found in (linalg_ops.Eigh()(Tensor(symmetric)), math_ops.SelfAdjointEig()(Tensor(symmetric))):
        close(found[0], np.linalg.eigvalsh(symmetric))
    close(linalg_ops.Eigh(False)(Tensor(symmetric)), np.linalg.eigvalsh(symmetric))
    diagonals = np.float32([[1, 2, 0], [3, 4, 5], [0, 1, 2]])
    matrix = np.float32([[3, 1, 0], [1, 4, 2], [0, 2, 5]])
    close(math_ops.TridiagonalSolve()(Tensor(diagonals), Tensor(A[:, :2])), np.linalg.solve(matrix, A[:, :2]))
    eye = Tensor(np.broadcast_to(np.eye(3, dtype=np.float32), (2, 3, 3)).copy())
    x, diagonal = numbers(2, 3, 3), numbers(2, 3)
    close(I.MatrixDiag()(Tensor(diagonal), eye), diagonal[:, None] * np.eye(3))
    close(I.MatrixDiagPart()(Tensor(x), eye), np.diagonal(x, 0, 1, 2))
    close(I.MatrixSetDiag()(Tensor(x), Tensor(diagonal), eye), x * (1 - np.eye(3)) + diagonal[:, None] * np.eye(3))


def test_losses_and_masks():
    labels = np.array([1, 0, 3])
    loss, gradient = nn_ops.SparseSoftmaxCrossEntropyWithLogitsV2()(X, Tensor(labels))
    share = np.exp(A) / np.exp(A).sum(1, keepdims=True)
    close(loss, -np.log(share[np.arange(3), labels]))
    close(gradient, share - np.eye(4)[labels])
    assert I.SequenceMask()(ints([[1, 3], [2, 0]]), 3).asnumpy().astype(int).tolist() == [[[1, 0, 0], [1, 1, 1]], [[1, 1, 0], [0, 0, 0]]]


def test_quantised():
    close(I.Quant(80.0, 1.0)(Tensor(np.float32([1.5, 0.3, -9]))), [121, 25, -128])
    close(I.Quant(2.0, 0.0, True, "Floor")(Tensor(np.float32([0.4]))), [1])
    close(I.Dequant(False, True)(ints([-3, 4], np.int32), Tensor(np.float16(2))), [0, 8])
    close(I.AntiQuant(False, ms.float32)(ints([50, 20], np.int8), Tensor(np.float32(2)), Tensor(np.float32(1))), [102, 42])
    with pytest.raises(ValueError, match=r"\[Quant\] round_mode"):
        I.Quant(2.0, 0.0, False, "Up")(X)


def test_writes_and_kinds():
    assert I.TensorCopySlices()(X, Y[1:2], (1,), (2,), (1,))[1].tolist() == Y[1].tolist()
    past = Parameter(ops.zeros((2, 1, 3, 2), ms.float32))
    inner_ops.KVCacheMgr()(past, ops.ones((2, 1, 1, 2), ms.float32), ints([0, 2]))
    assert past.asnumpy()[:, 0, :, 0].tolist() == [[1, 0, 0], [0, 0, 1]]
    assert other_ops.Load()(X) is X and I.SameTypeShape()(X, Y) is X and I.IsParameter()(past) and not I.IsParameter()(X)
    with pytest.raises(TypeError, match=r"\[SameTypeShape\] y, got Int64"):
        I.SameTypeShape()(X, ints([1]))
    found = I.MixedPrecisionCast()(ms.float16, (X, [ints([1])], {"a": Y}))
    assert (found[0].dtype, found[1][0].dtype, found[2]["a"].dtype) == (ms.float16, ms.int64, ms.float16)
    drawn = random_ops.Uniform(1.0, 2.0)(X)
    assert drawn.shape == X.shape and drawn.min().item() >= 1 and drawn.max().item() <= 2


def test_generated():
    assert array_ops.TopkExt()(X, 2)[0].shape == (3, 2) and array_ops.TypeAs()(X, ints([1])).dtype == ms.int64
    close(nn_ops.SoftplusExt()(X), np.log1p(np.exp(A)))
    close(math_ops.AddcmulExt()(X, Y, Y, 2), A + 2 * B * B)
    assert array_ops.TopkExt is array_ops.TopkExt


@pytest.mark.jit
def test_compiled():
    centre, softened = I.Centralization(), nn_ops.SparseSoftmaxCrossEntropyWithLogitsV2()
    labels = ints([1, 0, 3])

    def function(x):
        return softened(centre(x, -1), labels)[0]
    close(ms.jit(function)(X), function(X).asnumpy())
    close(ms.grad(function)(X), softened(X, labels)[1].asnumpy())
