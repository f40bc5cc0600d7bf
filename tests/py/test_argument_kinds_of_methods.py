"""Arguments of another kind raise TypeError, or ValueError for another value, in the form `[name] what, got X, expected Y`."""
import numpy as np
import pytest

import msjit as ms
import msjit.numpy as mnp
from jit_same import captured
from msjit import Tensor, mint, nn
from msjit.common.initializer import Normal, Sparse

F = mint.nn.functional
x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
v = Tensor(np.arange(4, dtype=np.float32))
n = Tensor(np.array([0, 1], np.int32))
image = Tensor(np.ones((1, 2, 4, 4), np.float32))
tall = Tensor(np.ones((3, 1, 8), np.float32))

TENSOR = [
    ("x.copy().add_('a', alpha=2.5)", TypeError, r"\[add_\] other, got str"),
    ("x.copy().sub_(2, alpha=None)", TypeError, r"\[sub_\] alpha, got NoneType"),
    ("x.add([1.0], alpha=2.5)", TypeError, r"\[add\] other, got list"),
    ("x.sub(None, alpha=2)", TypeError, r"\[sub\] other, got NoneType"),
    ("x.index_add(0, n, 'a', alpha=2)", TypeError, r"\[index_add\] source, got str"),
    ("x.copy().index_add_(0, n, x, alpha=None)", TypeError, r"\[index_add_\] alpha, got NoneType"),
    ("x.view(ms.int64)", ValueError, r"\[view\] bytes of the last axis, got 12"),
    ("x.broadcast_like(3)", TypeError, r"\[broadcast_like\] argument, got int"),
    ("x.trace('a')", TypeError, r"\[trace\] offset must be an int, got str"),
    ("x.sum(initial='a')", TypeError, r"\[sum\] initial, got str"),
    ("x.prod(initial=slice(1))", TypeError, r"\[prod\] initial, got slice"),
    ("x.unique(dim='a')", TypeError, r"\[unique\] dim must be an int, got str"),
    ("x.diag([1])", TypeError, r"\[diag\] diagonal must be an int, got list"),
    ("n.choose(1.0)", TypeError, r"\[choose\] choices, got float"),
    ("n.choose(Tensor(1.0))", ValueError, r"\[choose\] rank of choices, got 0"),
    ("x.index_put(3, 1.0)", TypeError, r"\[index_put\] indices, got int"),
    ("x.index_put((1, 0), 1.0)", TypeError, r"\[index_put\] index, got int"),
    ("x.copy().index_put_([0], 1.0)", TypeError, r"\[index_put_\] index, got int"),
    ("x.copy().index_put_('a', 1.0)", TypeError, r"\[index_put_\] indices, got str"),
    ("x.scatter_add()", TypeError, r"\[scatter_add\] missing argument 'indices'"),
    ("x.scatter_add(n)", TypeError, r"\[scatter_add\] missing argument 'updates'"),
    ("x.scatter_add(dim=0, index=n)", TypeError, r"\[scatter_add\] missing argument 'src'"),
    ("x.index(True)", TypeError, r"\[index\] indices, got bool"),
    ("x.copy().set_(v, size=3)", TypeError, r"\[set_\] size, got int"),
    ("x.copy().set_(v, 0, ['a'])", TypeError, r"\[set_\] size must be an int, got str"),
    ("x.copy().set_(v, 0, (2,), 1.0)", TypeError, r"\[set_\] stride, got float"),
    ("x.copy().set_(v, [1])", TypeError, r"\[set_\] storage_offset must be an int, got list"),
    ("Tensor.convert_bytes_to_tensor(1.0)", TypeError, r"\[convert_bytes_to_tensor\] data, got float"),
    ("Tensor.convert_bytes_to_tensor(b'x')", ValueError, r"\[convert_bytes_to_tensor\] number of bytes, got 1"),
    ("Tensor.convert_bytes_to_tensor(b'abcd', 1.0)", TypeError, r"\[convert_bytes_to_tensor\] shape, got float"),
]

