"""Second forms of functions that MindSpore's mint uses (names in `_ext`), and building blocks of language models."""
import math as _math

from .._devices import device_number as _device_number
from .._devices import move as _move
from ..autograd import _no_grad
from ..common import dtype as _mstype
from ..common.checks import check_int as _check_int
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.generator import drawn as _drawn
from ..common.limits import EPSILON as _EPSILON
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import activation_func as _ac
from . import array_func as _a
from . import einsum_func as _es
from . import linalg_func as _la
from . import math_func as _m
from . import nn_func as _n
from . import pad_func as _p
from . import random_func as _r
from . import registry as _k
from . import segment_func as _sg
from . import special_func as _sp
from . import statistics_func as _st
from .argument_kinds import check_index as _check_index
from .argument_kinds import check_iterable as _iterable
from .argument_kinds import check_operand as _operand
from .argument_kinds import check_pair as _check_pair
from .argument_kinds import check_real as _real

accumulate_n, tensor_muls, pows = _m.addn, _k.mul, _k.pow
tensor_exp, tensor_expm1 = _k.exp, _k.expm1
soft_shrink, einsum_ext, float_power_ext = _ac.softshrink, _es.einsum, _sp.float_power


def isnan_ext(tensor):
    """Says where elements are NaN."""
    return _k.isnan(tensor)


def shape_(x):
    """Returns the shape of a Tensor, a tuple."""
    return _a.shape(x)


def angle(input):
    """Computes the angle of real numbers in the complex plane: 0, or pi where negative. Integers give float32, NaN stays NaN."""
    x = _check(input, "angle")
    x = x if x.dtype in _mstype.float_type else _k.cast(x, _mstype.float32)
    return _k.where(_k.isnan(x), x, _k.where(_k.less(x, 0), _math.pi, _k.zeros_like(x)))


def deepcopy(input_x):
    """Copies a tensor, with its own memory; the gradient passes. Raises TypeError for anything but a Tensor."""
    return _k.identity(_check(input_x, "deepcopy"))


def identity(x):
    """x itself, whatever it is.

    >>> import msjit as ms
    >>> ms.ops.identity((1, 2))
    (1, 2)
    """
    return x


def dyn_shape(input_x):
    """Returns the shape as an int64 Tensor."""
    return _Tensor(list(_check(input_x, "dyn_shape").shape), _mstype.int64)


def move_to(input, to="CPU", blocking=True):
    """Copies a tensor to another device, "CPU", "GPU" or "GPU:1"; a tensor that is there already is returned itself.

    Gradients flow through the copy. The copy is complete when this returns, whatever `blocking` says. Raises TypeError
    where `to` is not a str, ValueError where the device cannot be used.
    """
    return _move(_check(input, "move_to"), _device_number("move_to", "to", to))


def eps(x):
    """Creates a tensor in the shape of x whose elements are the distance from 1 to the next number of its float dtype. TypeError for other dtypes."""
    if _check(x, "eps").dtype not in _mstype.float_type:
        raise TypeError("[eps] dtype of x, got %s, expected a float" % (x.dtype,))
    return _k.full(x.shape, _EPSILON[x.dtype], x.dtype)


