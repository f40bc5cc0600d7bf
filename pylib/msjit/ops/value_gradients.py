"""Primitives for the gradients of losses, distances, activations with attributes, matrices and segments, as rows.

`dout` is the gradient by the result. The other arguments and their order are MindSpore's. Unless their docstring says
otherwise, they are computed with ordinary operators, so they can be differentiated and compiled themselves.
"""
from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from . import array_func as _a
from . import diagonal_func as _di
from . import distance_func as _d
from . import einsum_func as _es
from . import function as _f
from . import gamma_func as _ga
from . import index_func as _i
from . import linalg_func as _la
from . import operations as _op
from . import registry as _k
from ._sparse import operations as _sp
from .generated_func import _mint
from .gradient_kernels import _numbers, _pulled, _where
from .primitive import REQUIRED as _REQUIRED
from .primitive import rows as _rows


def _by_first(function):
    """A rule (dout, x, further arguments): the gradient by x of function(x, *further arguments)."""
    def rule(p, dout, x, *rest):
        return _pulled(lambda x: function(x, *rest), (x,), dout)[0]
    return rule


def _layer(name, path="mint.functional"):
    """A rule (dout, x, further arguments): the gradient by x of a function of mint."""
    return _by_first(lambda *arguments: _mint(name, path)(*arguments))


def _median(p, dout, x, y, indices):
    """Computes the gradient by x; all elements equal to the global median share dout."""
    if p.global_median:
        same = _k.cast(_k.equal(x, y), dout.dtype)
        return same * dout / same.sum()
    return _pulled(lambda x: _op.Median(False, p.axis, p.keep_dims)(x)[0], (x,), dout)[0]


def _multi_margin(p, dout, x, target, weight=None):
    return _pulled(lambda x: _op.MultiMarginLoss(p.p, p.margin, p.reduction)(x, target, weight), (x,), dout)[0]


def _multilabel_margin(p, dout, x, target, is_target):
    return _pulled(lambda x: _op.MultilabelMarginLoss(p.reduction)(x, target)[0], (x,), dout)[0]


def _mvlgamma(p, dout, x):
    return dout * sum(_k.digamma(x - 0.5 * i) for i in range(p.p))


def _random_gamma(p, alpha, sample):
    """Computes the derivative of a drawn number by alpha. NumPy sums the series, so the result has no gradient."""
    import numpy
    a, x = _ga._wide(alpha, sample)
    slope = _ga._lower(a, x)[1]
    density = numpy.exp((a - 1) * numpy.log(x) - x - _ga._log_gamma(a))
    return _Tensor((-slope / density).astype(alpha.asnumpy().dtype))


def _einsum(p, xs, dout):
    return tuple(_pulled(lambda *xs: _es.einsum(p.equation, *xs), tuple(xs), dout))


def _unpacked(p, lower, upper, data):
    """Returns the gradients (by the lower, by the upper part) of LuUnpack in the shape of the data; both always, as in MindSpore."""
    rows, columns = data.shape[-2:]

    def wide(x):
        after = [0] * (x.ndim - 2) + [rows - x.shape[-2], columns - x.shape[-1]]
        return _k.pad(x, [0] * x.ndim, after, 0)
    return wide(_k.tril(lower, -1)), wide(_k.triu(upper))


def _unique(p, dout, out):
    return _k.gather(dout[0], out[1], 0)


def _filled_rows(p, reverse_index_map, dout):
    """Returns the gradients (by the values, by the value that fills empty rows)."""
    values = _k.gather(dout, reverse_index_map, 0)
    return values, dout.sum() - values.sum()


def _segments(kind):
    """A rule (dout, indices, segment_ids, number of rows) for the gradient of sums over segments."""
    def rule(p, dout, indices, segment_ids, size):
        size = int(size.item() if isinstance(size, _Tensor) else size)
        part = _k.gather(dout, segment_ids, 0)
        if kind != "sum":
            one = _k.ones(tuple(segment_ids.shape), dout.dtype)
            counts = _i.tensor_scatter_add(_a.zeros((dout.shape[0],), dout.dtype), _k.expand_dims(segment_ids, -1), one)
            counts = _k.gather(counts if kind == "mean" else counts.sqrt(), segment_ids, 0)
            part = part / counts.reshape((-1,) + (1,) * (dout.ndim - 1))
        return _i.tensor_scatter_add(_a.zeros((size,) + tuple(dout.shape[1:]), dout.dtype), _k.expand_dims(indices, -1), part)
    return rule


def _segment_mean(p, x, indices, segment_ids):
    """Computes the mean of the rows of x in each segment; 0 for an empty segment."""
    return _sp._segments("mean", True)(p, x, indices, segment_ids, segment_ids[-1:] + 1)


