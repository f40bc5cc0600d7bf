"""Primitives for special functions, counting and order, parts of matrices, and small arithmetic, mostly as rows."""
from ..common import dtype as _mstype
from ..common.limits import EPSILON as _EPSILON
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import bessel_func as _be
from . import candidate_func as _ca
from . import count_func as _c
from . import diagonal_func as _di
from . import distance_func as _d
from . import extended_func as _e
from . import factor_func as _fa
from . import gamma_func as _g
from . import image_func as _im
from . import index_func as _i
from . import layout_func as _l
from . import linalg_func as _la
from . import math_func as _m
from . import other_func as _o
from . import reduction_func as _r
from . import registry as _k
from . import scatter_func as _sc
from . import special_func as _sp
from . import statistics_func as _st
from . import taper_func as _t
from .argument_kinds import check_iterable as _iterable
from .argument_kinds import check_operand as _operand
from .argument_kinds import check_real as _real
from .argument_kinds import check_seeds as _check_seeds
from .primitive import REQUIRED as _REQUIRED
from .primitive import Primitive as _Primitive
from .primitive import plain_rows as _plain_rows
from .primitive import rows as _rows
from .statistics_func import nanmedian as _nan_median


def _l2(x):
    """Computes half the sum of squares, sum(x^2) / 2, as a Tensor without axes."""
    return _k.sum(_k.square(x)) / 2.0


def _mul_no_nan(x, y):
    """Computes x y, and 0 where y is 0, whatever x is, also NaN or infinite. x and y broadcast; ValueError if they do not."""
    _operand(x, "MulNoNan", "x"), _operand(y, "MulNoNan", "y")
    return _k.where(_k.equal(y, 0), 0, x * y)


def _square_sums(x, y):
    """Returns (sum of the squares of x, that of y), two Tensors without axes."""
    return _k.sum(_k.square(x)), _k.sum(_k.square(y))


def _identities(x):
    """Returns a tuple with a copy of each tensor of a sequence."""
    return tuple(_k.identity(item) for item in _iterable(x, "IdentityN", "x", "a tuple of Tensors"))


def _as_tuple(x):
    """Converts a tensor of one axis to a tuple of Python numbers; the values are read, so a graph ends here. TypeError for anything but a Tensor."""
    return tuple(_check(x, "TensorToTuple").tolist())


def _sparse_to_dense(indices, values, sparse_shape):
    """Writes values (n,) at coordinates (n, rank), or (n,) of a vector, to zeros of the shape sparse_shape; of repeated coordinates the last counts.

    The result has the dtype of the values. Raises IndexError for coordinates outside.
    """
    from ._sparse.shared import positive
    _check(values, "sparse_to_dense")
    dense = _k.full(tuple(sparse_shape), 0, values.dtype)
    _check(indices, "sparse_to_dense")
    return _i.tensor_scatter_update(dense, positive(indices if indices.ndim > 1 else _k.expand_dims(indices, 1)), values)


def _bincount(array, size, weights):
    """Sums the weights, by default ones for an empty Tensor, of each number of array below size: (size,), of the dtype of the weights.

    Numbers from size on do not count.
    """
    count = int(size)
    _check(weights, "bincount"), _check(array, "bincount")
    weights = weights if weights.size else _k.ones(array.shape, weights.dtype)
    flat, kept = _k.reshape(array, (-1,)), _k.reshape(weights, (-1,))
    return _sc._combined("bincount", _k.full((count + 1,), 0, kept.dtype), kept, [_k.minimum(flat, count)], [0], "add")[:count]


def _epsilon(x):
    """The distance from 1 to the next number of the dtype, in the shape of x. Raises TypeError for a dtype that is no float."""
    if _check(x, "epsilon").dtype not in _EPSILON:
        raise TypeError("[epsilon] dtype of x, got %s, expected a float" % (x.dtype,))
    return _k.full(x.shape, _EPSILON[x.dtype], x.dtype)


