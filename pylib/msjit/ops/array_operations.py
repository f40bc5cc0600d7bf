"""Primitives as rows of tables: a name, its attributes in order with their defaults, and the function that computes it.

The function is called with the primitive (for its attributes) and the inputs of the call. Primitives without attributes are
rows of _PLAIN.
"""
from ..common import dtype as _mstype
from . import activation_func as _ac
from . import array_func as _a
from . import array_rules as _ar
from . import complex_func as _c
from . import diagonal_func as _di
from . import distance_func as _d
from . import einsum_func as _es
from . import image_func as _im
from . import index_func as _i
from . import integer_func as _int
from . import layout_func as _l
from . import linalg_func as _la
from . import math_func as _m
from . import nn_func as _n
from . import pool_func as _po
from . import random_func as _r
from . import registry as _k
from . import sampling_func as _s
from . import scatter_func as _sc
from . import segment_func as _sg
from . import special_func as _sp
from . import statistics_func as _st
from . import window_func as _w
from .argument_kinds import check_real as _real
from .primitive import REQUIRED
from .primitive import plain_rows as _plain_rows
from .primitive import rows as _rows
from .variable_writes import replaced as _replaced

_REQUIRED = REQUIRED
_seeds = _ar._seeds
__all__ = []


def _plain(rows):
    __all__.extend(_plain_rows(globals(), rows))


_plain({
    "Addcdiv": _sp.addcdiv, "Addcmul": _sp.addcmul, "Diag": _i.diag, "DiagPart": _di.diagonal,
    "Digamma": _k.digamma, "Lgamma": _k.lgamma, "Erfinv": _k.erfinv, "Zeta": _k.zeta, "Eye": _a.eye, "Fills": _l.fills,
    "GatherV2": _i.gather, "Gcd": _int.gcd, "Lcm": _int.lcm, "Ger": _m.outer, "Heaviside": _sp.heaviside, "Hypot": _m.hypot,
    "IndexFill": _sc.index_fill, "LeftShift": _int.bitwise_left_shift, "Fmax": _sp.fmax,
    "RightShift": _int.bitwise_right_shift, "Lerp": _sp.lerp, "Expand": _l.expand, "LogMatrixDeterminant": _k.slogdet,
    "MatrixDeterminant": _k.det, "MaskedScatter": _sc.masked_scatter, "MatrixBandPart": _di.matrix_band_part,
    "Polygamma": _sp.polygamma, "PReLU": _ac.prelu, "Real": _c.real, "Imag": _c.imag, "Conj": _c.conj,
    "Angle": _c.angle, "ComplexAbs": _ar._complex_abs, "Complex": _k.complex, "Polar": _c.polar, "SeLU": _ac.selu, "Sinc": _sp.sinc,
    "TensorScatterSub": _i.tensor_scatter_sub, "TensorScatterMul": _sc.tensor_scatter_mul, "Fmin": _sp.fmin,
    "TensorScatterDiv": _sc.tensor_scatter_div, "TensorScatterMax": _sc.tensor_scatter_max,
    "TensorScatterMin": _sc.tensor_scatter_min, "Trace": _di.trace, "TransposeView": _k.transpose,
    "TruncateDiv": _int.truncate_div, "TruncateMod": _int.truncate_mod, "Xdivy": _sp.xdivy, "Xlogy": _sp.xlogy,
    "UniqueWithPad": _sc.unique_with_pad, "AccumulateNV2": _m.addn,
    "UnsortedSegmentSum": _sg.unsorted_segment_sum, "UnsortedSegmentProd": _sg.unsorted_segment_prod,
    "UnsortedSegmentMax": _sg.unsorted_segment_max, "UnsortedSegmentMin": _sg.unsorted_segment_min,
    "SquaredDifference": _ar._squared_difference,
    "DivNoNan": _ar._div_no_nan, "CheckNumerics": _ar._finite, "InvertPermutation": _ar._inverted, "Logsigmoid": _ac.logsigmoid,
    "ScalarToTensor": _ar._scalar_to_tensor,
})


