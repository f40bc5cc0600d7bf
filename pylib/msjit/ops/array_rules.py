"""What the primitives in array_operations.py compute where that is more than one call. A rule gets the primitive `p`, whose attributes it reads."""
from ..common import dtype as _mstype
from ..common.checks import check_axis, check_format, check_number, int_tuple
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check_tensor
from . import complex_func as _c
from . import linalg_func as _la
from . import math_func as _m
from . import pad_func as _p
from . import pool_func as _po
from . import registry as _k
from . import sampling_func as _s
from . import scatter_func as _sc
from . import special_func as _sp
from . import statistics_func as _st
from . import window_func as _w
from .argument_kinds import check_operand as _operand
from .argument_kinds import check_pair as _check_pair
from .argument_kinds import check_seeds as _check_seeds
from .nn_operations import _seed
from .resize_func import resize as _resize


def _ranked(where, x, rank, what="x"):
    """The tensor x, which must have `rank` axes."""
    if _check_tensor(x, where).ndim != rank:
        raise ValueError("[%s] rank of %s, got %d, expected %d" % (where, what, x.ndim, rank))
    return x


def _seeds(p):
    """The two seeds of a primitive as one; None, the global generator, where both are 0."""
    _check_seeds(p.name, p.seed, p.seed2)
    return _seed(p.seed, p.seed2)


# -- without attributes ------------------------------------------------------------------------------------------------


def _finite(x):
    """Returns x. Raises RuntimeError if an element is NaN or infinite; the elements are read, so a graph ends before this primitive."""
    if not bool(_k.all(_k.isfinite(_check_tensor(x, "CheckNumerics")))):
        raise RuntimeError("[CheckNumerics] elements, got NaN or infinite ones, expected finite ones")
    return x


def _inverted(x):
    """Inverts a permutation: out[x[i]] = i. x is a tuple of ints, which gives a tuple, or a Tensor of shape (n,) of integers.

    Raises ValueError for a tuple that does not hold each number from 0 on once, TypeError for one of other items. A Tensor is not checked.
    """
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
    return _k.cast(_k.argsort(_check_tensor(x, "invert_permutation"), 0), x.dtype)


def _div_no_nan(x, y):
    """Computes x / y, and 0 where y is 0, whatever x is. x and y broadcast; integers give float32.

    Raises ValueError for shapes that do not broadcast, TypeError for anything but Tensors and numbers.
    """
    _operand(x, "DivNoNan", "x"), _operand(y, "DivNoNan", "y")
    none = _k.equal(y, 0)
    return _k.where(none, 0, x / _k.where(none, 1, y))


def _squared_difference(x, y):
    """Computes (x - y)^2, element by element. x and y broadcast; one of them may be a number.

    Raises ValueError for shapes that do not broadcast.
    """
    return _k.square(_k.sub(x, y))


def _complex_abs(x):
    """Computes the absolute values sqrt(real^2 + imag^2) of complex numbers: complex64 gives float32, complex128 float64.

    Raises TypeError for a real tensor.
    """
    if not _c.is_complex(x):
        raise TypeError("[ComplexAbs] dtype, got %s, expected complex64 or complex128" % (x.dtype.name,))
    return _k.real(_k.abs(x))


def _scalar_to_tensor(x, dtype=None):
    """Returns a Tensor without axes that holds the number x, float32 unless a dtype is given. Raises TypeError for anything but a number."""
    return _k.full((), x, _mstype.float32 if dtype is None else dtype)


# -- matrices and products ---------------------------------------------------------------------------------------------


def _svd(p, x):
    """Computes singular values: x = U diag(S) V^H for matrices (..., m, n), k = min(m, n). Returns (S, U, V), S (..., k) from great to small.

    U is (..., m, k) and V (..., n, k); with full_matrices (..., m, m) and (..., n, n). Without compute_uv U and V are tensors of one zero.
    Raises ValueError for fewer than two axes, TypeError for other dtypes than float32 and float64.
    """
    if p.compute_uv:
        return _la.svd(x, p.full_matrices, True)
    nothing = _k.zeros((1,), x.dtype)
    return _la.svd(x, p.full_matrices, False), nothing, nothing


def _cumprod(p, x, axis):
    """Computes running products along an axis: element i of the result is x[0] * ... * x[i]. Shape and dtype are those of x.

    exclusive leaves x[i] out, so the first product is 1; reverse multiplies from the end. Raises ValueError for a tensor without axes and for
    an axis that x does not have.
    """
    if not _check_tensor(x, "CumProd").ndim:
        raise ValueError("[CumProd] rank of x, got 0, expected at least 1")
    return _k.cast(_products(p, x, check_axis(axis, x.ndim, "CumProd")), x.dtype)


