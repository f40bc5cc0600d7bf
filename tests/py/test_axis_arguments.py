"""Axes and places that a tensor does not have are errors, in eager mode and in compiled functions. None may wrap around."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, mint, nn, ops
from msjit import numpy as mnp

pytestmark = pytest.mark.jit
A = np.arange(6, dtype=np.float32).reshape(2, 3)
ZERO, ONE = Tensor(np.array([0])), np.int64(1)
RAISES = {
    "itemset": (lambda x: x.itemset((5, 1), 3.0), IndexError, "[itemset] place is out of range, got 5, expected -2 to 1"),
    "itemset_tuple": (lambda x: x.itemset(((1,), 1), 3.0), TypeError, "[itemset] place must be an int, got tuple"),
    "index_add": (lambda x: ops.index_add(x, ZERO, x[:1], 5), ValueError, "[index_add] axis is out of range, got 5, expected -2 to 1"),
    "index_fill": (lambda x: ops.index_fill(x, -3, ZERO, 1.0), ValueError, "[index_fill] axis is out of range, got -3, expected -2 to 1"),
    "index_copy_": (lambda x: (x + 0).index_copy_(4, ZERO, x[:1]), ValueError, "[index_copy_] dim is out of range, got 4"),
    "select": (lambda x: mint.select(x, 0, 5), IndexError, "[select] index is out of range, got 5, expected -2 to 1"),
    "select_scatter": (lambda x: ops.select_scatter(x, x[0], 0, -3), IndexError, "[select_scatter] index is out of range, got -3"),
    "slice_scatter": (lambda x: ops.slice_scatter(x, x, 3), ValueError, "[slice_scatter] axis is out of range, got 3"),
    "diagonal_scatter": (lambda x: ops.diagonal_scatter(x, x[0, :2], 0, 0, 2), ValueError, "[diagonal_scatter] dim2 is out of range, got 2"),
    "diagonal_scatter_same": (lambda x: ops.diagonal_scatter(x, x[0, :2], 0, 1, -1), ValueError, "[diagonal_scatter] dim1 and dim2, got 1 for both"),
    "rot90": (lambda x: ops.rot90(x, 1, (0, 3)), ValueError, "[rot90] dim is out of range, got 3"),
    "rollaxis": (lambda x: mnp.rollaxis(x, 0, 5), ValueError, "[rollaxis] start is out of range, got 5"),
    "linspace": (lambda x: mnp.linspace(x[0], 1, 3, axis=3), ValueError, "[linspace] axis is out of range, got 3"),
    "geomspace": (lambda x: mnp.geomspace(x[1], 9, 3, axis=-3), ValueError, "[geomspace] axis is out of range, got -3"),
    "average": (lambda x: mnp.average(x, axis=5, weights=[1, 2]), ValueError, "[average] axis is out of range, got 5"),
    "gradient": (lambda x: mnp.gradient(x, axis=2), ValueError, "[gradient] axis is out of range, got 2"),
    "tensordot": (lambda x: mnp.tensordot(x, x, ((0, 5), (0, 1))), ValueError, "[tensordot] axis is out of range, got 5"),
    "batch_dot": (lambda x: ops.batch_dot(x, x, (1, 7)), ValueError, "[batch_dot] axis is out of range, got 7"),
    "trapz": (lambda x: ops.trapz(x, dim=4), ValueError, "[trapz] dim is out of range, got 4"),
    "diff": (lambda x: ops.diff(x, axis=4), ValueError, "[diff] axis is out of range, got 4"),
    "kthvalue": (lambda x: ops.kthvalue(x, 0), ValueError, "[kthvalue] k, got 0, expected 1 to 3"),
    "take": (lambda x: x.take(ZERO, 5), ValueError, "[take] axis is out of range, got 5"),
    "Unflatten": (lambda x: nn.Unflatten(5, (1, 3))(x), ValueError, "[Unflatten] axis is out of range, got 5"),
    "chunk": (lambda x: ops.chunk(x, None), TypeError, "[chunk] chunks must be an int, got NoneType"),
    "split": (lambda x: ops.split(x, 1.5), TypeError, "[split] size of a part must be an int, got float"),
    "narrow": (lambda x: ops.narrow(x, 0, 0, (1,)), TypeError, "[narrow] length must be an int, got tuple"),
    "repeat_interleave": (lambda x: ops.repeat_interleave(x, [1, [2]], 0), TypeError, "[repeat_interleave] repeats must be an int, got list"),
    "pixel_shuffle": (lambda x: ops.pixel_shuffle(x, 2), ValueError, "[pixel_shuffle] input has a wrong rank, got 2, expected at least 3"),
    "pixel_unshuffle": (lambda x: ops.pixel_unshuffle(x[None], 0), ValueError, "[pixel_unshuffle] height and width must be multiples of 0"),
    "arange": (lambda x: ops.arange([1]), TypeError, "[arange] a bound or the step must be a number, got list"),
    "add": (lambda x: mint.add(x, x, alpha=None), TypeError, "[add] alpha, got NoneType, expected a Tensor or a number"),
    "randint": (lambda x: ops.randint([0], 5, (2,)), TypeError, "[randint] low must be a number, got list"),
    "rows": (lambda x: Tensor([[1, 2], [3]]), TypeError, "[Tensor] nested list, got rows of 2 and 1 elements, expected equal lengths"),
    "tuple_shown": (lambda x: nn.CentralCrop((2,)), TypeError, "[central_crop] central_fraction must be a number, got tuple"),
    "iou": (lambda x: ops.iou(x, x), ValueError, "[iou] shape of boxes, got (2, 3), expected (number of boxes, 4)"),
    "cholesky_inverse": (lambda x: ops.cholesky_inverse(x), ValueError, "[cholesky_inverse] shape of input_x, got (2, 3)"),
    "affine_grid": (lambda x: ops.affine_grid(x[None], (2, 3, 4, 4)), ValueError, "[affine_grid] size, got (2, 3, 4, 4)"),
    "max_unpool2d": (lambda x: ops.max_unpool2d(x[None], ZERO, 2), ValueError, "[max_unpool2d] shapes of x and indices, got (1, 2, 3) and (1,)"),
    "polygamma": (lambda x: ops.polygamma(ZERO, x), ValueError, "[polygamma] n has a wrong rank, got 1, expected 0"),
    "tuple_message": (lambda x: ms.amp.StaticLossScaler((0,)), (TypeError, ValueError), ""),
}
EQUAL = {
    "itemset": (lambda x: x.itemset((-1, 1), 9.0), [[0, 1, 2], [3, 9, 5]]),
    "select": (lambda x: mint.select(x, -1, -1), [2, 5]),
    "select_numpy": (lambda x: mint.select(x, np.int64(0), np.int64(1)), [3, 4, 5]),
    "rollaxis": (lambda x: mnp.rollaxis(x, 1, -2), A.T),
    "rollaxis_end": (lambda x: mnp.rollaxis(x, 0, 2), A.T),
    "index_fill": (lambda x: ops.index_fill(x, -2, ZERO, 7.0), [[7, 7, 7], [3, 4, 5]]),
    "arange": (lambda x: ops.arange(np.int64(3)), [0, 1, 2]),
    "split": (lambda x: ops.split(x, (np.int64(1), 2), 1)[1], A[:, 1:]),
    "kthvalue": (lambda x: ops.kthvalue(x, 3, 1)[0], [2, 5]),
    "rot90": (lambda x: ops.rot90(x, 1, (0, -1)), np.rot90(A)),
    "max_unpool2d": (lambda x: ops.max_unpool2d(x[None, :, None], ops.cast(x[None, :, None], ms.int64) % 3, (1, 3), 0)[0, 0], [[0, 1, 2, 0, 0, 0, 0, 0, 0]]),
    "intersect1d": (lambda x: mnp.intersect1d(ops.cast(x[0], ms.int32), x[0]), [0, 1, 2]),
    # numbers of NumPy as axes and sizes
    "mean": (lambda x: ops.mean(x, ONE), [1, 4]),
    "mean_method": (lambda x: x.mean(ONE, True), [[1], [4]]),
    "ReduceMin": (lambda x: ops.ReduceMin()(x, ONE), [0, 3]),
    "ReduceSum": (lambda x: ops.ReduceSum(skip_mode=True)(x, []), A),
    "logsumexp": (lambda x: ops.logsumexp(x * 0, ONE) > 1.09, [True, True]),
    "logsumexp_all": (lambda x: ops.logsumexp(x * 0, []) > 1.79, True),
    "max": (lambda x: ops.max(x, ONE)[0], [2, 5]),
    "fft": (lambda x: ops.real(ops.fft(x, ONE * 3, ONE))[:, 0], [3, 12]),
    "matrix_power": (lambda x: ops.matrix_power(x[:, :2], ONE), A[:, :2]),
    "Split": (lambda x: ops.Split(1, ONE * 3)(x)[2], A[:, 2:]),
    "logspace": (lambda x: ops.logspace(0.0, 2.0, ONE * 3) + x[0] * 0, [1, 10, 100]),
}


@pytest.fixture(params=["eager", "PIJit", "PSJit"])
def run(request):
    return (lambda f: f) if request.param == "eager" else lambda f: ms.jit(f, mode=request.param)


@pytest.mark.parametrize("name", sorted(RAISES))
def test_raises(name, run):
    f, kind, text = RAISES[name]
    with pytest.raises(kind) as caught:
        run(f)(Tensor(A))
    assert text in str(caught.value)


@pytest.mark.parametrize("name", sorted(EQUAL))
def test_equal(name, run):
    f, want = EQUAL[name]
    f = run(f)
    for _ in range(3):
        assert f(Tensor(A)).tolist() == np.array(want).tolist()