def _sliced(p, dout, indices, start, new_indices):
    """Puts dout at the indices that were kept, 0 at the others. The indices must be known."""
    import numpy
    first = numpy.array(start.asnumpy() if isinstance(start, _Tensor) else start).reshape(-1)
    kept = {tuple(row): place for place, row in enumerate((new_indices.asnumpy() + first).tolist())}
    places = [kept.get(tuple(row), len(kept)) for row in indices.asnumpy().tolist()]
    return _k.gather(_k.concat([dout, _k.zeros((1,), dout.dtype)], 0), _Tensor(numpy.array(places, numpy.int64)), 0)


def _ctc(p, dout, log_probs, targets, input_lengths, target_lengths, neg_log_likelihood, log_alpha):
    """Computes the gradient by the input of the log_softmax that gave log_probs, as MindSpore does."""
    def loss(x):
        x = _k.log_softmax(x, -1)
        return _op.CTCLossV2(p.blank, p.reduction, p.zero_infinity)(x, targets, input_lengths, target_lengths)[0]
    return _pulled(loss, (log_probs,), dout)[0]


def _embedding(p, dout, indices, num_weights, padding_idx=None, scale_grad_by_freq=False):
    """Sums the rows of dout into a table of num_weights rows."""
    flat, rows = indices.reshape((-1,)), dout.reshape((-1, dout.shape[-1]))
    if padding_idx is not None:
        rows = _where(_k.not_equal(flat, padding_idx % num_weights).reshape((-1, 1)), rows)
    places = _k.expand_dims(flat, -1)
    if scale_grad_by_freq:
        one = _k.ones(tuple(flat.shape), dout.dtype)
        counts = _i.tensor_scatter_add(_a.zeros((num_weights,), dout.dtype), places, one)
        rows = rows / _k.gather(counts, flat, 0).reshape((-1, 1))
    return _i.tensor_scatter_add(_a.zeros((num_weights, dout.shape[-1]), dout.dtype), places, rows)


def _elu(p, dout, x, alpha=1.0, is_result=False):
    slope = x + alpha if is_result else alpha * _k.exp(x)
    return dout * _k.where(x > 0, _k.ones_like(x), slope)


def _leaky(p, dout, x, negative_slope=0.01, is_result=False):
    return _k.where(x > 0, dout, dout * negative_slope)


def _soft(p, dout, out, dim=-1):
    return out * (dout - (dout * out).sum(dim, keepdims=True))


def _plus(p, dout, x, beta=1, threshold=20):
    return _k.where(x * beta > threshold, dout, dout * _k.sigmoid(x * beta))


def _logit_loss(p, dout, x, target, weight=None, pos_weight=None, reduction="mean"):
    return _pulled(lambda x: _f.binary_cross_entropy_with_logits(x, target, weight, pos_weight, reduction), (x,), dout)[0]


def _kl_div(p, dout, x, target, reduction="mean", log_target=False):
    return _pulled(lambda x: _mint("kl_div", "mint.functional")(x, target, reduction, log_target), (x,), dout)[0]


def _plane_loss(p, dout, x, target, weight, reduction, ignore_index, total_weight):
    reduction = {0: "none", 1: "mean", 2: "sum"}.get(reduction, reduction)
    return _pulled(lambda x: _f.nll_loss(x, target, weight, ignore_index, reduction), (x,), dout)[0]


