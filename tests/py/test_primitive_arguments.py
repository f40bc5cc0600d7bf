"""Primitives, functions and methods say which argument does not fit, with their own name, and refuse attributes that would give other numbers."""
import pytest

import msjit as ms
from msjit import Tensor, ops

MATRIX = Tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])
IMAGE, VOLUME = ops.ones((1, 4, 2, 2), ms.float32), ops.ones((1, 1, 4, 4, 4), ms.float32)
KERNEL = ops.ones((1, 1, 2, 2, 2), ms.float32)

CASES = [
    (lambda: ops.CumProd()(3, 0), TypeError, "[CumProd]"),
    (lambda: ops.CopyWithSlice()(3, MATRIX), TypeError, "[CopyWithSlice]"),
    (lambda: ops.CopyWithSlice()(MATRIX, 3), TypeError, "[CopyWithSlice]"),
    (lambda: ops.BiasAdd("NHWC")(3, 3), TypeError, "[bias_add]"),
    (lambda: ops.Dropout("a"), TypeError, "[dropout] keep_prob"),
    (lambda: ops.Dropout()(3), TypeError, "[dropout]"),
    (lambda: ops.LayerNorm()(3, MATRIX, MATRIX), TypeError, "[layer_norm]"),
    (lambda: ops.Split(1, 0)(MATRIX), ValueError, "[split] output_num"),
    (lambda: ops.Split("a", 3)(MATRIX), TypeError, "[split] axis"),
    (lambda: ops.Split(1, 3)(3), TypeError, "[split]"),
    (lambda: ops.Partial()(3), TypeError, "[Partial] func"),
    (lambda: ops.InplaceAdd(0)(3, MATRIX), TypeError, "[InplaceAdd]"),
    (lambda: ops.inplace_sub(MATRIX, MATRIX, "ab"), TypeError, "[inplace_sub] indices"),
    (lambda: ops.inplace_sub(3, MATRIX, 0), TypeError, "[inplace_sub]"),
    (lambda: ops.inner(Tensor([1, 2]), Tensor([1.0, 2.0])), TypeError, "[inner]"),
    (lambda: ops.DepthToSpace(2)(MATRIX), ValueError, "[depth_to_space] rank"),
    (lambda: ops.DepthToSpace(3)(IMAGE), ValueError, "[depth_to_space] number of channels"),
    (lambda: ops.SpaceToDepth(0)(IMAGE), ValueError, "[space_to_depth] block_size"),
    (lambda: ops.SpaceToDepth(3)(IMAGE), ValueError, "[space_to_depth] height"),
    (lambda: ops.InTopK(1)(Tensor([1.0]), Tensor([0])), ValueError, "[InTopK] rank"),
    (lambda: ops.ResizeBicubic()(MATRIX, (2, 2)), ValueError, "[ResizeBicubic] rank"),
    (lambda: ops.ResizeBicubic()(IMAGE, (0, 2)), ValueError, "[ResizeBicubic] size"),
    (lambda: ops.Dropout2D("a")(IMAGE), TypeError, "[Dropout2D] keep_prob"),
    (lambda: ops.MaxPool3D(2, 2)(MATRIX), ValueError, "[MaxPool3D] rank"),
    (lambda: ops.SplitV([1, -1], 9, 2)(MATRIX), ValueError, "[SplitV] split_dim"),
    (lambda: ops.EuclideanNorm()(MATRIX, 3), TypeError, "[EuclideanNorm] axes"),
    (lambda: ops.SquaredDifference()("a", MATRIX), TypeError, "[sub]"),
    (lambda: ops.logit(MATRIX, "a"), TypeError, "[logit] eps"),
    (lambda: ops.xlogy(3, 4), TypeError, "[xlogy] operands"),
    (lambda: ops.fmax(3, 4), TypeError, "[fmax] operands"),
    (lambda: ops.bitwise_left_shift(3, 1), TypeError, "[bitwise_left_shift] operands"),
    (lambda: ops.polygamma("a", MATRIX), TypeError, "[polygamma] n"),
    (lambda: ops.polygamma(2, 3), TypeError, "[polygamma]"),
    (lambda: ops.allclose(MATRIX, 3), TypeError, "[allclose]"),
    (lambda: ops.swiglu(MATRIX), ValueError, "[swiglu] size"),
    (lambda: ops.swiglu(MATRIX, 5), ValueError, "[swiglu] dim"),
    (lambda: ops.pdist(Tensor([1.0])), ValueError, "[pdist] rank"),
    (lambda: ops.poisson((2,), Tensor(-1.0)), ValueError, "[random_poisson] rate"),
    (lambda: ops.reverse_sequence(MATRIX, Tensor([1, 2]), 9), ValueError, "[reverse_sequence] seq_dim"),
    (lambda: ops.reverse_sequence(MATRIX, Tensor([1]), 1), ValueError, "[reverse_sequence] shape"),
    (lambda: ops.reverse_sequence(MATRIX, Tensor([1, 9]), 1), IndexError, "[reverse_sequence]"),
    (lambda: ops.slice_scatter(MATRIX, MATRIX, step=0), ValueError, "[slice_scatter] step"),
    (lambda: ops.scatter_add(3, Tensor([0]), MATRIX), TypeError, "[scatter_add]"),
    (lambda: ops.scatter_add(ms.Parameter(MATRIX * 1), Tensor([9]), MATRIX[:1]), IndexError, "[scatter_add] index 9"),
    (lambda: ops.tensor_scatter_mul(MATRIX, Tensor([[9]]), MATRIX[:1]), IndexError, "[tensor_scatter_mul] index 9"),
    (lambda: ops.unsorted_segment_max(MATRIX, Tensor([0, 5]), 2), IndexError, "[unsorted_segment_max] index 5"),
    (lambda: ops.index_fill(MATRIX, 0, Tensor([9]), 1), IndexError, "[index_fill] index 9"),
    (lambda: ops.inplace_update(MATRIX, MATRIX[:1], 9), IndexError, "[inplace_update] index 9"),
    (lambda: MATRIX.trace(axis1=5), ValueError, "[trace]"),
    (lambda: MATRIX.remainder("a"), TypeError, "[remainder]"),
    (lambda: MATRIX.view_as(Tensor([1.0])), ValueError, "[view_as]"),
    (lambda: MATRIX.new_full((2,), "a"), TypeError, "[new_full]"),
    (lambda: MATRIX.stride("a"), TypeError, "[stride] dim"),
    (lambda: (MATRIX * 1).remainder_(Tensor([1.0, 2.0])), ValueError, "[remainder_]"),
    (lambda: (MATRIX * 1).mul_(Tensor([1.0, 2.0])), ValueError, "[mul_]"),
    (lambda: ops.scalar_log(0), ValueError, "[scalar_log] x"),
    (lambda: ops.array_to_scalar(3), TypeError, "[array_to_scalar]"),
    (lambda: ops.matrix_exp(MATRIX), ValueError, "[matrix_exp] shape"),
    (lambda: ops.softshrink(MATRIX, "a"), TypeError, "[softshrink] lambd"),
    (lambda: ops.scatter(MATRIX, 1, Tensor([[9], [1]]), 5.0), IndexError, "[scatter] index 9"),
    (lambda: MATRIX.uniform("a"), TypeError, "[uniform] from_"),
    (lambda: (MATRIX * 1).normal_("a"), TypeError, "[normal_] mean"),
    (lambda: MATRIX.log_normal("a"), TypeError, "[log_normal] mean"),
    # These gave a number before: the attribute was not looked at, or pairs of paddings were left over.
    (lambda: ops.MirrorPad()(MATRIX, ((1, 1),)), ValueError, "[MirrorPad] paddings"),
    (lambda: ops.tuple_div((4, 6), (2,)), RuntimeError, "[tuple_div] lengths"),
    (lambda: ops.mvlgamma(MATRIX, 0), ValueError, "[mvlgamma] p"),
    (lambda: ops.MaxPoolWithArgmax(2, 2, data_format="NHWC")(IMAGE), ValueError, "[MaxPoolWithArgmax] data_format"),
    (lambda: ops.MaxPool3D(2, 2, data_format="NDHWC")(VOLUME), ValueError, "[MaxPool3D] data_format"),
    (lambda: ops.AvgPool3D(2, 2, data_format="NDHWC")(VOLUME), ValueError, "[AvgPool3D] data_format"),
    (lambda: ops.Conv3D(1, 2, data_format="NDHWC")(VOLUME, KERNEL), ValueError, "[Conv3D] data_format"),
    (lambda: ops.Conv3D(1, 2, mode=0)(VOLUME, KERNEL), ValueError, "[Conv3D] mode"),
    (lambda: ops.Conv3D(7, 2)(VOLUME, KERNEL), ValueError, "[Conv3D] shape of weight"),
    (lambda: ops.Conv3DTranspose(1, 1, 2, data_format="NDHWC")(VOLUME, KERNEL), ValueError, "[Conv3DTranspose] data_format"),
]


@pytest.mark.parametrize("at", range(len(CASES)))
def test_errors(at):
    call, kind, message = CASES[at]
    with pytest.raises(kind) as caught:
        call()
    assert str(caught.value).startswith(message)


def test_values_of_moved_primitives():
    assert ops.SplitV([1, -1], 1, 2)(MATRIX)[1].asnumpy().tolist() == [[1.0, 2.0], [4.0, 5.0]]
    assert ops.DepthToSpace(2)(ops.arange(8).reshape((1, 4, 1, 2))).asnumpy().tolist() == [[[[0, 2, 1, 3], [4, 6, 5, 7]]]]
    assert ops.CumProd(True, True)(MATRIX, 1).asnumpy().tolist() == [[2.0, 2.0, 1.0], [20.0, 5.0, 1.0]]
    assert ops.Conv3D(1, 2)(VOLUME, KERNEL).shape == (1, 1, 3, 3, 3)
