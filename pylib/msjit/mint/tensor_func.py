"""Functions of mint that are spelled otherwise than those of ops."""
from .. import ops as _ops
from ..common import dtype as _mstype
from ..common.generator import drawn as _drawn
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check_tensor
from ..ops import registry as _k
from ..ops.random_func import draw_uniform as _uniform


# -- reductions ------------------------------------------------------------------------------------------------------


def all(input, dim=None, keepdim=False):
    """True where all elements are."""
    return _k.all(input, dim, keepdim)


def any(input, dim=None, keepdim=False):
    """True where any element is."""
    return _k.any(input, dim, keepdim)


def amax(input, dim=(), keepdim=False):
    """Largest element over axes; () means all."""
    return _ops.amax(input, dim, keepdim)


def amin(input, dim=(), keepdim=False):
    """Smallest element over axes; () means all."""
    return _ops.amin(input, dim, keepdim)


def argmin(input, dim=None, keepdim=False):
    """Index of the smallest element, int64."""
    return _k.argmin(input, dim, keepdim)


def bincount(input, weights=None, minlength=0):
    """How often each of 0, 1, 2, ... occurs, int64, or the sums of weights."""
    out = _ops.bincount(input, weights, minlength)
    return _k.cast(out, _mstype.int64) if weights is None else out


def count_nonzero(input, dim=None):
    """Number of elements that are not zero, int64."""
    return _k.sum(_k.not_equal(input, 0), dim, False)


def var(input, dim=None, *, correction=1, keepdim=False):
    """Variance over axes, of which `correction` is taken off the count."""
    return _ops.var(input, dim, correction, keepdim)


def std(input, dim=None, *, correction=1, keepdim=False):
    """Standard deviation over axes, of which `correction` is taken off the count."""
    return _ops.std(input, dim, correction, keepdim)


def var_mean(input, dim=None, *, correction=1, keepdim=False):
    """(variance, mean) over axes."""
    return _ops.var_mean(input, dim, correction, keepdim)


def std_mean(input, dim=None, *, correction=1, keepdim=False):
    """(standard deviation, mean) over axes."""
    return _ops.std_mean(input, dim, correction, keepdim)


def logsumexp(input, dim, keepdim=False):
    """log(sum(exp(x))) over axes, without overflow."""
    return _ops.logsumexp(input, dim, keepdim)


def nansum(input, dim=None, keepdim=False, *, dtype=None):
    """Sum over axes, NaN as 0."""
    return _ops.nansum(input, dim, keepdim, dtype=dtype)


def median(input, dim=None, keepdim=False):
    """(median along an axis, its position), or the median of everything: of two elements in the middle the lesser one."""
    if dim is None:
        return _ops.median(_k.reshape(input, (-1,)), 0)[0]
    return _ops.median(input, dim, keepdim)


# -- running values and order ----------------------------------------------------------------------------------------


def cumsum(input, dim, dtype=None):
    """Running sums along an axis; of integers int64."""
    out = _k.cumsum(input if dtype is None else _k.cast(input, dtype), dim)
    return out if dtype is None else _k.cast(out, dtype)


def cummax(input, dim):
    """(greatest element up to each place along an axis, its position)"""
    return _k.cummax(input, dim)


def cummin(input, dim):
    """(least element up to each place along an axis, its position)"""
    return _k.cummin(input, dim)


def diff(input, n=1, dim=-1, prepend=None, append=None):
    """Differences of neighbours along an axis, n times."""
    return _ops.diff(input, n, dim, prepend, append)


def sort(input, *, dim=-1, descending=False, stable=False):
    """(elements in order along an axis, their positions); equal ones keep theirs."""
    values, places = _k.sort(input, dim, descending)
    return values, _k.cast(places, _mstype.int64)


def argsort(input, dim=-1, descending=False, stable=False):
    """Positions of the elements in order along an axis; equal ones keep theirs."""
    return _k.cast(_k.argsort(input, dim, descending), _mstype.int64)


def topk(input, k, dim=-1, largest=True, sorted=True):
    """(the k greatest or least elements along an axis, their positions)"""
    values, places = _ops.topk(input, k, dim, largest, sorted)
    return values, _k.cast(places, _mstype.int64)


# -- shapes ----------------------------------------------------------------------------------------------------------


def chunk(input, chunks, dim=0):
    """At most `chunks` parts of equal size; of an axis without elements all of them."""
    parts = _ops.chunk(input, chunks, dim)
    return parts if input.shape[dim] else parts * chunks


def concat(tensors, dim=0):
    """Joined along an axis."""
    return _k.concat(tensors, dim)


cat = concat


def clone(input):
    """A copy."""
    return _k.copy(input)


def diag(input, diagonal=0):
    """The matrix with a vector on a diagonal, or a diagonal of a matrix."""
    _check_tensor(input, "diag")
    return _ops.diag_embed(input, diagonal) if input.ndim == 1 else _ops.diagonal(input, diagonal)


def empty(*size, dtype=None, device=None):
    """Zeros: memory is never left uninitialised."""
    size = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    return _ops.zeros(tuple(size), dtype)


def empty_like(input, *, dtype=None, device=None, pin_memory=False):
    """Zeros in the shape of another tensor: memory is never left uninitialised."""
    return _ops.zeros_like(input, dtype=dtype)


