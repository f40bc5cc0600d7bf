"""Primitives as rows of tables: a name, its attributes in order with their defaults, and the function that computes it.

The function is called with the primitive (for its attributes) and the inputs of the call. Primitives without attributes are
rows of _PLAIN.
"""
from ..common import dtype as _mstype
from ..common.tensor import check_tensor as _check_tensor
from . import activation_func as _ac
from . import array_func as _a
from . import complex_func as _c
from . import diagonal_func as _di
from . import distance_func as _d
from . import einsum_func as _es
from . import image_func as _im
from . import index_func as _i
from . import layout_func as _l
from . import linalg_func as _la
from . import math_func as _m
from . import nn_func as _n
from . import pad_func as _p
from . import pool_func as _po
from . import random_func as _r
from . import registry as _k
from . import sampling_func as _s
from . import scatter_func as _sc
from . import special_func as _sp
from . import statistics_func as _st
from . import window_func as _w
from .nn_operations import _seed
from .primitive import REQUIRED
from .primitive import plain_rows as _plain_rows
from .primitive import rows as _rows
from .resize_func import resize as _resize
from .variable_writes import replaced as _replaced

_REQUIRED = REQUIRED
__all__ = []


def _row(name, attributes, rule):
    __all__.extend(_rows(globals(), ((name, attributes, rule),)))


def _plain(rows):
    __all__.extend(_plain_rows(globals(), rows))


def _finite(x):
    """Returns x, or raises RuntimeError if an element is not finite."""
    if not bool(_k.all(_k.isfinite(x))):
        raise RuntimeError("[CheckNumerics] elements, got NaN or infinite ones, expected finite ones")
    return x


def _inverted(x):
    """Inverts a permutation, a tuple or a Tensor of ints. For a tuple, raises ValueError if it is no permutation and
    TypeError for other items."""
    if isinstance(x, (tuple, list)):
        for place in x:
            if isinstance(place, bool) or not isinstance(place, int):
                raise TypeError("[invert_permutation] input_x, got %s, expected ints" % type(place).__name__)
        if not x or sorted(x) != list(range(len(x))):
            raise ValueError("[invert_permutation] input_x, got %s, expected each number from 0 on once" % (tuple(x),))
        out = [0] * len(x)
        for i, place in enumerate(x):
            out[place] = i
        return tuple(out)
    return _k.cast(_k.argsort(x, 0), x.dtype)


def _div_no_nan(x, y):
    """Computes x / y, 0 where y is 0."""
    none = _k.equal(y, 0)
    return _k.where(none, 0, x / _k.where(none, 1, y))


def _squared_difference(x, y):
    """Computes (x - y) squared."""
    return _k.square(x - y)


def _sections(p, x):
    """Returns the sizes for SplitV, where one -1 means the rest."""
    sizes = list(p.size_splits)
    rest = x.shape[p.split_dim] - sum(size for size in sizes if size != -1)
    return [rest if size == -1 else size for size in sizes] if sizes.count(-1) == 1 else sizes


def _complex_abs(x):
    """Computes the absolute values of complex numbers, as real numbers. Raises TypeError for a real tensor."""
    if not _c.is_complex(x):
        raise TypeError("[ComplexAbs] dtype, got %s, expected complex64 or complex128" % (x.dtype.name,))
    return _k.real(_k.abs(x))


def _scalar_to_tensor(x, dtype=None):
    """Returns a tensor without axes, by default of float32."""
    return _k.full((), x, _mstype.float32 if dtype is None else dtype)


