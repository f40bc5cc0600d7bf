"""Arguments of another kind give errors under the name of the function that the program called, in the house format."""
import numpy as np
import pytest

import msjit as ms
from jit_same import captured, same
from msjit import Parameter, Tensor, mint, ops
from msjit.ops import _utils
from msjit.ops._sparse import functions as _sparse
from msjit.ops._sparse import operations as _sparse_ops
from msjit.ops._utils import arg_dtype_cast as _dtype_cast

x = Tensor(np.ones((2, 3), np.float32))
image = Tensor(np.ones((2, 3, 4, 4), np.float32))
three = Tensor(np.ones(3, np.float32))
names = dict(globals())
ROWS = [
    ('ops.addcmul(x, None, x)', TypeError, '[addcmul] tensor1, got NoneType, expected a Tensor or a number'),
    ('ops.addcmul(x, [1], x)', TypeError, '[addcmul] operand, got list, expected a Tensor or number'),
    ('ops.lerp(x, None, 0.5)', TypeError, '[lerp] end, got NoneType, expected a Tensor or a number'),
    ('ops.lerp(x, x, None)', TypeError, '[lerp] weight, got NoneType, expected a Tensor or a number'),
    ('ops.hypot(x, None)', TypeError, '[hypot] other, got NoneType, expected a Tensor or a number'),
    ('ops.isclose(x, None)', TypeError, '[isclose] other, got NoneType, expected a Tensor or a number'),
    ('ops.isclose(x, x, rtol="a")', TypeError, '[isclose] dtype of the tensor, got float32, expected an int or bool'),
    ('ops.isclose(x, x, rtol=ms.int8)', TypeError, '[isclose] rtol, got DType, expected a Tensor or a number'),
    ('x.isclose(None)', TypeError, '[isclose] other, got NoneType, expected a Tensor or a number'),
    ('ops.mm(x, None)', TypeError, '[mm] argument, got NoneType, expected a Tensor'),
    ('ops.mm(3, x)', TypeError, '[mm] argument, got int, expected a Tensor'),
    ('x.mm(None)', TypeError, '[mm] argument, got NoneType, expected a Tensor'),
    ('ops.bmm(x, [1])', TypeError, '[bmm] argument, got list, expected a Tensor'),
    ('ops.clip_by_norm(5, 1.0)', TypeError, '[clip_by_norm] x, got int, expected a tuple or list of Tensors'),
    ('ops.clip_by_global_norm(5, 1.0)', TypeError, '[clip_by_global_norm] x, got int, expected a tuple or list of Tensors'),
    ('ops.nan_to_num(x, (1,))', TypeError, '[nan_to_num] nan, got (1,), expected a number'),
    ('ops.nan_to_num(x, ms.int8)', TypeError, '[nan_to_num] nan, got msjit.int8, expected a number'),
    ('ops.round(x, decimals=400)', ValueError, '[round] decimals, got 400, expected -308 to 308'),
    ('ops.conv2d(x, x, stride=0.5)', TypeError, '[conv2d] stride, got float, expected a tuple or list of two ints'),
    ('ops.conv2d(x, x, padding=None, pad_mode="pad")', TypeError, '[conv2d] padding, got NoneType, expected a tuple or list of ints'),
    ('ops.conv2d(x, x, padding=(1,), pad_mode="pad")', ValueError, '[conv2d] padding, got 1 numbers, expected 2 or 4'),
    ('ops.max_pool2d(x, 0.5)', TypeError, '[max_pool2d] kernel_size, got float, expected a tuple or list of two ints'),
    ('ops.avg_pool2d(x, None)', TypeError, '[avg_pool2d] kernel_size, got NoneType, expected a tuple or list of two ints'),
    ('ops.cross_entropy(1.0, Tensor([1]))', TypeError, '[cross_entropy] argument, got float, expected a Tensor'),
    ('ops.batch_norm(image, 1, 2, three, three, True)', TypeError, '[batch_norm] argument, got int, expected a Tensor'),
    ('ops.MaxPool(pad_mode=0)', ValueError, "[MaxPool] pad_mode, got 0, expected 'same' or 'valid'"),
    ('ops.Conv2D(1, 2, pad_mode=0)', ValueError, "[conv2d] pad_mode, got 0, expected 'same', 'valid' or 'pad'"),
    ('ops.StandardNormal(None)', TypeError, '[random] seed must be an int, got NoneType'),
    ('ops.MatMul()(x, [1])', TypeError, '[matmul] argument, got list, expected a Tensor'),
    ('ops.pad(x, None)', TypeError, '[pad] padding, got NoneType, expected a flat tuple or list of ints'),
    ('ops.pad(x, 3)', TypeError, '[pad] padding, got int, expected a flat tuple or list of ints'),
    ('ops.uniform((2,), "a", 1.0)', TypeError, '[uniform] minval, got str, expected a Tensor or a number'),
    ('ops.normal((2,), None, 1.0)', TypeError, '[normal] mean, got NoneType, expected a Tensor or a number'),
    ('ops.laplace(None, 1.0, 1.0)', TypeError, '[laplace] shape, got NoneType, expected a tuple or list of ints'),
    ('ops.laplace((2,), None, 1.0)', TypeError, '[laplace] mean, got NoneType, expected a Tensor or a number'),
    ('ops.gamma(2.5, 1.0, 1.0)', TypeError, '[gamma] shape, got float, expected a tuple or list of ints'),
    ('ops.random_gamma(None, 1.0)', TypeError, '[random_gamma] shape, got NoneType, expected a tuple or list of ints'),
    ('ops.random_poisson(0.5, 1.0)', TypeError, '[random_poisson] shape, got float, expected a tuple or list of ints'),
    ('ops.standard_laplace(0.5)', TypeError, '[standard_laplace] shape, got float, expected a tuple or list of ints'),
    ('ops.randperm(None)', TypeError, '[randperm] n, got NoneType, expected an int'),
    ('ops.randperm(4.0)', TypeError, '[randperm] n, got float, expected an int'),
    ('ops.randperm(4, seed="a")', TypeError, '[randperm] seed, got str, expected a Tensor or a number'),
    ('ops.randint_like(x, [1], 2)', TypeError, '[randint_like] low, got list, expected a Tensor or a number'),
    ('ops.shuffle(Tensor(1.0))', ValueError, '[shuffle] x must have at least one axis, got 0'),
    ('ops.gumbel_softmax(x, (1,))', TypeError, '[gumbel_softmax] tau, got tuple, expected a Tensor or a number'),
    ('ops.diagonal_scatter(x, three, "a")', TypeError, '[diagonal_scatter] offset must be an int, got str'),
    ('ops.masked_scatter(x, Tensor([True]*4), x)', ValueError, '[masked_scatter] shape of mask, got (4,), expected one that broadcasts to (2, 3)'),
    ('ops.slice_scatter(x, x, 0, "a")', TypeError, '[slice_scatter] start, got str, expected an int'),
    ('ops.strided_slice(x, None, (1,), (1,))', TypeError, '[strided_slice] begin, got NoneType, expected a tuple of ints'),
    ('ops.strided_slice(x, (0,), (1,), (1,), begin_mask=None)', TypeError, '[strided_slice] mask, got NoneType, expected an int'),
    ('ops.unique_consecutive(x, dim=[1])', TypeError, '[unique_consecutive] dim must be an int, got list'),
    ('ops.unique_consecutive(x, dim=7)', ValueError, '[unique_consecutive] dim is out of range, got 7, expected -2 to 1'),
    ('ops.unsorted_segment_sum(x, Tensor([0,1]), None)', TypeError, '[unsorted_segment_sum] num_segments, got NoneType, expected an int'),
    ('ops.unsorted_segment_sum(x, Tensor([0,1]), float("inf"))', ValueError, '[unsorted_segment_sum] num_segments, got inf, expected an int'),
    ('ops.unsorted_segment_max(x, Tensor([0,1]), [1])', TypeError, '[unsorted_segment_max] num_segments, got list, expected an int'),
    ('ops.tuple_getitem((1,2), 5)', IndexError, '[tuple_getitem] index, got 5, expected -2 to 1'),
    ('ops.tuple_getitem((1,2), 0.5)', TypeError, '[tuple_getitem] index, got float, expected an int or a slice'),
    ('ops.tuple_setitem((1,2), 5, 1)', IndexError, '[tuple_setitem] index, got 5, expected -2 to 1'),
    ('ops.tuple_div((1,), ("a",))', TypeError, '[tuple_div] items, got int and str, expected ints'),
    ('ops.make_dict(1.0, (1,))', TypeError, '[make_dict] keys, got float, expected a tuple or list of keys'),
    ('ops.make_range()', TypeError, '[make_range] number of bounds, got 0, expected 1 to 3'),
    ('ops.make_range(1j)', TypeError, '[make_range] bound, got complex, expected an int'),
    ('ops.reduced_shape(1.0, 0)', TypeError, '[reduced_shape] argument, got float, expected a tuple or list'),
    ('ops.reduced_shape((1,), 0.5)', TypeError, '[reduced_shape] axis, got float, expected a tuple or list of ints'),
    ('ops.broadcast_gradient_args(True, (1,))', TypeError, '[broadcast_gradient_args] argument, got bool, expected a tuple or list'),
    ('ops.trapz(x, dx=None)', TypeError, '[trapz] dx, got NoneType, expected a Tensor or a number'),
    ('ops.cov(x, correction=None)', TypeError, '[cov] correction, got NoneType, expected a Tensor or a number'),
    ('ops.quantile(x, 0.5, [1])', TypeError, '[quantile] axis, got list, expected an int'),
    ('ops.quantile(x, 0.5, "a")', TypeError, '[quantile] axis, got str, expected an int'),
    ('ops.kthvalue(3, 1)', TypeError, '[kthvalue] argument, got int, expected a Tensor'),
    ('ops.searchsorted(3, x)', TypeError, '[searchsorted] argument, got int, expected a Tensor'),
    ('ops.bucketize(x, 3)', TypeError, '[bucketize] boundaries, got int, expected a tuple or list of numbers'),
    ('ops.histc(x, None)', TypeError, '[histc] bins, got NoneType, expected an int'),
    ('ops.histc(x, 4, None, 1)', TypeError, '[histc] min, got NoneType, expected a Tensor or a number'),
    ('ops.var(x, ddof=None)', TypeError, '[var] ddof, got NoneType, expected an int'),
    ('ops.std(x, ddof=[1])', TypeError, '[std] ddof, got list, expected an int'),
    ('ops.var(x, ddof=float("nan"))', ValueError, '[var] ddof, got nan, expected an int'),
    ('ops.allclose(x, x, rtol=None)', TypeError, '[allclose] rtol, got NoneType, expected a Tensor or a number'),
    ('ops.float_power(x, None)', TypeError, '[float_power] exponent, got NoneType, expected a Tensor or a number'),
    ('ops.ldexp(x, None)', TypeError, "[ldexp] argument 'y', got NoneType, expected a Tensor or number"),
    ('ops.mvlgamma(None, 1)', TypeError, '[mvlgamma] input, got NoneType, expected a Tensor or a number'),
    ('ops.approximate_equal(x, None)', TypeError, '[approximate_equal] y, got NoneType, expected a Tensor or a number'),
    ('ops.Adam()(1, 2)', TypeError, '[Adam] number of inputs, got 2, expected 10'),
    ('ops.Adam()(None, x, x, 0.9,0.9,0.9,0.9,0.9,0.9,x)', TypeError, '[Adam] var, got NoneType, expected a Tensor'),
    ('ops.ApplyMomentum()(x)', TypeError, '[ApplyMomentum] number of inputs, got 1, expected 5'),
    ('ops.ApplyMomentum()(x, 3, 0.1, x, 0.9)', TypeError, '[ApplyMomentum] accumulation, got int, expected a Tensor'),
    ('ops.AdaptiveMaxPool3D()(x)', TypeError, '[AdaptiveMaxPool3D] number of inputs, got 1, expected 2'),
    ('ops.AffineGrid()(x)', TypeError, '[AffineGrid] number of inputs, got 1, expected 2'),
    ('ops.Hypot()(x, None)', TypeError, '[hypot] other, got NoneType, expected a Tensor or a number'),
    ('ops.AccumulateNV2()(x, x)', TypeError, '[AccumulateNV2] number of inputs, got 2, expected 1'),
    ('ops.AdjustHue()(None, 1)', TypeError, '[AdjustHue] argument, got NoneType, expected a Tensor'),
    ('ops.ApproximateEqual()(x, "a")', TypeError, '[approximate_equal] y, got str, expected a Tensor or a number'),
    ('ops.scatter_sub(Parameter(x), Tensor([0]), None)', TypeError, '[scatter_sub] updates, got NoneType, expected a Tensor or a number'),
    ('ops.prim_attr_register(3)', TypeError, '[prim_attr_register] fn, got int, expected a function'),
    ('x.addcdiv(None, x)', TypeError, '[addcdiv] tensor1, got NoneType, expected a Tensor or a number'),
    ('mint.addcmul(x, None, x)', TypeError, '[addcmul] tensor1, got NoneType, expected a Tensor or a number'),
    ('ops.lp_pool1d(image[0], None, 2)', TypeError, '[lp_pool1d] norm_type, got NoneType, expected a Tensor or a number'),
    ('ops.lp_pool2d(image, "a", 2)', TypeError, '[lp_pool2d] norm_type, got str, expected a Tensor or a number'),
    ('ops.max_unpool2d(image, image.astype(ms.int64), 2, output_size=3)', TypeError, '[max_unpool2d] output_size, got int, expected a tuple or list of ints'),
    ('ops.conv1d(image[0], image[0], groups="a")', TypeError, '[conv1d] groups, got str, expected an int'),
    ('ops.conv3d(image[None], image[None], groups=None)', TypeError, '[conv3d] groups, got NoneType, expected an int'),
    ('ops.conv_transpose2d(image, image, groups=[1])', TypeError, '[conv_transpose2d] groups, got list, expected an int'),
    ('ops.lrn(image, "a")', TypeError, '[lrn] depth_radius, got str, expected an int'),
    ('ops.lrn(image, 1, None)', TypeError, '[lrn] bias, got NoneType, expected a Tensor or a number'),
    ('ops.hamming_window(4, alpha="a")', TypeError, '[hamming_window] alpha, got str, expected a Tensor or a number'),
    ('ops.kaiser_window(4, beta=None)', TypeError, '[kaiser_window] beta, got NoneType, expected a Tensor or a number'),
    ('ops.interpolate(image, (2, 2), mode=["nearest"])', ValueError, "[interpolate] mode, got ['nearest'], expected one of ['area', 'bicubic', 'bilinear', 'linear', 'nearest', 'nearest-exact', 'trilinear']"),
    ('ops.FastGeLU()(None)', TypeError, '[FastGeLU] argument, got NoneType, expected a Tensor'),
    ('ops.ResizeLinear1D()(None, 2)', TypeError, '[ResizeLinear1D] argument, got NoneType, expected a Tensor'),
    ('ops.LSTM(2, 3, 1, True, False, 0.0)(3, x, x, x)', TypeError, '[LSTM] input_size, got int, expected a Tensor'),
    ('ops.NonMaxSuppressionV3()(x, 1, 1, 0.5, 0.5)', TypeError, '[NonMaxSuppressionV3] scores, got int, expected a Tensor'),
    ('ops.SparseApplyAdagrad(0.1)(None, x, x, Tensor([0]))', TypeError, '[SparseApplyAdagrad] var, got NoneType, expected a Tensor'),
    ('ops.RandomShuffle()(Tensor(1.0))', ValueError, '[shuffle] x must have at least one axis, got 0'),
    ('ops.ComputeAccidentalHits()(None, x)', TypeError, '[ComputeAccidentalHits] argument, got NoneType, expected a Tensor'),
    ('ops.strided_slice(x, (0,), (1,), 1)', TypeError, '[strided_slice] strides, got int, expected a tuple of ints'),
    ('ops.strided_slice(3, (0,), (1,), (1,))', TypeError, '[strided_slice] argument, got int, expected a Tensor'),
    ('_utils.get_broadcast_shape(3, (1,), "Add")', TypeError, '[Add] shape, got int, expected a tuple or list'),
    ('_utils.get_concat_offset([(1, 2), (3, 2)], None, "a", "Concat")', TypeError, '[Concat] axis must be an int, got str'),
    ('_utils.get_concat_offset([], None, 0, "Concat")', ValueError, '[Concat] shapes, got none, expected one or more'),
    ('_utils.get_concat_offset(0, None, 0, "Concat")', TypeError, '[Concat] shape, got int, expected a tuple or list'),
    ('_sparse.coo_tensor_get_indices(x)', TypeError, '[coo_tensor_get_indices] x, got Tensor, expected a sparse tensor'),
    ('_sparse.csr_tensor_get_indptr(1.0)', TypeError, '[csr_tensor_get_indptr] x, got float, expected a sparse tensor'),
    ('_sparse.csr2coo((3, 3), 2)', TypeError, '[csr2coo] argument, got tuple, expected a Tensor'),
    ('_sparse.coo2csr(x, None)', TypeError, '[coo2csr] height, got NoneType, expected an int'),
    ('_sparse.csr_gather(x, None, x, (2, 3))', TypeError, '[csr_gather] argument, got NoneType, expected a Tensor'),
    ('ops.isclose(x, x, 1, "linear")', TypeError, '[isclose] atol, got str, expected a Tensor or a number'),
    ('ops.bias_add(Tensor(1.0), 10)', TypeError, '[bias_add] argument, got int, expected a Tensor'),
    ('ops.assign(Tensor([1]), Tensor([1], ms.uint16))', TypeError, '[assign] value has a dtype that cannot be converted, got UInt16, expected Int64'),
    ('ops.assign_add(Tensor([1], ms.uint16), 2)', TypeError, '[assign_add] value has a dtype that cannot be converted, got int, expected UInt16'),
    ('ops.assign_sub(Tensor([1], ms.uint32), Tensor([1]))', TypeError, '[assign_sub] value has a dtype that cannot be converted, got Int64, expected UInt32'),
    ('ops.interpolate(image, None, float("nan"), recompute_scale_factor=True)', ValueError, '[interpolate] scale_factor, got nan, expected above 0'),
    ('ops.random_gamma((2,), 1.0, seed=[1])', TypeError, '[random_gamma] seed, got list, expected an int'),
    ('ops.random_poisson(Tensor([float("nan")]), 1.0)', ValueError, '[random_poisson] shape, got nan, expected an int'),
    ('ops.standard_laplace(Tensor([1j]))', TypeError, '[standard_laplace] shape, got complex, expected an int'),
    ('ops.index_fill((1, 2), 0, 1, 1)', TypeError, '[index_fill] argument, got tuple, expected a Tensor'),
    ('ops.var_mean(x, ddof=Tensor(float("nan")))', ValueError, '[var] ddof, got nan, expected an int'),
    ('ops.dense(three, three, {1})', TypeError, '[dense] bias, got set, expected a Tensor or a number'),
    ('ops.addcdiv(1, 1, 1, [2])', TypeError, '[addcdiv] value, got list, expected a Tensor or a number'),
    ('ops.var(x, ddof=Tensor(1j))', TypeError, '[var] ddof, got 1j, expected an int'),
    ('ops.Pad(-1.0)', TypeError, '[Pad] paddings, got float, expected a tuple or list of pairs of ints'),
    ('ops.Pad((1, 2))', TypeError, '[Pad] paddings, got int, expected a tuple or list of pairs of ints'),
    ('ops.Pad(((1,), (2, 3)))', ValueError, '[Pad] paddings, got 1 numbers for an axis, expected 2'),
    ('ops.BroadcastTo(3.5)', TypeError, '[BroadcastTo] shape, got float, expected a tuple or list of ints'),
    ('ops.Adam()(x, x, x)', TypeError, '[Adam] number of inputs, got 3, expected 10'),
    ('ops.ApplyAdamWithAmsgrad()(x, x, x, x, 0.9, 0.9, 0.1)', TypeError, '[ApplyAdamWithAmsgrad] number of inputs, got 7, expected 8, or 11 for ApplyAdamWithAmsgradV2'),
    ('ops.ApplyAdagradV2(None)(Parameter(x), Parameter(x), 0.1, x)', TypeError, '[ApplyAdagradV2] epsilon, got NoneType, expected a Tensor or a number'),
    ('ops.AdaptiveMaxPool3D()(image, ([1],))', TypeError, '[AdaptiveMaxPool3D] output_size, got list, expected an int'),
    ('ops.MaxUnpool2D(2, 2, 0, 0.5)(image, image)', TypeError, '[MaxUnpool2D] output_shape, got float, expected a tuple or list of ints'),
    ('ops.ResizeLinear1D()(image[0], None)', TypeError, '[ResizeLinear1D] size, got NoneType, expected a tuple or list of ints'),
    ('ops.UpsampleNearest3D()(image[None], 3)', TypeError, '[UpsampleNearest3D] output_size, got int, expected a tuple or list of ints'),
    ('ops.ExtractVolumePatches("a", 1, "valid")(image[None])', TypeError, "[ExtractVolumePatches] kernel_size, got 'a', expected an int or 3 ints"),
    ('ops.ExtractVolumePatches(1, 1, "valid")(x)', ValueError, '[ExtractVolumePatches] input has a wrong rank, got 2, expected 5'),
    ('ops.Primitive()(x)', RuntimeError, "[primitive] name, got 'Primitive', expected the name of an operation"),
    ('ops.SparseApplyFtrlV2(0.1, 0.1, 0.1, 0.1, -0.5)(Parameter(x), Parameter(x), Parameter(x), x, Tensor(0))', ValueError, '[SparseApply] indices has a wrong rank, got 0, expected 1'),
    ('ops.ConfusionMatrix(None)(Tensor([1]), Tensor([1]))', TypeError, '[ConfusionMatrix] num_classes must be an int, got NoneType'),
    ('ops.ConfusionMatrix(2, 3)(Tensor([1]), Tensor([1]))', TypeError, '[ConfusionMatrix] dtype, got int, expected a str'),
    ('ops.FFTWithSize(3, True, True, "backward", True, 1)(image)', TypeError, '[FFTWithSize] signal_sizes, got int, expected a tuple or list of ints'),
    ('ops.ResizeArea()(image, x)', ValueError, '[ResizeArea] shape of size, got (2, 3), expected (2,)'),
    ('ops.Meshgrid()(2)', TypeError, '[Meshgrid] xs, got int, expected a tuple or list'),
    ('ops.polygamma(Tensor(1j), x)', TypeError, '[polygamma] n, got 1j, expected an int'),
    ('ops.random_poisson((2,), float("inf"))', ValueError, '[random_poisson] rate, got inf, expected finite numbers'),
    ('ops.ComputeAccidentalHits()(Tensor([[1]]), x)', ValueError, '[ComputeAccidentalHits] sampled_candidates has a wrong rank, got 2, expected 1'),
    ('ops.LSTM((1,), 3, 1, True, False, 0.0)(image[0], x, x, x)', TypeError, '[LSTM] input_size must be an int, got tuple'),
    ('ops.ExtractVolumePatches((1, 1, 2, 2), 1, "valid")(image[None])', ValueError, '[ExtractVolumePatches] kernel_size, got (1, 1, 2, 2), expected an int or 3 ints'),
    ('ops.LayerNorm(1, 2)(x, 3, 4)', TypeError, '[layer_norm] argument, got int, expected a Tensor'),
    ('ops.LayerNorm(1, 0)(x, x, None)', TypeError, '[layer_norm] argument, got NoneType, expected a Tensor'),
    ('ops.FFTWithSize(1.0, False, False)(x)', TypeError, '[FFTWithSize] signal_ndim must be an int, got float'),
    ('ops.ComputeAccidentalHits("a")(Tensor([[1]]), Tensor([1]))', TypeError, '[ComputeAccidentalHits] num_true must be an int, got str'),
    ('ops.ResizeLinear1D()(image[0], (2, 3))', ValueError, '[ResizeLinear1D] size, got 2 numbers, expected 1'),
    ('_sparse_ops.CSRMV()(Tensor([0, 1]), Tensor([0]), Tensor([1.0]), 3, x)', TypeError, '[CSRMV] shape, got int, expected a tuple or list of ints'),
    ('_sparse_ops.CSRMV()(Tensor([0, 1]), Tensor([0]), Tensor([1.0]), ("a", 1), x)', TypeError, '[CSRMV] size of the shape, got str, expected an int'),
    ('_sparse_ops.SparseReorder()(Tensor([[0, 1]]), Tensor([1.0]), ())', ValueError, '[SparseReorder] shape, got no sizes, expected one or more'),
    ('_sparse_ops.SparseTensorToCSRSparseMatrix()(Tensor([1]), Tensor([1.0]), (2, 2))', ValueError, '[SparseTensorToCSRSparseMatrix] indices has a wrong rank, got 1, expected 2'),
    ('_sparse_ops.CSRSparseMatrixToSparseTensor()((2,), Tensor([0, 1]), Tensor([0, 1]), Tensor([0]), Tensor([1.0]))', ValueError, '[CSRSparseMatrixToSparseTensor] shape, got 1 sizes, expected 2 or 3'),
    ('_sparse_ops.SparseFillEmptyRows()(Tensor([1]), Tensor([1.0]), (2, 2), Tensor(0.0))', ValueError, '[SparseFillEmptyRows] indices has a wrong rank, got 1, expected 2'),
    ('ops.SparseSegmentMean()(x, Tensor([0]), Tensor([[0]]))', ValueError, '[SparseSegmentMean] segment_ids has a wrong rank, got 2, expected 1'),
    ('ops.scalar_pow(0.0, -1)', ValueError, '[scalar_pow] x, got 0, expected another number for the power -1'),
    ('ops.DepthwiseConv2dNative(1, 2)(image, x)', ValueError, '[DepthwiseConv2dNative] input has a wrong rank, got 2, expected 4'),
    ('_dtype_cast.TensorToScalar()(3)', TypeError, '[TensorToScalar] argument, got int, expected a Tensor'),
]