MINT = [
    ("mint.add(x, 'a', alpha=2.5)", TypeError, r"\[add\] other, got str"),
    ("mint.sub(x, 2, alpha='a')", TypeError, r"\[sub\] alpha, got str"),
    ("mint.add(x, 2, alpha=1j)", TypeError, r"\[add\] alpha, got complex"),
    ("mint.nn.BatchNorm2d('a')", TypeError, r"\[BatchNorm2d\] num_features must be an int, got str"),
    ("mint.index_add(x, 0, n, None, alpha=2)", TypeError, r"\[index_add\] source, got NoneType"),
    ("mint.unique(x, dim=[0])", TypeError, r"\[unique\] dim must be an int, got list"),
    ("mint.unique(x, dim=2)", ValueError, r"\[unique\] dim is out of range"),
    ("mint.diag(x, 'a')", TypeError, r"\[diag\] diagonal must be an int, got str"),
    ("mint.narrow(x, 0, 'a', 1)", TypeError, r"\[narrow\] start must be an int, got str"),
    ("mint.narrow(1.0, 0, -1, 1)", TypeError, r"\[narrow\] argument, got float"),
    ("mint.narrow(x, 5, -1, 1)", ValueError, r"\[narrow\] dim is out of range"),
    ("mint.normal(x, None)", TypeError, r"\[normal\] std must be a number, got NoneType"),
    ("mint.vdot(x, [1.0])", TypeError, r"\[vdot\] argument, got list"),
    ("F.conv2d(image, image, None, 1, 1.0)", TypeError, r"\[conv2d\] padding, got float"),
    ("F.conv1d(tall, tall, padding=None)", TypeError, r"\[conv1d\] padding, got NoneType"),
    ("F.kl_div(x, 'a')", TypeError, r"\[kl_div\] target, got str"),
    ("F.kl_div('a', x)", TypeError, r"\[kl_div\] input, got str"),
    ("F.normalize(x, 'a')", TypeError, r"\[normalize\] p, got str"),
    ("F.batch_norm(v, None, None)", ValueError, r"\[batch_norm\] rank of the input, got 1"),
    ("F.one_hot(v)", TypeError, r"\[one_hot\] dtype of the tensor, got Float32"),
    ("F.interpolate(image, scale_factor='a')", TypeError, r"\[interpolate\] scale_factor, got str"),
    ("mint.nn.Conv3d(1, 1, 1, padding=1.5)", TypeError, r"\[conv3d\] padding, got float"),
    ("mint.nn.ConvTranspose2d(1, 1, 1, padding=slice(1))", TypeError, r"\[conv_transpose2d\] padding, got slice"),
    ("mint.nn.ConvTranspose2d(2, 1, 1)(image, 4)", TypeError, r"\[conv_transpose2d\] output_size, got int"),
    ("mint.nn.BatchNorm1d(3, 'a')", TypeError, r"\[BatchNorm1d\] eps, got str"),
    ("mint.nn.SyncBatchNorm(3, momentum=[1])", TypeError, r"\[SyncBatchNorm\] momentum, got list"),
    ("mint.nn.LayerNorm(3, [])", TypeError, r"\[LayerNorm\] eps, got list"),
    ("mint.nn.LayerNorm(1.0)", TypeError, r"\[LayerNorm\] normalized_shape, got float"),
    ("mint.nn.GroupNorm('a', 2)", TypeError, r"\[GroupNorm\] num_groups must be an int, got str"),
    ("mint.nn.Embedding('a', 2)", TypeError, r"\[Embedding\] num_embeddings must be an int, got str"),
    ("mint.nn.Embedding(2, 2, 'a')", TypeError, r"\[Embedding\] padding_idx must be an int, got str"),
    ("mint.nn.Embedding(2, 2, _weight=[1])", TypeError, r"\[Embedding\] _weight, got list"),
    ("mint.nn.UpsamplingNearest2d((1, 1))(1)", TypeError, r"\[UpsamplingNearest2d\] argument, got int"),
    ("mint.nn.UpsamplingNearest2d(None, (1, 'a'))(image)", TypeError, r"\[UpsamplingNearest2d\] scale_factor, got str"),
    ("mint.nn.ZeroPad1d(1)(2)", TypeError, r"\[ZeroPad1d\] argument, got int"),
]

