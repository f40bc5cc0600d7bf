"""Reductions and sorting of mint whose names, defaults or results differ from those of ops."""
from .. import ops as _ops
from ..common import dtype as _mstype
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import check_tensor as _check_tensor
from ..ops import registry as _k
<<<<<<< HEAD
from ..ops.index_func import elements_scattered as _elements_scattered
from ..ops.index_func import slices_added as _slices_added
from ..ops.random_func import draw_uniform as _uniform
from .unbatched import one_or_many as _one_or_many
=======
>>>>>>> wt_h4


# -- reductions ------------------------------------------------------------------------------------------------------


def all(input, dim=None, keepdim=False):
    """Says whether all elements are true (not 0) over an axis or a tuple of axes; None means all axes. Returns booleans.

    With keepdim these axes stay, with size 1. Raises ValueError for an axis that the input does not have, TypeError for anything but a Tensor.
    """
    return _k.all(input, dim, keepdim)


def any(input, dim=None, keepdim=False):
    """Says whether any element is true (not 0) over an axis or a tuple of axes; None means all axes. Returns booleans.

    With keepdim these axes stay, with size 1. Raises ValueError for an axis that the input does not have, TypeError for anything but a Tensor.
    """
    return _k.any(input, dim, keepdim)


def amax(input, dim=(), keepdim=False):
    """Returns the largest element over an axis or a tuple of axes; () means all axes. With keepdim these axes stay, with size 1.

    Raises ValueError for an axis that the input does not have and for one without elements, TypeError for anything but a Tensor.
    """
    return _ops.amax(input, dim, keepdim)


def amin(input, dim=(), keepdim=False):
    """Returns the smallest element over an axis or a tuple of axes; () means all axes. With keepdim these axes stay, with size 1.

    Raises ValueError for an axis that the input does not have and for one without elements, TypeError for anything but a Tensor.
    """
    return _ops.amin(input, dim, keepdim)


def argmin(input, dim=None, keepdim=False):
    """Returns the index (int64) of the smallest element along dim, or in the flattened tensor where dim is None; of equal ones the first.

    Raises ValueError for an axis that the input does not have and for one without elements, TypeError for anything but a Tensor.
    """
    return _k.argmin(input, dim, keepdim)


def bincount(input, weights=None, minlength=0):
    """Counts how often each of 0, 1, 2, ... occurs in a vector of integers (int64); with weights, sums the weights of each instead.

    The result has the length max(largest element + 1, minlength). Raises ValueError for negative elements, another rank, weights of another
    shape and a negative minlength, TypeError for floats and for anything but a Tensor.
    """
    out = _ops.bincount(input, weights, minlength)
    return _k.cast(out, _mstype.int64) if weights is None else out


def count_nonzero(input, dim=None):
    """Counts the elements that are not 0 over an axis or a tuple of axes, int64; None means all axes.

    Raises ValueError for an axis that the input does not have, TypeError for anything but a Tensor.
    """
    _check_tensor(input, "count_nonzero")
    try:
        return _k.sum(_k.not_equal(input, 0), dim, False)
    except _ERRORS as error:
        _rename(error, "count_nonzero")
        raise


def equal(input, other):
    """Whether two tensors have the same shape and equal elements, a bool tensor without axes. mint.eq compares element by element.

    >>> import msjit as ms
    >>> bool(ms.mint.equal(ms.Tensor([1, 2]), ms.Tensor([1, 3]))), bool(ms.mint.equal(ms.Tensor([1, 1]), ms.Tensor([1])))
    (False, False)
    """
    if _check_tensor(input, "equal").shape != getattr(other, "shape", ()):
        return _Tensor(False)
    return _k.all(_k.equal(input, other))


def var(input, dim=None, *, correction=1, keepdim=False):
    """Computes the variance over axes: the sum of squared deviations from the mean, divided by (count - correction). None means all axes.

    correction 1 (Bessel's) estimates the variance of a population from a sample; a count not above it gives inf or NaN. Integers give float32.
    With keepdim the axes stay, with size 1. Raises ValueError for an axis that the input does not have, TypeError for anything but a Tensor.
    """
    return _ops.var(input, dim, correction, keepdim)


def std(input, dim=None, *, correction=1, keepdim=False):
    """Computes the standard deviation over axes, the square root of the variance. Arguments, dtypes and errors are those of var."""
    return _ops.std(input, dim, correction, keepdim)


