"""Functions that MindSpore has only under generated names, for ops.auto_generate and ops.function.array_func."""
import importlib

from ..common.checks import check_axis as _check_axis
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import function as _f
from . import registry as _k


def _mint(name, path="mint"):
    # Imported late, because mint imports ops.
    return getattr(importlib.import_module("..%s" % path, __package__), name)


def add_ext(input, other, alpha=1):
    """Computes input + alpha * other."""
    return _mint("add")(input, other, alpha=alpha)


def sub_ext(input, other, alpha=1):
    """Computes input - alpha * other."""
    return _mint("sub")(input, other, alpha=alpha)


def softmax_ext(input, dim=None, dtype=None):
    """Computes softmax along an axis; None is axis 0 of 0, 1 or 3 axes, otherwise axis 1."""
    if dim is None:
        dim = 0 if _check(input, "softmax_ext").ndim in (0, 1, 3) else 1
    return _mint("softmax", "mint.functional")(input, dim, dtype=dtype)


def clamp_tensor(input, min=None, max=None):
    """Limits the elements to the range from min to max."""
    return _mint("clamp")(input, min, max)


clamp_scalar = clamp_tensor


def transpose_ext_view(input, dim0, dim1):
    """Swaps two axes."""
    return _k.swapaxes(input, dim0, dim1)


def select_ext_view(input, dim, index):
    """Takes the slice at one position along an axis."""
    return _mint("select")(input, dim, index)


def slice_ext(input, dim, start, end, step):
    """Takes input[start:end:step] along an axis."""
    dim = _check_axis(dim, _check(input, "slice_ext").ndim, "slice_ext", "dim")
    return input[(slice(None),) * dim + (slice(start, end, step),)]


slice_ext_view = slice_ext


def chunk_view(input, chunks, dim=0):
    """Splits an axis into parts of equal size; the last one may be smaller."""
    return _f.chunk(input, chunks, dim)


def split_view(tensor, split_size_or_sections, dim=0):
    """Splits an axis into parts of given sizes."""
    return _f.split(tensor, split_size_or_sections, dim)


def unsqueeze_view(input, dim):
    """Inserts an axis of size 1."""
    return _k.expand_dims(input, dim)


def narrow_view(input, dim, start, length):
    """Takes `length` slices along an axis, from `start` on."""
    return _f.narrow(input, dim, start, length)


def max_dim(input, dim, keepdim=False):
    """Returns (maxima along an axis, their positions)."""
    return tuple(_mint("max")(input, dim, keepdim))


def min_dim(input, dim, keepdim=False):
    """Returns (minima along an axis, their positions)."""
    return tuple(_mint("min")(input, dim, keepdim))


def index(input, indices):
    """Takes input[indices], where Tensors of positions index the first axes."""
    if not isinstance(indices, (tuple, list)):
        raise TypeError("[index] indices, got %s, expected a tuple or a list" % type(indices).__name__)
    return _check(input, "index")[tuple(indices)]


inner_index = index


def inner_non_zero(input):
    """Returns the positions of the elements that are not zero, one row each."""
    return _f.nonzero(input)


def linalg_qr(A, mode="reduced"):
    """Computes the QR decomposition; returns (Q, R)."""
    return _mint("qr", "mint.linalg")(A, mode)


def lin_space_ext(start, end, steps, dtype=None):
    """Returns evenly spaced numbers from start to end."""
    return _mint("linspace")(start, end, steps, dtype=dtype)


def index_fill_ext(input, dim, index, value):
    """Returns a copy with a value in some slices along an axis."""
    return _f.index_fill(input, dim, index, value)


def tensor_scatter_elements_ext(data, indices, updates, axis=0, reduce="none"):
    """Returns a copy with elements written, added or multiplied along an axis."""
    return _f.tensor_scatter_elements(data, indices, updates, axis, reduce)


def one_hot_ext(tensor, num_classes=-1):
    """Makes one-hot rows of integers."""
    return _mint("one_hot", "mint.functional")(tensor, num_classes)


def unique2(input, sorted=True, return_inverse=False, return_counts=False):
    """Returns (distinct elements, position of each element among them, how often each occurs)."""
    values, inverse, counts = _mint("unique")(input, sorted, True, True)
    return values, inverse, counts


def unique_dim(input, sorted, return_inverse, dim):
    """Returns (distinct slices along an axis, position of each slice among them, how often each occurs)."""
    values, inverse, counts = _mint("unique")(input, sorted, True, True, dim)
    return values, inverse, counts


def x_log_y_scalar_self(input, other):
    """Computes input * log(other), 0 where input is 0."""
    return _mint("xlogy")(input, other)


x_log_y_scalar_other = x_log_y_scalar_self


def _upsample(mode, cornered):
    def nearest(x, output_size=None, scales=None):
        return _mint("interpolate", "mint.functional")(x, output_size, _factors(scales), mode)

    def linear(x, output_size=None, scales=None, align_corners=False):
        return _mint("interpolate", "mint.functional")(x, output_size, _factors(scales), mode, align_corners)
    made = linear if cornered else nearest
    made.__doc__ = "The axes after the second resized to `output_size` or by `scales`, mode %r." % mode
    return made


def _factors(scales):
    return scales.tolist() if isinstance(scales, _Tensor) else None if scales is None else list(scales)


upsample_nearest1d = upsample_nearest2d = upsample_nearest3d = _upsample("nearest", False)
upsample_linear1d, upsample_bilinear2d = _upsample("linear", True), _upsample("bilinear", True)
upsample_bicubic2d = _upsample("bicubic", True)

__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