def _products(p, x, axis):
    if p.exclusive or p.reverse:
        x = _k.flip(x, (axis,)) if p.reverse else x
        if p.exclusive:
            axis %= x.ndim
            first = _k.ones([1 if i == axis else n for i, n in enumerate(x.shape)], x.dtype)
            x = _k.concat([first, _w._along(x, axis, 0, x.shape[axis] - 1, 1)], axis)
        out = _st.cumprod(x, axis)
        return _k.flip(out, (axis,)) if p.reverse else out
    return _st.cumprod(x, axis)


def _mvlgamma(p, x):
    """Computes the logarithm of the multivariate gamma function of dimension p, element by element, as ops.mvlgamma."""
    return _sp.mvlgamma(x, p.p)


def _euclidean_norm(p, x, axes):
    """Computes sqrt(sum(x^2)) over axes, a tuple of ints or a Tensor of them; with keep_dims they stay, with size 1.

    Integers give float32. Raises ValueError for an axis that x does not have, TypeError for axes that are no ints.
    """
    if not isinstance(axes, (tuple, list, _Tensor)):
        raise TypeError("[EuclideanNorm] axes, got %s, expected a tuple or a Tensor of ints" % type(axes).__name__)
    return _k.sqrt(_k.sum(_k.square(_check_tensor(x, "EuclideanNorm")), tuple(int(a) for a in axes), p.keep_dims))


def _in_top_k(p, x1, x2):
    """Says for each row of x1 (n, classes) whether the element at x2[i] is among the k greatest: a bool Tensor (n,).

    Of equal elements all count as in. x2 is (n,), integers. Raises ValueError for another rank of x1, IndexError for an index outside a row,
    TypeError for indices of another dtype.
    """
    target = _k.gather_elements(_ranked("InTopK", x1, 2, "x1"), _k.expand_dims(_check_tensor(x2, "InTopK"), -1), -1)
    return _k.less(_k.sum(_k.cast(_k.greater(x1, target), _mstype.int32), -1), p.k)


def _sparse_cross_entropy(p, logits, labels):
    """Computes the mean over n rows of -log(softmax(logits)[i, labels[i]]); logits (n, classes) of floats, labels (n,) of integers.

    With is_grad the result is the gradient of that mean by the logits, (softmax(logits) - one_hot(labels)) / n, and no loss. Without it, raises
    IndexError for a label that is no class and ValueError for another number of labels.
    """
    if p.is_grad:
        one = _k.one_hot(labels, _check_tensor(logits, p.name).shape[-1], 1, 0, -1, logits.dtype)
        return (_k.softmax(logits, -1) - one) / float(logits.shape[0])
    return _k.cross_entropy(logits, labels, -100, "mean", None, 0.0)


# -- shapes ------------------------------------------------------------------------------------------------------------