def meshgrid(*tensors, indexing="ij"):
    """Coordinate tensors of a grid."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tensors[0]
    return _ops.meshgrid(*tensors, indexing="ij" if indexing is None else indexing)


def scatter(input, dim, index, src):
    """A copy with one element replaced an index, along `dim`."""
    src = src if isinstance(src, _Tensor) else _k.full((), src, input.dtype)
    return _k.scatter_elements(input, index, src, dim)


def scatter_add(input, dim, index, src):
    """A copy with one element added an index, along `dim`."""
    return _k.scatter_elements(input, index, src, dim, "add")


def index_add(input, dim, index, source, *, alpha=1):
    """A copy with alpha times slices of `source` added along an axis."""
    return _ops.index_add(input, index, source if alpha == 1 else source * alpha, dim)


def triangular_solve(b, A, upper=True, transpose=False, unitriangular=False):
    """(solutions of A x = b for a triangular A, A)"""
    factor = _k.triu(A) if upper else _k.tril(A)
    if unitriangular:
        eye = _k.eye(A.shape[-1], A.shape[-1], A.dtype)
        factor = factor * (1 - eye) + eye
    if transpose and A.is_complex():  # transposed and not conjugated, which matrix_solve does as well
        factor = _k.conj(factor)
    return _k.matrix_solve(factor, b, transpose), A


def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """Distances of order p of every row of x1 from every row of x2."""
    return _ops.cdist(x1, x2, p)


def vdot(input, other):
    """Sum of products of two vectors."""
    return _k.sum(input * other)


def nan_to_num(input, nan=None, posinf=None, neginf=None):
    """Replaces NaN and the infinities."""
    return _ops.nan_to_num(input, 0.0 if nan is None else nan, posinf, neginf)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """2-D convolution; padding is one number, two, or 'same' or 'valid'."""
    return _convolved(_ops.conv2d, 2, input, weight, bias, stride, padding, dilation, groups)


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """1-D convolution; padding is a number, or 'same' or 'valid'."""
    return _convolved(_ops.conv1d, 1, input, weight, bias, stride, padding, dilation, groups)


def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """3-D convolution; padding is one number, three, or 'same' or 'valid'."""
    return _convolved(_ops.conv3d, 3, input, weight, bias, stride, padding, dilation, groups)


def _convolved(conv, rank, input, weight, bias, stride, padding, dilation, groups):
    _check_tensor(input, "conv")
    single = input.ndim == rank + 1
    x = _k.expand_dims(input, 0) if single else input
    if isinstance(padding, str):
        out = conv(x, weight, bias, stride, padding, 0, dilation, groups)
    else:
        pads = (padding,) * rank if isinstance(padding, int) else tuple(padding)
        out = conv(x, weight, bias, stride, "pad", tuple(p for p in pads for _ in (0, 1)), dilation, groups)
    return _k.squeeze(out, 0) if single else out


# -- random numbers --------------------------------------------------------------------------------------------------


def bernoulli(input, *, generator=None):
    """1 with the chances that the elements give, else 0."""
    if generator is not None:
        return _drawn("bernoulli", generator, bernoulli, input)
    _check_tensor(input, "bernoulli")
    return _k.cast(_k.less(_uniform(input.shape, _mstype.float32, None), input), input.dtype)


def multinomial(input, num_samples, replacement=False, *, generator=None):
    """Places drawn from rows of weights, int64."""
    if generator is not None:
        return _drawn("multinomial", generator, multinomial, input, num_samples, replacement)
    return _k.cast(_ops.multinomial(input, num_samples, replacement), _mstype.int64)


def normal(mean=0.0, std=1.0, size=None, generator=None):
    """Normal numbers, in the shape of the means and deviations or in a given one."""
    if generator is not None:
        return _drawn("normal", generator, normal, mean, std, size)
    if size is None:
        shape = (mean + std).shape if isinstance(mean, _Tensor) or isinstance(std, _Tensor) else ()
    else:
        shape = tuple(size)
    return _ops.standard_normal(shape) * std + mean


def randperm(n, *, generator=None, dtype=_mstype.int64):
    """The numbers 0 to n - 1 in a random order."""
    if generator is not None:
        return _drawn("randperm", generator, randperm, n, dtype=dtype)
    return _ops.randperm(n, dtype=dtype)


def randint(*args, low=None, high=None, size=None, generator=None, dtype=None, device=None):
    """randint(high, size) or randint(low, high, size): uniform integers in [low, high)."""
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
    return drawn if dtype is None else drawn.astype(dtype)  # floats, too


def randint_like(input, low, high=None, *, dtype=None, device=None):
    """Uniform integers in [low, high), or [0, low), in the shape of another tensor."""
    low, high = (0, low) if high is None else (low, high)
    drawn = _ops.randint_like(input, low, high, dtype=_mstype.int64)
    return drawn.astype(input.dtype if dtype is None else dtype)


def rand(*size, generator=None, dtype=None, device=None):
    """Uniform numbers in [0, 1), float32 by default. As in MindSpore, arguments after a shape that is a tuple are ignored."""
    size = size[:1] if size and isinstance(size[0], (tuple, list)) else size
    if generator is not None:
        return _drawn("rand", generator, rand, *size, dtype=dtype)
    return _ops.rand(*size, dtype=dtype)


def randn(*size, generator=None, dtype=None, device=None):
    """Standard normal numbers, float32 by default. As in MindSpore, arguments after a shape that is a tuple are ignored."""
    size = size[:1] if size and isinstance(size[0], (tuple, list)) else size
    if generator is not None:
        return _drawn("randn", generator, randn, *size, dtype=dtype)
    return _ops.randn(*size, dtype=dtype)


def rand_like(input, *, dtype=None, device=None):
    """Uniform numbers in the shape and dtype of another tensor."""
    return _ops.rand_like(input, dtype=dtype)


def randn_like(input, *, dtype=None, device=None):
    """Standard normal numbers in the shape and dtype of another tensor."""
    return _ops.randn_like(input, dtype=input.dtype if dtype is None else dtype)


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