@pytest.mark.parametrize("text, error, message", ROWS, ids=[row[0] for row in ROWS])
def test_error(text, error, message):
    with pytest.raises(error) as caught:
        eval(text, names)
    assert type(caught.value) is error and str(caught.value) == message


def test_what_is_no_error():
    assert ops.argwhere(Tensor(2.0)).shape == (1, 0) and ops.argwhere(Tensor(0.0)).shape == (0, 0)
    assert ops.lerp(x, [1.0, 3.0, 5.0], 0.5).asnumpy().tolist() == [[1.0, 2.0, 3.0]] * 2
    assert ops.addcmul(x, x, np.float32(2)).asnumpy().tolist() == [[3.0] * 3] * 2
    assert sorted(ops.randperm(np.int64(3)).asnumpy().tolist()) == [0, 1, 2] and ops.randperm(Tensor(3)).shape == (3,)
    assert ops.unsorted_segment_sum(x, Tensor([0, 1]), Tensor(2)).shape == (2, 3)
    assert len(ops.clip_by_norm((item for item in (x, x)), 1.0)) == 2
    assert ops.list_setitem([1, 2, 3], slice(0, 2), [9]) == [9, 3]
    assert ops.StandardNormal(True)((2,)).shape == (2,)
    assert ops.lp_pool1d(image[0], 2, (2,)).shape == (3, 4, 2)
    assert ops.ExtractVolumePatches((1, 2, 2), (1, 1, 1), "valid")(image[None]).shape == (1, 8, 3, 3, 3)