NUMPY = [
    ("mnp.dot(Tensor(1.0), None)", TypeError, r"\[dot\] argument, got NoneType"),
    ("mnp.sum(x, initial='a')", TypeError, r"\[sum\] initial, got str"),
    ("mnp.polyint(v, k=1j)", TypeError, r"\[polyint\] k, got complex"),
    ("mnp.array([1], ndmin='a')", TypeError, r"\[array\] ndmin must be an int, got str"),
    ("mnp.full(1.0, [1])", TypeError, r"\[full\] shape, got float"),
    ("mnp.split(x, 1, 5)", ValueError, r"\[split\] axis is out of range"),
    ("mnp.split(x, 1, 'a')", TypeError, r"\[split\] axis must be an int, got str"),
    ("mnp.split(x, ['a'])", TypeError, r"\[split\] indices_or_sections must be an int, got str"),
    ("mnp.tensordot(x, x, 1.0)", TypeError, r"\[tensordot\] axes, got float"),
    ("mnp.tensordot(x, x, (1, 1, 1))", ValueError, r"\[tensordot\] axes, got 3 of them"),
    ("mnp.hstack(3)", TypeError, r"\[hstack\] tup, got int"),
    ("mnp.vstack(None)", TypeError, r"\[vstack\] tup, got NoneType"),
    ("mnp.dstack(ms.float16)", TypeError, r"\[dstack\] tup, got"),
    ("mnp.column_stack(())", ValueError, r"\[column_stack\] tup, got no tensors"),
    ("mnp.broadcast_arrays()", ValueError, r"\[broadcast_arrays\] arguments, got none"),
    ("mnp.flip(x, 1.0)", TypeError, r"\[flip\] axis, got float"),
    ("mnp.size(x, 5)", ValueError, r"\[size\] axis is out of range"),
    ("mnp.size(x, ms.float32)", TypeError, r"\[size\] axis must be an int"),
    ("mnp.diag(x, range(3))", TypeError, r"\[diag\] k must be an int, got range"),
    ("mnp.diagflat(x, 'a')", TypeError, r"\[diagflat\] k must be an int, got str"),
    ("mnp.trace(x, [1])", TypeError, r"\[trace\] offset must be an int, got list"),
    ("mnp.multi_dot(2)", TypeError, r"\[multi_dot\] arrays, got int"),
    ("mnp.multi_dot([])", ValueError, r"\[multi_dot\] arrays, got none"),
    ("mnp.apply_along_axis(1, 0, x)", TypeError, r"\[apply_along_axis\] func1d, got int"),
    ("mnp.apply_along_axis(mnp.sum, {}, x)", TypeError, r"\[apply_along_axis\] axis must be an int, got dict"),
    ("mnp.apply_over_axes((1,), x, 0)", TypeError, r"\[apply_over_axes\] func, got tuple"),
    ("mnp.apply_over_axes(mnp.sum, x, 1.0)", TypeError, r"\[apply_over_axes\] axes, got float"),
    ("mnp.apply_over_axes(lambda a, axis: 1, x, 0)", TypeError, r"\[apply_over_axes\] result of func, got int"),
    ("mnp.piecewise(x, [x > 1], None)", TypeError, r"\[piecewise\] funclist, got NoneType"),
    ("mnp.choose(n, 2)", TypeError, r"\[choose\] choices, got int"),
    ("mnp.asfarray(x, {})", TypeError, r"\[asfarray\] dtype, got dict"),
    ("mnp.indices(None)", TypeError, r"\[indices\] dimensions, got NoneType"),
    ("mnp.mgrid[0:None:3j]", TypeError, r"\[mgrid\] end of a slice, got NoneType"),
    ("mnp.diag_indices(2, [2])", TypeError, r"\[diag_indices\] ndim must be an int, got list"),
    ("mnp.tril_indices_from(x, 'a')", TypeError, r"\[tril_indices_from\] k must be an int, got str"),
    ("mnp.triu_indices_from(x, (1,))", TypeError, r"\[triu_indices_from\] k must be an int, got tuple"),
    ("mnp.unravel_index(n, 1.0)", TypeError, r"\[unravel_index\] shape, got float"),
    ("mnp.unravel_index(n, ('a', 2))", TypeError, r"\[unravel_index\] shape must be an int, got str"),
    ("mnp.ravel_multi_index(1, (2,))", TypeError, r"\[ravel_multi_index\] multi_index, got int"),
    ("mnp.ravel_multi_index((n,), 2)", TypeError, r"\[ravel_multi_index\] dims, got int"),
    ("mnp.histogram_bin_edges(x, range=2)", TypeError, r"\[histogram_bin_edges\] range, got int"),
    ("mnp.histogram(x, range=(1, 2, 3))", ValueError, r"\[histogram\] range, got 3 items"),
    ("mnp.histogram(x, range=(1, 'a'))", TypeError, r"\[histogram\] range, got str"),
    ("mnp.histogram2d(v, v, range=3)", TypeError, r"\[histogram2d\] range, got int"),
    ("mnp.histogramdd(x, range=[(0, 1)])", ValueError, r"\[histogramdd\] range, got 1 items"),
    ("mnp.randint(0, 2, 1.0)", TypeError, r"\[randint\] shape, got float"),
    ("mnp.concatenate(None, None)", TypeError, r"\[concatenate\] arrays, got NoneType"),
    ("mnp.zeros_like(x, None, 1.0)", TypeError, r"\[zeros_like\] shape, got float"),
    ("mnp.ones_like(x, shape=ms.int32)", TypeError, r"\[ones_like\] shape, got"),
    ("mnp.full_like(x, 1, shape=1.0)", TypeError, r"\[full_like\] shape, got float"),
    ("mnp.pad(x, 'a')", TypeError, r"\[pad\] pad_width must be an int, got str"),
    ("mnp.pad(x, [(1, 1), 2])", TypeError, r"\[pad\] pad_width, got int among pairs"),
    ("mnp.pad(x, ())", ValueError, r"\[pad\] pad_width, got"),
    ("mnp.pad(x, 1, 'linear_ramp', end_values='a')", TypeError, r"\[pad\] end_values, got str"),
    ("mnp.pad(x, 1, 'mean', stat_length='a')", TypeError, r"\[pad\] stat_length must be an int, got str"),
    ("mnp.interp(1.5, v, v, left='a')", TypeError, r"\[interp\] left, got str"),
    ("mnp.interp(1.5, v, v, right=[1])", TypeError, r"\[interp\] right, got list"),
    ("mnp.unwrap(v, axis=None)", TypeError, r"\[unwrap\] axis must be an int, got NoneType"),
    ("mnp.gradient(v, 'a')", TypeError, r"\[gradient\] distance, got str"),
    ("mnp.gradient(v, axis=1.0)", TypeError, r"\[gradient\] axis, got float"),
    ("mnp.nanvar(v, ddof=None)", TypeError, r"\[nanvar\] ddof, got NoneType"),
    ("mnp.nanstd(v, ddof='a')", TypeError, r"\[nanstd\] ddof, got str"),
    ("mnp.take_along_axis(x, n.reshape(1, 2), (1,))", TypeError, r"\[take_along_axis\] axis must be an int, got tuple"),
    ("mnp.bincount(n, length=[1])", TypeError, r"\[bincount\] length must be an int, got list"),
    ("mnp.select(True, [x])", TypeError, r"\[select\] condlist, got bool"),
    ("mnp.logspace(1, 2, [5])", TypeError, r"\[logspace\] num must be an int, got list"),
    ("mnp.logspace(1, 2, base='a')", TypeError, r"\[logspace\] base, got str"),
]