def _lookup(params, indices, offset):
    """Takes rows of params at indices - offset: indices.shape + the sizes of a row. Rows outside of params are zeros."""
    if not _check(params, "EmbeddingLookup").ndim:
        raise ValueError("[EmbeddingLookup] rank of params, got 0, expected at least 1")
    places = _check(indices, "EmbeddingLookup") - _operand(offset, "EmbeddingLookup", "offset")
    inside = _k.logical_and(_k.greater_equal(places, 0), _k.less(places, params.shape[0]))
    rows = _k.gather(params, _k.where(inside, places, 0), 0)
    return _k.where(_k.reshape(inside, tuple(places.shape) + (1,) * (params.ndim - 1)), rows, _k.zeros_like(rows))


def _tridiagonal(superdiag, maindiag, subdiag, rhs):
    """Multiplies a matrix with three diagonals, (..., 1, n) each, by rhs (..., n, columns): the shape of rhs.

    The last element of superdiag and the first of subdiag are not used.
    """
    upper, middle, lower = (_k.swapaxes(d, -1, -2) for d in (superdiag, maindiag, subdiag))
    none = _k.zeros_like(rhs[..., :1, :])
    return (middle * rhs + upper * _k.concat([rhs[..., 1:, :], none], -2) + lower * _k.concat([none, rhs[..., :-1, :]], -2))


def _put(p, x, updates, indices):
    """Returns a copy of x with updates written, or with accumulate added, at advanced indices, a tuple of Tensors: out[indices] = updates.

    updates broadcasts to the elements picked and is cast to the dtype of x. Raises IndexError for an index outside.
    """
    _check(x, "put")
    return _k.index_update([x, _k.cast(updates, x.dtype)] + list(indices), list(range(len(indices))), bool(p.accumulate))


def _checked(p, condition, inputs):
    """Prints the first `summarize` elements of the inputs and raises RuntimeError if the condition is false; else returns an int32 zero (1,)."""
    if not bool(condition):
        print("For 'Assert' condition is false.")
        for item in _iterable(inputs, "Assert", "inputs", "a tuple of Tensors"):
            print("input data: %s" % _check(item, "Assert").asnumpy().reshape(-1)[:p.summarize])
        raise RuntimeError("[Assert] condition, got False, expected True")
    return _Tensor([0], _mstype.int32)


def _dimension_map(p, x):
    """Maps numbers of axes between formats: out[i] is the place in src_format of the axis x[i] of dst_format, as in MindSpore.

    x holds integers in [-4, 4); the result has its shape and dtype.
    """
    return _k.gather(_Tensor(_order_of(p), _check(x, p.name).dtype), _k.mod(x, 4), 0)


def _order_of(p):
    """The place in src_format of each axis of dst_format."""
    for what, value in (("src_format", p.src_format), ("dst_format", p.dst_format)):
        if not isinstance(value, str):
            raise TypeError("[%s] %s, got %s, expected a str" % (p.name, what, type(value).__name__))
    if sorted(p.src_format) != sorted(p.dst_format):
        raise ValueError("[%s] src_format and dst_format, got %r and %r, expected the same letters" % (p.name, p.src_format, p.dst_format))
    return [p.src_format.index(c) for c in p.dst_format]


def _permuted(p, x):
    """Puts the rows of x (4,) or (4, 2), one for each axis of src_format, into the order of dst_format. Raises ValueError for another size."""
    order = _Tensor(_order_of(p), _mstype.int64)
    if tuple(_check(x, p.name).shape[:1]) != (4,):
        raise ValueError("[%s] size of the first axis, got shape %s, expected 4" % (p.name, tuple(x.shape)))
    return _k.gather(x, order, 0)


def _only_length(length):
    if _check(length, "HammingWindow").shape != (1,):
        raise ValueError("[HammingWindow] shape of length, got %s, expected (1,)" % (tuple(length.shape),))
    return int(length[0])


def _histogram(p, x):
    """Counts the elements of x in each of `bins` equal parts of [min, max], or with 0 for both of the range of x: (bins,), as ops.histc."""
    return _st.histc(x, p.bins, p.min, p.max)