def _bound_rows(weight, used, max_norm, norm_type):
    """Scales rows of an embedding table, those where `used` is true and the norm exceeds max_norm, down to max_norm in place."""
    for what, value in (("max_norm", max_norm), ("norm_type", norm_type)):
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError("[embedding] %s, got %s, expected a number" % (what, type(value).__name__))
    size = _k.abs(_k.stop_gradient(weight))
    if norm_type == _math.inf:
        norms = _k.max(size, -1, True)
    else:
        norms = _k.pow(_k.sum(_k.pow(size, float(norm_type)), -1, True), 1.0 / norm_type)
    scale = _k.where(_k.logical_and(used, _k.greater(norms, float(max_norm))), float(max_norm) / (norms + 1e-7), _k.ones_like(norms))
    with _no_grad():  # the scaling itself has no gradient; look-ups after it see the changed table
        _k.assign(weight, weight * scale)


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False):
    """Looks up rows of `weight` (size, ...) by index; the result has the shape (*input.shape, ...).

    The row padding_idx gets no gradient. max_norm first scales down, in `weight` itself, the rows among those used whose
    norm of order norm_type exceeds it. scale_grad_by_freq divides the gradient of a row by the number of times it is looked
    up.

    Raises TypeError for a wrong type, ValueError for a padding_idx outside `weight` and for a `weight` without axes.
    """
    if not _check(weight, "embedding").ndim:
        raise ValueError("[embedding] rank of weight, got 0, expected at least 1")
    if padding_idx is not None:
        _real(padding_idx, "embedding", "padding_idx")
    if padding_idx is not None and not -weight.shape[0] <= padding_idx < weight.shape[0]:
        raise ValueError("[embedding] padding_idx, got %d, expected %d to %d" % (padding_idx, -weight.shape[0], weight.shape[0] - 1))
    counts = None
    if max_norm is not None or scale_grad_by_freq:
        ids = _k.reshape(_check(input, "embedding"), (-1,))
        counts = _sg.unsorted_segment_sum(_k.ones_like(_k.cast(ids, weight.dtype)), ids, weight.shape[0])
    if max_norm is not None:
        _bound_rows(weight, _k.expand_dims(_k.greater(counts, 0), -1), max_norm, norm_type)
    try:
        rows = _k.embedding(input, weight)
    except _ERRORS as error:
        _rename(error, "embedding")
        raise
    if scale_grad_by_freq:
        still = _k.stop_gradient(rows)
        rows = still + (rows - still) / _k.expand_dims(_k.gather(counts, input, 0), -1)
    if padding_idx is None:
        return rows
    here = _k.equal(_k.expand_dims(input, -1), padding_idx % weight.shape[0])
    return _k.where(here, _k.stop_gradient(rows), rows)


def padding(x, pad_dim_size=8):
    """Pads the last axis, which must have size 1, with zeros to the size pad_dim_size. Raises ValueError for another size and fewer than two axes."""
    _check(x, "padding")
    pad_dim_size = _check_int(pad_dim_size, "padding", "pad_dim_size")
    if pad_dim_size < 1 or x.ndim < 2 or x.shape[-1] != 1:
        raise ValueError("[padding] pad_dim_size and shape of x, got %d and %s, expected 1 or more, and 2 axes or more, the last "
                         "of size 1" % (pad_dim_size, tuple(x.shape)))
    return _k.pad(x, [0] * x.ndim, [0] * (x.ndim - 1) + [pad_dim_size - 1], 0)


def mirror_pad(input_x, paddings, mode):
    """Pads each axis with its mirror image; paddings is (rank, 2), mode 'REFLECT' or 'SYMMETRIC' (which repeats the edge).

    Raises TypeError for an input that is no Tensor and for paddings that are no pairs of numbers, ValueError for another number of them and for
    another mode.
    """
    if mode not in ("REFLECT", "SYMMETRIC"):
        raise ValueError("[mirror_pad] mode, got %r, expected 'REFLECT' or 'SYMMETRIC'" % (mode,))
    _check(input_x, "mirror_pad")
    rows = paddings.tolist() if isinstance(paddings, _Tensor) else paddings
    rows = [_check_pair(row, "mirror_pad", "a row of paddings") for row in _iterable(rows, "mirror_pad", "paddings", "a pair of ints for each axis")]
    if len(rows) != input_x.ndim:
        raise ValueError("[mirror_pad] paddings, got %d rows, expected %d" % (len(rows), input_x.ndim))
    for axis, (before, after) in enumerate(rows):
        input_x = _p.mirrored(input_x, axis, int(before), int(after), mode == "SYMMETRIC")
    return input_x


def intopk(x1, x2, k):
    """Says for each row of x1 (n, classes) whether the class x2[i] is among its k greatest elements: a bool Tensor (n,).

    Raises IndexError for a class outside a row, TypeError for classes that are no integers.
    """
    target = _k.gather_elements(x1, _k.expand_dims(_k.cast(x2, _mstype.int64), -1), -1)
    return _k.less(_k.sum(_k.cast(_k.greater(x1, target), _mstype.int32), -1), k)