LAYERS = [
    ("nn.WithGradCell(3)", TypeError, r"\[WithGradCell\] network, got int"),
    ("nn.TripletMarginWithDistanceLoss(3)", TypeError, r"\[triplet_margin_with_distance_loss\] distance_function, got int"),
    ("nn.SmoothL1Loss(None)", TypeError, r"\[smooth_l1_loss\] beta, got NoneType"),
    ("nn.SampledSoftmaxLoss(1, 'a')", TypeError, r"\[sampled_softmax_loss\] num_classes must be an int, got str"),
    ("nn.LayerNorm((3,), epsilon='a')", TypeError, r"\[layer_norm\] epsilon, got str"),
    ("nn.BatchNorm2d(3, eps=None)", TypeError, r"\[batch_norm\] eps, got NoneType"),
    ("nn.BatchNorm3d(3, momentum='a')", TypeError, r"\[batch_norm\] momentum, got str"),
    ("nn.SyncBatchNorm(3)(1)", TypeError, r"\[sync_batch_norm\] argument, got int"),
    ("nn.GroupNorm(1, 2, eps=[1])", TypeError, r"\[group_norm\] eps, got list"),
    ("nn.InstanceNorm1d(3, momentum=None)", TypeError, r"\[instance_norm\] momentum, got NoneType"),
    ("nn.InstanceNorm2d(3, 'a')", TypeError, r"\[instance_norm\] eps, got str"),
    ("nn.InstanceNorm3d(3)(1)", TypeError, r"\[instance_norm\] argument, got int"),
    ("nn.AdaptiveAvgPool1d(2)(1)", TypeError, r"\[AdaptiveAvgPool1d\] argument, got int"),
    ("nn.AdaptiveMaxPool1d(2)(Tensor(1.0))", ValueError, r"\[AdaptiveMaxPool1d\] rank of the input, got 0"),
    ("nn.ClipByNorm()(x, None)", TypeError, r"\[clip_by_norm\] clip_norm, got NoneType"),
    ("nn.Conv2dTranspose(1, 1, 1)(None)", TypeError, r"\[conv2d_transpose\] argument, got NoneType"),
    ("nn.Dropout(None)", TypeError, r"\[dropout\] keep_prob, got NoneType"),
    ("nn.DynamicLossScaleUpdateCell(1, 2, 3)(1, x)", TypeError, r"\[DynamicLossScaleUpdateCell\] loss_scale, got int"),
    ("nn.Embedding(2, 2, padding_idx='a')", TypeError, r"\[embedding\] padding_idx must be an int, got str"),
    ("nn.Pad(((1, 1),))(1)", TypeError, r"\[pad\] argument, got int"),
    ("nn.DistributedGradReducer(1.0)", TypeError, r"\[DistributedGradReducer\] parameters, got float"),
    ("nn.Dense(10 ** 30, 1)", ValueError, r"\[initializer\] shape, got"),
    ("ms.initializer('ones', 1.0)", TypeError, r"\[initializer\] shape, got float"),
    ("ms.initializer('ones', (False,))", TypeError, r"\[initializer\] size of a dimension, got False"),
    ("Sparse('a')", TypeError, r"\[sparse\] sparsity, got str"),
    ("Normal()(3)", TypeError, r"\[initializer\] array, got int"),
    ("nn.ReLU6(1, [1])", TypeError, r"\[cell\] flags, got list"),
    ("nn.MaxPool1d()(1)", TypeError, r"\[max_pool1d\] argument, got int"),
    ("nn.AvgPool3d()(None)", TypeError, r"\[avg_pool3d\] argument, got NoneType"),
    ("nn.CellDict(3)", TypeError, r"\[cell_dict\] cells, got int"),
    ("nn.CellDict([3])", TypeError, r"\[cell_dict\] items must be \(key, Cell\) pairs, got int"),
    ("nn.DynamicLossScaleUpdateCell(1, (2,), 3)", TypeError, r"\[DynamicLossScaleUpdateCell\] scale_factor, got tuple"),
    ("nn.MultiheadAttention(8, 'a')", TypeError, r"\[\w+\] num_heads must be an int, got str"),
    ("nn.MultiheadAttention(8, 0)", ValueError, r"\[\w+\] num_heads, got 0"),
    ("nn.Softmax2d()([1])", TypeError, r"\[softmax2d\] argument, got list"),
    ("nn.Transformer(8, 2, 1, 1, 8)(1, x)", TypeError, r"\[Transformer\] src, got int"),
    ("nn.Transformer(8, 2, 1, 1, 8)(tall, v)", ValueError, r"\[Transformer\] ranks of src and tgt, got 3 and 1"),
    ("nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 8), 'a')", TypeError, r"\[TransformerEncoder\] num_layers must be an int, got str"),
    ("nn.TransformerEncoderLayer(8, 2, 8)(tall, None, 3)", TypeError, r"\[transformer\] src_key_padding_mask, got int"),
]