# What rows compute that no function of ops says as well.
_INDEX_ADD = """Adds slices of y to the slices `indices` of x along an axis, in place, and returns the new values; repeated indices all count.

x is a Parameter, indices (k,) of integers; y has the shape of x with k elements along the axis, or broadcasts to it. Raises IndexError for an
index outside the axis, ValueError for an axis that x does not have and for another shape of y."""
_INVERSE = """Computes the inverses of square matrices (..., n, n), with adjoint those of their conjugate transposes.

A singular matrix gives infinities and NaN. Raises ValueError for matrices that are not square, TypeError for another dtype than float32 and
float64."""
_SOLVE = """Solves A X = B for square matrices A (..., n, n) and right sides B (..., n, k); with adjoint, A^H X = B. The result has the shape of B.

A singular matrix gives infinities and NaN. Raises ValueError for matrices that are not square."""
_SOLVE_TRIANGLE = """Solves A X = B for triangular A (..., n, n) and right sides B (..., n, k); with adjoint, A^H X = B.

Only the lower triangle of A is read, or the upper one without lower. Raises ValueError for matrices that are not square."""
_QR = """Factors matrices (..., m, n) as Q R and returns (Q, R): Q has orthonormal columns, R is upper triangular.

Q is (..., m, k) and R (..., k, n) with k = min(m, n); with full_matrices Q is (..., m, m) and R (..., m, n). Raises ValueError for fewer than two
axes, TypeError for other dtypes than float32 and float64."""
_POISSON = """Draws int32 numbers of the Poisson distribution, P(k) = mean^k exp(-mean) / k!, for each element of mean; shape and mean broadcast.

The same seeds give the same numbers; 0 for both takes the global generator. Raises ValueError for a negative mean."""
_INTEGERS = """Draws int32 numbers, uniform in [low, high), in the shape given as a tuple of ints; low and high are ints or Tensors of one element.

The same seeds give the same numbers; 0 for both takes the global generator. Raises ValueError unless low is below high."""
_STACK = """Joins a sequence of tensors of one shape along a new axis. The result has the dtype to which theirs promote.

Raises ValueError for different shapes, for no tensors, and for an axis outside [-rank - 1, rank]."""
_UNSTACK = """Splits a tensor along an axis into a tuple of slices without that axis; num is not used.

Raises ValueError for a tensor without axes and for an axis that it does not have."""

_AXIS0, _SEEDS = {"axis": 0}, {"seed": 0, "seed2": 0}
_WRITES = {"use_locking": False}