def bidense(input1, input2, weight, bias=None):
    """Bilinear layer: out[..., k] = sum over i, j of input1[..., i] * weight[k, i, j] * input2[..., j], plus bias[k].

    Raises TypeError for anything but Tensors.
    """
    if bias is not None:
        _operand(bias, "bidense", "bias")
    wide = _k.matmul(_k.expand_dims(_k.expand_dims(input1, -2), -2), weight)
    out = _k.sum(_k.squeeze(wide, -2) * _k.expand_dims(input2, -2), -1)
    return out if bias is None else out + bias


def sparse_segment_mean(x, indices, segment_ids):
    """Picks the rows `indices` of x and computes the mean of those with the same segment id; 0 for an id without rows."""
    from .count_func import sorted_segments
    return sorted_segments("sparse_segment_mean", _k.gather(x, indices, 0), segment_ids, "mean")


def baddbmm_ext(input, batch1, batch2, *, beta=1, alpha=1):
    """Computes beta * input + alpha * (batch1 @ batch2) for stacks of matrices."""
    return _la.baddbmm(input, batch1, batch2, beta, alpha)


def mse_loss_ext(input, target, reduction="mean"):
    """Squared error (input - target)^2, reduced to its mean by default."""
    return _n.mse_loss(input, target, reduction)


def diff_ext(input, n=1, dim=-1, prepend=None, append=None):
    """Computes the differences of neighbours along an axis, n times over."""
    return _st.diff(input, n, dim, prepend, append)


def bernoulli_ext(input, *, generator=None):
    """Draws 1 with the probability given by each element of input, else 0."""
    if generator is not None:
        return _drawn("bernoulli_ext", generator, bernoulli_ext, input)
    return _r.bernoulli(input, input)


def adaptive_avg_pool2d_ext(input, output_size):
    """Means over windows chosen so that the last two axes get the size output_size."""
    return _n.adaptive_avg_pool2d(input, output_size)


# -- parts of language models -------------------------------------------------------------------------------------------


def rms_norm(x, gamma, epsilon=1e-6):
    """Normalises by the root mean square over the axes that gamma has; returns (x * rstd * gamma, rstd).

    rstd is 1 / sqrt(mean(x^2) + epsilon). The shape of gamma must be that of the last axes of x.
    Raises TypeError for an x or gamma that is no Tensor and for an epsilon that is no number.
    """
    _check(gamma, "rms_norm"), _operand(epsilon, "rms_norm", "epsilon")
    axes = tuple(range(-gamma.ndim, 0))
    if tuple(_check(x, "rms_norm").shape[-gamma.ndim:]) != tuple(_check(gamma, "rms_norm").shape):
        raise ValueError("[rms_norm] shape of gamma, got %s, expected the last sizes of %s" % (tuple(gamma.shape), tuple(x.shape)))
    wide = _k.cast(x, _mstype.float32) if x.dtype in (_mstype.float16, _mstype.bfloat16) else x
    rstd = _k.rsqrt(_k.mean(_k.square(wide), axes, True) + epsilon)
    return _k.cast(wide * rstd * _k.cast(gamma, wide.dtype), x.dtype), rstd


def add_rms_norm(x1, x2, gamma, epsilon=1e-6):
    """Applies rms_norm to x1 + x2; returns (normalised, rstd, x1 + x2). Raises TypeError for anything but Tensors."""
    _operand(x1, "add_rms_norm", "x1"), _operand(x2, "add_rms_norm", "x2"), _operand(epsilon, "add_rms_norm", "epsilon")
    total = x1 + x2
    return rms_norm(total, gamma, epsilon) + (total,)


def add_layer_norm(x1, x2, gamma, beta, epsilon=1e-5, additional_output=False):
    """Applies layer normalisation over the last axis to x1 + x2; returns (normalised, mean, 1 / standard deviation, x1 + x2).

    Raises TypeError for anything but Tensors.
    """
    for what, value in (("x1", x1), ("x2", x2), ("gamma", gamma), ("beta", beta), ("epsilon", epsilon)):
        _operand(value, "add_layer_norm", what)
    total = x1 + x2
    mean = _k.mean(total, -1, True)
    rstd = _k.rsqrt(_k.mean(_k.square(total - mean), -1, True) + epsilon)
    return (total - mean) * rstd * gamma + beta, mean, rstd, total