def test_assign_to_complex_numbers():
    variable = Parameter(Tensor([1], ms.complex64))
    assert ops.assign(variable, 2.5).asnumpy().tolist() == [2.5] and ops.assign_add(variable, Tensor([1])).asnumpy().tolist() == [3.5]


@pytest.mark.captures
@pytest.mark.parametrize("fn", [
    lambda a, b: ops.addcmul(a, a, b, 2.0) + ops.lerp(a, b, 0.5) + ops.hypot(a, b) + ops.addcdiv(a, a, b),
    lambda a, b: ops.var(a, 1, 1) + ops.histc(b, 4, 0.0, 1.0).sum() + ops.float_power(a, 2).sum() + ops.quantile(b, 0.5, 0).sum(),
    lambda a, b: ops.strided_slice(a, (0, 0), (1, 2), (1, 1)) * ops.isclose(a, b).sum() + ops.unsorted_segment_sum(a, Tensor([0, 1]), 2).sum(),
    lambda a, b: ops.pad(a, (1, 1)).sum() + ops.FastGeLU()(b) + ops.Hypot()(a, b) + ops.mm(a, b.T).sum(),
])
def test_checks_do_not_end_a_graph(fn):
    captured(fn, lambda variant: (x + variant, x * 2))


@pytest.mark.parametrize("fn", [
    lambda a: ops.lerp(a, None, 0.5), lambda a: ops.addcmul(a, a, a, "b"), lambda a: ops.isclose(a, {}), lambda a: ops.ApplyMomentum()(a),
    lambda a: ops.SparseApplyAdagrad(0.1)(a, a, None, a), lambda a: ops.strided_slice(a, (0,), None, (1,)), lambda a: ops.histc(a, [4]),
    lambda a: ops.list_getitem([a], 2), lambda a: ops.conv2d(a, a, stride=0.5), lambda a: ops.var(a, ddof=None)])
def test_a_captured_function_raises_the_same_error(fn):
    same(fn, lambda variant: (x + variant,))


class Own:
    """Multiplies by None."""

    def __rmul__(self, other):
        return other + None


def test_errors_of_the_program_stay():
    with pytest.raises(TypeError, match="^unsupported operand type.*'NoneType'"):
        ops.addcmul(x, x, Own(), None)
    with pytest.raises(TypeError, match="^unsupported operand type.*'int' and 'NoneType'"):
        ops.PyFunc(lambda a: 1 + None, [ms.float32], [(2, 3)], [ms.float32], None)([x])