__all__ += _rows(globals(), (
    ("DynamicShape", {"dtype": 9}, lambda p, x: _a.shape(x), _a.shape),
    ("CumProd", {"exclusive": False, "reverse": False}, _ar._cumprod),
    ("Cummax", {"axis": _REQUIRED}, lambda p, x: _k.cummax(x, p.axis), _k.cummax),
    ("Cummin", {"axis": _REQUIRED}, lambda p, x: _st.cummin(x, p.axis), _st.cummin),
    ("Cross", {"dim": -65530}, lambda p, x, y: _la.cross(x, y, None if p.dim == -65530 else p.dim), _la.cross),
    ("Cdist", {"p": 2.0}, lambda p, x, y: _d.cdist(x, y, p.p), _d.cdist),
    ("Pdist", {"p": 2.0}, lambda p, x: _d.pdist(x, p.p), _d.pdist),
    ("Einsum", {"equation": _REQUIRED}, lambda p, xs: _es.einsum(p.equation, *xs), _es.einsum),
    ("LRN", {"depth_radius": 5, "bias": 1.0, "alpha": 1.0, "beta": 0.5, "norm_region": "ACROSS_CHANNELS"},
     lambda p, x: _w.lrn(x, p.depth_radius, p.bias, p.alpha, p.beta, p.norm_region), _w.lrn),
    ("DepthToSpace", {"block_size": _REQUIRED}, _ar._depth_to_space),
    ("SpaceToDepth", {"block_size": _REQUIRED}, _ar._space_to_depth),
    ("SpaceToBatchND", {"block_shape": _REQUIRED, "paddings": _REQUIRED},
     lambda p, x: _im.space_to_batch_nd(x, p.block_shape, p.paddings), _im.space_to_batch_nd),
    ("BatchToSpaceND", {"block_shape": _REQUIRED, "crops": _REQUIRED},
     lambda p, x: _im.batch_to_space_nd(x, p.block_shape, p.crops), _im.batch_to_space_nd),
    ("MirrorPad", {"mode": "REFLECT"}, _ar._mirror_pad),
    ("InTopK", {"k": _REQUIRED}, _ar._in_top_k),
    ("IsClose", {"rtol": 1e-05, "atol": 1e-08, "equal_nan": False}, _ar._close),
    ("ResizeBicubic", {"align_corners": False, "half_pixel_centers": False}, _ar._resize_bicubic),
    ("GridSampler2D", {"interpolation_mode": "bilinear", "padding_mode": "zeros", "align_corners": False},
     lambda p, x, grid: _im.grid_sample(x, grid, p.interpolation_mode, p.padding_mode, p.align_corners), _im.grid_sample),
    ("GridSampler3D", {"interpolation_mode": "bilinear", "padding_mode": "zeros", "align_corners": False},
     lambda p, x, grid: _im.grid_sample(x, grid, p.interpolation_mode, p.padding_mode, p.align_corners), _im.grid_sample),
    ("AffineGrid", {"align_corners": False}, lambda p, theta, size: _im.affine_grid(theta, size, p.align_corners), _im.affine_grid),
    ("CropAndResize", {"method": "bilinear", "extrapolation_value": 0.0}, lambda p, image, boxes, indices, size:
     _im.crop_and_resize(image, boxes, indices, size, p.method, p.extrapolation_value), _im.crop_and_resize),
    ("IOU", {"mode": "iou"}, lambda p, anchors, truth: _im.iou(anchors, truth, p.mode), _im.iou),
    ("Conv3D", {"out_channel": _REQUIRED, "kernel_size": _REQUIRED, "mode": 1, "pad_mode": "valid", "pad": 0, "stride": 1,
                "dilation": 1, "group": 1, "data_format": "NCDHW"}, _ar._conv3d),
    ("Conv3DTranspose", {"in_channel": _REQUIRED, "out_channel": _REQUIRED, "kernel_size": _REQUIRED, "mode": 1,
                         "pad_mode": "valid", "pad": 0, "stride": 1, "dilation": 1, "group": 1, "output_padding": 0,
                         "data_format": "NCDHW"}, _ar._conv3d_transpose),
    ("MaxPool3D", {"kernel_size": 1, "strides": 1, "pad_mode": "VALID", "pad_list": 0, "ceil_mode": None,
                   "data_format": "NCDHW"}, _ar._max_pool3d),
    ("AvgPool3D", {"kernel_size": 1, "strides": 1, "pad_mode": "valid", "pad": 0, "ceil_mode": False,
                   "count_include_pad": True, "divisor_override": 0, "data_format": "NCDHW"}, _ar._avg_pool3d),
    ("MaxPoolWithArgmax", {"kernel_size": 1, "strides": 1, "pad_mode": "valid", "data_format": "NCHW"}, _ar._argmax_pool),
    ("AdaptiveAvgPool2D", {"output_size": _REQUIRED}, lambda p, x: _n.adaptive_avg_pool2d(x, p.output_size), _n.adaptive_avg_pool2d),
    ("AdaptiveAvgPool3D", {"output_size": _REQUIRED}, lambda p, x: _po.adaptive_avg_pool3d(x, p.output_size), _po.adaptive_avg_pool3d),
    ("AdaptiveMaxPool2D", {"output_size": _REQUIRED}, lambda p, x: _po.adaptive_max_pool2d(x, p.output_size, True),
     _po.adaptive_max_pool2d),
    ("Dropout2D", {"keep_prob": 0.5}, _ar._dropped(2)),
    ("Dropout3D", {"keep_prob": 0.5}, _ar._dropped(3)),
    ("CeLU", {"alpha": 1.0}, lambda p, x: _ac.celu(x, p.alpha), _ac.celu),
    ("GLU", {"axis": -1}, lambda p, x: _ac.glu(x, p.axis), _ac.glu),
    ("HShrink", {"lambd": 0.5}, lambda p, x: _ac.hardshrink(x, p.lambd), _ac.hardshrink),
    ("SoftShrink", {"lambd": 0.5}, lambda p, x: _ac.softshrink(x, p.lambd), _ac.softshrink),
    ("BinaryCrossEntropy", {"reduction": "mean"}, lambda p, x, y, w=None: _n.binary_cross_entropy(x, y, w, p.reduction),
     _n.binary_cross_entropy),
    ("BCEWithLogitsLoss", {"reduction": "mean"}, lambda p, x, y, w=None, pos=None:
     _n.binary_cross_entropy_with_logits(x, y, w, pos, p.reduction), _n.binary_cross_entropy_with_logits),
    ("SmoothL1Loss", {"beta": 1.0, "reduction": "none"}, lambda p, x, y: _n.smooth_l1_loss(x, y, p.beta, p.reduction),
     _n.smooth_l1_loss),
    ("SparseSoftmaxCrossEntropyWithLogits", {"is_grad": False}, _ar._sparse_cross_entropy),
    ("CountNonZero", {"dims": None}, lambda p, x: _st.count_nonzero(x, p.dims, False, _mstype.int64),
     _st.count_nonzero),
    ("EuclideanNorm", {"keep_dims": False}, _ar._euclidean_norm),
    ("IndexAdd", {"axis": _REQUIRED, "use_lock": True, "check_index_bound": True}, lambda p, x, indices, y:
     _replaced(x, _i.slices_added(x, indices, y, p.axis)), _INDEX_ADD),
    ("InplaceIndexAdd", {"axis": _REQUIRED}, lambda p, x, indices, y:
     _replaced(x, _i.slices_added(x, indices, y, p.axis)), _INDEX_ADD),
    ("InplaceUpdate", {"indices": _REQUIRED}, lambda p, x, v: _sc.inplace_update(x, v, p.indices), _sc.inplace_update),
    ("Logit", {"eps": -1.0}, lambda p, x: _sp.logit(x, p.eps), _sp.logit),
    ("MatrixInverse", {"adjoint": False}, lambda p, x: _k.inverse(_l.adjoint(x) if p.adjoint else x), _INVERSE),
    ("MatrixPower", {"n": _REQUIRED}, lambda p, x: _la.matrix_power(x, p.n), _la.matrix_power),
    ("MatrixSolve", {"adjoint": False}, lambda p, a, b: _k.matrix_solve(a, b, p.adjoint), _SOLVE),
    ("MatrixTriangularSolve", {"lower": True, "adjoint": False}, lambda p, a, b:
     _k.matrix_solve((_k.tril if p.lower else _k.triu)(a), b, p.adjoint), _SOLVE_TRIANGLE),
    ("Cholesky", {"upper": False}, lambda p, x: _la.cholesky(x, p.upper), _la.cholesky),
    ("CholeskySolve", {"upper": False}, lambda p, x, y: _la.cholesky_solve(x, y, p.upper), _la.cholesky_solve),
    ("CholeskyInverse", {"upper": False}, lambda p, x: _la.cholesky_inverse(x, p.upper), _la.cholesky_inverse),
    ("Qr", {"full_matrices": False}, lambda p, x: _k.qr(x, p.full_matrices), _QR),
    ("Svd", {"full_matrices": False, "compute_uv": True}, _ar._svd),
    ("Meshgrid", {"indexing": "xy"}, lambda p, xs: _a.meshgrid(*xs, indexing=p.indexing), _a.meshgrid),
    ("Mvlgamma", {"p": _REQUIRED}, _ar._mvlgamma),
    ("Multinomial", {"seed": 0, "seed2": 0, "dtype": _mstype.int32}, lambda p, x, n:
     _k.cast(_s.multinomial(x, n, True, _seeds(p)), p.dtype), _s.multinomial),
    ("Gamma", _SEEDS, lambda p, shape, alpha, beta: _s.gamma(shape, alpha, beta, _seeds(p)), _s.gamma),
    ("Poisson", _SEEDS, lambda p, shape, mean: _k.cast(_s.poisson(shape, mean, _seeds(p)), _mstype.int32),
     _POISSON),
    ("StandardLaplace", _SEEDS, lambda p, shape: _s.standard_laplace(shape, _seeds(p)), _s.standard_laplace),
    ("UniformInt", _SEEDS, lambda p, shape, low, high:
     _r.randint(int(_real(low, p.name, "minval")), int(_real(high, p.name, "maxval")), shape, dtype=_mstype.int32, seed=_seeds(p)), _INTEGERS),
    ("RandomShuffle", _SEEDS, lambda p, x: _s.shuffle(x, _seeds(p)), _s.shuffle),
    ("Pack", _AXIS0, lambda p, xs: _k.stack(xs, p.axis), _STACK),
    ("Unpack", {"axis": 0, "num": None}, lambda p, x: _a.unstack(x, p.axis), _UNSTACK),
    ("ReduceStd", {"axis": (), "unbiased": True, "keep_dims": False}, lambda p, x: _st.std_mean(
        x, tuple(p.axis) if isinstance(p.axis, list) and p.axis else None if p.axis in ((), []) else p.axis,
        1 if p.unbiased else 0, p.keep_dims), _st.std_mean),
    ("Renorm", {"p": _REQUIRED, "dim": _REQUIRED, "maxnorm": _REQUIRED}, lambda p, x: _d.renorm(x, p.p, p.dim, p.maxnorm),
     _d.renorm),
    ("ReverseSequence", {"seq_dim": _REQUIRED, "batch_dim": 0}, lambda p, x, lengths:
     _l.reverse_sequence(x, lengths, p.seq_dim, p.batch_dim), _l.reverse_sequence),
    ("ReverseV2", {"axis": _REQUIRED}, lambda p, x: _l.reverse(x, p.axis), _l.reverse),
    ("Roll", {"shifts": _REQUIRED, "dims": None}, lambda p, x: _i.roll(x, p.shifts, p.dims), _i.roll),
    ("SearchSorted", {"dtype": _mstype.int64, "right": False}, lambda p, rows, values, sorter=None:
     _k.cast(_st.searchsorted(rows, values, right=p.right, sorter=sorter), p.dtype), _st.searchsorted),
    ("SplitV", {"size_splits": _REQUIRED, "split_dim": _REQUIRED, "num_split": _REQUIRED}, _ar._split_v),
    ("StridedSlice", {"begin_mask": 0, "end_mask": 0, "ellipsis_mask": 0, "new_axis_mask": 0, "shrink_axis_mask": 0},
     lambda p, x, begin, end, strides: _sc.strided_slice(
         x, begin, end, strides, p.begin_mask, p.end_mask, p.ellipsis_mask, p.new_axis_mask, p.shrink_axis_mask),
     _sc.strided_slice),
    ("TensorScatterElements", {"axis": 0, "reduction": "none"}, lambda p, x, indices, updates:
     _i.tensor_scatter_elements(x, indices, updates, p.axis, p.reduction), _i.tensor_scatter_elements),
    ("Tril", {"diagonal": 0}, lambda p, x: _k.tril(x, p.diagonal), _k.tril),
    ("Triu", {"diagonal": 0}, lambda p, x: _k.triu(x, p.diagonal), _k.triu),
    ("UniqueConsecutive", {"return_inverse": False, "return_counts": False, "dim": None}, _ar._unique_runs),
))


def _scatter(name, function):
    __all__.extend(_rows(globals(), ((name, _WRITES, lambda p, x, indices, updates: function(x, indices, updates), function),)))


for _how in ("Update", "Add", "Sub", "Mul", "Div", "Max", "Min"):
    _scatter("Scatter" + _how, getattr(_sc, "scatter_" + _how.lower()))
    _scatter("ScatterNd" + _how, getattr(_sc, "scatter_nd_" + _how.lower()))