def var_mean(input, dim=None, *, correction=1, keepdim=False):
    """Returns (variance, mean) over axes. Arguments, dtypes and errors are those of var."""
    return _ops.var_mean(input, dim, correction, keepdim)


def std_mean(input, dim=None, *, correction=1, keepdim=False):
    """Returns (standard deviation, mean) over axes. Arguments, dtypes and errors are those of var."""
    return _ops.std_mean(input, dim, correction, keepdim)


def logsumexp(input, dim, keepdim=False):
    """Computes log(sum(exp(x))) over an axis or a tuple of axes, without overflow: the greatest element is taken out of the sum.

    Integers give float32. With keepdim the axes stay, with size 1. Raises ValueError for an axis that the input does not have, TypeError for
    anything but a Tensor.
    """
    return _ops.logsumexp(input, dim, keepdim)


def nansum(input, dim=None, keepdim=False, *, dtype=None):
    """Sums over an axis or a tuple of axes, counting NaN as 0; None means all axes. With keepdim the axes stay, with size 1.

    The sum has the dtype of the input, that of booleans int64, unless dtype is given. Raises ValueError for an axis that the input does not
    have, TypeError for anything but a Tensor.
    """
    return _ops.nansum(input, dim, keepdim, dtype=dtype)


def median(input, dim=None, keepdim=False):
    """Returns (median along an axis, its index), or without an axis the median of all elements; of two in the middle the smaller one.

    The index is int64. With keepdim the axis stays, with size 1. Raises ValueError for an axis that the input does not have and for an
    empty tensor, TypeError for anything but a Tensor.
    """
    if dim is not None:
        return _ops.median(input, dim, keepdim)
    if not _check_tensor(input, "median").size:
        raise ValueError("[median] cannot reduce an empty tensor, got shape %s, expected at least one element" % (input.shape,))
    return _ops.median(_k.reshape(input, (-1,)), 0)[0]


# -- cumulative values and order ----------------------------------------------------------------------------------------


def cumsum(input, dim, dtype=None):
    """Computes running sums along an axis; element i of the result is the sum of elements 0 to i.

    Integers and booleans give int64; dtype casts the input first. Raises ValueError for an axis that the input does not have, TypeError for
    anything but a Tensor.
    """
    out = _k.cumsum(input if dtype is None else _k.cast(input, dtype), dim)
    return out if dtype is None else _k.cast(out, dtype)


def cummax(input, dim):
    """Returns (greatest element so far along an axis, its index, int64). Both have the shape of the input.

    Raises ValueError for an axis that the input does not have, TypeError for anything but a Tensor.
    """
    return _k.cummax(input, dim)


def cummin(input, dim):
    """Returns (smallest element so far along an axis, its index, int64). Both have the shape of the input.

    Raises ValueError for an axis that the input does not have, TypeError for anything but a Tensor.
    """
    return _k.cummin(input, dim)


def diff(input, n=1, dim=-1, prepend=None, append=None):
    """Computes the differences x[i + 1] - x[i] of neighbours along an axis, n times over; each time the axis gets shorter by 1.

    prepend and append are Tensors joined to the input along the axis first. Booleans give booleans: whether neighbours differ. Raises ValueError
    for a negative n, an axis that the input does not have and parts of another rank, TypeError for anything but a Tensor.
    """
    return _ops.diff(input, n, dim, prepend, append)


def sort(input, *, dim=-1, descending=False, stable=False):
    """Sorts along an axis, in ascending order unless descending; returns (sorted elements, their indices, int64).

    Equal elements keep their order, with and without `stable`. Raises ValueError for an axis that the input does not have, TypeError for
    anything but a Tensor.
    """
    values, places = _k.sort(input, dim, descending)
    return values, _k.cast(places, _mstype.int64)


def argsort(input, dim=-1, descending=False, stable=False):
    """Returns the indices (int64) that sort the elements along an axis. Equal elements keep their order, with and without `stable`.

    Raises ValueError for an axis that the input does not have, TypeError for anything but a Tensor.
    """
    return _k.cast(_k.argsort(input, dim, descending), _mstype.int64)


def topk(input, k, dim=-1, largest=True, sorted=True):
    """Returns (the k greatest elements along an axis, their indices, int64), in descending order; without largest the k smallest, in ascending order.

    Raises ValueError for a k that is negative or above the size of the axis and for an axis that the input does not have, TypeError for a k that is
    no int and for anything but a Tensor.
    """
    values, places = _ops.topk(input, k, dim, largest, sorted)
    return values, _k.cast(places, _mstype.int64)