_plain({
    "Addcdiv": _sp.addcdiv, "Addcmul": _sp.addcmul, "Diag": _i.diag, "DiagPart": _di.diagonal,
    "Digamma": _k.digamma, "Lgamma": _k.lgamma, "Erfinv": _k.erfinv, "Zeta": _k.zeta, "Eye": _a.eye, "Fills": _l.fills,
    "GatherV2": _i.gather, "Gcd": _sp.gcd, "Lcm": _sp.lcm, "Ger": _m.outer, "Heaviside": _sp.heaviside, "Hypot": _m.hypot,
    "IndexFill": _sc.index_fill, "LeftShift": _sp.bitwise_left_shift, "Fmax": _sp.fmax,
    "RightShift": _sp.bitwise_right_shift, "Lerp": _sp.lerp, "Expand": _l.expand, "LogMatrixDeterminant": _k.slogdet,
    "MatrixDeterminant": _k.det, "MaskedScatter": _sc.masked_scatter, "MatrixBandPart": _di.matrix_band_part,
    "Polygamma": _sp.polygamma, "PReLU": _ac.prelu, "Real": _c.real, "Imag": _c.imag, "Conj": _c.conj,
    "Angle": _c.angle, "ComplexAbs": _complex_abs, "Complex": _k.complex, "Polar": _c.polar, "SeLU": _ac.selu, "Sinc": _sp.sinc,
    "TensorScatterSub": _i.tensor_scatter_sub, "TensorScatterMul": _sc.tensor_scatter_mul, "Fmin": _sp.fmin,
    "TensorScatterDiv": _sc.tensor_scatter_div, "TensorScatterMax": _sc.tensor_scatter_max,
    "TensorScatterMin": _sc.tensor_scatter_min, "Trace": _di.trace, "TransposeView": _k.transpose,
    "TruncateDiv": _sp.truncate_div, "TruncateMod": _sp.truncate_mod, "Xdivy": _sp.xdivy, "Xlogy": _sp.xlogy,
    "UniqueWithPad": _sc.unique_with_pad, "AccumulateNV2": _m.addn,
    "UnsortedSegmentSum": _sc.unsorted_segment_sum, "UnsortedSegmentProd": _sc.unsorted_segment_prod,
    "UnsortedSegmentMax": _sc.unsorted_segment_max, "UnsortedSegmentMin": _sc.unsorted_segment_min,
    "SquaredDifference": _squared_difference,
    "DivNoNan": _div_no_nan, "CheckNumerics": _finite, "InvertPermutation": _inverted, "Logsigmoid": _ac.logsigmoid,
    "ScalarToTensor": _scalar_to_tensor,
})


def _svd(p, x):
    if p.compute_uv:
        return _la.svd(x, p.full_matrices, True)
    nothing = _k.zeros((1,), x.dtype)
    return _la.svd(x, p.full_matrices, False), nothing, nothing


def _cumprod(p, x, axis):
    return _k.cast(_products(p, x, axis), x.dtype)


def _products(p, x, axis):
    if not x.ndim:
        raise ValueError("[CumProd] rank of x, got 0, expected at least 1")
    if p.exclusive or p.reverse:
        x = _k.flip(x, (axis,)) if p.reverse else x
        if p.exclusive:
            axis %= x.ndim
            first = _k.ones([1 if i == axis else n for i, n in enumerate(x.shape)], x.dtype)
            x = _k.concat([first, _w._along(x, axis, 0, x.shape[axis] - 1, 1)], axis)
        out = _st.cumprod(x, axis)
        return _k.flip(out, (axis,)) if p.reverse else out
    return _st.cumprod(x, axis)