def _repeated(p, dout, repeats, dim):
    """For each element, sums dout over the copies that repeat_interleave made."""
    if isinstance(repeats, _Tensor):
        repeats = repeats.tolist()
    if not isinstance(repeats, (tuple, list)):
        repeats = [int(repeats)] * (dout.shape[dim] // int(repeats))
    repeats = repeats * dout.shape[dim] if len(repeats) == 1 and repeats[0] == 1 else repeats
    at = dim % dout.ndim
    shape = tuple(len(repeats) if i == at else n for i, n in enumerate(dout.shape))
    return _pulled(lambda x: _mint("repeat_interleave")(x, _Tensor(list(repeats), _mstype.int64), at), (_a.zeros(shape, dout.dtype),), dout)[0]


def _traced(p, dout, shape, offset=0, axis1=1, axis2=0):
    zeros = _a.zeros(_numbers(shape), dout.dtype)
    return _pulled(lambda x: _di.diagonal(x, offset, axis1, axis2).sum(-1), (zeros,), dout)[0]


def _convolved(p, dout, x, weight, bias=None, stride=1, padding=0, dilation=(1, 1), transposed=False, output_padding=0, groups=1,
               output_mask=()):
    """Returns the gradients (by x, by the weight, by the bias); None for what output_mask leaves out."""
    if transposed:
        raise NotImplementedError("[%s] transposed, got True, expected False: there is no transposed convolution in it" % p.name)
    rank = x.ndim - 2

    def forward(x, weight):
        return _mint("conv%dd" % rank, "mint.functional")(x, weight, None, stride, padding, dilation, groups)
    dx, dweight = _pulled(forward, (x, weight), dout)
    found = dx, dweight, dout.sum((0,) + tuple(range(2, dout.ndim)))
    mask = tuple(output_mask) or (1, 1, 1)
    return tuple(value if wanted else None for value, wanted in zip(found, mask))


_MEAN = {"reduction": "mean"}
__all__ = _rows(globals(), (
    ("MedianGrad", {"global_median": False, "axis": 0, "keep_dims": False}, _median),
    ("MultiMarginLossGrad", {"p": 1, "margin": 1.0, "reduction": "mean"}, _multi_margin),
    ("MultilabelMarginLossGrad", _MEAN, _multilabel_margin), ("MvlgammaGrad", {"p": _REQUIRED}, _mvlgamma),
    ("PdistGrad", {"p": 2.0}, lambda p, dout, x, y: _pulled(lambda x: _d.pdist(x, p.p), (x,), dout)[0]),
    ("CdistGrad", {"p": 2.0}, lambda p, dout, x, y, out: _pulled(lambda x: _d.cdist(x, y, p.p), (x,), dout)[0]),
    ("CholeskyGrad", {}, lambda p, x, dout: _pulled(_la.cholesky, (_k.matmul(x, x, False, True),), dout)[0]),
    ("IgammaGradA", {}, lambda p, a, x: _pulled(lambda a: _ga.igamma(a, x), (a,), _k.ones_like(a + x))[0]),
    ("RandomGammaGrad", {}, _random_gamma), ("EinsumGrad", {"equation": _REQUIRED}, _einsum),
    ("LuUnpackGrad", {"L_grad_flag": _REQUIRED, "U_grad_flag": _REQUIRED}, _unpacked), ("UniqueGrad", {}, _unique),
    ("SparseFillEmptyRowsGrad", {}, _filled_rows), ("SparseSegmentSumGrad", {}, _segments("sum")),
    ("SparseSegmentMeanGrad", {}, _segments("mean")), ("SparseSegmentSqrtNGrad", {}, _segments("root")),
    ("SparseSegmentMean", {}, _segment_mean), ("SparseSliceGrad", {}, _sliced),
    ("CTCLossV2Grad", {"blank": _REQUIRED, "reduction": "none", "zero_infinity": False}, _ctc),
    ("EmbeddingDenseBackward", {}, _embedding), ("EluGradExt", {}, _elu), ("GeluGradExt", {}, _by_first(
        lambda x, approximate="none": _mint("gelu", "mint.functional")(x, approximate=approximate))),
    ("HardtanhGrad", {}, lambda p, dout, x, min_val=-1, max_val=1: _where(_k.logical_and(x > min_val, x < max_val), dout)),
    ("LeakyReLUGradExt", {}, _leaky), ("LogSigmoidGrad", {}, lambda p, dout, x, buffer: dout * _k.sigmoid(-x)),
    ("MishGradExt", {}, _layer("mish")), ("SwigluGrad", {}, _by_first(lambda x, dim=-1: _f.swiglu(x, dim))),
    ("SoftmaxBackward", {}, _soft), ("SoftplusGradExt", {}, _plus),
    ("ThresholdGrad", {}, lambda p, dout, x, threshold: _where(x > threshold, dout)),
    ("BinaryCrossEntropyWithLogitsBackward", {}, _logit_loss), ("KLDivGrad", {}, _kl_div),
    ("L1LossBackwardExt", {}, _layer("l1_loss")), ("MSELossGradExt", {}, _layer("mse_loss")), ("NLLLoss2dGrad", {}, _plane_loss),
    ("RepeatInterleaveGrad", {}, _repeated), ("TraceV2Grad", {}, _traced),
    ("ConvolutionGrad", {}, _convolved), ("ConvolutionStrGrad", {}, _convolved),
    ("AvgPool2DGrad", {}, _layer("avg_pool2d")), ("AvgPool3DGradExt", {}, _layer("avg_pool3d")),
    ("AdaptiveAvgPool2DGradExt", {}, lambda p, dout, x: _layer("adaptive_avg_pool2d")(p, dout, x, tuple(dout.shape[-2:]))),
    ("AdaptiveAvgPool3DGradExt", {}, lambda p, dout, x: _layer("adaptive_avg_pool3d")(p, dout, x, tuple(dout.shape[-3:]))),
    ("Col2ImGrad", {}, lambda p, dout, kernel_size, dilation=1, padding=0, stride=1:
     _mint("unfold", "mint.functional")(dout, kernel_size, dilation, padding, stride)),
))