<<<<<<< HEAD
# -- shapes ----------------------------------------------------------------------------------------------------------


def chunk(input, chunks, dim=0):
    """Splits a tensor along an axis into at most `chunks` parts of equal size; an empty axis gives `chunks` empty parts."""
    parts = _ops.chunk(input, chunks, dim)
    return parts if input.shape[dim] else parts * chunks


def concat(tensors, dim=0):
    """Joins tensors along an axis."""
    return _k.concat(tensors, dim)


cat = concat


def clone(input):
    """Copies a tensor."""
    return _k.copy(input)


def diag(input, diagonal=0):
    """Builds the matrix with a vector on a diagonal, or returns a diagonal of a matrix."""
    if _check_tensor(input, "diag").ndim not in (1, 2):
        raise ValueError("[diag] rank of input, got %d, expected 1 or 2" % input.ndim)
    return _ops.diag_embed(input, diagonal) if input.ndim == 1 else _ops.diagonal(input, diagonal)


def empty(*size, dtype=None, device=None):
    """Creates a tensor of zeros, because memory is never left uninitialised; float32 by default."""
    size = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    return _ops.zeros(tuple(size), dtype)


def empty_like(input, *, dtype=None, device=None, pin_memory=False):
    """Creates zeros in the shape of another tensor, because memory is never left uninitialised."""
    return _ops.zeros_like(input, dtype=dtype)