def _depth_to_space(p, x):
    _check_tensor(x, "depth_to_space")
    n, c, h, w = x.shape
    b = p.block_size
    x = _k.transpose(_k.reshape(x, (n, b, b, c // (b * b), h, w)), (0, 3, 4, 1, 5, 2))
    return _k.reshape(x, (n, c // (b * b), h * b, w * b))


def _space_to_depth(p, x):
    _check_tensor(x, "space_to_depth")
    n, c, h, w = x.shape
    b = p.block_size
    x = _k.transpose(_k.reshape(x, (n, c, h // b, b, w // b, b)), (0, 3, 5, 1, 2, 4))
    return _k.reshape(x, (n, c * b * b, h // b, w // b))


def _mirror_pad(p, x, paddings):
    if p.mode not in ("REFLECT", "SYMMETRIC"):
        raise ValueError("[MirrorPad] mode, got %r, expected 'REFLECT' or 'SYMMETRIC'" % (p.mode,))
    rows = paddings.tolist() if hasattr(paddings, "tolist") else paddings
    for axis, (before, after) in enumerate(rows):
        x = _p.mirrored(x, axis, int(before), int(after), p.mode == "SYMMETRIC")
    return x


def _in_top_k(p, x1, x2):
    target = _k.gather_elements(x1, _k.expand_dims(x2, -1), -1)
    return _k.less(_k.sum(_k.cast(_k.greater(x1, target), _mstype.int32), -1), p.k)


def _resize_bicubic(p, image, size):
    if p.align_corners and p.half_pixel_centers:
        raise ValueError("[%s] align_corners and half_pixel_centers, got True for both" % p.name)
    return _resize(image, tuple(int(n) for n in size), "bicubic", p.align_corners, p.half_pixel_centers)


def _sparse_cross_entropy(p, logits, labels):
    if p.is_grad:
        one = _k.one_hot(labels, logits.shape[-1], 1, 0, -1, logits.dtype)
        return (_k.softmax(logits, -1) - one) / float(logits.shape[0])
    return _k.cross_entropy(logits, labels, -100, "mean", None, 0.0)


def _unique_runs(p, x):
    """Returns (values, inverse, counts); results that are not asked for are a 0 without axes."""
    found = _sc.unique_consecutive(x, p.return_inverse, p.return_counts, p.dim)
    found = list(found) if isinstance(found, tuple) else [found]
    none = _k.zeros((), _mstype.int64)
    inverse = found[1] if p.return_inverse else none
    return found[0], inverse, found[-1] if p.return_counts else none


def _dropped(rank):
    def rule(p, x):
        if _check_tensor(x, p.name).ndim != rank + 2:
            raise ValueError("[%s] rank of input, got %d, expected %d" % (p.name, x.ndim, rank + 2))
        ones = getattr(_s, "dropout%dd" % rank)(_k.ones_like(x), 1 - p.keep_prob)
        return x * ones, _k.not_equal(ones, 0)
    return rule


def _argmax_pool(p, x):
    kernel, stride = _w._tuple(p.kernel_size, 2, p.name, "kernel_size"), _w._tuple(p.strides, 2, p.name, "strides")
    pads = _w._pads(p.name, x.shape[2:], kernel, stride, (1, 1), p.pad_mode.lower(), 0)
    values, places = _k.max_pool2d_with_index(x, kernel, stride, pads[0] + pads[1], False, (1, 1))
    # As in MindSpore, positions count through all channels of an image.
    first = _k.arange(0, x.shape[1], 1, _mstype.int64) * (x.shape[2] * x.shape[3])
    return values, _k.cast(places + _k.reshape(first, (1, -1, 1, 1)), _mstype.int32)


def _pool3d(p, x):
    kernel, stride = _w._tuple(p.kernel_size, 3, p.name, "kernel_size"), _w._tuple(p.strides, 3, p.name, "strides")
    mode = p.pad_mode.lower()
    if p.name == "MaxPool3D":
        _check_tensor(x, p.name)
        pads = _w._pads(p.name, x.shape[2:], kernel, stride, (1, 1, 1), mode, p.pad_list)
        return _po.greatest(x, kernel, stride, pads, (1, 1, 1), bool(p.ceil_mode))
    _check_tensor(x, p.name)
    pads = _w._pads(p.name, x.shape[2:], kernel, stride, (1, 1, 1), mode, p.pad)
    return _po.averaged(x, kernel, stride, pads, p.ceil_mode, p.count_include_pad and mode == "pad", p.divisor_override)


_AXIS0, _SEEDS = {"axis": 0}, {"seed": 0, "seed2": 0}
_WRITES = {"use_locking": False}

for _name, _attributes, _rule in (
        ("DynamicShape", {"dtype": 9}, lambda p, x: _a.shape(x)),
        ("CumProd", {"exclusive": False, "reverse": False}, _cumprod),
        ("Cummax", {"axis": _REQUIRED}, lambda p, x: _k.cummax(x, p.axis)),
        ("Cummin", {"axis": _REQUIRED}, lambda p, x: _st.cummin(x, p.axis)),
        ("Cross", {"dim": -65530}, lambda p, x, y: _la.cross(x, y, None if p.dim == -65530 else p.dim)),
        ("Cdist", {"p": 2.0}, lambda p, x, y: _d.cdist(x, y, p.p)),
        ("Pdist", {"p": 2.0}, lambda p, x: _d.pdist(x, p.p)),
        ("Einsum", {"equation": _REQUIRED}, lambda p, xs: _es.einsum(p.equation, *xs)),
        ("LRN", {"depth_radius": 5, "bias": 1.0, "alpha": 1.0, "beta": 0.5, "norm_region": "ACROSS_CHANNELS"},
         lambda p, x: _w.lrn(x, p.depth_radius, p.bias, p.alpha, p.beta, p.norm_region)),
        ("DepthToSpace", {"block_size": _REQUIRED}, _depth_to_space),
        ("SpaceToDepth", {"block_size": _REQUIRED}, _space_to_depth),
        ("SpaceToBatchND", {"block_shape": _REQUIRED, "paddings": _REQUIRED},
         lambda p, x: _im.space_to_batch_nd(x, p.block_shape, p.paddings)),
        ("BatchToSpaceND", {"block_shape": _REQUIRED, "crops": _REQUIRED},
         lambda p, x: _im.batch_to_space_nd(x, p.block_shape, p.crops)),
        ("MirrorPad", {"mode": "REFLECT"}, _mirror_pad),
        ("InTopK", {"k": _REQUIRED}, _in_top_k),
        ("IsClose", {"rtol": 1e-05, "atol": 1e-08, "equal_nan": False},
         lambda p, x, y: _m.isclose(x, y, p.rtol, p.atol, p.equal_nan)),
        ("ResizeBicubic", {"align_corners": False, "half_pixel_centers": False}, _resize_bicubic),
        ("GridSampler2D", {"interpolation_mode": "bilinear", "padding_mode": "zeros", "align_corners": False},
         lambda p, x, grid: _im.grid_sample(x, grid, p.interpolation_mode, p.padding_mode, p.align_corners)),
        ("GridSampler3D", {"interpolation_mode": "bilinear", "padding_mode": "zeros", "align_corners": False},
         lambda p, x, grid: _im.grid_sample(x, grid, p.interpolation_mode, p.padding_mode, p.align_corners)),
        ("AffineGrid", {"align_corners": False}, lambda p, theta, size: _im.affine_grid(theta, size, p.align_corners)),
        ("CropAndResize", {"method": "bilinear", "extrapolation_value": 0.0}, lambda p, image, boxes, indices, size:
         _im.crop_and_resize(image, boxes, indices, size, p.method, p.extrapolation_value)),
        ("IOU", {"mode": "iou"}, lambda p, anchors, truth: _im.iou(anchors, truth, p.mode)),
        ("Conv3D", {"out_channel": _REQUIRED, "kernel_size": _REQUIRED, "mode": 1, "pad_mode": "valid", "pad": 0, "stride": 1,
                    "dilation": 1, "group": 1, "data_format": "NCDHW"},
         lambda p, x, weight: _w.conv3d(x, weight, None, p.stride, p.pad_mode, p.pad, p.dilation, p.group)),
        ("Conv3DTranspose", {"in_channel": _REQUIRED, "out_channel": _REQUIRED, "kernel_size": _REQUIRED, "mode": 1,
                             "pad_mode": "valid", "pad": 0, "stride": 1, "dilation": 1, "group": 1, "output_padding": 0,
                             "data_format": "NCDHW"},
         lambda p, x, weight: _w.conv3d_transpose(x, weight, p.pad_mode, p.pad, p.stride, p.dilation, p.group,
                                                  p.output_padding)),
        ("MaxPool3D", {"kernel_size": 1, "strides": 1, "pad_mode": "VALID", "pad_list": 0, "ceil_mode": None,
                       "data_format": "NCDHW"}, _pool3d),
        ("AvgPool3D", {"kernel_size": 1, "strides": 1, "pad_mode": "valid", "pad": 0, "ceil_mode": False,
                       "count_include_pad": True, "divisor_override": 0, "data_format": "NCDHW"}, _pool3d),
        ("MaxPoolWithArgmax", {"kernel_size": 1, "strides": 1, "pad_mode": "valid", "data_format": "NCHW"}, _argmax_pool),
        ("AdaptiveAvgPool2D", {"output_size": _REQUIRED}, lambda p, x: _n.adaptive_avg_pool2d(x, p.output_size)),
        ("AdaptiveAvgPool3D", {"output_size": _REQUIRED}, lambda p, x: _po.adaptive_avg_pool3d(x, p.output_size)),
        ("AdaptiveMaxPool2D", {"output_size": _REQUIRED}, lambda p, x: _po.adaptive_max_pool2d(x, p.output_size, True)),
        ("Dropout2D", {"keep_prob": 0.5}, _dropped(2)),
        ("Dropout3D", {"keep_prob": 0.5}, _dropped(3)),
        ("CeLU", {"alpha": 1.0}, lambda p, x: _ac.celu(x, p.alpha)),
        ("GLU", {"axis": -1}, lambda p, x: _ac.glu(x, p.axis)),
        ("HShrink", {"lambd": 0.5}, lambda p, x: _ac.hardshrink(x, p.lambd)),
        ("SoftShrink", {"lambd": 0.5}, lambda p, x: _ac.softshrink(x, p.lambd)),
        ("BinaryCrossEntropy", {"reduction": "mean"}, lambda p, x, y, w=None: _n.binary_cross_entropy(x, y, w, p.reduction)),
        ("BCEWithLogitsLoss", {"reduction": "mean"}, lambda p, x, y, w=None, pos=None:
         _n.binary_cross_entropy_with_logits(x, y, w, pos, p.reduction)),
        ("SmoothL1Loss", {"beta": 1.0, "reduction": "none"}, lambda p, x, y: _n.smooth_l1_loss(x, y, p.beta, p.reduction)),
        ("SparseSoftmaxCrossEntropyWithLogits", {"is_grad": False}, _sparse_cross_entropy),
        ("CountNonZero", {"dims": None}, lambda p, x: _st.count_nonzero(x, p.dims, False, _mstype.int64)),
        ("EuclideanNorm", {"keep_dims": False}, lambda p, x, axes:
         _k.sqrt(_k.sum(_k.square(x), tuple(int(a) for a in axes), p.keep_dims))),
        ("IndexAdd", {"axis": _REQUIRED, "use_lock": True, "check_index_bound": True}, lambda p, x, indices, y:
         _replaced(x, _i.slices_added(x, indices, y, p.axis))),
        ("InplaceIndexAdd", {"axis": _REQUIRED}, lambda p, x, indices, y:
         _replaced(x, _i.slices_added(x, indices, y, p.axis))),
        ("InplaceUpdate", {"indices": _REQUIRED}, lambda p, x, v: _sc.inplace_update(x, v, p.indices)),
        ("Logit", {"eps": -1.0}, lambda p, x: _sp.logit(x, p.eps)),
        ("MatrixInverse", {"adjoint": False}, lambda p, x: _k.inverse(_l.adjoint(x) if p.adjoint else x)),
        ("MatrixPower", {"n": _REQUIRED}, lambda p, x: _la.matrix_power(x, p.n)),
        ("MatrixSolve", {"adjoint": False}, lambda p, a, b: _k.matrix_solve(a, b, p.adjoint)),
        ("MatrixTriangularSolve", {"lower": True, "adjoint": False}, lambda p, a, b:
         _k.matrix_solve((_k.tril if p.lower else _k.triu)(a), b, p.adjoint)),
        ("Cholesky", {"upper": False}, lambda p, x: _la.cholesky(x, p.upper)),
        ("CholeskySolve", {"upper": False}, lambda p, x, y: _la.cholesky_solve(x, y, p.upper)),
        ("CholeskyInverse", {"upper": False}, lambda p, x: _la.cholesky_inverse(x, p.upper)),
        ("Qr", {"full_matrices": False}, lambda p, x: _k.qr(x, p.full_matrices)),
        ("Svd", {"full_matrices": False, "compute_uv": True}, _svd),
        ("Meshgrid", {"indexing": "xy"}, lambda p, xs: _a.meshgrid(*xs, indexing=p.indexing)),
        ("Mvlgamma", {"p": _REQUIRED}, lambda p, x: _sp.mvlgamma(x, p.p)),
        ("Multinomial", {"seed": 0, "seed2": 0, "dtype": _mstype.int32}, lambda p, x, n:
         _k.cast(_s.multinomial(x, n, True, _seed(p.seed, p.seed2)), p.dtype)),
        ("Gamma", _SEEDS, lambda p, shape, alpha, beta: _s.gamma(shape, alpha, beta, _seed(p.seed, p.seed2))),
        ("Poisson", _SEEDS, lambda p, shape, mean: _k.cast(_s.poisson(shape, mean, _seed(p.seed, p.seed2)), _mstype.int32)),
        ("StandardLaplace", _SEEDS, lambda p, shape: _s.standard_laplace(shape, _seed(p.seed, p.seed2))),
        ("UniformInt", _SEEDS, lambda p, shape, low, high:
         _r.randint(int(low), int(high), shape, dtype=_mstype.int32, seed=_seed(p.seed, p.seed2))),
        ("RandomShuffle", _SEEDS, lambda p, x: _s.shuffle(x, _seed(p.seed, p.seed2))),
        ("Pack", _AXIS0, lambda p, xs: _k.stack(xs, p.axis)),
        ("Unpack", {"axis": 0, "num": None}, lambda p, x: _a.unstack(x, p.axis)),
        ("ReduceStd", {"axis": (), "unbiased": True, "keep_dims": False}, lambda p, x: _st.std_mean(
            x, tuple(p.axis) if isinstance(p.axis, list) and p.axis else None if p.axis in ((), []) else p.axis,
            1 if p.unbiased else 0, p.keep_dims)),
        ("Renorm", {"p": _REQUIRED, "dim": _REQUIRED, "maxnorm": _REQUIRED}, lambda p, x: _d.renorm(x, p.p, p.dim, p.maxnorm)),
        ("ReverseSequence", {"seq_dim": _REQUIRED, "batch_dim": 0}, lambda p, x, lengths:
         _l.reverse_sequence(x, lengths, p.seq_dim, p.batch_dim)),
        ("ReverseV2", {"axis": _REQUIRED}, lambda p, x: _l.reverse(x, p.axis)),
        ("Roll", {"shifts": _REQUIRED, "dims": None}, lambda p, x: _i.roll(x, p.shifts, p.dims)),
        ("SearchSorted", {"dtype": _mstype.int64, "right": False}, lambda p, rows, values, sorter=None:
         _k.cast(_st.searchsorted(rows, values, right=p.right, sorter=sorter), p.dtype)),
        ("SplitV", {"size_splits": _REQUIRED, "split_dim": _REQUIRED, "num_split": _REQUIRED}, lambda p, x:
         _a.split(x, _sections(p, x), p.split_dim)),
        ("StridedSlice", {"begin_mask": 0, "end_mask": 0, "ellipsis_mask": 0, "new_axis_mask": 0, "shrink_axis_mask": 0},
         lambda p, x, begin, end, strides: _sc.strided_slice(
             x, begin, end, strides, p.begin_mask, p.end_mask, p.ellipsis_mask, p.new_axis_mask, p.shrink_axis_mask)),
        ("TensorScatterElements", {"axis": 0, "reduction": "none"}, lambda p, x, indices, updates:
         _i.tensor_scatter_elements(x, indices, updates, p.axis, p.reduction)),
        ("Tril", {"diagonal": 0}, lambda p, x: _k.tril(x, p.diagonal)),
        ("Triu", {"diagonal": 0}, lambda p, x: _k.triu(x, p.diagonal)),
        ("UniqueConsecutive", {"return_inverse": False, "return_counts": False, "dim": None}, _unique_runs),
):
    _row(_name, _attributes, _rule)


def _scatter(name, function):
    _row(name, _WRITES, lambda p, x, indices, updates: function(x, indices, updates))


for _how in ("Update", "Add", "Sub", "Mul", "Div", "Max", "Min"):
    _scatter("Scatter" + _how, getattr(_sc, "scatter_" + _how.lower()))
    _scatter("ScatterNd" + _how, getattr(_sc, "scatter_nd_" + _how.lower()))