def rotary_position_embedding(x, cos, sin, mode=0):
    """Rotary position embedding: x * cos + rotated(x) * sin.

    rotated pairs up elements of the last axis as coordinates of a point: the two halves (mode 0) or neighbours (mode 1).
    Raises TypeError for anything but Tensors, ValueError for another mode and for an x without axes.
    """
    if mode not in (0, 1):
        raise ValueError("[rotary_position_embedding] mode, got %r, expected 0 or 1" % (mode,))
    if not _check(x, "rotary_position_embedding").ndim:
        raise ValueError("[rotary_position_embedding] rank of x, got 0, expected at least 1")
    _operand(cos, "rotary_position_embedding", "cos"), _operand(sin, "rotary_position_embedding", "sin")
    half = x.shape[-1] // 2
    if mode == 0:
        turned = _k.concat([-x[..., half:], x[..., :half]], -1)
    else:
        turned = _k.reshape(_k.stack([-x[..., 1::2], x[..., 0::2]], -1), x.shape)
    return x * cos + turned * sin


def moe_token_permute(tokens, indices, num_out_tokens=None, padded_mode=False):
    """Sorts tokens by the expert in `indices`; returns (sorted tokens, new position of each (token, choice)).

    Raises TypeError for indices that are no Tensor and for a num_out_tokens that is no int, ValueError for indices without axes.
    """
    if padded_mode:
        raise NotImplementedError("[moe_token_permute] padded_mode, got True, expected False")
    if not _check(indices, "moe_token_permute").ndim:
        raise ValueError("[moe_token_permute] rank of indices, got 0, expected 1 or 2")
    if num_out_tokens is not None:
        _check_index(num_out_tokens, "moe_token_permute", "num_out_tokens")
    choices = 1 if indices.ndim == 1 else indices.shape[1]
    flat = _k.reshape(indices, (-1,))
    order = _k.argsort(flat, 0)
    places = _k.cast(_k.argsort(order, 0), _mstype.int32)
    kept = flat.size if num_out_tokens is None else num_out_tokens if num_out_tokens > 0 else flat.size + num_out_tokens
    rows = _k.floor_div(_k.cast(order, _mstype.int64), choices)[:kept]
    return _k.gather(tokens, rows, 0), places


def moe_token_unpermute(permuted_tokens, sorted_indices, probs=None, padded_mode=False, restore_shape=None):
    """Undoes moe_token_permute: for each token it sums its choices, weighted by probs.

    Raises TypeError for anything but Tensors, ValueError for probs of fewer than two axes and for permuted_tokens without axes.
    """
    if padded_mode:
        raise NotImplementedError("[moe_token_unpermute] padded_mode, got True, expected False")
    if not _check(permuted_tokens, "moe_token_unpermute").ndim:
        raise ValueError("[moe_token_unpermute] rank of permuted_tokens, got 0, expected at least 1")
    if probs is not None and _check(probs, "moe_token_unpermute").ndim < 2:
        raise ValueError("[moe_token_unpermute] rank of probs, got %d, expected at least 2" % probs.ndim)
    choices = 1 if probs is None else probs.shape[1]
    inside = _k.less(sorted_indices, permuted_tokens.shape[0])
    rows = _k.gather(permuted_tokens, _k.where(inside, sorted_indices, 0), 0)
    rows = _k.where(_k.expand_dims(inside, 1), rows, _k.zeros_like(rows))
    rows = _k.reshape(rows, (-1, choices, rows.shape[-1]))
    return _k.sum(rows if probs is None else rows * _k.expand_dims(_k.cast(probs, rows.dtype), 2), 1)


# -- convolution at shifted places ---------------------------------------------------------------------------------------


