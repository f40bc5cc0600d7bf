"""Functions of ops.auto_generate with the parameters that MindSpore generates for them, where those of ops or mint have others.

A generated primitive is called with all its parameters by position or by name: SortExt()(x, -1, True), SplitWithSize()(x, sizes, dim=1).
"""
import importlib as _importlib

from . import function as _f
from .generated_func import _mint


def split_with_size(input, split_size, dim=0):
    """Splits along an axis into parts of the given sizes; returns a tuple."""
    return _f.split(input, split_size, dim)


split_with_size_view = split_with_size


def chunk(input, chunks, dim=0):
    """Splits along an axis into that many parts; returns a tuple."""
    return _f.chunk(input, chunks, dim)


def narrow(input, dim, start, length):
    """Returns length elements along an axis, from start on."""
    return _f.narrow(input, dim, start, length)


def expand_dims_view(input, dim):
    """Adds an axis of size 1."""
    return _f.expand_dims(input, dim)


def index_select(input, dim, index):
    """Returns the slices along an axis whose positions an integer Tensor (n,) gives."""
    return _f.index_select(input, dim, index)


def index_add_ext(input, dim, index, source, alpha=1):
    """Returns a copy to whose slices along an axis alpha * source is added."""
    return _mint("index_add")(input, dim, index, source, alpha=alpha)


def scatter(input, dim, index, src, reduce="none"):
    """Returns a copy with elements of src written, or added (reduce="add"), along an axis."""
    return _f.tensor_scatter_elements(input, index, src, dim, reduce)


def sort_ext(input, dim=-1, descending=False, stable=False):
    """Sorts along an axis; returns (values, int64 positions)."""
    return _mint("sort")(input, dim=dim, descending=descending, stable=stable)


def sum_ext(input, dim=None, keepdim=False, dtype=None):
    """Adds elements along axes; None means all."""
    return _mint("sum")(input, dim, keepdim, dtype=dtype)


def mean_ext(input, dim=None, keepdim=False, dtype=None):
    """Computes the mean along axes; None means all."""
    return _mint("mean")(input, dim, keepdim, dtype=dtype)


def prod_ext(input, dim=None, keepdim=False, dtype=None):
    """Multiplies elements along an axis; None means all."""
    return _mint("prod")(input, dtype=dtype) if dim is None else _mint("prod")(input, dim, keepdim, dtype=dtype)


def nansum(input, dim=None, keepdim=False, dtype=None):
    """Adds elements along axes, NaN as 0."""
    return _mint("nansum")(input, dim, keepdim, dtype=dtype)


def norm(input, p=2.0, dim=None, keepdim=False, dtype=None):
    """Computes the p-norm along axes; None means all."""
    return _mint("norm")(input, p, dim, keepdim, dtype=dtype)


def var(input, dim=None, correction=1, keepdim=False):
    """Computes the variance along axes, the sum divided by the count less correction."""
    return _mint("var")(input, dim, correction=correction, keepdim=keepdim)


def std(input, dim=None, correction=1, keepdim=False):
    """Computes the standard deviation along axes, as var."""
    return _mint("std")(input, dim, correction=correction, keepdim=keepdim)


def var_mean(input, dim=None, correction=1, keepdim=False):
    """Computes (variance, mean) along axes."""
    return _mint("var_mean")(input, dim, correction=correction, keepdim=keepdim)


def std_mean(input, dim=None, correction=1, keepdim=False):
    """Computes (standard deviation, mean) along axes."""
    return _mint("std_mean")(input, dim, correction=correction, keepdim=keepdim)


def batch_norm_ext(input, weight=None, bias=None, running_mean=None, runnning_var=None, training=False, momentum=0.1, epsilon=1e-5):
    """Normalises over batches as mint.nn.functional.batch_norm; "runnning_var" is MindSpore's spelling."""
    return _mint("batch_norm", "mint.functional")(input, running_mean, runnning_var, weight, bias, training, momentum, epsilon)


def kl_div(input, target, reduction="mean", log_target=False):
    """Computes the divergence of probabilities (or their logarithms) from logarithms of probabilities."""
    return _mint("kl_div", "mint.functional")(input, target, reduction, log_target)


def threshold(input, threshold, value):
    """Replaces elements that are not above the threshold."""
    return _mint("threshold", "mint.functional")(input, threshold, value)


def fmod_scalar(input, other):
    """Computes the remainder of a division by a number, with the sign of input."""
    return _f.fmod(input, other)