def _im2col(p, x):
    """Extracts windows of (n, c, h, w) images: (n, c, kernel height * kernel width, number of windows). The attributes are ints or two ints."""
    from .image_func import unfold
    out = unfold(x, p.ksizes, p.dilations, p.pads, p.strides)
    n, c = x.shape[:2]
    return _k.reshape(out, (n, c, out.shape[1] // c, out.shape[2])) if out.ndim == 3 else out


def _solve_ls(p, matrix, rhs, l2_regularizer):
    """Finds x that minimises |matrix x - rhs|^2 + l2 |x|^2."""
    turned = _l.adjoint(matrix)
    l2 = _k.cast(l2_regularizer, matrix.dtype) if isinstance(l2_regularizer, _Tensor) else l2_regularizer
    ridge = _k.eye(matrix.shape[-1], matrix.shape[-1], matrix.dtype) * l2
    return _k.matrix_solve(_k.matmul(turned, matrix) + ridge, _k.matmul(turned, rhs), False)


def _choices(p, x):
    _check_seeds(p.name, p.seed, p.seed2)
    return _ca.choice_with_mask(x, p.count, (p.seed << 32 ^ p.seed2) % 2**63 if p.seed or p.seed2 else None)


_TYPES = {_mstype.bool_: 30, _mstype.int8: 32, _mstype.int16: 33, _mstype.int32: 34, _mstype.int64: 35, _mstype.uint8: 37,
          _mstype.float16: 42, _mstype.float32: 43, _mstype.float64: 44, _mstype.bfloat16: 45}


def _type_number(op_name, arg_name, dtype):
    """The number of a dtype in MindSpore's core."""
    if not isinstance(dtype, type(_mstype.bool_)) or dtype not in _TYPES:
        raise TypeError("[DtypeToEnum] dtype, got %r, expected an element type" % (dtype,))
    return _TYPES[dtype]


class NanToNum(_Primitive):
    """Replaces NaN by nan (0 by default), and infinities by posinf and neginf (the limits of the dtype by default), element by element.

    Shape and dtype are those of x. Raises TypeError for integers and for replacements that are no numbers.
    """

    def __init__(self, nan=None, posinf=None, neginf=None):
        super().__init__()
        self.nan, self.posinf, self.neginf = nan, posinf, neginf

    def __call__(self, x):
        return _m.nan_to_num(x, self.nan, self.posinf, self.neginf)


def _shifted(x, axis):
    """Shifts elements by one along an axis; a zero comes first and the last element is lost."""
    axis %= x.ndim
    before = [0] * x.ndim
    before[axis] = 1
    return _k.pad(x, before, [0] * x.ndim, 0)[(slice(None),) * axis + (slice(0, x.shape[axis]),)]


class CumSum(_Primitive):
    """Computes running sums along an axis: element i of the result is x[0] + ... + x[i]. Shape and dtype are those of x.

    exclusive leaves x[i] out, so the first sum is 0; reverse sums from the end. Raises ValueError for a tensor without axes and for an axis that x
    does not have.
    """

    def __init__(self, exclusive=False, reverse=False):
        super().__init__()
        self.exclusive, self.reverse = exclusive, reverse

    def __call__(self, x, axis):
        if not _check(x, "CumSum").ndim:
            raise ValueError("[CumSum] rank of x, got 0, expected at least 1")
        if self.reverse:
            x = _k.flip(x, (axis,))
        if self.exclusive:  # shifting before the sum, not subtracting after it, keeps infinities out of their own sum
            x = _shifted(x, axis)
        out = _r.cumsum(x, axis)
        return _k.flip(out, (axis,)) if self.reverse else out


class Sort(_Primitive):
    """Returns (sorted elements, their indices, int32) along an axis; both have the shape of x. Elements rise, or fall with descending.

    Equal elements keep their order, NaN is greatest. Raises ValueError for an axis that x does not have.
    """

    def __init__(self, axis=-1, descending=False):
        super().__init__()
        self.axis, self.descending = axis, descending

    def __call__(self, x):
        return _k.sort(x, self.axis, self.descending)


class TopK(_Primitive):
    """Returns (the k greatest elements along the last axis, their indices, int32), in falling order, whatever `sorted` says.

    Raises ValueError for a k that is not between 1 and the size of the axis, TypeError for one that is no int.
    """

    def __init__(self, sorted=True):
        super().__init__()

    def __call__(self, x, k):
        return _i.topk(x, k)


class Median(_Primitive):
    """Returns (median along an axis, its index, int64); of two elements in the middle it takes the smaller one.

    With keep_dims the axis stays, with size 1; ignore_nan leaves NaN out. With global_median it is (median of all elements, 0), as in MindSpore.
    Raises ValueError for an axis that x does not have.
    """

    def __init__(self, global_median=False, axis=0, keep_dims=False, ignore_nan=False):
        super().__init__()
        self.global_median, self.axis, self.keep_dims, self.ignore_nan = global_median, axis, keep_dims, ignore_nan

    def __call__(self, x):
        median = _nan_median if self.ignore_nan else _r.median
        if not self.global_median:
            return median(x, self.axis, self.keep_dims)
        value, place = median(_k.reshape(x, (-1,)), 0)
        return value, _k.zeros_like(place)


def _conjugated(x, perm):
    """Puts the axes of x in the order perm and conjugates complex elements. Raises ValueError for a perm that does not name each axis once."""
    return _k.conj(_k.transpose(x, perm))


def _updated_rows(x, indices, v):
    """Returns a copy of x with the rows `indices`, ints or a Tensor of them, replaced by the rows of v. Raises IndexError for one outside x."""
    return _sc.inplace_update(x, v, indices)


def _joined(values):
    """Joins a tuple or list of tensors along the first axis. Raises ValueError where their other sizes differ."""
    return _k.concat(values, 0)


_BOUND = """Finds for each value (rows, k) the number of elements of its row of the sorted x (rows, n) that are %s: (rows, k), of out_type.

Raises ValueError for another number of rows."""
_SEGMENTS = """Computes the %s of the slices of x (n, ...) with the same id: (greatest id + 1, ...), 0 for an id without slices.

ids (n,) holds integers of 0 or more that do not fall; their values are read, so a graph ends before this primitive. Raises ValueError for others."""

__all__ = ["CumSum", "Median", "NanToNum", "Sort", "TopK"] + _plain_rows(globals(), {
    "BesselI0": _be.bessel_i0, "BesselI0e": _be.bessel_i0e, "BesselI1": _be.bessel_i1, "BesselI1e": _be.bessel_i1e,
    "BesselJ0": _be.bessel_j0, "BesselJ1": _be.bessel_j1, "BesselK0": _be.bessel_k0, "BesselK0e": _be.bessel_k0e,
    "BesselK1": _be.bessel_k1, "BesselK1e": _be.bessel_k1e, "BesselY0": _be.bessel_y0, "BesselY1": _be.bessel_y1,
    "Igamma": _g.igamma, "Igammac": _g.igammac, "Betainc": _g.betainc, "PopulationCount": _c.population_count,
    "NextAfter": _c.nextafter, "EqualCount": _c.equal_count, "Coalesce": _c.coalesce, "L2Loss": _l2, "MulNoNan": _mul_no_nan,
    "SquareSumAll": _square_sums, "IdentityN": _identities, "TensorToTuple": _as_tuple, "SparseToDense": _sparse_to_dense,
    "Bincount": _bincount, "Eps": _epsilon, "EmbeddingLookup": _lookup, "TridiagonalMatMul": _tridiagonal,
    "UnravelIndex": _c.unravelled, "SubAndFilter": _c.sub_and_filter, "CompareAndBitpack": _c.packed_comparison,
    "ScalarCast": _o.scalar_cast, "Geqrf": _fa.geqrf, "Orgqr": _fa.orgqr, "LuSolve": _fa.lu_solve, "MatrixExp": _la.matrix_exp, "MatrixLogarithm": _la.matrix_logarithm,
    "ConjugateTranspose": _conjugated, "TransposeExtView": _k.swapaxes, "DtypeToEnum": _type_number, "LerpScalar": _sp.lerp,
    "InplaceUpdateV2": _updated_rows,
    "ParallelConcat": _joined, "TupleToArray": _o.tuple_to_array,
})
__all__ += _rows(globals(), (
    ("CumulativeLogsumexp", {"exclusive": False, "reverse": False}, lambda p, x, axis:
     _c.cumulative_logsumexp(x, axis, p.exclusive, p.reverse), _c.cumulative_logsumexp),
    ("ApproximateEqual", {"tolerance": 1e-05}, lambda p, x, y: _sp.approximate_equal(x, y, p.tolerance), _sp.approximate_equal),
    ("Bucketize", {"boundaries": _REQUIRED}, lambda p, x: _c.bucketize(x, p.boundaries), _c.bucketize),
    ("LowerBound", {"out_type": _mstype.int32}, lambda p, rows, values: _c.bound(rows, values, p.out_type, False),
     _BOUND % "less than the value"),
    ("UpperBound", {"out_type": _mstype.int32}, lambda p, rows, values: _c.bound(rows, values, p.out_type, True),
     _BOUND % "at most the value"),
    ("NthElement", {"reverse": False}, lambda p, x, n: _c.nth_element(x, n, p.reverse), _c.nth_element),
    ("ListDiff", {"out_idx": _mstype.int32}, lambda p, x, y: _c.list_diff(x, y, p.out_idx), _c.list_diff),
    ("RaggedRange", {"Tsplits": _REQUIRED}, lambda p, starts, limits, deltas:
     _c.ragged_range(starts, limits, deltas, p.Tsplits), _c.ragged_range),
    ("SegmentSum", {}, lambda p, x, ids: _c.sorted_segments(p.name, x, ids, "add"), _SEGMENTS % "sum"),
    ("SegmentProd", {}, lambda p, x, ids: _c.sorted_segments(p.name, x, ids, "mul"), _SEGMENTS % "product"),
    ("SegmentMax", {}, lambda p, x, ids: _c.sorted_segments(p.name, x, ids, "max"), _SEGMENTS % "maximum"),
    ("SegmentMin", {}, lambda p, x, ids: _c.sorted_segments(p.name, x, ids, "min"), _SEGMENTS % "minimum"),
    ("SegmentMean", {}, lambda p, x, ids: _c.sorted_segments(p.name, x, ids, "mean"), _SEGMENTS % "mean"),
    ("Padding", {"pad_dim_size": 8}, lambda p, x: _e.padding(x, p.pad_dim_size), _e.padding),
    ("MatrixDiagV3", {"align": "RIGHT_LEFT"}, lambda p, x, k, rows, columns, padding:
     _di.matrix_diag(x, k, rows, columns, padding, p.align), _di.matrix_diag),
    ("MatrixDiagPartV3", {"align": "RIGHT_LEFT"}, lambda p, x, k, padding:
     _di.matrix_diag_part(x, k, padding, p.align), _di.matrix_diag_part),
    ("MatrixSetDiagV3", {"align": "RIGHT_LEFT"}, lambda p, x, diagonal, k:
     _di.matrix_set_diag(x, diagonal, k, p.align), _di.matrix_set_diag),
    ("LuUnpack", {"unpack_data": True, "unpack_pivots": True}, lambda p, data, pivots:
     _fa.lu_unpack(data, pivots, p.unpack_data, p.unpack_pivots), _fa.lu_unpack),
    ("Ormqr", {"left": True, "transpose": False}, lambda p, x, tau, other:
     _fa.ormqr(x, tau, other, p.left, p.transpose), _fa.ormqr),
    ("Lstsq", {"fast": True, "l2_regularizer": 0.0}, lambda p, x, a: _la.lstsq(x, a) if not p.l2_regularizer
     else _solve_ls(p, x, a, p.l2_regularizer), _la.lstsq),
    ("MatrixSolveLs", {"fast": True}, _solve_ls),
    ("NuclearNorm", {"dim": None, "keepdim": False}, lambda p, x: _d.norm(
        x, "nuc", (0, 1) if p.dim is None else p.dim, p.keepdim),
     "Computes the sum of the singular values of matrices on the two axes dim, by default 0 and 1; with keepdim they stay, with size 1."),
    ("BartlettWindow", {"periodic": True, "dtype": _mstype.float32}, lambda p, length:
     _t.bartlett_window(length, p.periodic, dtype=p.dtype), _t.bartlett_window),
    ("BlackmanWindow", {"periodic": True, "dtype": _mstype.float32}, lambda p, length:
     _t.blackman_window(length, p.periodic, dtype=p.dtype), _t.blackman_window),
    ("HammingWindow", {"periodic": True, "alpha": 0.54, "beta": 0.46, "dtype": _mstype.float32}, lambda p, length:
     _t.hamming_window(_only_length(length), p.periodic, float(p.alpha), float(p.beta), dtype=p.dtype), _t.hamming_window),
    ("LogSpace", {"steps": 10, "base": 10, "dtype": _mstype.float32}, lambda p, start, end:
     _t.logspace(start, end, p.steps, p.base, dtype=p.dtype), _t.logspace),
    ("TrilIndices", {"row": _REQUIRED, "col": _REQUIRED, "offset": 0, "dtype": _mstype.int32}, lambda p:
     _di.tril_indices(p.row, p.col, p.offset, dtype=p.dtype), _di.tril_indices),
    ("TriuIndices", {"row": _REQUIRED, "col": _REQUIRED, "offset": 0, "dtype": _mstype.int32}, lambda p:
     _di.triu_indices(p.row, p.col, p.offset, dtype=p.dtype), _di.triu_indices),
    ("FillDiagonal", {"fill_value": _REQUIRED, "wrap": False}, lambda p, x: _check(x, p.name).fill_diagonal(p.fill_value, p.wrap),
     "Returns a copy of x with fill_value on the main diagonal; wrap: of a tall matrix again below. Raises ValueError for a vector."),
    ("Histogram", {"bins": 100, "min": 0.0, "max": 0.0}, _histogram), ("IndexPut", {"accumulate": 0}, _put),
    ("Assert", {"summarize": 3}, _checked),
    ("DataFormatDimMap", {"src_format": "NHWC", "dst_format": "NCHW"}, _dimension_map),
    ("DataFormatVecPermute", {"src_format": "NHWC", "dst_format": "NCHW"}, _permuted),
    ("Im2Col", {"ksizes": _REQUIRED, "strides": 1, "dilations": 1, "pads": 0}, _im2col),
    ("Col2Im", {"kernel_size": _REQUIRED, "dilation": 1, "padding": 0, "stride": 1}, lambda p, x, size:
     _im.col2im(x, size, p.kernel_size, p.dilation, p.padding, p.stride), _im.col2im),
    ("MultinomialWithReplacement", {"numsamples": _REQUIRED, "replacement": False}, lambda p, x, seed, offset:
     _ca.multinomial_with_replacement(x, int(_real(seed, p.name, "seed")), int(_real(offset, p.name, "offset")), p.numsamples, p.replacement)),
    ("RandomChoiceWithMask", {"count": 256, "seed": 0, "seed2": 0}, _choices),
    ("UniformCandidateSampler", {"num_true": _REQUIRED, "num_sampled": _REQUIRED, "unique": _REQUIRED, "range_max": _REQUIRED,
                                 "seed": 0, "remove_accidental_hits": False}, lambda p, x: _ca.uniform_candidate_sampler(
                                     x, p.num_true, p.num_sampled, p.unique, p.range_max, p.seed, p.remove_accidental_hits)),
    ("LogUniformCandidateSampler", {"num_true": 1, "num_sampled": 5, "unique": True, "range_max": 5, "seed": 0}, lambda p, x:
     _ca.log_uniform_candidate_sampler(x, p.num_true, p.num_sampled, p.unique, p.range_max, p.seed)),
))