def _depth_to_space(p, x):
    """Moves channels into blocks of block_size x block_size pixels: (n, c, h, w) gives (n, c / b^2, h b, w b), b = block_size.

    Channel (i b + j) c / b^2 + k of x is row i and column j of the blocks of channel k. Raises ValueError for another rank and for channels that
    are no multiple of b^2.
    """
    n, c, h, w = _ranked("depth_to_space", x, 4).shape
    b = int_tuple(p.block_size, 1, "depth_to_space", "block_size")[0]
    if c % (b * b):
        raise ValueError("[depth_to_space] number of channels, got %d, expected a multiple of %d" % (c, b * b))
    x = _k.transpose(_k.reshape(x, (n, b, b, c // (b * b), h, w)), (0, 3, 4, 1, 5, 2))
    return _k.reshape(x, (n, c // (b * b), h * b, w * b))


def _space_to_depth(p, x):
    """Moves blocks of block_size x block_size pixels into channels: (n, c, h, w) gives (n, c b^2, h / b, w / b), b = block_size.

    The reverse of DepthToSpace. Raises ValueError for another rank and for a height or width that is no multiple of b.
    """
    n, c, h, w = _ranked("space_to_depth", x, 4).shape
    b = int_tuple(p.block_size, 1, "space_to_depth", "block_size")[0]
    if h % b or w % b:
        raise ValueError("[space_to_depth] height and width, got %d and %d, expected multiples of %d" % (h, w, b))
    x = _k.transpose(_k.reshape(x, (n, c, h // b, b, w // b, b)), (0, 3, 5, 1, 2, 4))
    return _k.reshape(x, (n, c * b * b, h // b, w // b))


def _mirror_pad(p, x, paddings):
    """Pads x by mirroring it at its edges; paddings is ((before, after), ...) or a Tensor of these, one pair for each axis.

    mode REFLECT leaves the edge itself out (a, b, c with 2 before: c, b, a, b, c), SYMMETRIC repeats it (b, a, a, b, c). Raises ValueError for
    another mode, another number of pairs, and for more padding than there are elements to mirror.
    """
    if p.mode not in ("REFLECT", "SYMMETRIC"):
        raise ValueError("[MirrorPad] mode, got %r, expected 'REFLECT' or 'SYMMETRIC'" % (p.mode,))
    rows = paddings.tolist() if isinstance(paddings, _Tensor) else paddings
    if not isinstance(rows, (tuple, list)) or len(rows) != _check_tensor(x, "MirrorPad").ndim:
        raise ValueError("[MirrorPad] paddings, got %r, expected a pair for each of %d axes" % (rows, _check_tensor(x, "MirrorPad").ndim))
    for axis, (before, after) in enumerate([_check_pair(row, "MirrorPad", "a row of paddings") for row in rows]):
        x = _p.mirrored(x, axis, int(before), int(after), p.mode == "SYMMETRIC")
    return x


def _split_v(p, x):
    """Splits x along split_dim into parts of size_splits[i] elements; one -1 among them is the rest. Returns a tuple; num_split is not used.

    Raises ValueError for sizes that do not add up to the size of the axis, and for an axis that x does not have.
    """
    axis = check_axis(p.split_dim, _check_tensor(x, "SplitV").ndim, "SplitV", "split_dim")
    sizes = list(p.size_splits)
    rest = x.shape[axis] - sum(size for size in sizes if size != -1)
    return tuple(_k.split(x, [rest if size == -1 else size for size in sizes] if sizes.count(-1) == 1 else sizes, axis))


def _unique_runs(p, x):
    """Removes elements, or with dim slices along an axis, that equal the one before. Returns (what is left, the group of each element, the size
    of each group), the last two int64.

    Groups that return_inverse, and sizes that return_counts, do not ask for are a 0 without axes. Raises ValueError for a dim that x does not have.
    """
    found = _sc.unique_consecutive(x, p.return_inverse, p.return_counts, p.dim)
    found = list(found) if isinstance(found, tuple) else [found]
    none = _k.zeros((), _mstype.int64)
    inverse = found[1] if p.return_inverse else none
    return found[0], inverse, found[-1] if p.return_counts else none


def _close(p, x, y):
    """Says where |x - y| <= atol + rtol |y|; an infinity is close only to itself, NaN to NaN only with equal_nan. A bool Tensor.

    x and y are Tensors that broadcast; ValueError is raised for others, TypeError for numbers.
    """
    return _m.isclose(_check_tensor(x, "IsClose"), _check_tensor(y, "IsClose"), p.rtol, p.atol, p.equal_nan)


# -- images ------------------------------------------------------------------------------------------------------------


def _resize_bicubic(p, image, size):
    """Resizes images (n, c, h, w) to size, (height, width), by the cubic convolution of 4 x 4 neighbours (Keys 1981, a = -0.75).

    align_corners maps the corner pixels onto each other; half_pixel_centers measures from the pixels' centres, with a = -0.5. Raises ValueError
    for both, for another rank and for a size below 1.
    """
    if p.align_corners and p.half_pixel_centers:
        raise ValueError("[%s] align_corners and half_pixel_centers, got True for both" % p.name)
    sizes = int_tuple(tuple(size.tolist()) if isinstance(size, _Tensor) and size.ndim else size, 2, p.name, "size")
    return _resize(_ranked(p.name, image, 4, "image"), sizes, "bicubic", p.align_corners, p.half_pixel_centers)


def _dropped(rank):
    def rule(p, x):
        _ranked(p.name, x, rank + 2, "input")
        check_number(p.keep_prob, p.name, "keep_prob")
        ones = getattr(_s, "dropout%dd" % rank)(_k.ones_like(x), 1 - p.keep_prob)
        return x * ones, _k.not_equal(ones, 0)

    rule.__name__ = "_dropped"
    rule.__doc__ = """Sets whole channels of x, %s, to 0 with probability 1 - keep_prob and divides the others by keep_prob.

    Returns (the result, a bool mask of the kept elements), both of the shape of x. Raises ValueError for another rank and for a keep_prob
    outside [0, 1] (Tompson et al. 2015, spatial dropout).
    """ % ("(n, c, h, w)" if rank == 2 else "(n, c, d, h, w)")
    return rule


def _argmax_pool(p, x):
    """Takes the largest element of each window of x (n, c, h, w); returns (elements, their places, int32).

    A place counts through all channels of an image, row by row. kernel_size and strides are ints or two ints; pad_mode is 'valid' or 'same'.
    Raises ValueError for another rank, another pad_mode or data_format, and for a window larger than the image.
    """
    check_format(p.data_format, p.name)
    kernel, stride = _w._tuple(p.kernel_size, 2, p.name, "kernel_size"), _w._tuple(p.strides, 2, p.name, "strides")
    pads = _w._pads(p.name, _ranked(p.name, x, 4).shape[2:], kernel, stride, (1, 1), p.pad_mode.lower(), 0)
    values, places = _k.max_pool2d_with_index(x, kernel, stride, pads[0] + pads[1], False, (1, 1))
    # As in MindSpore, positions count through all channels of an image.
    first = _k.arange(0, x.shape[1], 1, _mstype.int64) * (x.shape[2] * x.shape[3])
    return values, _k.cast(places + _k.reshape(first, (1, -1, 1, 1)), _mstype.int32)


def _windows3d(p, x, pad):
    check_format(p.data_format, p.name, "NCDHW")
    kernel, stride = _w._tuple(p.kernel_size, 3, p.name, "kernel_size"), _w._tuple(p.strides, 3, p.name, "strides")
    return kernel, stride, _w._pads(p.name, _ranked(p.name, x, 5).shape[2:], kernel, stride, (1, 1, 1), p.pad_mode.lower(), pad)


def _max_pool3d(p, x):
    """Takes the largest element of each window of x (n, c, d, h, w). kernel_size and strides are ints or three ints.

    pad_mode is 'valid', 'same' or 'pad', which pads by pad_list: an int, three or six ints. ceil_mode rounds the sizes of the result up. Raises
    ValueError for another rank, pad_mode or data_format.
    """
    kernel, stride, pads = _windows3d(p, x, p.pad_list)
    return _po.greatest(x, kernel, stride, pads, (1, 1, 1), bool(p.ceil_mode))


def _avg_pool3d(p, x):
    """Computes the mean of each window of x (n, c, d, h, w), floats. kernel_size and strides are ints or three ints.

    pad_mode is 'valid', 'same' or 'pad', which pads by pad: an int, three or six ints. Padding counts only with 'pad' and count_include_pad;
    divisor_override, if not 0, divides the sums. Raises ValueError for another rank, pad_mode or data_format.
    """
    kernel, stride, pads = _windows3d(p, x, p.pad)
    return _po.averaged(x, kernel, stride, pads, p.ceil_mode, p.count_include_pad and p.pad_mode.lower() == "pad", p.divisor_override)


def _check_conv3d(p):
    check_format(p.data_format, p.name, "NCDHW")
    if p.mode != 1:
        raise ValueError("[%s] mode, got %r, expected 1" % (p.name, p.mode))
    return _w._tuple(p.kernel_size, 3, p.name, "kernel_size")


def _conv3d(p, x, weight):
    """Computes a 3-D convolution: x (n, c, d, h, w), weight (out_channel, c / group) + kernel_size; the result is (n, out_channel, d', h', w').

    pad_mode is 'valid', 'same' or 'pad', which pads by pad: an int, three or six ints. Raises ValueError for another rank, a weight of another
    shape, another mode than 1 and another data_format.
    """
    wanted = (p.out_channel,) + _check_conv3d(p)
    if _ranked(p.name, weight, 5, "weight").shape[:1] + weight.shape[2:] != wanted:
        raise ValueError("[%s] shape of weight, got %s, expected out_channel %d and kernel_size %s"
                         % (p.name, tuple(weight.shape), p.out_channel, wanted[1:]))
    return _w.conv3d(x, weight, None, p.stride, p.pad_mode, p.pad, p.dilation, p.group)


def _conv3d_transpose(p, x, weight):
    """Computes a transposed 3-D convolution: x (n, in_channel, d, h, w), weight (in_channel, out_channel / group) + kernel_size.

    Without padding an axis of the result has (size - 1) stride + dilation (kernel - 1) + 1 + output_padding elements. The sizes are those of the
    weight, as in MindSpore, whatever the attributes say. Raises ValueError for another rank, another mode than 1 and another data_format.
    """
    _check_conv3d(p)
    return _w.conv3d_transpose(x, weight, p.pad_mode, p.pad, p.stride, p.dilation, p.group, p.output_padding)