@pytest.mark.parametrize("text, error, pattern", TENSOR + MINT + NUMPY + LAYERS)
def test_an_argument_of_another_kind_raises_an_error_that_names_it(text, error, pattern):
    with pytest.raises(error, match=pattern):
        eval(text)


# Arguments that the checks let through, beside ints: what NumPy or a bool stands for, and lists for tuples.
@pytest.mark.parametrize("text, expected", [
    ("x.add(2, alpha=np.float32(0.5))", np.arange(6).reshape(2, 3) + 1.0),
    ("mnp.diag(v, np.int64(1)).shape", (5, 5)),
    ("mnp.flip(v, [0])", np.arange(4)[::-1]),
    ("x.trace(True)", 6.0),
    ("x.sum(initial=[1, 2])", [16, 17]),
    ("mnp.pad(v, np.int64(1)).shape", (6,)),
    ("mint.narrow(v, 0, np.int32(-2), 1)", [2]),
    ("mnp.split(v, [np.int64(2)])[0].shape", (2,)),
    ("mnp.tensordot(x, x, [[0, 1], [0, 1]])", 55.0),
    ("Tensor.convert_bytes_to_tensor(v.get_bytes(), [2, 2])", [[0, 1], [2, 3]]),
    ("Tensor.convert_bytes_to_tensor(bytearray(v.get_bytes()))", [0, 1, 2, 3]),
])
def test_arguments_that_stand_for_numbers_work(text, expected):
    found = eval(text)
    np.testing.assert_allclose(found.asnumpy() if isinstance(found, Tensor) else found, expected)


@pytest.mark.captures
@pytest.mark.parametrize("text", [
    "a.add(b, alpha=0.5).index_put((n,), 1.0)", "a.trace(1) + a.sum(initial=2.0)", "mint.narrow(a, 0, -1, 1) + mint.diag(a, 1)[0]",
    "F.kl_div(a, b) + F.normalize(a, 2.0)", "F.interpolate(image, scale_factor=2.0)", "mnp.flip(a, 0) + mnp.size(a, 1)",
    "mnp.pad(a, 1, 'linear_ramp', end_values=2)", "mnp.gradient(a, 2.0, axis=0) + mnp.nanstd(a, ddof=1)", "mnp.histogram(a, range=(0, 4))[0]",
])
def test_a_captured_call_runs_through_the_checks(text):
    captured(eval("lambda a, b: " + text), lambda variant: (x + 1, x + 2))