def deformed(x, offsets, ksize, strides, pads, dilations, groups, modulated):
    """Samples the windows of a deformable convolution from (N, C, H, W): the result is (N, C, H' * rows, W' * columns).

    The offsets are those of deformable_conv2d.
    """
    n, c, height, width = x.shape
    rows, columns = ksize
    counts = offsets.shape[2:]
    shape = (n, -1, groups, rows, columns) + tuple(counts)
    parts = _k.unstack(_k.reshape(offsets, shape), 1)
    base = []
    for axis, (count, size) in enumerate(zip(counts, ksize)):
        window = _k.arange(0, size, 1, _mstype.float32) * float(dilations[axis])
        at = _k.arange(0, count, 1, _mstype.float32) * float(strides[axis]) - float(pads[axis])
        base.append(_k.reshape(window, (size, 1, 1) if axis else (size, 1, 1, 1)) + _k.reshape(at, (1, count) if axis else (count, 1)))
    across, down = parts[0] + base[1], parts[1] + base[0]
    images = _k.reshape(x, (n * groups, c // groups, height, width))
    places = [_k.reshape(p, (n * groups, -1)) for p in (down, across)]
    out = _k.reshape(_bilinear(images, places), (n, groups, c // groups, rows, columns) + tuple(counts))
    if modulated:
        out = out * _k.expand_dims(parts[2], 2)
    out = _k.transpose(_k.reshape(out, (n, c, rows, columns) + tuple(counts)), (0, 1, 4, 2, 5, 3))
    return _k.reshape(out, (n, c, counts[0] * rows, counts[1] * columns))


def _bilinear(images, places):
    """Samples (N, C, H, W) images between pixels by bilinear interpolation, with zeros outside: (N, C, points)."""
    low = [_k.floor(p) for p in places]
    number = _k.reshape(_k.arange(0, images.shape[0], 1, _mstype.int64), (-1, 1))
    total = 0.0
    for step_y in (0.0, 1.0):
        for step_x in (0.0, 1.0):
            at = [low[0] + step_y, low[1] + step_x]
            weight = (1.0 - _k.abs(places[0] - at[0])) * (1.0 - _k.abs(places[1] - at[1]))
            inside = None
            for p, size in zip(at, images.shape[2:]):
                there = _k.logical_and(_k.greater_equal(p, 0), _k.less(p, size))
                inside = there if inside is None else _k.logical_and(inside, there)
            index = [_k.cast(_k.clip(p, 0.0, float(size - 1)), _mstype.int64) for p, size in zip(at, images.shape[2:])]
            taken = _k.index([images, number] + index, [0, 2, 3])  # (N, points, C)
            total = total + taken * _k.expand_dims(_k.where(inside, weight, 0.0), 2)
    return _k.transpose(total, (0, 2, 1))


def deformable_conv2d(x, weight, offsets, kernel_size, strides, padding, bias=None, dilations=(1, 1, 1, 1), groups=1,
                      deformable_groups=1, modulated=True):
    """Deformable convolution of (N, C, H, W): each window element is read at a position shifted by `offsets`, between
    pixels.

    offsets is (N, 3 * deformable_groups * rows * columns, H', W'): shifts along the width, shifts along the height, then factors
    for the values. Without modulated there are no factors, and the 3 is a 2. strides and dilations are (1, 1, rows, columns),
    padding is (top, bottom, left, right). Raises TypeError for an x, weight or offsets that are no Tensors and for numbers that are no ints.
    """
    for what, value, count in (("kernel_size", kernel_size, 2), ("strides", strides, 4), ("padding", padding, 4),
                               ("dilations", dilations, 4)):
        if not isinstance(value, (tuple, list)) or len(value) != count:
            raise ValueError("[deformable_conv2d] %s, got %r, expected %d ints" % (what, value, count))
        for size in value:
            _check_index(size, "deformable_conv2d", what)
    _check_index(deformable_groups, "deformable_conv2d", "deformable_groups")
    if _check(x, "deformable_conv2d").ndim != 4 or x.shape[1] % deformable_groups:
        raise ValueError("[deformable_conv2d] shape of x, got %s, expected 4 axes, the second a multiple of %d"
                         % (tuple(x.shape), deformable_groups))
    parts = 3 if modulated else 2
    if _check(offsets, "deformable_conv2d").ndim != 4:
        raise ValueError("[deformable_conv2d] rank of offsets, got %d, expected 4" % offsets.ndim)
    if offsets.shape[1] != parts * deformable_groups * kernel_size[0] * kernel_size[1]:
        raise ValueError("[deformable_conv2d] channels of offsets, got %d, expected %d"
                         % (offsets.shape[1], parts * deformable_groups * kernel_size[0] * kernel_size[1]))
    windows = deformed(x, offsets, kernel_size, strides[2:], (padding[0], padding[2]), dilations[2:], deformable_groups, modulated)
    out = _n.conv2d(windows, weight, None, tuple(kernel_size), "valid", 0, 1, groups)
    return out if bias is None else _n.bias_add(out, bias)


__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and name != "deformed" and callable(value)]