def meshgrid(*tensors, indexing="ij"):
    """Expands vectors to the coordinate tensors of a grid; indexing 'xy' exchanges the first two axes, 'ij' does not."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tensors[0]
    return _ops.meshgrid(*tensors, indexing="ij" if indexing is None else indexing)


def scatter(input, dim, index, src):
    """Returns a copy with elements along `dim` replaced by src, a Tensor or a number, at the positions in index.

    What src has beyond the shape of index is not used.
    """
    src = src if isinstance(src, _Tensor) else _k.full((), src, input.dtype)
    return _elements_scattered(input, index, src, dim)


def scatter_add(input, dim, index, src):
    """Returns a copy with elements of src added along `dim` at the positions in index; src is as in scatter."""
    return _elements_scattered(input, index, src, dim, "add")


def index_add(input, dim, index, source, *, alpha=1):
    """Returns a copy with alpha times the slices of `source` added to the slices `index` along an axis."""
    return _slices_added(input, index, source if alpha == 1 else source * alpha, dim)


def triangular_solve(b, A, upper=True, transpose=False, unitriangular=False):
    """Solves A x = b for a triangular A; returns (x, A)."""
    factor = _k.triu(A) if upper else _k.tril(A)
    if unitriangular:
        eye = _k.eye(A.shape[-1], A.shape[-1], A.dtype)
        factor = factor * (1 - eye) + eye
    if transpose and A.is_complex():  # matrix_solve also conjugates what it transposes; this undoes it
        factor = _k.conj(factor)
    return _k.matrix_solve(factor, b, transpose), A


def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """Computes the p-norm distance of every row of x1 from every row of x2; compute_mode is ignored."""
    return _ops.cdist(x1, x2, p)


def vdot(input, other):
    """Sums the products of two vectors."""
    return _k.sum(input * other)


def nan_to_num(input, nan=None, posinf=None, neginf=None):
    """Replaces NaN by nan (0 by default), and infinities by posinf and neginf (the limits of the dtype by default)."""
    return _ops.nan_to_num(input, 0.0 if nan is None else nan, posinf, neginf)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """2-D convolution of (N, C, H, W) or (C, H, W); padding is a number, two numbers, 'same' or 'valid'."""
    return _convolved(_ops.conv2d, 2, input, weight, bias, stride, padding, dilation, groups)


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """1-D convolution of (N, C, L) or (C, L); padding is a number, 'same' or 'valid'."""
    return _convolved(_ops.conv1d, 1, input, weight, bias, stride, padding, dilation, groups)


def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """3-D convolution of (N, C, D, H, W) or (C, D, H, W); padding is a number, three numbers, 'same' or 'valid'."""
    return _convolved(_ops.conv3d, 3, input, weight, bias, stride, padding, dilation, groups)


def _convolved(conv, rank, input, weight, bias, stride, padding, dilation, groups):
    _check_tensor(input, "conv")
    mode, pads = padding, 0
    if not isinstance(padding, str):
        sides = (padding,) * rank if isinstance(padding, int) else tuple(padding)
        mode, pads = "pad", tuple(p for p in sides for _ in (0, 1))
    return _one_or_many(conv, rank, input, weight, bias, stride, mode, pads, dilation, groups)


# -- random numbers --------------------------------------------------------------------------------------------------


def bernoulli(input, *, generator=None):
    """Draws 1 with the probability given by each element of input, else 0."""
    if generator is not None:
        return _drawn("bernoulli", generator, bernoulli, input)
    _check_tensor(input, "bernoulli")
    return _k.cast(_k.less(_uniform(input.shape, _mstype.float32, None), input), input.dtype)


def multinomial(input, num_samples, replacement=False, *, generator=None):
    """Draws num_samples indices (int64) from each row of weights; without replacement each index at most once."""
    if generator is not None:
        return _drawn("multinomial", generator, multinomial, input, num_samples, replacement)
    return _k.cast(_ops.multinomial(input, num_samples, replacement), _mstype.int64)


def normal(mean=0.0, std=1.0, size=None, generator=None):
    """Draws normal numbers with the given mean and standard deviation, in their shape or in a given one."""
    if generator is not None:
        return _drawn("normal", generator, normal, mean, std, size)
    if size is None:
        shape = (mean + std).shape if isinstance(mean, _Tensor) or isinstance(std, _Tensor) else ()
    else:
        shape = tuple(size)
    if isinstance(std, (int, float)) and std < 0:
        raise ValueError("[normal] std must not be negative, got %s" % (std,))
    return _ops.standard_normal(shape) * std + mean


def randperm(n, *, generator=None, dtype=_mstype.int64):
    """Returns the numbers 0 to n - 1 in random order."""
    if generator is not None:
        return _drawn("randperm", generator, randperm, n, dtype=dtype)
    return _ops.randperm(n, dtype=dtype)


def randint(*args, low=None, high=None, size=None, generator=None, dtype=None, device=None):
    """Draws uniform integers in [low, high): randint(high, size) or randint(low, high, size)."""
    names = ("low", "high", "size") if len(args) + (high is not None) + (size is not None) + (low is not None) == 3 else ("high", "size")
    given = {name: value for name, value in (("low", low), ("high", high), ("size", size)) if value is not None}
    free = [name for name in names if name not in given]
    if len(free) != len(args):
        raise TypeError("[randint] arguments, got %d and %s, expected high and size, or low, high and size" % (len(args), sorted(given)))
    given.update(zip(free, args))
    low, high, size = given.get("low", 0), given["high"], given["size"]
    if generator is not None:
        return _drawn("randint", generator, randint, low, high, size, dtype=dtype)
    drawn = _ops.randint(low, high, tuple(size))
    return drawn if dtype is None else drawn.astype(dtype)  # dtype may be a float


def randint_like(input, low, high=None, *, dtype=None, device=None):
    """Draws uniform integers in [low, high), or in [0, low), in the shape of another tensor."""
    low, high = (0, low) if high is None else (low, high)
    drawn = _ops.randint_like(input, low, high, dtype=_mstype.int64)
    return drawn.astype(input.dtype if dtype is None else dtype)


def rand(*size, generator=None, dtype=None, device=None):
    """Draws uniform numbers in [0, 1), float32 by default. As in MindSpore, arguments after a shape that is a tuple are ignored."""
    size = size[:1] if size and isinstance(size[0], (tuple, list)) else size
    if generator is not None:
        return _drawn("rand", generator, rand, *size, dtype=dtype)
    return _ops.rand(*size, dtype=dtype)


def randn(*size, generator=None, dtype=None, device=None):
    """Draws standard normal numbers, float32 by default. As in MindSpore, arguments after a shape that is a tuple are ignored."""
    size = size[:1] if size and isinstance(size[0], (tuple, list)) else size
    if generator is not None:
        return _drawn("randn", generator, randn, *size, dtype=dtype)
    return _ops.randn(*size, dtype=dtype)


def rand_like(input, *, dtype=None, device=None):
    """Draws uniform numbers in [0, 1) in the shape of another tensor, and its dtype unless another is given."""
    return _ops.rand_like(input, dtype=dtype)


def randn_like(input, *, dtype=None, device=None):
    """Draws standard normal numbers in the shape of another tensor, and its dtype unless another is given."""
    return _ops.randn_like(input, dtype=input.dtype if dtype is None else dtype)


=======
>>>>>>> wt_h4
__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