fmod_tensor = fmod_scalar


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False):
    """Solves a x = b (trans=0), or with a transposed (1) or conjugated too (2), for a triangular a of shape (..., n, n)."""
    return _importlib.import_module("..scipy.linalg", __package__).solve_triangular(a, b, trans, lower, unit_diagonal)


def mv(input, vec):
    """Multiplies a matrix (n, m) by a vector (m,)."""
    return _f.mv(input, vec)


def addmv(input, mat, vec, beta=1, alpha=1):
    """Computes beta * input + alpha * mat @ vec."""
    return _f.addmv(input, mat, vec, beta=beta, alpha=alpha)


def addbmm(input, batch1, batch2, beta=1, alpha=1):
    """Computes beta * input + alpha * the sum of the products of matrices in two batches."""
    return _f.addbmm(input, batch1, batch2, beta=beta, alpha=alpha)


def ones_like_ext(input, dtype=None):
    """Ones of the input's shape, and of its dtype where none is given."""
    return _mint("ones_like")(input, dtype=dtype)


def zeros_like_ext(input, dtype=None):
    """Zeros of the input's shape, and of its dtype where none is given."""
    return _mint("zeros_like")(input, dtype=dtype)


def full_like(input, fill_value, dtype=None):
    """A Tensor of the input's shape full of a number."""
    return _mint("full_like")(input, fill_value, dtype=dtype)


def new_ones(input, size, dtype=None):
    """Ones of a size, of the input's dtype where none is given."""
    return input.new_ones(size, dtype=dtype)


def new_zeros(input, size, dtype=None):
    """Zeros of a size, of the input's dtype where none is given."""
    return input.new_zeros(size, dtype=dtype)


def arange(start, end, step, dtype=None):
    """Numbers from start on, below end."""
    return _mint("arange")(start, end, step, dtype=dtype)


def inplace_add_ext(input, other, alpha=1):
    """Adds alpha * other to a Tensor in place."""
    return input.add_(other, alpha=alpha)


def inplace_sub_ext(input, other, alpha=1):
    """Subtracts alpha * other from a Tensor in place."""
    return input.sub_(other, alpha=alpha)


def inplace_mul(input, other):
    """Multiplies a Tensor in place."""
    return input.mul_(other)


def inplace_div(input, other):
    """Divides a Tensor in place."""
    return input.div_(other)


def inplace_zero(input):
    """Sets a Tensor to zeros in place."""
    return input.zero_()


def inplace_copy(input, src, non_blocking=False):
    """Copies the elements of another Tensor into one."""
    return input.copy_(src, non_blocking)


def inplace_index_add_ext(input, dim, index, source, alpha=1):
    """Adds alpha * source to slices along an axis, in place."""
    return input.index_add_(dim, index, source, alpha=alpha)


def frac(input):
    """The fractions of elements, with their signs."""
    return _f.frac(input)


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of each window of the last axis."""
    return _mint("avg_pool1d", "mint.functional")(input, kernel_size, stride, padding, ceil_mode, count_include_pad)


def avg_pool2d(input, kernel_size, stride, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    """The mean of each window of the last two axes; divisor_override divides the sum instead of the count."""
    return _mint("avg_pool2d", "mint.functional")(input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


def count_nonzero(input, dim=None):
    """The number of elements that are not 0 along axes, int64; None means all."""
    return _mint("count_nonzero")(input, dim)


def empty_like(input, dtype=None, device=None, pin_memory=False):
    """A Tensor of the input's shape, and of its dtype where none is given; its memory is set to zeros."""
    return _mint("empty_like")(input, dtype=dtype, device=device, pin_memory=pin_memory)


def inner_unique(input, sorted=True, return_inverse=False):
    """(the distinct elements in ascending order, the index of each element among them)."""
    return _mint("unique")(input, sorted=sorted, return_inverse=True)


def dropout_ext(input, p, seed, offset):
    """Zeroes elements with probability p and divides the others by 1 - p; returns (that, a bool Tensor of those kept).

    The draws depend on seed and offset alone, numbers or integer Tensors of one element.
    """
    from ..common.generator import Generator, drawn
    generator = Generator()
    generator._write((int(seed), int(offset)))
    kept = drawn("dropout_ext", generator, _mint("rand_like"), input) >= p
    if p >= 1:
        return _f.zeros_like(input), kept
    return input * kept.astype(input.dtype) * (1 / (1 - p)), kept


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
